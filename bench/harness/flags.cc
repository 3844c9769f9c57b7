#include "bench/harness/flags.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <span>
#include <sstream>
#include <utility>

namespace sotto::bench {
namespace {

[[noreturn]] void Refuse(const std::string& why) {
  std::cerr << why << "\n";
  std::exit(2);
}

double ParseNumber(const std::string& name, const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') {
    Refuse("--" + name + ": expected a number, got '" + text + "'");
  }
  return number;
}

}  // namespace

Flags::Flags(int argc, char** argv, Defaults defaults)
    : values_(std::move(defaults)) {
  for (const std::string word : std::span(argv, argv + argc).subspan(1)) {
    if (word.starts_with("--benchmark_")) continue;
    if (!word.starts_with("--")) {
      words_.push_back(word);
      continue;
    }
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto place = values_.find(word.substr(2, equals - 2));
    if (place == values_.end()) {
      std::string known;
      for (const auto& [name, value] : values_) known += " --" + name;
      Refuse("unknown flag " + word + "; known:" + known);
    }
    place->second = equals < word.size() ? word.substr(equals + 1) : "1";
  }
}

const std::string& Flags::Text(const std::string& name) const {
  return values_.at(name);
}

double Flags::Number(const std::string& name) const {
  return ParseNumber(name, Text(name));
}

std::uint64_t Flags::Count(const std::string& name) const {
  const double number = Number(name);
  if (!(number >= 0 && number < 0x1p63)) {
    Refuse("--" + name + ": expected a count");
  }
  return static_cast<std::uint64_t>(number);
}

bool Flags::On(const std::string& name) const {
  return !Text(name).empty() && Text(name) != "0";
}

std::vector<std::string> Flags::List(const std::string& name) const {
  return Split(Text(name), ',');
}

std::vector<double> Flags::Numbers(const std::string& name) const {
  std::vector<double> numbers;
  for (const std::string& text : List(name)) {
    numbers.push_back(ParseNumber(name, text));
  }
  return numbers;
}

bool Flags::Wants(const std::string& name, const std::string& item) const {
  const auto list = List(name);
  return list.empty() || std::ranges::find(list, item) != list.end();
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

}  // namespace sotto::bench
