#include "arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "command.h"
#include "describe.h"
#include "help.h"
#include "sotto/base/printable.h"

namespace sotto::app {
namespace {

// The command that was named, its full name, and the words after it.
struct Called {
  const Command* command;
  std::string name;
  std::vector<std::string> words;
};

int Refuse(const std::string& name, const std::string& why) {
  std::fprintf(stderr, "%s: %s\nTry '%s --help'.\n", name.c_str(),
               Printable(why).c_str(), name.c_str());
  return kUsage;
}

const Command* Nested(const Command& command, std::string_view name) {
  for (const Command& nested : command.commands) {
    if (nested.name == name) return &nested;
  }
  return nullptr;
}

std::string ListNames(const Command& command) {
  std::string names;
  for (const Command& nested : command.commands) {
    names += (names.empty() ? "" : ", ") + nested.name;
  }
  return names;
}

// The nested name that is nearest to a misspelt one; empty if none is near.
std::string_view Nearest(const Command& command, std::string_view word) {
  OptionTable names;
  for (const Command& nested : command.commands) {
    names.push_back({.name = nested.name});
  }
  return NearestOption(names, word);
}

// The one whose name, with a colon at its end, the word begins with.
const Command* NestedByColon(const Command& command, std::string_view word) {
  for (const Command& nested : command.commands) {
    if (nested.name.ends_with(':') && word.starts_with(nested.name)) {
      return &nested;
    }
  }
  return nullptr;
}

Called Find(const Command& root, std::span<const char* const> arguments) {
  Called called{&root, root.name, {}};
  std::size_t next = 0;
  for (; next < arguments.size(); ++next) {
    const std::string_view word = arguments[next];
    const Command* nested = NestedByColon(*called.command, word);
    if (nested != nullptr) {
      called.words.emplace_back(word.substr(nested->name.size()));
    } else {
      nested = Nested(*called.command, word);
    }
    if (nested == nullptr) break;
    called.command = nested;
    called.name += " " + std::string(word);
  }
  for (const char* word : arguments.subspan(next)) {
    called.words.emplace_back(word);
  }
  return called;
}

std::string ListNames(const Option& option, const std::string& argument) {
  std::string names;
  if (option.letter != '\0') names = std::string("-") + option.letter + ",";
  names += "--" + std::string(option.name);
  if (!option.alias.empty()) names += ",--" + std::string(option.alias);
  if (option.name == argument) names += "," + argument;
  return names;
}

// The parser of one command. Every option takes any text: Settings judge it.
std::unique_ptr<CLI::App> Parser(const Called& called) {
  auto app = std::make_unique<CLI::App>();
  app->set_help_flag("-h,--help");
  app->set_help_all_flag("--help-all");
  for (const Option& option : called.command->options) {
    const std::string names = ListNames(option, called.command->argument);
    CLI::Option* added = option.type == OptionType::kFlag
                             ? app->add_flag(names)
                             : app->add_option(names);
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (option.type != OptionType::kFlag) added->expected(1);
  }
  app->allow_extras();
  return app;
}

int PrintHelp(const Called& called, bool all) {
  std::fputs(HelpText(*called.command, called.name, all).c_str(), stdout);
  return kDone;
}

std::string LongName(const CLI::Option& option) {
  return option.get_lnames().empty() ? std::string()
                                     : option.get_lnames().front();
}

// Refuses what the parser could not place: an unknown flag, or a word too many.
Status RefuseExtra(const std::string& word, Settings& settings) {
  const bool flag = word.size() > 1 && word.front() == '-';
  if (!flag) return InvalidArgument("unexpected argument " + Quoted(word));
  const std::size_t name = std::min(word.find_first_not_of('-'), word.size());
  if (name == 1) return InvalidArgument("unknown option " + Quoted(word));
  return settings.Set(word.substr(name, word.find('=') - name), "");
}

Status Fill(const CLI::App& app, bool takes_words, Settings& settings) {
  for (const std::string& extra : app.remaining()) {
    if (takes_words && !extra.starts_with("-")) continue;
    return RefuseExtra(extra, settings);
  }
  for (const CLI::Option* option : app.parse_order()) {
    const std::string name = LongName(*option);
    if (FindOption(settings.table(), name) == nullptr) continue;
    if (option->results().size() > 1) {
      return InvalidArgument("--" + name + " is given twice");
    }
    SOTTO_TRY(settings.Set(name, option->results().front()));
  }
  return settings.Has("load") ? Ok() : settings.CheckRequired();
}

int Call(const Called& called) {
  NameCommand(called.name);
  const auto app = Parser(called);
  const bool takes_words = called.command->call_with_words != nullptr;
  const auto end =
      takes_words ? std::ranges::find(called.words, "--") : called.words.end();
  // CLI11 takes its words from the back.
  std::vector<std::string> words(called.words.begin(), end);
  std::ranges::reverse(words);
  try {
    app->parse(words);
  } catch (const CLI::CallForHelp&) {
    return PrintHelp(called, false);
  } catch (const CLI::CallForAllHelp&) {
    return PrintHelp(called, true);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    return Refuse(called.name,
                  what.substr(0, what.find(':')) + " needs a value");
  } catch (const CLI::ParseError& error) {
    return Refuse(called.name, error.what());
  }
  Settings settings(called.command->options);
  if (const Status filled = Fill(*app, takes_words, settings); !filled) {
    return Refuse(called.name, filled.error().message);
  }
  if (!takes_words) return called.command->call(settings);
  std::vector<std::string> rest = app->remaining();
  if (end != called.words.end()) {
    rest.insert(rest.end(), end + 1, called.words.end());
  }
  return called.command->call_with_words(settings, rest);
}

// Answers a call without the name of a nested command where one is needed.
int CallNothing(const Called& called) {
  const std::string& kind = called.command->commands_are;
  if (called.words.empty() || called.words.front().starts_with("-")) {
    const std::string word = called.words.empty() ? "" : called.words.front();
    if (word == "-h" || word.starts_with("--help")) {
      return PrintHelp(called, word == "--help-all");
    }
    return Refuse(called.name, "missing " + kind + ". Choose one of " +
                                   ListNames(*called.command) + ".");
  }
  const std::string& word = called.words.front();
  if (const auto& hint = called.command->hint; hint && !hint(word).empty()) {
    return Refuse(called.name, hint(word));
  }
  const std::string_view nearest = Nearest(*called.command, word);
  return Refuse(
      called.name,
      "unknown " + kind + " " + Quoted(word) + ". " +
          (nearest.empty() ? "Choose one of " + ListNames(*called.command) + "."
                           : "Did you mean " + std::string(nearest) + "?"));
}

}  // namespace

int CallCommand(const Command& root, int argc, const char* const* argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  const Called called = Find(root, arguments.subspan(argc > 0 ? 1 : 0));
  if (called.command == &root && !called.words.empty() &&
      called.words.front() == "--version") {
    std::printf("sotto %s\n", SOTTO_VERSION);
    return kDone;
  }
  if (called.command == &root && !called.words.empty() &&
      called.words.front() == "--describe") {
    Print(Describe(root));
    return kDone;
  }
  const bool word =
      !called.words.empty() && !called.words.front().starts_with("-");
  const bool wanted = !called.command->commands.empty() &&
                      (word || called.command->call == nullptr);
  return wanted ? CallNothing(called) : Call(called);
}

}  // namespace sotto::app
