#include "sotto/data/streams/vw_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/data/streams/decimal.h"

namespace sotto {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

const char* WordEnd(const char* at, const char* end) {
  while (at != end && !IsBlank(*at)) ++at;
  return at;
}

// The next word of `text`, which is cut off; empty at the end.
std::string_view TakeWord(std::string_view& text) {
  const char* const end = text.data() + text.size();
  const char* first = text.data();
  while (first != end && IsBlank(*first)) ++first;
  const char* last = WordEnd(first, end);
  text = {last, static_cast<std::size_t>(end - last)};
  return {first, static_cast<std::size_t>(last - first)};
}

// A tag has a quote before it or, as the last word, touches the bar.
bool IsTag(std::string_view word, bool touches) {
  return word.front() == '\'' || touches;
}

// The user's name, whatever else the head says; `bar`: whether one follows it.
std::string_view FindTag(std::string_view head, bool bar) {
  const bool touches = bar && !head.empty() && !IsBlank(head.back());
  for (auto word = TakeWord(head); !word.empty(); word = TakeWord(head)) {
    if (IsTag(word, touches && head.empty())) {
      return word.substr(word.front() == '\'' ? 1 : 0);
    }
  }
  return {};
}

bool EndsWord(char c) { return IsBlank(c) || c == '|'; }

void NotFinite(std::string_view number, RowError& fault) {
  fault.Set(SpellsNotFinite(number) ? FaultReason::kNotFinite
                                    : FaultReason::kNotNumber,
            Shown(number), "a finite number");
}

}  // namespace

// The end of the name at `at`.
[[gnu::always_inline]] inline const char* VwRows::TakeName(const char* at,
                                                           const char* end,
                                                           Name& name) {
  const char* stop = at;
  for (; stop != end && *stop >= '0' && *stop <= '9'; ++stop) {
    name.number = name.number * 10 + static_cast<std::uint64_t>(*stop - '0');
  }
  constexpr std::ptrdiff_t kMostDigits = 19;
  if (stop - at > kMostDigits) name.number = ~std::uint64_t{0};
  name.whole = stop != at && (stop == end || *stop == ':' || EndsWord(*stop));
  while (stop != end && *stop != ':' && !EndsWord(*stop)) ++stop;
  name.text = {at, static_cast<std::size_t>(stop - at)};
  return stop;
}

Result<std::unique_ptr<VwRows>> VwRows::Create(EncodingParams encoding,
                                               StreamLabel label) {
  if (encoding.schema) {
    return InvalidArgument(
        "a schema needs one field for each column, and vw has none: use csv "
        "or jsonl");
  }
  SOTTO_TRY_ASSIGN(auto made, Encoding::Create(std::move(encoding), 0));
  return std::unique_ptr<VwRows>(new VwRows(std::move(made), std::move(label)));
}

bool VwRows::Parse(std::string_view line, Round& round, RowError& fault) {
  const auto bar = line.find('|');
  round.user = FindTag(line.substr(0, bar), bar != std::string_view::npos);
  if (bar != std::string_view::npos) {
    return ParseWithBar(line, bar, round, fault);
  }
  std::string_view rest = line;
  const std::string_view word = TakeWord(rest);
  if ((word.empty() || word.front() == '\'') && TakeWord(rest).empty()) {
    round.presence = Presence::kAbsent;
    return true;
  }
  fault.Set(FaultReason::kSyntax, "no '|'", "label |namespace name:value ...");
  return false;
}

bool VwRows::ParseWithBar(std::string_view line, std::size_t bar, Round& round,
                          RowError& fault) {
  if (!ParseHead(line.substr(0, bar), round.y, fault)) return false;
  if (!ParseFeatures(line.data(), line.data() + bar, line.data() + line.size(),
                     round.x, fault)) {
    return false;
  }
  if (SortFeatures(round.x, sorting_)) return true;
  fault.Say(FaultReason::kNotFinite, "values add up to infinity",
            "finite sums");
  return false;
}

