#include "sotto/learners/learner_spec.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sotto/learners/learner_entry.h"

namespace sotto {
namespace {

// The parts of a text between commas; none for an empty text.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    parts.push_back(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), parts.back().size() + 1));
  }
  return parts;
}

// "a, b and exec:COMMAND".
std::string LearnerNames() {
  std::string names;
  std::string programs;
  for (const LearnerEntry& entry : Learners()) {
    if (entry.program) {
      programs += " and " + std::string(entry.name) + ":COMMAND";
    } else {
      names += (names.empty() ? "" : ", ") + std::string(entry.name);
    }
  }
  return names + programs;
}

// "it has features (how many there are), rate (how large its steps are)".
std::string ListKeys(const LearnerEntry& entry) {
  std::string keys;
  for (const LearnerKey* key : entry.keys) {
    keys += (keys.empty() ? "it has " : ", ") + std::string(key->name) + " (" +
            std::string(key->help) + ")";
  }
  return keys.empty() ? "it has none" : keys;
}

Status SetOption(const LearnerEntry& entry, std::string_view option,
                 LearnerSpec& spec) {
  const std::size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  for (const LearnerKey* key : entry.keys) {
    if (key->name != name) continue;
    if (equals == std::string_view::npos) {
      return InvalidArgument("'" + std::string(name) +
                             "' needs a value: " + std::string(name) +
                             "=..., " + std::string(key->expected));
    }
    return key->set(*key, option.substr(equals + 1), spec);
  }
  return InvalidArgument(std::string(entry.name) + " has no option '" +
                         std::string(name) + "'; " + ListKeys(entry));
}

Status CheckRequired(const LearnerEntry& entry, const LearnerSpec& spec) {
  for (const LearnerKey* key : entry.keys) {
    if (!key->required || !key->text(spec).empty()) continue;
    const std::string name(key->name);
    return InvalidArgument(spec.name + " needs a " + name + ": " + spec.name +
                           ":" + name + "=..., " + std::string(key->expected));
  }
  return Ok();
}

}  // namespace

std::string_view LearnerHelp() {
  static const std::string kHelp =
      LearnerNames() +
      ", a program of your own; options as NAME:KEY=VALUE,KEY=VALUE";
  return kHelp;
}

Result<LearnerSpec> LearnerSpec::Parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  LearnerSpec spec;
  spec.name = std::string(text.substr(0, colon));
  const std::string_view rest =
      colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const LearnerEntry* entry = FindLearner(spec.name);
  if (entry == nullptr) {
    return InvalidArgument("unknown learner '" + spec.name +
                           "'. Choose one of " + LearnerNames());
  }
  if (entry->program) {
    if (rest.empty()) return InvalidArgument(spec.name + ": needs a command");
    spec.command = std::string(rest);
    return spec;
  }
  for (const std::string_view option : Split(rest)) {
    SOTTO_TRY(SetOption(*entry, option, spec));
  }
  SOTTO_TRY(CheckRequired(*entry, spec));
  return spec;
}

std::string LearnerSpec::ToText() const {
  const LearnerEntry* entry = FindLearner(name);
  if (entry == nullptr) return name;
  if (entry->program) return name + ":" + command;
  std::string text = name;
  char separator = ':';
  for (const LearnerKey* key : entry->keys) {
    const std::string value = key->text(*this);
    if (value.empty()) continue;
    text += separator + std::string(key->name) + "=" + value;
    separator = ',';
  }
  return text;
}

Result<AnyLearner> MakeLearner(const LearnerSpec& spec) {
  const LearnerEntry* entry = FindLearner(spec.name);
  if (entry != nullptr) return entry->make(spec);
  return InvalidArgument("no learner is called '" + spec.name + "'");
}

LearnerFacts ExtractFacts(const LearnerSpec& spec) {
  const LearnerEntry* entry = FindLearner(spec.name);
  return entry != nullptr ? entry->facts(spec) : LearnerFacts{};
}

}  // namespace sotto
