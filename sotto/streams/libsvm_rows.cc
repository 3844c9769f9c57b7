#include "sotto/streams/libsvm_rows.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "sotto/streams/decimal.h"

namespace sotto {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

const char* SkipBlanks(const char* at, const char* end) {
  while (at != end && IsBlank(*at)) ++at;
  return at;
}

std::string_view Word(const char* at, const char* end) {
  const char* stop = std::find_if(at, end, IsBlank);
  return {at, static_cast<std::size_t>(stop - at)};
}

std::string Character(const char* line, const char* at) {
  return "character " + std::to_string(at - line + 1);
}

// Puts an index that came late in its place; false if it was there before.
bool MoveBack(FeatureVector& x) {
  const Feature last = x.back();
  const auto place = std::lower_bound(
      x.begin(), x.end() - 1, last.index,
      [](const Feature& a, std::uint32_t index) { return a.index < index; });
  if (place != x.end() - 1 && place->index == last.index) return false;
  std::move_backward(place, x.end() - 1, x.end());
  *place = last;
  return true;
}

}  // namespace

Result<std::unique_ptr<LibsvmRows>> LibsvmRows::Create(EncodingParams encoding,
                                                       LabelParser labels,
                                                       std::string label_name) {
  if (encoding.schema) {
    return InvalidArgument(
        "a schema needs named columns, and libsvm has none: use csv or jsonl");
  }
  encoding.hash_bits = 0;
  auto made = Encoding::Create(std::move(encoding), kDefaultFeatures);
  if (!made) return made.error();
  return std::unique_ptr<LibsvmRows>(new LibsvmRows(
      *std::move(made), std::move(labels), std::move(label_name)));
}

bool LibsvmRows::Parse(std::string_view line, Round& round, RowFault& fault) {
  line = line.substr(0, line.find('#'));
  const char* const end = line.data() + line.size();
  const char* at = SkipBlanks(line.data(), end);
  if (at == end) {
    round.presence = Presence::kAbsent;
    return true;
  }
  const std::string_view label = Word(at, end);
  // A line that starts with a feature has no label.
  if (label.find(':') == std::string_view::npos) {
    if (!labels_.Parse(label, round.y, fault)) {
      fault.where = Character(line.data(), at);
      return false;
    }
    at += label.size();
  }
  return ParseFeatures(line.data(), at, end, round.x, fault);
}

bool LibsvmRows::ParseFeatures(const char* line, const char* at,
                               const char* end, FeatureVector& x,
                               RowFault& fault) const {
  for (at = SkipBlanks(at, end); at != end; at = SkipBlanks(at, end)) {
    std::uint64_t index = 0;
    double value = 0;
    const auto [colon, error] = std::from_chars(at, end, index);
    if (error == std::errc{} && colon != end && *colon == ':') {
      const char* stop = ParseDecimal(colon + 1, end, value);
      if (stop != nullptr && (stop == end || IsBlank(*stop))) {
        x.push_back({static_cast<std::uint32_t>(index - 1), value});
        if (!CheckIndex(index, x, fault)) {
          fault.where = Character(line, at);
          return false;
        }
        at = stop;
        continue;
      }
    }
    const std::string_view word = Word(at, end);
    const std::string_view number = word.substr(word.find(':') + 1);
    fault = {SpellsNotFinite(number) ? FaultReason::kNotFinite
                                     : FaultReason::kSyntax,
             Character(line, at),
             Shown(word) + ": expected index:value, a finite number"};
    return false;
  }
  return true;
}

bool LibsvmRows::CheckIndex(std::uint64_t index, FeatureVector& x,
                            RowFault& fault) const {
  if (index == 0) {
    fault.reason = FaultReason::kSyntax;
    fault.message = "index 0: libsvm indices count from 1";
    return false;
  }
  if (index > encoding_.dense()) {
    fault.reason = FaultReason::kTooMany;
    fault.message = "too many features: index " + std::to_string(index) +
                    ", but " + std::to_string(encoding_.dense()) +
                    " features were declared";
    return false;
  }
  if (x.size() > encoding_.max_per_row()) {
    fault.reason = FaultReason::kTooMany;
    fault.message = "too many features: more than " +
                    std::to_string(encoding_.max_per_row()) + " in one row";
    return false;
  }
  const bool ascending = x.size() < 2 || x[x.size() - 2].index < x.back().index;
  if (!ascending && !MoveBack(x)) {
    fault.reason = FaultReason::kSyntax;
    fault.message = "index " + std::to_string(index) + " comes twice";
    return false;
  }
  return true;
}

}  // namespace sotto
