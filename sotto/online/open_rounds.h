#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sotto/base/bytes.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/online/online_model.h"

namespace sotto {

// What a saved round must be within.
struct OpenRoundLimits {
  const LabelType& label;
  std::uint64_t rounds = 0;  // that have been played
};

// A round that was answered and whose label may still come.
struct PendingRound {
  std::uint64_t number = 0;         // of the round, from 1
  std::unique_ptr<OpenRound> open;  // absent: nobody was answered
  std::optional<Label> label;       // known already, not yet due
  Label prediction;
  std::optional<double> probability;

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<PendingRound> Load(OnlineModel& model,
                                   const OpenRoundLimits& limits,
                                   ByteReader& reader);
};

// Rounds whose labels come a fixed number of rounds late: the rows of a file
// with --label-delay. First in, first out.
//
// Threads: not thread-safe.
class DelayedRounds {
 public:
  explicit DelayedRounds(std::uint64_t delay) : delay_(delay) {}

  // Every round takes its place, also one on which nobody was answered.
  void Push(PendingRound round) { waiting_.push_back(std::move(round)); }
  // The round whose label is due now, if any.
  std::optional<PendingRound> Due();

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(OnlineModel& model, const OpenRoundLimits& limits,
              ByteReader& reader);

 private:
  std::uint64_t delay_;
  std::deque<PendingRound> waiting_;
};

// Rounds that are known by their tickets: labels come in any order, at any time
// or never.
//
// A ticket is good for `lifetime` rounds of the public clock, for ever if that
// is 0; what becomes of a label depends on the ticket's own round alone.
//
// Threads: not thread-safe.
class TicketedRounds {
 public:
  explicit TicketedRounds(std::uint64_t lifetime) : lifetime_(lifetime) {}

  // Of a ticket that MakeTicket made. Requires a greater number than all
  // before.
  void Keep(std::string_view ticket, PendingRound round);

  enum class Outcome : std::uint8_t {
    kTaken,    // the label is new: `round` is to be closed with it
    kAlready,  // the same label was given before
    kRefused,  // no such ticket, too late, or another label was given before
  };
  struct Answer {
    Outcome outcome = Outcome::kRefused;
    std::optional<PendingRound> round = {};
  };
  Answer Take(std::string_view ticket, const Label& y);
  // As if there were no such ticket: nobody will use it any more.
  void Forget(std::string_view ticket);
  // Forgets what is too old. To be called with every tick.
  void Expire(std::uint64_t now);

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(OnlineModel& model, const OpenRoundLimits& limits,
              ByteReader& reader);

 private:
  // A ticket as a number: one a round is kept for ever, so they are small.
  struct Digits {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Digits&, const Digits&) = default;
  };
  struct Spread {
    // Tickets are pseudo-random already.
    std::size_t operator()(const Digits& digits) const {
      return static_cast<std::size_t>(digits.low);
    }
  };
  struct Entry {
    std::uint64_t number = 0;
    Digits ticket = {};
    // Absent: closed, with `label`, or forgotten, without.
    std::unique_ptr<PendingRound> waiting = {};
    std::optional<Label> label = {};
  };

  // Absent: no text that a ticket can be.
  static std::optional<Digits> Parse(std::string_view ticket);
  static std::string Text(const Digits& ticket);
  // Requires a number above all others, and a new ticket.
  void Put(Entry entry);
  Entry& At(std::uint64_t number);

  std::uint64_t lifetime_;
  std::deque<Entry> rounds_;  // by number
  std::unordered_map<Digits, std::uint64_t, Spread> numbers_;
};

}  // namespace sotto
