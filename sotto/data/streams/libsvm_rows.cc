#include "sotto/data/streams/libsvm_rows.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "sotto/data/streams/decimal.h"

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

// Sorts in the last index; false if it was there before.
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
                                                       StreamLabel label) {
  if (encoding.schema) {
    return InvalidArgument(
        "a schema needs named columns, and libsvm has none: use csv or jsonl");
  }
  encoding.hash_bits = 0;
  SOTTO_TRY_ASSIGN(auto made,
                   Encoding::Create(std::move(encoding), kDefaultFeatures));
  return std::unique_ptr<LibsvmRows>(
      new LibsvmRows(std::move(made), std::move(label)));
}

bool LibsvmRows::Parse(std::string_view line, Round& round, RowError& fault) {
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
    if (!label_.parser.Parse(label, round.y, fault)) {
      fault.At(Character(line.data(), at));
      return false;
    }
    at += label.size();
  }
  return ParseFeatures(line.data(), at, end, round.x, fault);
}

bool LibsvmRows::ParseFeatures(const char* line, const char* at,
                               const char* end, FeatureVector& x,
                               RowError& fault) const {
  for (at = SkipBlanks(at, end); at != end; at = SkipBlanks(at, end)) {
    std::uint64_t index = 0;
    double value = 0;
    const auto [colon, error] = std::from_chars(at, end, index);
    if (error == std::errc{} && colon != end && *colon == ':') {
      const char* stop = ParseDecimal(colon + 1, end, value);
      if (stop != nullptr && (stop == end || IsBlank(*stop))) {
        x.push_back({static_cast<std::uint32_t>(index - 1), value});
        if (!CheckIndex(index, x, fault)) {
          fault.At(Character(line, at));
          return false;
        }
        at = stop;
        continue;
      }
    }
    const std::string_view word = Word(at, end);
    const std::string_view number = word.substr(word.find(':') + 1);
    fault.Set(SpellsNotFinite(number) ? FaultReason::kNotFinite
                                      : FaultReason::kSyntax,
              Shown(word), "index:value, a finite number");
    fault.At(Character(line, at));
    return false;
  }
  return true;
}

bool LibsvmRows::CheckIndex(std::uint64_t index, FeatureVector& x,
                            RowError& fault) const {
  const bool allowed = index >= 1 && index <= encoding_.dense() &&
                       x.size() <= encoding_.max_per_row();
  const bool ascending = x.size() < 2 || x[x.size() - 2].index < x.back().index;
  if (allowed && (ascending || MoveBack(x))) return true;
  const std::string number = "index " + std::to_string(index);
  const std::string most = std::to_string(encoding_.dense());
  if (index == 0) {
    fault.Say(FaultReason::kSyntax, "index 0: libsvm indices count from 1",
              "indices from 1");
  } else if (index > encoding_.dense()) {
    fault.Say(FaultReason::kTooMany,
              "too many features: " + number + ", but " + most +
                  " features were declared",
              "indices of at most " + most);
  } else if (!allowed) {
    encoding_.TooManyInRow(fault);
  } else {
    fault.Say(FaultReason::kSyntax, number + " comes twice", "each index once");
  }
  return false;
}

}  // namespace sotto
