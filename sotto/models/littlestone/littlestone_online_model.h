#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/models/fits/fit_file.h"
#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/papers/dp_online_learner.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// What was chosen, for reports and for people.
Json LittlestoneParameters(const FiniteClassLearner::Params& params);
Json LittlestoneParameters(const DpOnlineLearner::Params& params);
std::string LittlestoneInWords(const FiniteClassLearner::Params& params);
std::string LittlestoneInWords(const DpOnlineLearner::Params& params);
// Against whom it learns: the votes, and whose streams they are meant for.
std::string VotesInWords(const FiniteClassLearner::Params& params);
std::string VotesInWords(const DpOnlineLearner::Params& params);

// As OnlineModelEntry::create and OnlineModelEntry::load: FiniteClassLearner,
// or with the paper's calibration DpOnlineLearner.
Result<std::unique_ptr<OnlineModel>> CreateLittlestone(
    const ModelRequest& request);
Result<std::unique_ptr<OnlineModel>> LoadLittlestone(
    const ModelRequest& request, ByteReader& reader);

// A learner of a finite class as a session drives it.
//
//   auto model = CreateLittlestone({settings, inputs, {1, 1e-6}});
//
// Guarantee: the learner's; the session keeps its preconditions.
// Threads:   not thread-safe.
template <typename Learner>
class LittlestoneOnlineModel final : public OnlineModel {
 public:
  static Result<std::unique_ptr<OnlineModel>> Wrap(const ModelRequest& request,
                                                   Result<Learner> learner);

  const Guarantee& guarantee() const override { return learner_.guarantee(); }
  Json parameters() const override {
    return LittlestoneParameters(learner_.params());
  }
  std::string Summary() const override {
    return LittlestoneInWords(learner_.params());
  }
  std::vector<std::string> caveats() const override;

  // How often the hypothesis has changed.
  std::uint64_t phase() const override { return learner_.changes(); }

  Result<OpenResult> Open(FeatureView x, std::string_view user,
                          Rng& rng) override;
  Result<bool> PlayEmptyRound(Rng& rng) override;
  Status Close(std::unique_ptr<OpenRound> open, const Label& y) override;
  std::size_t preferred_batch_size() const override { return 256; }

  std::optional<Json> hypothesis() const override;

  Status Save(ByteWriter& writer) override;
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader& reader) override;

 private:
  class PendingRound;  // a round of the learner

  LittlestoneOnlineModel(Learner learner, FitFile file)
      : learner_(std::move(learner)), file_(std::move(file)) {}

  Learner learner_;
  FitFile file_;  // without a hypothesis
};

}  // namespace sotto
