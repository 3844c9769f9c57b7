#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/journal/journal.h"

namespace sotto {

// A record to append, with its payload.
struct Record {
  RecordType type = RecordType::kRound;
  std::string payload{};
};

// Payloads of ROUND, TRAIN and LABEL. The layout is in docs/formats/service.md.
//
//   Record record = EncodeRound({.round = round});
//   auto read = DecodeRound(record.payload, session.inputs().label);
//
// Threads: free functions and values.
using Hash16 = std::array<std::uint8_t, 16>;

// An answer that another process computed from what the model had published.
struct PublishedAnswer {
  std::uint64_t release = 0;  // number of the hypothesis
  Label prediction{};
  std::optional<double> probability{};
  friend bool operator==(const PublishedAnswer&,
                         const PublishedAnswer&) = default;
};

struct RoundRecord {
  // Everything a session needs: presence, features, label and, as the user, the
  // 16 bytes of a name's hash or nothing. A refused round is one of the other
  // kinds here: the session decides.
  Round round{};
  std::optional<Hash16> repeat{};  // hash of an idempotency key
  // The answer of the round's user. Absent: the session's own.
  std::optional<PublishedAnswer> answered{};
  bool left_over = false;  // a place of a group that no one took
  std::string error{};     // reply to a bad row; at most kMaxErrorBytes
};
inline constexpr std::size_t kMaxErrorBytes = 160;

Record EncodeRound(const RoundRecord& round,
                   RecordType type = RecordType::kRound);
// Fills the payload of EncodeRound up to `size` bytes, so that records of that
// size look alike. False, and nothing is changed, if it is too long.
bool PadRound(Record& record, std::size_t size);
// A size for every round of at most this many features.
std::size_t PaddedRoundBytes(std::size_t features);
// Fails with kCorruption.
Result<RoundRecord> DecodeRound(std::string_view payload,
                                const LabelType& labels);

struct LabelRecord {
  Hash16 ticket{};
  Label y{};

  std::string ticket_text() const;
};
Record EncodeLabel(const LabelRecord& label);
// Fails with kCorruption.
Result<LabelRecord> DecodeLabel(std::string_view payload,
                                const LabelType& labels);

// The 16 bytes that 32 hexadecimal digits stand for; absent if they are not.
std::optional<Hash16> ReadHex16(std::string_view text);
std::string WriteHex16(const Hash16& bytes);

}  // namespace sotto
