#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/ensembles/process_learner.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/pop/private_online_procedure.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// A learner that lives in the program around us, such as a Python object.
//
// Threads: a value type; its copies are made and asked by one thread at a time.
struct HostLearner {
  // As --learner, reports and states have it: kPopHost and a name.
  std::string text;
  // A sentence that belongs under the guarantee: what cannot be checked.
  std::string assumption;
  std::function<Result<EnsembleFactory>(const InputSpec& inputs)> copies;
};

// The private online procedure as a session drives it.
//
//   auto model = PopOnlineModel::Create({settings, inputs, {1, 1e-6}});
//
// Guarantee: PrivateOnlineProcedure's; the session keeps its preconditions.
// Threads:   not thread-safe.
class PopOnlineModel final : public OnlineModel {
 public:
  // As OnlineModelEntry::create and OnlineModelEntry::load. `host`, if the
  // learner is the host's, need not outlive the call.
  static Result<std::unique_ptr<OnlineModel>> Create(
      const ModelRequest& request, const HostLearner* host = nullptr);
  static Result<std::unique_ptr<OnlineModel>> Load(
      const ModelRequest& request, ByteReader& reader,
      const HostLearner* host = nullptr);

  const Guarantee& guarantee() const override { return guarantee_; }
  Json parameters() const override { return parameters_; }
  std::string Summary() const override;
  std::vector<std::string> caveats() const override;
  Forecast forecast() const override { return outlook_; }

  bool halted() const override { return pop_.halted(); }
  std::uint64_t phase() const override { return pop_.phase(); }
  bool users_in_one_phase() const override {
    return pop_.params().schedule.pin_users;
  }

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
  using Procedure = PrivateOnlineProcedure;
  class PendingRound;  // a round of the procedure
  // The learner as its user wrote it, byte for byte, and its program if it is
  // one: ensembles point at it.
  struct Plain {
    std::string text;
    LearnerSpec spec;
    std::unique_ptr<ProcessLearner> process;
    std::string assumption;  // that cannot be checked, if there is one
  };

  PopOnlineModel(const ModelRequest& request, Plain plain, Procedure pop,
                 Guarantee guarantee, Forecast forecast);
  static Result<Plain> MakePlain(const ModelRequest& request,
                                 const std::string& text,
                                 const HostLearner* host);
  static Result<std::unique_ptr<OnlineModel>> Finish(
      const ModelRequest& request, Plain plain, Result<Procedure> pop,
      Forecast forecast);
  Result<std::size_t> PlayBatch(std::span<Round> rounds, NoiseHistory& history);

  std::uint32_t features_;
  Plain plain_;
  Procedure pop_;
  Guarantee guarantee_;
  Forecast outlook_;
  Json parameters_;
  // Of PlayBatch, kept so that it allocates nothing.
  std::vector<Procedure::Example> examples_;
  std::vector<Procedure::Draw> draws_;
  std::vector<Procedure::Answer> answers_;
  std::vector<NoiseHistory::Place> places_;
};

}  // namespace sotto
