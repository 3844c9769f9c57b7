#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/learners/learner_spec.h"
#include "sotto/models/everlasting/everlasting_predictor.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// An everlasting predictor as a session drives it. Labels of queries teach
// nothing.
//
//   auto model = EverlastingOnlineModel::Create({settings, inputs, {3, 1e-5}});
//
// Guarantee: EverlastingPredictor's; the session keeps its preconditions.
// Threads:   not thread-safe.
class EverlastingOnlineModel final : public OnlineModel {
 public:
  // As OnlineModelEntry::create and OnlineModelEntry::load.
  static Result<std::unique_ptr<OnlineModel>> Create(
      const ModelRequest& request);
  static Result<std::unique_ptr<OnlineModel>> Load(const ModelRequest& request,
                                                   ByteReader& reader);

  const Guarantee& guarantee() const override { return predictor_.guarantee(); }
  Json parameters() const override { return parameters_; }
  std::string Summary() const override { return in_words_; }
  std::vector<std::string> caveats() const override;
  Forecast forecast() const override { return outlook_; }

  Status Train(const RoundSource& rows, Rng& rng) override;
  bool halted() const override { return predictor_.halted(); }
  std::uint64_t phase() const override { return predictor_.phase(); }

  Result<OpenResult> Open(FeatureView x, std::string_view user,
                          Rng& rng) override;
  Result<bool> PlayEmptyRound(Rng& rng) override;
  Status Close(std::unique_ptr<OpenRound> open, const Label& y) override;
  Result<std::size_t> Play(std::span<Round> rounds,
                           NoiseHistory& history) override;
  std::size_t preferred_batch_size() const override;

  std::optional<double> VoteShare(FeatureView x) override;

  Status Save(ByteWriter& writer) override;
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader& reader) override;

 private:
  class PendingRound;  // of which nothing is kept
  static Result<std::unique_ptr<OnlineModel>> Finish(
      const LearnerSpec& spec, Result<EverlastingPredictor> predictor,
      Forecast forecast);

  EverlastingOnlineModel(const LearnerSpec& spec,
                         EverlastingPredictor predictor,
                         const EverlastingPhase& first, Forecast forecast);

  EverlastingPredictor predictor_;
  Forecast outlook_;
  Json parameters_;
  std::string in_words_;
  std::string learner_;
  // Of Play, kept so that it allocates nothing.
  std::vector<FeatureView> queries_;
  std::vector<EverlastingPredictor::Draw> draws_;
  std::vector<EverlastingPredictor::Answer> answers_;
  std::vector<NoiseHistory::Place> places_;
};

}  // namespace sotto
