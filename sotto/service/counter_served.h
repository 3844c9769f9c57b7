#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "sotto/durable/reply_chain.h"
#include "sotto/mechanisms/counters/counter.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"
#include "sotto/online/user_ledger.h"
#include "sotto/random/history_rng.h"
#include "sotto/service/repeat_table.h"
#include "sotto/service/served_model.h"

namespace sotto {

// A running count or a monitor behind a host. An ADD is one step, whatever the
// request holds: its value is cut to --bound, and a bad one, or one of a user
// without rounds left, adds 0. The reply is public.
//
// Guarantee: that of the mechanism for bound * rounds_per_user units.
// Proof:     host.md, step 9.
// Threads:   not thread-safe.
class CounterServed final : public ServedModel {
 public:
  // True for "count" and "monitor".
  static bool Is(std::string_view model);
  static Result<std::unique_ptr<ServedModel>> Create(
      const ModelConfiguration& configuration, const JournalKeys& keys);
  static Result<std::unique_ptr<ServedModel>> Load(
      const ModelConfiguration& configuration, std::string_view state);
  static Result<Guarantee> Check(const ModelConfiguration& configuration);

  ServedStep Prepare(const HostRequest& request) override;
  Result<HostReply> Apply(ServedStep& step) override;
  Status Replay(const RecordView& record) override;
  ReplyHash replies() const override { return replies_.hash(); }
  Status Save(ByteWriter& writer) override;
  void Rotate(const JournalKeys& fresh) override;

  const Guarantee& guarantee() const override { return guarantee_; }
  bool halted() const override;
  std::uint64_t rounds() const override;
  std::uint64_t phase() const override { return 0; }
  std::size_t longest_body() const override;
  Json Describe() const override;
  std::optional<std::string> Hypothesis() const override {
    return std::nullopt;
  }
  std::optional<std::string> Estimate() const override { return estimate_; }

 private:
  using Mechanism = std::variant<Counter, ThresholdMonitor>;
  struct Setup;

  CounterServed(const Setup& setup, Mechanism mechanism, const Key& names,
                const Key& noise);

  static Result<Setup> MakeSetup(const ModelConfiguration& configuration);
  static Result<Mechanism> MakeMechanism(const Setup& setup, ByteReader* state);
  static Result<Guarantee> MakePromise(const Setup& setup,
                                       const Mechanism& mechanism);
  // The value of a request, in [0, bound]; absent: it has none.
  std::optional<std::uint64_t> ReadValue(const HostRequest& request) const;
  Result<HostReply> Add(const RoundRecord& record, std::uint64_t value);
  Result<std::string> Step(std::uint64_t value);

  std::string model_;
  std::uint64_t bound_;
  std::uint64_t horizon_;
  Mechanism mechanism_;
  Guarantee guarantee_;
  Key names_;  // root of the next three
  Key name_key_;
  Key repeat_key_;
  UserLedger ledger_;
  std::unique_ptr<HistoryRng> rng_;
  RepeatTable repeats_;
  ReplyChain replies_{};
  std::optional<std::string> estimate_{};
};

}  // namespace sotto
