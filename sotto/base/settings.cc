#include "sotto/base/settings.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/base/rational.h"

namespace sotto {
namespace {

std::string Flagged(const Option& option) {
  return "--" + std::string(option.name);
}

// A fault of the program, not of its user: stop before a guarantee is computed
// from a number that is not there.
[[noreturn]] void MissingOption(std::string_view name) {
  std::fprintf(stderr, "sotto: no option '%.*s' in this table of settings\n",
               static_cast<int>(name.size()), name.data());
  std::abort();
}

std::string FormatRange(const Option& option) {
  const bool open = option.high == std::numeric_limits<double>::max();
  if (!open && !option.above) {
    return "between " + Shortest(option.low) + " and " + Shortest(option.high);
  }
  std::string range =
      (option.above ? "greater than " : "at least ") + Shortest(option.low);
  if (!open) range += " and at most " + Shortest(option.high);
  return range;
}

bool InRange(const Option& option, double value) {
  if (!std::isfinite(value) || value > option.high) return false;
  return option.above ? value > option.low : value >= option.low;
}

Error Bad(const Option& option, std::string_view text,
          const std::string& expected) {
  return InvalidArgument(Flagged(option) + " must be " + expected + ", got " +
                         Quoted(text));
}

std::optional<double> ReadReal(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end) return value;
  if (text.find('/') == std::string_view::npos) return std::nullopt;
  const auto fraction = ParseRational(text);
  if (!fraction) return std::nullopt;
  return static_cast<double>(fraction->numerator()) /
         static_cast<double>(fraction->denominator());
}

std::optional<std::uint64_t> ParseWhole(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end) return value;
  const auto number = ParseRational(text);
  if (!number || number->denominator() != 1) return std::nullopt;
  return number->numerator();
}

std::string Words(const Option& option) {
  std::string words;
  for (const std::string_view word : option.words) {
    words += (words.empty() ? "" : ", ") + std::string(word);
  }
  return words;
}

}  // namespace

Settings::Settings(OptionTable table) : table_(std::move(table)) {
  for (const Option& option : table_) {
    Entry entry;
    if (option.type == OptionType::kFlag) {
      entry.value = option.fallback == "on";
    } else if (!option.fallback.empty()) {
      auto value = Read(option, option.fallback);
      assert(value);
      if (value) entry.value = *std::move(value);
    }
    entries_.emplace(option.name, std::move(entry));
  }
}

Result<Settings::Value> Settings::Read(const Option& option,
                                       std::string_view text) {
  switch (option.type) {
    case OptionType::kFlag:
      if (text == "true" || text == "on") return Value(true);
      if (text == "false" || text == "off") return Value(false);
      return Bad(option, text, "true or false");
    case OptionType::kWhole: {
      const auto value = ParseWhole(text);
      if (!value) return Bad(option, text, "an integer such as 1000 or 1e3");
      if (!InRange(option, static_cast<double>(*value))) {
        return Bad(option, text, FormatRange(option));
      }
      return Value(*value);
    }
    case OptionType::kReal: {
      const auto value = ReadReal(text);
      if (!value) return Bad(option, text, "a number");
      if (!InRange(option, *value))
        return Bad(option, text, FormatRange(option));
      return Value(*value);
    }
    case OptionType::kText:
      break;
  }
  if (!option.words.empty() &&
      std::ranges::find(option.words, text) == option.words.end()) {
    return Bad(option, text, "one of " + Words(option));
  }
  return Value(std::string(text));
}

Status Settings::Set(std::string_view name, std::string_view text) {
  const Option* option = FindOption(table_, name);
  if (option == nullptr) {
    const std::string_view nearest = NearestOption(table_, name);
    return InvalidArgument(
        "unknown option --" + std::string(name) +
        (nearest.empty() ? ""
                         : ". Did you mean --" + std::string(nearest) + "?"));
  }
  SOTTO_TRY_ASSIGN(auto value, Read(*option, text));
  Entry& entry = entries_.find(option->name)->second;
  entry.value = std::move(value);
  entry.given = true;
  return Ok();
}

