#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// One thing a user may say to a command or a model. Tables of these are the
// single source of flags, help, refusals, saved settings and report parameters.
//
//   const Option kMargin = {.name = "margin", .type = OptionType::kReal,
//                           .help = "of the best weights", .low = 0x1p-10,
//                           .high = 1};
enum class OptionType : std::uint8_t {
  kFlag,   // given or not
  kWhole,  // an integer, 1000000 or 1e6, at least 0 unless `low` says so
  kReal,   // a finite number, or a fraction as 2/3
  kText,
};

struct Option {
  std::string_view name;  // without dashes: "rounds-per-user"
  // An older name. Accepted wherever `name` is, never printed.
  std::string_view alias = "";
  OptionType type = OptionType::kText;
  // The text it has if it is not given; empty: it is then absent (a flag is
  // off, a text empty).
  std::string_view fallback = "";
  std::string_view help = "";
  // Range of a number, inclusive. If `above` is set, `low` is exclusive.
  double low = 0;
  double high = std::numeric_limits<double>::max();
  bool above = false;
  // The words a text may be; empty: any.
  std::vector<std::string_view> words = {};
  std::string_view value = "";  // the help's word for a text: FILE, NAME
  std::string_view group = "";  // a heading of the help
  bool common = false;          // in --help; --help-all has the others
  char letter = '\0';           // -d for --data
  bool required = false;
  // Settings that say what is learned and promised are kept in a saved state
  // and cannot be changed when it is loaded; others (files, threads) can.
  bool kept = true;
};

using OptionTable = std::vector<Option>;

// The option of that name or alias, or null.
const Option* FindOption(std::span<const Option> table, std::string_view name);

// The name of the table that is nearest to a word that is none of them, for
// "did you mean"; empty if nothing is near.
std::string_view NearestOption(std::span<const Option> table,
                               std::string_view word);

// Tables one after the other. Requires that no name occurs twice.
OptionTable ConcatOptions(
    std::initializer_list<std::span<const Option>> tables);

}  // namespace sotto
