#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/durable/session_machine.h"
#include "sotto/random/key.h"
#include "sotto/service/repeat_table.h"
#include "sotto/service/served_model.h"
#include "sotto/service/slot_tally.h"
#include "sotto/service/ticket_seal.h"

namespace sotto {

// An online model of the registry behind a host: a session, the tickets its
// users hold, and replies for repeated requests.
//
// Threads: not thread-safe.
class OnlineServed final : public ServedModel {
 public:
  static Result<std::unique_ptr<ServedModel>> Create(
      const ModelConfiguration& configuration, const JournalKeys& keys,
      std::span<const std::string> training_rows);
  static Result<std::unique_ptr<ServedModel>> Load(
      const ModelConfiguration& configuration, std::string_view state);
  static Result<std::vector<Record>> ReadTrainingRows(
      const ModelConfiguration& configuration, const JournalKeys& keys);

  static Result<Guarantee> Check(const ModelConfiguration& configuration);

  const SlotClock* slots() const override {
    return setup_.slots ? &*setup_.slots : nullptr;
  }
  std::uint64_t full_groups() const override { return tally_.full(); }
  ServedStep MakeFiller(HostRequest::Kind kind, bool taken) override;
  ServedStep Prepare(const HostRequest& request) override;
  Result<HostReply> Apply(ServedStep& step) override;
  Status Replay(const RecordView& record) override;
  ReplyHash replies() const override { return machine_.replies(); }
  Status Save(ByteWriter& writer) override;
  void Rotate(const JournalKeys& fresh) override;

  const Guarantee& guarantee() const override { return guarantee_; }
  bool halted() const override { return session_->halted(); }
  std::uint64_t rounds() const override { return session_->rounds(); }
  std::uint64_t phase() const override { return session_->phase(); }
  std::size_t longest_body() const override;
  Json Describe() const override;
  std::optional<std::string> Hypothesis() const override;
  std::optional<std::string> Estimate() const override { return std::nullopt; }

 private:
  using Outcome = TicketedRounds::Outcome;

  OnlineServed(OnlineSetup setup, std::unique_ptr<Session> session,
               const Key& names, const Key& tickets, const ReplyHash& replies);

  // The record of a round. With slots all have one size; a row that is too
  // long for it becomes a bad row.
  Record Encode(RoundRecord& round) const;
  Result<Outcome> Take(const LabelRecord& label);
  ServedStep PrepareRound(const HostRequest& request);
  ServedStep PrepareLabel(const HostRequest& request);
  // The round of a request, without its user. Sets the error of a bad one.
  void ReadRound(const HostRequest& request, RoundRecord& record);
  // Plays a round, or finds the reply of one that it repeats. `shown`: a reply
  // is wanted; a replay wants it only for requests that may be repeated.
  Result<HostReply> Play(RoundRecord& record, bool shown);
  HostReply RoundReply(const RoundOutcome& outcome,
                       const std::string& error) const;

  OnlineSetup setup_;
  std::unique_ptr<Session> session_;
  SessionMachine machine_;
  Key names_;  // root of the next two
  Key name_key_;
  Key repeat_key_;
  TicketSeal seal_;
  RepeatTable repeats_;
  Guarantee guarantee_;
  SlotTally tally_{};  // with slots
  LiveLine line_{};    // memory is reused
};

}  // namespace sotto
