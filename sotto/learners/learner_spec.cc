#include "sotto/learners/learner_spec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

namespace sotto {
namespace {

struct Kind {
  std::string_view name;
  std::string_view keys;  // Separated by commas.
};

constexpr std::array<Kind, 13> kKinds{{
    {"threshold", "range"},
    {"interval", "range"},
    {"stump", "features,range"},
    {"point", ""},
    {"halving", "class"},
    {"soa", "class"},
    {"agnostic", "class"},
    {"winnow", "features,negations"},
    {"confident-winnow", "features,margin,confidence,rate,nonnegative"},
    {"perceptron", "features"},
    {"logistic", "features,rate"},
    {"decision-list", "features"},
    {"experts", "features"},
}};

// The parts of a text between commas; none of an empty text.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    parts.push_back(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), parts.back().size() + 1));
  }
  return parts;
}

template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  return number;
}

Error BadValue(std::string_view key, std::string_view value,
               std::string_view expected) {
  return InvalidArgument(std::string(key) + "=" + std::string(value) +
                         ": expected " + std::string(expected));
}

Result<FiniteClass> ReadClass(std::string_view text) {
  if (text.starts_with('@')) {
    const std::string path(text.substr(1));
    std::ifstream file(path);
    std::ostringstream content;
    if (!file || !(content << file.rdbuf())) {
      return Error{ErrorCode::kUnavailable, "cannot read " + path};
    }
    auto parsed = FiniteClass::Parse(content.str());
    if (parsed) return parsed;
    return Error{parsed.error().code, path + ": " + parsed.error().message};
  }
  const std::size_t slash = text.find('/');
  const auto points = ParseNumber<std::uint64_t>(
      slash == std::string_view::npos ? "" : text.substr(slash + 1));
  if (!points) {
    return BadValue("class", text,
                    "points/N, thresholds/N, intervals/N or @FILE");
  }
  return FiniteClass::Named(text.substr(0, slash), *points);
}

Status SetClass(std::string_view value, LearnerSpec& spec) {
  auto functions = ReadClass(value);
  if (!functions) return functions.error();
  spec.class_name = std::string(value);
  spec.functions = std::make_shared<const FiniteClass>(*std::move(functions));
  return Ok();
}

Status SetRange(std::string_view value, LearnerSpec& spec) {
  const std::size_t dots = value.find("..");
  if (dots != std::string_view::npos) {
    const auto low = ParseNumber<double>(value.substr(0, dots));
    const auto high = ParseNumber<double>(value.substr(dots + 2));
    if (low && high && *low < *high) {
      spec.range = {*low, *high};
      return Ok();
    }
  }
  return BadValue("range", value, "LOW..HIGH with LOW below HIGH");
}

Status SetFeatures(std::string_view value, LearnerSpec& spec) {
  const auto features = ParseNumber<std::uint32_t>(value);
  if (!features || *features == 0 || *features == UINT32_MAX) {
    return BadValue("features", value, "a whole number from 1");
  }
  spec.features = *features;
  return Ok();
}

Status SetNumber(std::string_view key, std::string_view value,
                 LearnerSpec& spec) {
  const auto number = ParseNumber<double>(value);
  if (!number || !(*number > 0 || (key == "confidence" && *number == 0))) {
    return BadValue(key, value, "a positive number");
  }
  if (key == "rate") spec.rate = *number;
  if (key == "margin") spec.margin = *number;
  if (key == "confidence") spec.confidence = *number;
  return Ok();
}

Status SetFlag(std::string_view key, std::string_view value,
               LearnerSpec& spec) {
  if (value != "0" && value != "1") return BadValue(key, value, "0 or 1");
  (key == "negations" ? spec.negations : spec.nonnegative) = value == "1";
  return Ok();
}

Status Set(std::string_view key, std::string_view value, LearnerSpec& spec) {
  if (key == "class") return SetClass(value, spec);
  if (key == "range") return SetRange(value, spec);
  if (key == "features") return SetFeatures(value, spec);
  if (key == "negations" || key == "nonnegative") {
    return SetFlag(key, value, spec);
  }
  return SetNumber(key, value, spec);
}

Result<Kind> FindKind(std::string_view name) {
  std::string names;
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return kind;
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  return InvalidArgument("no learner is called '" + std::string(name) +
                         "'; there are " + names + " and exec:COMMAND");
}

Status SetOption(const Kind& kind, std::string_view option, LearnerSpec& spec) {
  const std::size_t equals = option.find('=');
  const std::string_view key = option.substr(0, equals);
  for (const std::string_view known : Split(kind.keys)) {
    if (known != key) continue;
    if (equals == std::string_view::npos) {
      return InvalidArgument("'" + std::string(key) +
                             "' needs a value: " + std::string(key) + "=...");
    }
    return Set(key, option.substr(equals + 1), spec);
  }
  return InvalidArgument(
      std::string(kind.name) + " has no option '" + std::string(key) + "'; " +
      (kind.keys.empty() ? "it has none" : "it has " + std::string(kind.keys)));
}

std::string NumberText(double value) {
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

std::string ValueOf(std::string_view key, const LearnerSpec& spec) {
  if (key == "class") return spec.class_name;
  if (key == "range") {
    return NumberText(spec.range.low) + ".." + NumberText(spec.range.high);
  }
  if (key == "features") {
    return spec.features == 0 ? "" : std::to_string(spec.features);
  }
  if (key == "rate") return spec.rate ? NumberText(*spec.rate) : "";
  if (key == "margin") return NumberText(spec.margin);
  if (key == "confidence") return NumberText(spec.confidence);
  return (key == "negations" ? spec.negations : spec.nonnegative) ? "1" : "0";
}

}  // namespace

std::string_view LearnerHelp() {
  static const std::string help = [] {
    std::string names;
    for (const Kind& kind : kKinds) names += std::string(kind.name) + ", ";
    return names +
           "each as NAME or NAME:KEY=VALUE,...; or exec:COMMAND, a program of "
           "your own";
  }();
  return help;
}

Result<LearnerSpec> LearnerSpec::Parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  LearnerSpec spec;
  spec.name = std::string(text.substr(0, colon));
  const std::string_view rest =
      colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (spec.name == "exec") {
    if (rest.empty()) return InvalidArgument("exec: needs a command");
    spec.command = std::string(rest);
    return spec;
  }
  const auto kind = FindKind(spec.name);
  if (!kind) return kind.error();
  for (const std::string_view option : Split(rest)) {
    auto set = SetOption(*kind, option, spec);
    if (!set) return set.error();
  }
  if (kind->keys == "class" && !spec.functions) {
    return InvalidArgument(spec.name + " needs a class, for example " +
                           spec.name + ":class=thresholds/256");
  }
  return spec;
}

std::string LearnerSpec::ToText() const {
  if (name == "exec") return "exec:" + command;
  std::string text = name;
  const auto kind = FindKind(name);
  if (!kind) return text;
  char separator = ':';
  for (const std::string_view key : Split(kind->keys)) {
    const std::string value = ValueOf(key, *this);
    if (value.empty()) continue;
    text += separator + std::string(key) + "=" + value;
    separator = ',';
  }
  return text;
}

}  // namespace sotto
