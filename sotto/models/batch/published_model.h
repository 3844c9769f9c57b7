#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"
#include "sotto/data/streams/encoding.h"
#include "sotto/data/streams/row_format.h"

namespace sotto {

// A published model, ready to predict: how rows become features, as when it was
// made, and its answer to a row of features. Nothing of it is private.
//
//   auto model = format.read(json);
//   model->predict(x).prediction;
//
// Threads: const calls may run at the same time.
struct PublishedModel {
  struct Answer {
    Label prediction;
    // Probability of the positive label or of the predicted class, if any.
    std::optional<double> probability = {};
  };

  EncodingParams encoding = {};
  ValueLimits limits = {};
  LabelType label = {};
  std::string label_column = {};  // empty: not known
  // Without a schema: names of the first features, if they are known.
  std::vector<std::string> columns = {};
  std::function<Answer(FeatureView x)> predict = {};
};

}  // namespace sotto
