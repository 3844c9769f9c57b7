#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/tide/tide_hypothesis.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Published weights as JSON, with the names of columns and the guarantee
// inside: enough to predict with, and for people to read.
//
//   Json file = TideToJson(tide.hypothesis(), &schema, tide.guarantee());
//   auto model = TideFromJson(file);
//   model->hypothesis.Predict(x);
//
// Threads: pure functions.
struct TideModelFile {
  std::optional<Schema> schema;
  std::string label_column;  // empty: not known
  TideHypothesis hypothesis;
};

Json TideToJson(const TideHypothesis& hypothesis, const Schema* schema,
                const Guarantee& guarantee);

// Fails with kInvalidArgument: what is missing or wrong.
Result<TideModelFile> TideFromJson(const Json& json);

// ModelFileFormat::reach for a published tide; empty without a schema.
Result<std::vector<ColumnReach>> ReachOfTide(const Json& json);
// The columns, those that move scores furthest first, as bars.
std::string ShowTide(const TideModelFile& model);

// A label as a user knows it.
std::string TideLabelText(const LabelType& type, const Label& label);

// ModelFileFormat::read for a published tide: by the names of columns with a
// schema, by their places without one.
Result<PublishedModel> ReadTide(const Json& json);

}  // namespace sotto
