#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto {

// Why a row cannot be used. A reader either stops there or makes the round
// unusable; it counts the row under this reason.
enum class FaultReason {
  kFields,     // a field too few or too many, or a column that is missing
  kSyntax,     // not a row of this format
  kNotNumber,  // something else where a number belongs
  kNotFinite,  // NaN, infinity, or beyond the range of a double
  kLabel,      // none of the labels there are
  kValue,      // not among the values the schema allows
  kRange,      // outside the range of the schema
  kTooMany,    // more features, or a greater index, than was declared
};
inline constexpr std::size_t kFaultReasons = 8;

// The reason as text, e.g. "unknown label".
std::string_view Name(FaultReason reason);

// The reason, where in the line, and what was found and expected.
struct RowError {
  FaultReason reason = FaultReason::kSyntax;
  // For the operator and for the sender of the row: both may quote it.
  std::string where = {};    // "column 'x3'", "character 7", or empty
  std::string message = {};  // "'abc': expected a number"
  std::string found = {};    // "'abc'"; empty if `message` has another form
  // For everybody: nothing in these comes from the row.
  std::string column = {};    // "column 'x3'", or empty
  std::string expected = {};  // "a number"
  // Notes about a row that is used nevertheless. For the operator only.
  std::uint32_t clamped = 0;   // numbers that were moved into their range
  bool unknown_label = false;  // read as a missing label

  void Set(FaultReason why, const std::string& got, const std::string& wanted) {
    Say(why, got + ": expected " + wanted, wanted);
    found = got;
  }
  void Say(FaultReason why, std::string what, std::string wanted) {
    reason = why;
    message = std::move(what);
    found.clear();
    expected = std::move(wanted);
  }
  // A place that is named by the row itself, and one that is public.
  void At(std::string place) { where = std::move(place); }
  void AtColumn(std::string place) {
    where = place;
    column = std::move(place);
  }

  // "data.csv, line 7, column 'x3': 'abc': expected a number"; for everybody:
  // "data.csv, line 7, column 'x3': expected a number".
  std::string Text(const std::string& position) const;
  std::string PublicText(const std::string& position) const;
  // For the sender of a live line: "column 'x3': expected a number, got 'abc'".
  std::string ReplyText() const;
};

// The error of a line beyond the length limit.
RowError LongLine(std::size_t max_line);

// Bad rows: their number by reason, and where the first few are. For the
// operator only.
struct SkipCounts {
  std::array<std::uint64_t, kFaultReasons> by_reason{};
  std::vector<std::string> places = {};  // "data.csv, line 7, column 'x': ..."
  // Rows that are used: with a number outside its range, moved to the nearer
  // end, and with an unknown label, read as a missing one.
  std::uint64_t clamped = 0;
  std::uint64_t unknown_labels = 0;

  void Add(FaultReason reason) {
    ++by_reason[static_cast<std::size_t>(reason)];
  }
  // Also notes the place, unless `most` are known.
  void Add(const RowError& error, std::string_view file, std::uint64_t line,
           std::size_t most);
  void Add(const SkipCounts& others);
  // Adds the notes of a row that is used.
  void AddNotes(const RowError& notes) {
    clamped += notes.clamped > 0 ? 1 : 0;
    unknown_labels += notes.unknown_label ? 1 : 0;
  }
  std::uint64_t total() const;
  // "3 bad rows: 2 unknown label, 1 not a number"; empty if there are none.
  std::string Text() const;
};

// A piece of input as a message may show it: in quotes, at most 40 characters,
// what a terminal would act on replaced.
std::string Shown(std::string_view text);
// A number of the schema, and the first dozen of a list of its values.
std::string ShownNumber(double value);
std::string ShownList(const std::vector<std::string>& values);

}  // namespace sotto
