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

// Values of options, checked against a table.
//
//   Settings settings(&table);
//   if (Status set = settings.Set("epsilon", "1"); !set) return set;
//   double epsilon = settings.GetDouble("epsilon");
//   if (settings.Has("copies")) Use(settings.GetInt("copies"));
//
// Whatever is here is public. Threads: a value type.
class Settings {
 public:
  // All options unset or at their defaults. The table is copied.
  explicit Settings(OptionTable table);

  // Fails with kInvalidArgument: no such option (and the nearest that there
  // is), not of its type, out of its range. Not a number is never in a range.
  Status Set(std::string_view name, std::string_view text);
  // The same from JSON: a number, a Boolean, a text.
  Status SetJson(std::string_view name, const Json& value);

  // Returns true if the option was set or has a default.
  bool Has(std::string_view name) const;
  // Returns true if the user set the option. Values adopted from a saved state
  // do not count.
  bool SetByUser(std::string_view name) const;
  // Copies every option that was set in `other` and is in this table with the
  // same type.
  // Fails with kInvalidArgument if it is out of its range here.
  Status Take(const Settings& other);

  // Fails with kInvalidArgument and its name if a required option is unset.
  Status CheckRequired() const;

  // Values by name or alias. An unset number is 0, an unset text is empty. A
  // name that is not in the table ends the program with a message: a table was
  // left out.
  bool Flag(std::string_view name) const;
  std::uint64_t GetInt(std::string_view name) const;
  double GetDouble(std::string_view name) const;
  const std::string& Text(std::string_view name) const;
  // Absent if unset and without a default.
  std::optional<std::uint64_t> GetOptionalInt(std::string_view name) const;
  std::optional<double> GetOptionalDouble(std::string_view name) const;

  // Options that a state keeps, with their values or null.
  Json ToSavedJson() const;
  // Fills unset options from a state's settings. Fails with kInvalidArgument if
  // an option was set to another value than the state's, with kCorruption if
  // the state's settings do not belong to this table.
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
  // Null if the table has no option of that name or alias.
  const Entry* Find(std::string_view name) const;
  const Entry& At(std::string_view name) const;

  OptionTable table_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace sotto