// Label, importance and tag, each of which may be left out.
bool VwRows::ParseHead(std::string_view head, std::optional<Label>& y,
                       RowError& fault) const {
  const bool touches = !head.empty() && !IsBlank(head.back());
  int numbers = 0;
  for (auto word = TakeWord(head); !word.empty(); word = TakeWord(head)) {
    const bool last = head.empty();
    if (IsTag(word, touches && last)) {
      if (TakeWord(head).empty()) return true;
      fault.Set(FaultReason::kSyntax, "the tag " + Shown(word), "'|' after it");
      return false;
    }
    if (++numbers == 1) {
      if (!label_.parser.Parse(word, y, fault)) return false;
      continue;
    }
    double importance = 0;
    if (numbers == 2 && ParseDecimal(word, importance) && importance == 1) {
      continue;
    }
    fault.Say(FaultReason::kSyntax,
              Shown(word) + ": importance other than 1 is not supported",
              "an importance of 1");
    return false;
  }
  return true;
}

bool VwRows::ParseFeatures(const char* line, const char* at, const char* end,
                           FeatureVector& x, RowError& fault) {
  while (at != end) {
    const char* stop = nullptr;
    if (IsBlank(*at)) {
      ++at;
      continue;
    }
    if (*at == '|') {
      stop = WordEnd(at, end);
      if (!ParseSpace({at + 1, static_cast<std::size_t>(stop - at - 1)},
                      fault)) {
        stop = nullptr;
      }
    } else {
      stop = ParseFeature(at, end, x, fault);
    }
    if (stop != nullptr && x.size() > encoding_.max_per_row()) {
      encoding_.TooManyInRow(fault);
      stop = nullptr;
    }
    if (stop == nullptr) {
      fault.At("character " + std::to_string(at - line + 1));
      return false;
    }
    at = stop;
  }
  return true;
}

// "", "name" or "name:scale".
bool VwRows::ParseSpace(std::string_view word, RowError& fault) {
  const auto colon = word.find(':');
  scale_ = 1;
  space_ = word.substr(0, colon);
  if (!space_.empty()) space_ += '^';
  space_size_ = space_.size();
  if (colon == std::string_view::npos ||
      ParseDecimal(word.substr(colon + 1), scale_)) {
    return true;
  }
  NotFinite(word.substr(colon + 1), fault);
  return false;
}

const char* VwRows::ParseFeature(const char* at, const char* end,
                                 FeatureVector& x, RowError& fault) {
  Name name;
  const char* stop = TakeName(at, end, name);
  double value = 1;
  if (stop != end && *stop == ':') {
    const char* number = stop + 1;
    stop = ParseDecimal(number, end, value);
    if (stop == nullptr || (stop != end && !EndsWord(*stop))) {
      NotFinite(
          {number, static_cast<std::size_t>(WordEnd(number, end) - number)},
          fault);
      return nullptr;
    }
  }
  if (scale_ != 1) value *= scale_;
  if (!std::isfinite(value)) {
    fault.Set(FaultReason::kNotFinite, "value times scale", "a finite number");
    return nullptr;
  }
  auto index = static_cast<std::uint32_t>(name.number);
  const bool direct =
      name.whole && space_size_ == 0 && name.number < encoding_.dense();
  if (!direct && !Bucket(name, index, fault)) return nullptr;
  x.push_back({index, value});
  return stop;
}

// The index of a name that is none itself.
bool VwRows::Bucket(const Name& name, std::uint32_t& index, RowError& fault) {
  if (name.whole && space_size_ == 0 && encoding_.dense() > 0) {
    const std::string below =
        "indices below " + std::to_string(encoding_.dense());
    fault.Say(FaultReason::kTooMany,
              "too many features: index " + std::string(name.text) + ", but " +
                  below + " were declared",
              below);
    return false;
  }
  if (name.text.empty()) {
    fault.Set(FaultReason::kSyntax, "no name", "name:value");
    return false;
  }
  if (!encoding_.has_buckets()) {
    fault.Set(FaultReason::kNotNumber, Shown(name.text),
              "an index (names need hash bits)");
    return false;
  }
  if (space_size_ == 0) {
    index = encoding_.Bucket(name.text);
  } else {
    space_.resize(space_size_);
    space_ += name.text;
    index = encoding_.Bucket(space_);
  }
  return true;
}

}  // namespace sotto
