#include "sotto/data/streams/row_error.h"

#include <charconv>
#include <numeric>

namespace sotto {

std::string_view Name(FaultReason reason) {
  switch (reason) {
    case FaultReason::kFields:
      return "wrong fields";
    case FaultReason::kSyntax:
      return "not of this format";
    case FaultReason::kNotNumber:
      return "not a number";
    case FaultReason::kNotFinite:
      return "not finite";
    case FaultReason::kLabel:
      return "unknown label";
    case FaultReason::kValue:
      return "unknown value";
    case FaultReason::kRange:
      return "out of range";
    case FaultReason::kTooMany:
      return "too many features";
  }
  return "";
}

std::string RowError::Text(const std::string& position) const {
  return position + (where.empty() ? "" : ", " + where) + ": " + message;
}

std::string RowError::PublicText(const std::string& position) const {
  return position + (column.empty() ? "" : ", " + column) + ": expected " +
         (expected.empty() ? "a row that can be used" : expected);
}

std::string RowError::ReplyText() const {
  constexpr std::string_view kFeatures = "\"x\", ";
  std::string_view place = where;
  if (place.starts_with(kFeatures)) place.remove_prefix(kFeatures.size());
  return std::string(place) + (place.empty() ? "" : ": ") +
         (found.empty() ? message : "expected " + expected + ", got " + found);
}

RowError LongLine(std::size_t max_line) {
  const std::string most = std::to_string(max_line >> 20) + " MiB";
  RowError fault;
  fault.Say(FaultReason::kSyntax, "the line is longer than " + most,
            "a line of at most " + most);
  return fault;
}

void SkipCounts::Add(const RowError& error, std::string_view file,
                     std::uint64_t line, std::size_t most) {
  Add(error.reason);
  if (places.size() >= most) return;
  places.push_back(
      error.Text(std::string(file) + ", line " + std::to_string(line)));
}

void SkipCounts::Add(const SkipCounts& others) {
  for (std::size_t i = 0; i < kFaultReasons; ++i) {
    by_reason[i] += others.by_reason[i];
  }
  places.insert(places.end(), others.places.begin(), others.places.end());
  clamped += others.clamped;
  unknown_labels += others.unknown_labels;
}

std::uint64_t SkipCounts::total() const {
  return std::accumulate(by_reason.begin(), by_reason.end(), std::uint64_t{0});
}

std::string SkipCounts::Text() const {
  const std::uint64_t all = total();
  if (all == 0) return "";
  std::string text =
      std::to_string(all) + (all == 1 ? " bad row:" : " bad rows:");
  const char* separator = " ";
  for (std::size_t i = 0; i < kFaultReasons; ++i) {
    if (by_reason[i] == 0) continue;
    text += separator + std::to_string(by_reason[i]) + " ";
    text += Name(static_cast<FaultReason>(i));
    separator = ", ";
  }
  return text;
}

namespace {

// The text with control characters, and all that is not ASCII, replaced.
std::string Cleaned(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    clean += code < 0x20 || code >= 0x7f ? '?' : c;
  }
  return clean;
}

}  // namespace

std::string Shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  return "'" + Cleaned(text.substr(0, kLongest)) +
         (text.size() > kLongest ? "...'" : "'");
}

std::string ShownNumber(double value) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string ShownList(const std::vector<std::string>& values) {
  constexpr std::size_t kMost = 12;
  std::string list;
  for (std::size_t i = 0; i < values.size() && i < kMost; ++i) {
    list += (i == 0 ? "" : ", ") + Cleaned(values[i]);
  }
  if (values.size() > kMost) {
    list += ", ... (" + std::to_string(values.size()) + " in all)";
  }
  return list;
}

}  // namespace sotto
