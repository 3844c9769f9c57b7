#include "help.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "sotto/base/number_text.h"

namespace sotto::app {
namespace {

constexpr std::size_t kColumn = 28;  // where explanations begin
constexpr std::size_t kWidth = 100;

// Breaks text at blanks; every line but the first begins at `column`.
std::string Wrap(std::string_view text, std::size_t column) {
  std::string lines;
  std::size_t used = column;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find(' '), text.size());
    if (used > column && used + 1 + size > kWidth) {
      lines += "\n" + std::string(column, ' ');
      used = column;
    } else if (used > column) {
      lines += ' ';
      ++used;
    }
    lines += text.substr(0, size);
    used += size;
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return lines;
}

// A term, its explanation beside it or, if the term is long, below it.
std::string Item(const std::string& term, std::string_view explanation) {
  std::string line = "  " + term;
  if (explanation.empty()) return line + "\n";
  if (line.size() + 2 > kColumn) {
    line += "\n" + std::string(kColumn, ' ');
  } else {
    line.resize(kColumn, ' ');
  }
  return line + Wrap(explanation, kColumn) + "\n";
}

std::string Number(double value) {
  return value == static_cast<double>(static_cast<std::int64_t>(value)) &&
                 value < 1e6
             ? std::to_string(static_cast<std::int64_t>(value))
             : Shortest(value);
}

bool IsNumber(const Option& option) {
  return option.type == OptionType::kWhole || option.type == OptionType::kReal;
}

// "(0, 1]", or nothing if every number that is not negative will do.
std::string RangeText(const Option& option) {
  const bool open = option.high == std::numeric_limits<double>::max();
  if (!IsNumber(option)) return {};
  if (open && option.low == 0) return option.above ? "above 0" : "";
  if (open) {
    return (option.above ? "above " : "at least ") + Number(option.low);
  }
  return (option.above ? "(" : "[") + Number(option.low) + ", " +
         Number(option.high) + "]";
}

std::string ValueText(const Option& option) {
  if (option.type == OptionType::kFlag) return {};
  if (!option.value.empty()) return " " + std::string(option.value);
  if (option.type == OptionType::kWhole) return " INT";
  if (option.type == OptionType::kReal) return " FLOAT";
  if (option.words.empty()) return " NAME";
  std::string words;
  for (const std::string_view word : option.words) {
    words += (words.empty() ? " " : "|") + std::string(word);
  }
  return words;
}

// "(required)", "(default 1, range [0, 2])".
std::string Notes(const Option& option) {
  std::string notes;
  const auto add = [&notes](const std::string& note) {
    notes += (notes.empty() ? " (" : ", ") + note;
  };
  if (option.required) add("required");
  if (option.type != OptionType::kFlag && !option.fallback.empty()) {
    add("default " + std::string(option.fallback));
  }
  if (const std::string range = RangeText(option); !range.empty()) add(range);
  return notes.empty() ? notes : notes + ")";
}

std::string OptionText(const Option& option, const std::string& argument) {
  std::string term;
  if (option.letter != '\0') term = std::string("-") + option.letter + ", ";
  if (option.name != argument) term += "--" + std::string(option.name);
  return Item(term + ValueText(option),
              std::string(option.help) + Notes(option));
}

// Headings in the order in which they first occur.
template <typename Things, typename Heading, typename Text>
std::string Grouped(const Things& things, Heading heading, Text text) {
  std::vector<std::string> headings;
  for (const auto& thing : things) {
    const std::string name(heading(thing));
    if (std::ranges::find(headings, name) == headings.end()) {
      headings.push_back(name);
    }
  }
  std::string all;
  for (const std::string& name : headings) {
    all += "\n" + name + "\n";
    for (const auto& thing : things) {
      if (heading(thing) == name) all += text(thing);
    }
  }
  return all;
}

std::string CommandsText(const Command& command) {
  std::string kind = command.commands_are + "s";
  kind.front() = static_cast<char>(std::toupper(kind.front()));
  return Grouped(
      command.commands,
      [&kind](const Command& nested) {
        return nested.group.empty() ? kind : nested.group;
      },
      [](const Command& nested) { return Item(nested.name, nested.help); });
}

std::string OptionsText(const Command& command, const OptionTable& shown) {
  return Grouped(
      shown,
      [](const Option& option) {
        return option.group.empty() ? std::string_view("Options")
                                    : option.group;
      },
      [&command](const Option& option) {
        return OptionText(option, command.argument);
      });
}

OptionTable CommonOptions(const OptionTable& table) {
  OptionTable common;
  std::ranges::copy_if(table, std::back_inserter(common), &Option::common);
  return common;
}

// Wraps prose; lines with a command stay whole, to be copied.
std::string Footer(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, size);
    const bool example = line.find("sotto ") != std::string_view::npos;
    lines += (example ? std::string(line) : Wrap(line, 0)) + "\n";
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return lines;
}

std::string Usage(const Command& command, const std::string& name) {
  std::string kind = command.commands_are;
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  std::string usage = "Usage: " + name;
  if (!command.commands.empty()) {
    usage += command.call ? " [" + kind + "]" : " " + kind;
  }
  if (!command.argument.empty()) {
    const Option* option = FindOption(command.options, command.argument);
    usage += option == nullptr ? "" : ValueText(*option);
  }
  return usage + " [OPTIONS]\n";
}

}  // namespace

std::string HelpText(const Command& command, const std::string& name,
                     bool all) {
  OptionTable shown = CommonOptions(command.options);
  if (all || shown.empty()) shown = command.options;
  std::string text = Wrap(command.help, 0) + "\n\n" + Usage(command, name) +
                     CommandsText(command) + OptionsText(command, shown);
  const std::size_t hidden = command.options.size() - shown.size();
  if (hidden > 0) {
    text += "\nMore: " + name + " --help-all (" + std::to_string(hidden) +
            " more options)\n";
  }
  if (!command.footer.empty()) text += "\n" + Footer(command.footer);
  return text;
}

}  // namespace sotto::app
