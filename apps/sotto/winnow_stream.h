#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "round_history.h"
#include "sotto/model/user_ledger.h"
#include "sotto/models/winnow/dp_winnow.h"
#include "sotto/models/winnow/private_winnow.h"
#include "stream_model.h"

namespace sotto::app {

using AnyWinnow = std::variant<PrivateWinnow, DpWinnow>;

// Winnow over a stream of rows: each round's noise comes from the history, each
// label is taught `label_delay` rows late, and a named user has so many rounds
// and no more. A phase lasts from one hypothesis to the next; the round that
// begins with a new one is paid.
//
// Threads: not thread-safe.
class WinnowStream final : public StreamModel {
 public:
  WinnowStream(AnyWinnow winnow, const Key& noise, const Key& hash,
               std::uint64_t rounds_per_user, std::uint64_t label_delay)
      : winnow_(std::move(winnow)),
        history_(noise, hash),
        ledger_(rounds_per_user),
        label_delay_(label_delay) {}

  std::size_t best_batch() const override { return 64; }
  Result<std::size_t> Play(std::span<const Example> rounds,
                           std::span<RoundOutcome> outcomes) override;
  Status Skip() override;
  bool halted() const override { return false; }
  std::uint64_t phase() const override;
  std::optional<double> VoteShare(FeatureView) override { return std::nullopt; }

  Status Save(ByteWriter& writer) override;
  // Reads what Save wrote after winnow itself. Fails with kCorruption.
  Status LoadRest(ByteReader& reader);

  const AnyWinnow& winnow() const { return winnow_; }
  const WinnowHypothesis& hypothesis() const;
  const Guarantee& guarantee() const;
  const RoundHistory& history() const { return history_; }

 private:
  // A round whose label is still to come; refused ones keep their place.
  struct Waiting {
    std::optional<WinnowRound> round;
    std::optional<bool> label;
  };

  Status PlayOne(const Example& example, RoundOutcome& outcome);
  Result<WinnowRound> Open(FeatureView x);
  void TeachDue();

  AnyWinnow winnow_;
  RoundHistory history_;
  UserLedger ledger_;
  std::uint64_t label_delay_;
  std::deque<Waiting> waiting_;
  std::optional<bool> taught_;  // since the last round
};

}  // namespace sotto::app
