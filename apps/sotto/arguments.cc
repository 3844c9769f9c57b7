#include "arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "command.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"

namespace sotto::app {
namespace {

constexpr std::size_t kHelpColumn = 30;
constexpr std::size_t kHelpWidth = 50;

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

// Lines of at most kHelpWidth, broken at blanks.
std::string Wrapped(const std::string& text) {
  std::string lines;
  std::size_t column = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::size_t size = end - begin;
    if (column > 0) {
      const bool fits = column + 1 + size <= kHelpWidth;
      lines += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    lines.append(text, begin, size);
    column += size;
    begin = end + 1;
  }
  return lines;
}

std::string Number(double value) {
  return value == static_cast<double>(static_cast<std::int64_t>(value)) &&
                 value < 1e6
             ? std::to_string(static_cast<std::int64_t>(value))
             : Shortest(value);
}

// "above 0", "at least 1 and at most 10"; nothing if any number will do.
std::string RangeText(const Option& option) {
  const bool number =
      option.type == OptionType::kWhole || option.type == OptionType::kReal;
  const bool below = option.high != std::numeric_limits<double>::max();
  if (!number || (option.low == 0 && !option.above && !below)) return {};
  std::string text = (option.above ? "above " : "at least ");
  text += Number(option.low);
  if (below) text += ", at most " + Number(option.high);
  return " (" + text + ")";
}

// The text after the name of an option in its help.
std::string ValueText(const Option& option) {
  std::string text;
  if (!option.words.empty()) {
    for (const std::string_view word : option.words) {
      text += (text.empty() ? "" : "|") + std::string(word);
    }
  } else if (option.type == OptionType::kText) {
    text = "TEXT";
  } else if (option.type != OptionType::kFlag) {
    text = option.type == OptionType::kWhole ? "WHOLE" : "NUMBER";
  }
  if (!option.fallback.empty() && option.type != OptionType::kFlag) {
    text += " [" + std::string(option.fallback) + "]";
  }
  if (option.required) text += " REQUIRED";
  return text;
}

std::string ListNames(const Option& option, const std::string& argument) {
  std::string names;
  if (option.letter != '\0') names = std::string("-") + option.letter + ",";
  names += "--" + std::string(option.name);
  if (option.name == argument) names += "," + argument;
  return names;
}

// The parser of one command. Every option takes any text: Settings judge it.
void AddOptions(const Command& command, CLI::App& app) {
  for (const Option& option : command.options) {
    const std::string names = ListNames(option, command.argument);
    const std::string help =
        Wrapped(std::string(option.help) + RangeText(option));
    CLI::Option* added = option.type == OptionType::kFlag
                             ? app.add_flag(names)
                             : app.add_option(names);
    added->description(help);
    added->option_text(ValueText(option));
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (option.type != OptionType::kFlag) added->expected(1);
    if (!option.group.empty()) added->group(std::string(option.group));
  }
}

void AddNested(const Command& command, CLI::App& app) {
  if (command.commands.empty()) return;
  for (const Command& nested : command.commands) {
    // For the help alone; a name that takes the word behind its colon is added
    // without it here.
    const std::string name = nested.name.substr(0, nested.name.find(':'));
    app.add_subcommand(name, Wrapped(nested.help))
        ->group("The " + command.commands_are + "s");
  }
  std::string label = command.commands_are;
  for (char& c : label) c = static_cast<char>(std::toupper(c));
  app.get_formatter()->label("SUBCOMMAND", label);
  app.require_subcommand(command.call ? 0 : 1, 1);
}

std::unique_ptr<CLI::App> Parser(const Called& called) {
  auto app = std::make_unique<CLI::App>(called.command->help, called.name);
  app->get_formatter()->column_width(kHelpColumn);
  app->set_help_flag("-h,--help", "this help");
  app->footer(called.command->footer);
  AddOptions(*called.command, *app);
  AddNested(*called.command, *app);
  app->allow_extras();
  return app;
}

std::string LongName(const CLI::Option& option) {
  return option.get_lnames().empty() ? std::string()
                                     : option.get_lnames().front();
}

// Refuses what the parser could not place: an unknown flag, or a word too many.
Status RefuseExtra(const std::string& word, Settings& settings) {
  const bool flag = word.size() > 1 && word.front() == '-';
  if (!flag) return InvalidArgument(Quoted(word) + " is not expected here");
  const std::size_t name = std::min(word.find_first_not_of('-'), word.size());
  if (name == 1) return InvalidArgument("no option " + Quoted(word) + " here");
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
    std::printf("%s", app->help().c_str());
    return kDone;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    return Refuse(called.name,
                  what.substr(0, what.find(':')) + " needs a value after it");
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
  const std::string there = "; there are " + ListNames(*called.command);
  if (!called.words.empty()) {
    const std::string& word = called.words.front();
    if (word == "-h" || word == "--help") {
      std::printf("%s", Parser(called)->help().c_str());
      return kDone;
    }
    if (!word.starts_with("-")) {
      return Refuse(called.name, "no " + kind + " " + Quoted(word) + there);
    }
  }
  return Refuse(called.name, "name a " + kind + " first" + there);
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
  const bool word =
      !called.words.empty() && !called.words.front().starts_with("-");
  const bool wanted = !called.command->commands.empty() &&
                      (word || called.command->call == nullptr);
  return wanted ? CallNothing(called) : Call(called);
}

}  // namespace sotto::app
