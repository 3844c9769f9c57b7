#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "sotto/base/bytes.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/online/hash_table.h"
#include "sotto/online/online_model.h"

namespace sotto {

// Limits that a saved round is checked against.
struct OpenRoundLimits {
  const LabelType& label;
  std::uint64_t rounds = 0;  // played so far
};

// An answered round whose label may still come.
struct PendingRound {
  std::uint64_t number = 0;         // from 1
  std::unique_ptr<OpenRound> open;  // absent: an empty round
  std::optional<Label> label;       // received, not yet due
  Label prediction;
  std::optional<double> probability;

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<PendingRound> Load(OnlineModel& model,
                                   const OpenRoundLimits& limits,
                                   ByteReader& reader);
};

// An answered round as bytes: a service holds a million of them.
//
//   PackedRound packed(ticket, round);
//   auto round = packed.Unpack(model, type);
//
// Threads: a value type that can only be moved.
class PackedRound {
 public:
  using Ticket = HashTable::Hash;

  PackedRound() = default;  // empty: a place whose round is gone
  PackedRound(const Ticket& ticket, const PendingRound& round);
  // `saved` is what PendingRound::Save wrote.
  PackedRound(const Ticket& ticket, std::string_view saved);

  explicit operator bool() const { return bytes_ != nullptr; }
  // Require a round.
  Ticket ticket() const;
  std::uint64_t number() const;
  std::string_view saved() const;
  // Requires the model that opened the round. Fails as its LoadRound does.
  Result<PendingRound> Unpack(OnlineModel& model, const LabelType& type) const;

 private:
  std::unique_ptr<char[]> bytes_{};  // ticket, size, saved bytes
};

// Rounds whose labels come a fixed number of rounds later: the rows of a file
// with --label-delay. First in, first out.
//
// Threads: not thread-safe.
class DelayedRounds {
 public:
  explicit DelayedRounds(std::uint64_t delay) : delay_(delay) {}

  // Every round takes its place, empty rounds too.
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

// Rounds with tickets: labels come in any order, at any time or never.
//
// A ticket takes a label for `lifetime` rounds of the public clock after its
// own; 0: without limit. A round whose life has ended is dropped, and a label
// for it is refused. A round that has its label shrinks to a mark: the ticket
// and one byte (8 bytes for numbers and for more than 256 classes), kept at
// least until its life ends, so that the same label again is known. Marks end
// in groups, an eighth of a lifetime each, on the public clock. What becomes of
// a label depends on its own ticket and the clock alone.
//
// Threads: not thread-safe.
class TicketedRounds {
 public:
  TicketedRounds(std::uint64_t lifetime, const LabelType& type);

  // Keeps a round under a ticket of MakeTicket. Requires a greater number than
  // all before.
  void Keep(std::string_view ticket, const PendingRound& round);

  enum class Outcome : std::uint8_t {
    kTaken,    // the label is new: `round` is to be closed with it
    kAlready,  // the same label was given before
    kRefused,  // no such ticket, too late, or another label was given before
  };
  struct Answer {
    Outcome outcome = Outcome::kRefused;
    PackedRound round = {};
  };
  // Requires a label of the type.
  Answer Take(std::string_view ticket, const Label& y);
  // True if the ticket waits for its label.
  bool IsOpen(std::string_view ticket) const;
  // True if a ticket that was kept for this round has to be here, open or
  // labelled, and is not: another history kept it.
  bool IsLost(std::string_view ticket, std::uint64_t number,
              std::uint64_t now) const;
  // The outcome of Take, which is not carried out.
  Outcome Look(std::string_view ticket, const Label& y) const;
  // Drops the ticket: its holder will not use it again.
  void Forget(std::string_view ticket);
  // Drops what is too old. Call it with every round.
  void Expire(std::uint64_t now);

  // Tickets without a label, and bytes of the marks of those with one.
  std::size_t open() const { return places_.size(); }
  std::size_t mark_bytes() const;

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(OnlineModel& model, const OpenRoundLimits& limits,
              ByteReader& reader);

 private:
  using Ticket = HashTable::Hash;
  // Labelled tickets of rounds number / span_ == group.
  struct Marks {
    std::uint64_t group = 0;
    HashTable labels;
  };

  // Absent: not the text of a ticket.
  static std::optional<Ticket> Parse(std::string_view ticket);
  void Put(PackedRound round);
  // The round of an open ticket, which is open no longer; empty: there is none.
  PackedRound Remove(const Ticket& ticket);
  void TrimFront();
  // The mark of a labelled ticket, or null.
  const std::uint8_t* FindMark(const Ticket& ticket) const;
  void AddMark(const Ticket& ticket, std::uint64_t number, const Label& y);
  Label MarkedLabel(const std::uint8_t* mark) const;
  HashTable& Group(std::uint64_t number);
  Status LoadMarks(const OpenRoundLimits& limits, ByteReader& reader);

  LabelType type_;
  std::uint64_t lifetime_;
  std::uint64_t span_;              // rounds of one group of marks
  std::size_t mark_bytes_;          // of one label
  std::deque<PackedRound> rounds_;  // by number; the first one is not empty
  std::uint64_t first_place_ = 0;   // of rounds_.front(): they never move
  HashTable places_;                // of open tickets
  std::deque<Marks> marks_;         // by group
};

}  // namespace sotto