Status Settings::SetJson(std::string_view name, const Json& value) {
  return Set(name, value.text() != nullptr ? *value.text() : value.Dump());
}

const Settings::Entry* Settings::Find(std::string_view name) const {
  if (const auto place = entries_.find(name); place != entries_.end()) {
    return &place->second;
  }
  const Option* option = FindOption(table_, name);
  return option == nullptr ? nullptr : &entries_.find(option->name)->second;
}

const Settings::Entry& Settings::At(std::string_view name) const {
  const Entry* entry = Find(name);
  if (entry == nullptr) MissingOption(name);
  return *entry;
}

bool Settings::Has(std::string_view name) const {
  const Entry* entry = Find(name);
  return entry != nullptr && entry->value.index() != 0;
}

bool Settings::SetByUser(std::string_view name) const {
  const Entry* entry = Find(name);
  return entry != nullptr && entry->given;
}

Status Settings::Take(const Settings& other) {
  for (const Option& option : table_) {
    const Option* same = FindOption(other.table_, option.name);
    if (same == nullptr || same->type != option.type) continue;
    if (!other.SetByUser(option.name)) continue;
    const Value& value = other.At(option.name).value;
    const bool off =
        std::get_if<bool>(&value) != nullptr && !std::get<bool>(value);
    if (off) continue;
    SOTTO_TRY(SetJson(option.name, ToJson(value)));
  }
  return Ok();
}

Status Settings::CheckRequired() const {
  for (const Option& option : table_) {
    if (option.required && !Has(option.name)) {
      return InvalidArgument(Flagged(option) +
                             " is required: " + std::string(option.help));
    }
  }
  return Ok();
}

bool Settings::Flag(std::string_view name) const {
  const bool* value = std::get_if<bool>(&At(name).value);
  return value != nullptr && *value;
}

std::uint64_t Settings::GetInt(std::string_view name) const {
  return GetOptionalInt(name).value_or(0);
}

double Settings::GetDouble(std::string_view name) const {
  return GetOptionalDouble(name).value_or(0);
}

const std::string& Settings::Text(std::string_view name) const {
  static const std::string kNone;
  const auto* value = std::get_if<std::string>(&At(name).value);
  return value != nullptr ? *value : kNone;
}

std::optional<std::uint64_t> Settings::GetOptionalInt(
    std::string_view name) const {
  const auto* value = std::get_if<std::uint64_t>(&At(name).value);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<double> Settings::GetOptionalDouble(std::string_view name) const {
  const auto* value = std::get_if<double>(&At(name).value);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

Json Settings::ToJson(const Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::same_as<std::decay_t<decltype(held)>,
                                   std::monostate>) {
          return {};
        } else {
          return Json(held);
        }
      },
      value);
}

Json Settings::ToSavedJson() const {
  Json kept = Json::Object();
  for (const Option& option : table_) {
    if (option.kept) kept[option.name] = ToJson(At(option.name).value);
  }
  return kept;
}

Status Settings::Adopt(const Json& kept) {
  for (const Option& option : table_) {
    if (!option.kept) continue;
    const Json* saved = kept.Find(option.name);
    if (saved == nullptr && !option.alias.empty()) {
      saved = kept.Find(option.alias);
    }
    if (saved == nullptr) {
      return Corruption("the state does not say " + Flagged(option));
    }
    Entry& entry = entries_.find(option.name)->second;
    if (entry.given) {
      // As it would have been saved: a text that is not UTF-8 is not itself.
      const std::string said = ToJson(entry.value).Dump();
      if (said == saved->Dump()) continue;
      return InvalidArgument(Flagged(option) + " " + said +
                             " contradicts the saved state, which was made "
                             "with " +
                             saved->Dump() + ": leave it out");
    }
    if (saved->is_null()) {
      entry.value = Value();
      continue;
    }
    auto value =
        Read(option, saved->text() != nullptr ? *saved->text() : saved->Dump());
    if (!value) {
      return Corruption("malformed settings in the state: " +
                        value.error().message);
    }
    entry.value = *std::move(value);
  }
  return Ok();
}

}  // namespace sotto
