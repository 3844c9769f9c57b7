#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "round_history.h"
#include "sotto/model/user_ledger.h"
#include "sotto/models/pop/private_online_procedure.h"
#include "stream_model.h"

namespace sotto::app {

// The private online procedure over a stream of rows: each round's noise comes
// from the history, and each label is taught `label_delay` rows late.
//
// Threads: not thread-safe.
class PopStream final : public StreamModel {
 public:
  PopStream(PrivateOnlineProcedure pop, const Key& noise, const Key& hash,
            std::uint64_t label_delay)
      : pop_(std::move(pop)),
        ledger_(pop_.params().rounds_per_user,
                pop_.params().schedule.pin_users),
        history_(noise, hash),
        label_delay_(label_delay) {}

  std::size_t best_batch() const override;
  Result<std::size_t> Play(std::span<const Example> rounds,
                           std::span<RoundOutcome> outcomes) override;
  Status Skip() override;
  bool halted() const override { return pop_.halted(); }
  std::uint64_t phase() const override { return pop_.phase(); }
  std::optional<double> VoteShare(FeatureView x) override;

  Status Save(ByteWriter& writer) override;
  // Reads what Save wrote after the procedure itself. Fails with kCorruption.
  Status LoadQueue(ByteReader& reader);

  const Guarantee& guarantee() const { return pop_.guarantee(); }
  const PopSchedule& schedule() const { return pop_.params().schedule; }
  const RoundHistory& history() const { return history_; }

 private:
  using Procedure = PrivateOnlineProcedure;
  // A round whose label is still to come; refused ones keep their place.
  struct Waiting {
    std::optional<Procedure::Round> round;
    std::optional<bool> label;
  };

  Status PlayOne(const Example& example, RoundOutcome& outcome);
  Result<std::size_t> PlayBatch(std::span<const Example> rounds,
                                std::span<RoundOutcome> outcomes);
  Status TeachDue();

  Procedure pop_;
  UserLedger ledger_;
  RoundHistory history_;
  std::uint64_t label_delay_;
  std::deque<Waiting> waiting_;
  std::optional<bool> taught_;  // since the last round
};

}  // namespace sotto::app
