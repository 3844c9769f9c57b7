#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "sotto/base/json.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"

namespace sotto {

// What a user has said, checked against a table of options.
//
//   Settings settings(&table);
//   if (Status set = settings.Set("epsilon", "1"); !set) return set;
//   double epsilon = settings.GetDouble("epsilon");
//   if (settings.Has("copies")) Use(settings.GetInt("copies"));
//
// Whatever is here is public. Threads: a value type.
class Settings {
 public:
  // All options as if nothing had been said. The table is copied.
  explicit Settings(OptionTable table);

  // Fails with kInvalidArgument: no such option (and the nearest that there
  // is), not of its type, out of its range. Not a number is never in a range.
  Status Set(std::string_view name, std::string_view text);
  // The same from JSON: a number, a Boolean, a text.
  Status SetJson(std::string_view name, const Json& value);

  // Said, or with a fallback.
  bool Has(std::string_view name) const;
  // Said by the user. What was adopted from a saved state is not.
  bool SetByUser(std::string_view name) const;
  // Sets whatever was said to `other` and is in this table with the same type.
  // Fails with kInvalidArgument if it is out of its range here.
  Status Take(const Settings& other);

  // Fails with kInvalidArgument and its name if a required option was not said.
  Status CheckRequired() const;

  // Requires that the table has an option of that name and type. A number that
  // is absent is 0, a text empty.
  bool Flag(std::string_view name) const;
  std::uint64_t GetInt(std::string_view name) const;
  double GetDouble(std::string_view name) const;
  const std::string& Text(std::string_view name) const;
  // Absent unless said (or with a fallback).
  std::optional<std::uint64_t> GetOptionalInt(std::string_view name) const;
  std::optional<double> GetOptionalDouble(std::string_view name) const;

  // Those that a state keeps, with their values or null.
  Json ToSavedJson() const;
  // Puts a state's settings in the place of what was not said. Fails with
  // kInvalidArgument if something was said that differs from the state, with
  // kCorruption if the state's settings are not of this table.
  Status Adopt(const Json& kept);

  const OptionTable& table() const { return table_; }

 private:
  using Value =
      std::variant<std::monostate, bool, std::uint64_t, double, std::string>;
  struct Entry {
    Value value;
    bool given = false;
  };

  static Result<Value> Read(const Option& option, std::string_view text);
  static Json ToJson(const Value& value);
  const Entry& At(std::string_view name) const;

  OptionTable table_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace sotto
