#include "sotto/learners/learner_keys.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/named_class.h"

namespace sotto {
namespace {

Error BadValue(const LearnerKey& key, std::string_view value) {
  return InvalidArgument(std::string(key.name) + "=" + std::string(value) +
                         ": expected " + std::string(key.expected));
}

template <typename T>
std::optional<T> Parse(std::string_view text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

// Finite: not a number is in no range.
std::optional<double> ParseReal(std::string_view text) {
  const auto number = Parse<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string ToText(double value) {
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

Result<double> RealIn(const LearnerKey& key, std::string_view value) {
  const auto number = ParseReal(value);
  const bool good = number && *number <= key.high &&
                    (key.above ? *number > key.low : *number >= key.low);
  if (!good) return BadValue(key, value);
  return *number;
}

// A number of the spec.
template <auto member>
Status SetReal(const LearnerKey& key, std::string_view value,
               LearnerSpec& spec) {
  SOTTO_TRY_ASSIGN(const auto number, RealIn(key, value));
  spec.*member = number;
  return Ok();
}
template <auto member>
std::string RealText(const LearnerSpec& spec) {
  return ToText(spec.*member);
}

template <auto member>
Status SetFlag(const LearnerKey& key, std::string_view value,
               LearnerSpec& spec) {
  if (value != "0" && value != "1") return BadValue(key, value);
  spec.*member = value == "1";
  return Ok();
}
template <auto member>
std::string FlagText(const LearnerSpec& spec) {
  return spec.*member ? "1" : "0";
}

Status SetRange(const LearnerKey& key, std::string_view value,
                LearnerSpec& spec) {
  const std::size_t dots = value.find("..");
  if (dots == std::string_view::npos) return BadValue(key, value);
  const auto low = ParseReal(value.substr(0, dots));
  const auto high = ParseReal(value.substr(dots + 2));
  if (!low || !high || !(*low < *high)) return BadValue(key, value);
  spec.range = {*low, *high};
  return Ok();
}

Status SetFeatures(const LearnerKey& key, std::string_view value,
                   LearnerSpec& spec) {
  const auto features = Parse<std::uint32_t>(value);
  if (!features || *features < key.low || *features > key.high) {
    return BadValue(key, value);
  }
  spec.features = *features;
  return Ok();
}

// As on the command line of `pop`, where ':' and ',' have other meanings.
Result<FiniteClass> MakeClass(const LearnerKey& key, std::string_view text) {
  if (text.starts_with('@')) return ReadClassFile(std::string(text.substr(1)));
  std::string name(text);
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return BadValue(key, text);
  name[slash] = ':';
  SOTTO_TRY_ASSIGN(const auto named, NamedClass::Parse(name));
  return named.Matrix();
}

Status SetClass(const LearnerKey& key, std::string_view value,
                LearnerSpec& spec) {
  SOTTO_TRY_ASSIGN(auto functions, MakeClass(key, value));
  spec.class_name = std::string(value);
  spec.functions = std::make_shared<const FiniteClass>(std::move(functions));
  return Ok();
}

}  // namespace

constinit const LearnerKey kRangeKey = {
    .name = "range",
    .help = "Range of its numbers.",
    .expected = "LOW..HIGH with LOW below HIGH",
    .set = SetRange,
    .text = [](const LearnerSpec& spec) {
      return ToText(spec.range.low) + ".." + ToText(spec.range.high);
    }};
constinit const LearnerKey kFeaturesKey = {
    .name = "features",
    .help = "Number of features. Default: from the stream.",
    .expected = "a whole number from 1",
    .low = 1,
    .high = 0x1p32 - 2,
    .set = SetFeatures,
    .text = [](const LearnerSpec& spec) {
      return spec.features == 0 ? "" : std::to_string(spec.features);
    }};
constinit const LearnerKey kClassKey = {
    .name = "class",
    .help = "Functions to choose from.",
    .expected =
        "points/N, thresholds/N, intervals/N and others that `sotto "
        "ldim` knows, or @FILE",
    .required = true,
    .set = SetClass,
    .text = [](const LearnerSpec& spec) { return spec.class_name; }};
constinit const LearnerKey kRateKey = {.name = "rate",
                                       .help = "Step size.",
                                       .expected = "a positive number",
                                       .above = true,
                                       .set = SetReal<&LearnerSpec::rate>,
                                       .text = [](const LearnerSpec& spec) {
                                         return spec.rate ? ToText(*spec.rate)
                                                          : "";
                                       }};
constinit const LearnerKey kMarginKey = {
    .name = "margin",
    .help = "Margin by which the best weights separate the labels.",
    .expected = "a positive number, at most 1",
    .high = 1,
    .above = true,
    .set = SetReal<&LearnerSpec::margin>,
    .text = RealText<&LearnerSpec::margin>};
constinit const LearnerKey kConfidenceKey = {
    .name = "confidence",
    .help = "Fraction of the margin below which an example teaches.",
    .expected = "a number from 0, below 1",
    .high = 1 - 0x1p-53,
    .set = SetReal<&LearnerSpec::confidence>,
    .text = RealText<&LearnerSpec::confidence>};
constinit const LearnerKey kNegationsKey = {
    .name = "negations",
    .help = "Also use each input negated.",
    .expected = "0 or 1",
    .set = SetFlag<&LearnerSpec::negations>,
    .text = FlagText<&LearnerSpec::negations>};
constinit const LearnerKey kNonnegativeKey = {
    .name = "nonnegative",
    .help = "Use no negative weights.",
    .expected = "0 or 1",
    .set = SetFlag<&LearnerSpec::nonnegative>,
    .text = FlagText<&LearnerSpec::nonnegative>};

}  // namespace sotto
