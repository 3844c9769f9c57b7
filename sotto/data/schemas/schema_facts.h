#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/streams/schema.h"

namespace sotto {

// Public facts about a table.
//
//   auto facts = ParseFacts("age=0..120;job=clerk|nurse;smoker=boolean");
struct SchemaFacts {
  std::vector<SchemaColumn> columns = {};  // those that are known
  std::string label = {};  // its column; empty: `y`, if there is one
  std::optional<LabelType> type = {};  // of the label
  std::string user = {};  // the user column; empty: `user`, if there is one

  const SchemaColumn* Find(std::string_view name) const;
};

// Columns: NAME=LOW..HIGH, NAME=A|B|C, NAME=boolean or NAME=number, with
// semicolons between. Fails with kInvalidArgument.
Result<std::vector<SchemaColumn>> ParseFacts(std::string_view text);
// "LOW..HIGH". Fails with kInvalidArgument.
Result<std::pair<double, double>> ParseRange(std::string_view text);
// The parts of a text between such characters.
std::vector<std::string> Split(std::string_view text, char between);

}  // namespace sotto
