#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sotto/base/option.h"
#include "sotto/base/settings.h"

namespace sotto::app {

// A command of the program: a row of a table. Its flags, help and refusals come
// from its options; only arguments.cc knows the argument library.
//
//   Command CountCommand() {
//     return {.name = "count",
//             .help = "A private running count",
//             .footer = "Example: sotto count --epsilon 1 --horizon 1000",
//             .options = ConcatOptions({PrivacyOptions(), kCountOptions}),
//             .call = RunCount};
//   }
//
// What was said is in the Settings; every check of a single option is theirs.
struct Command {
  // One that ends with a colon is said with its first word behind it, as
  // `sotto audit exec:./mine`.
  std::string name;
  std::string help;         // one line
  std::string group = {};   // a heading of the help above it
  std::string footer = {};  // of its --help; with an example
  OptionTable options = {};
  // The option that may be said without its name, as in `sotto show FILE`.
  std::string argument = {};
  // Nested ones: `sotto run pop`. A command that has some takes their names as
  // its first word; without one it is called itself, if it has a `call`.
  std::vector<Command> commands = {};
  std::string commands_are = "command";  // or "model", in help and refusals
  // The message for a word that names something else; empty: unknown.
  std::function<std::string(const std::string& word)> hint = nullptr;
  // Returns the exit code. Options that are required have been said, unless
  // --load was: then the state has to supply them and the callee asks
  // Settings::CheckRequired again.
  std::function<int(const Settings&)> call = nullptr;
  // Instead of `call`, for a command that takes words without a name: any
  // number of them before `--`, and all that follows it as it is.
  std::function<int(const Settings&, const std::vector<std::string>&)>
      call_with_words = nullptr;
};

// Finds the command that is named, reads its options and calls it. Help and
// --version go to standard output. Words that cannot be understood are named on
// standard error, with what there is instead: exit code 2.
int CallCommand(const Command& root, int argc, const char* const* argv);

}  // namespace sotto::app
