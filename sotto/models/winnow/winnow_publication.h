#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/encoding.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/winnow/winnow_hypothesis.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// A halfspace as it is published: with everything that is needed to use it on
// other data. Nothing of it depends on data but the weights, which are private
// releases.
//
//   WinnowPublication publication(inputs, {.bias = true});
//   Json json = publication.Of(winnow.hypothesis());
//
// The format is described in winnow_publication.md.
// Threads: const calls may run at the same time.
class WinnowPublication {
 public:
  struct Params {
    // Number of non-zeros of an example that count, the bias among them; 0:
    // all.
    std::uint32_t max_nonzeros = 0;
    bool bias = false;
    bool clamp = false;  // numbers are moved into their range
  };

  WinnowPublication(const InputSpec& inputs, const Params& params)
      : inputs_(inputs), params_(params) {}

  Json Of(const WinnowHypothesis& hypothesis) const;
  // The label that the published halfspace gives to a row.
  bool Predict(const WinnowHypothesis& hypothesis, FeatureView x) const;

 private:
  Json Weight(const Feature& weight) const;

  InputSpec inputs_;
  Params params_;
};

// A published halfspace, read again.
struct ReadHalfspace {
  std::uint32_t features = 0;
  std::optional<std::uint32_t> row_features = {};
  std::string negative;
  std::string positive;
  EncodingParams encoding = {};
  std::vector<std::string> columns = {};  // of a csv file without a schema
  std::map<std::uint32_t, std::string> names = {};  // of weights
  WinnowHypothesis hypothesis;

  // As the session did.
  double Score(FeatureView x) const;
  bool Predict(FeatureView x) const { return Score(x) > 0; }
};
// Fails with kInvalidArgument, naming the member, if it is no such model.
Result<ReadHalfspace> ReadPublication(const Json& json);

// Shows and uses published halfspaces (published_winnow.cc).
const ModelFileFormat& PublishedWinnow();

}  // namespace sotto
