#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// Reads the members of a user's input in a move:
//
//   InputFields fields(json);
//   input.x = fields.Number("x");
//   input.absent = fields.Flag("absent");
//   return fields.Done();
//
// Missing members are 0, false or empty. Done fails with kInvalidArgument if a
// member has the wrong type or was not read: a misread move would audit
// something else.
//
// Threads: not thread-safe.
class InputFields {
 public:
  // Keeps a reference.
  explicit InputFields(const Json& json);

  double Number(std::string_view name);
  // An integer from `low` to `high`; `low` if it is missing.
  std::int64_t GetInt(std::string_view name, std::int64_t low,
                      std::int64_t high);
  bool Flag(std::string_view name);
  // 0, 1, false, true.
  std::optional<bool> Label(std::string_view name);
  // The text, if it is one. Otherwise empty, and the member counts as not read.
  std::optional<std::string> Text(std::string_view name);

  Status Done() const;

 private:
  const Json* Find(std::string_view name);
  void Expect(std::string_view name, std::string_view what);

  const Json& json_;
  std::vector<std::string> asked_;
  std::optional<std::string> problem_;
};

}  // namespace sotto
