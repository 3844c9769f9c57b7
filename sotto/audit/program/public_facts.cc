#include "sotto/audit/program/public_facts.h"

#include <signal.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "sotto/audit/program/live_play.h"
#include "sotto/base/json.h"

namespace sotto {
namespace {

std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool IsDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// The end of the number that begins here; here if none does.
std::size_t NumberEnd(std::string_view line, std::size_t begin) {
  std::size_t i = begin;
  if (line[i] == '-' && i + 1 < line.size() && IsDigit(line[i + 1])) ++i;
  if (!IsDigit(line[i])) return begin;
  while (i < line.size() &&
         (IsDigit(line[i]) || line[i] == ',' || line[i] == '.')) {
    const bool inside =
        IsDigit(line[i]) || (i + 1 < line.size() && IsDigit(line[i + 1]));
    if (!inside) break;
    ++i;
  }
  if (i < line.size() && (line[i] == 'e' || line[i] == 'E')) {
    std::size_t j = i + 1;
    if (j < line.size() && (line[j] == '-' || line[j] == '+')) ++j;
    if (j < line.size() && IsDigit(line[j])) {
      while (j < line.size() && IsDigit(line[j])) ++j;
      i = j;
    }
  }
  return i;
}

// The words of a line with # for every number, blanks as one (columns are as
// wide as their numbers), and the numbers.
struct Parsed {
  std::string shape;
  std::vector<std::string> numbers;
};

Parsed Parse(std::string_view line) {
  Parsed parsed;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t end = NumberEnd(line, i);
    if (end > i) {
      parsed.numbers.emplace_back(line.substr(i, end - i));
      parsed.shape += '#';
      i = end;
      continue;
    }
    const bool blank = line[i] == ' ' || line[i] == '\t';
    if (!blank || parsed.shape.empty() || parsed.shape.back() != ' ') {
      parsed.shape += blank ? ' ' : line[i];
    }
    ++i;
  }
  return parsed;
}

// Removes the text between two marks and returns it separately.
std::string Without(std::string text, std::string_view begin,
                    std::string_view end, std::string* taken = nullptr) {
  for (std::size_t at = text.find(begin); at != std::string::npos;
       at = text.find(begin, at + begin.size())) {
    const std::size_t from = at + begin.size();
    const std::size_t to = text.find(end, from);
    if (to == std::string::npos) break;
    if (taken != nullptr) *taken += text.substr(from, to - from);
    text.erase(from, to - from);
  }
  return text;
}

// Pictures are drawn from numbers that are also in the text, and their shape
// depends on these. Only the presence of a picture is compared.
std::string WithoutPictures(std::string text) {
  return Without(std::move(text), "<svg", "</svg>");
}

// Running times are not covered by the guarantee. Reports print them in these
// forms.
std::string WithoutTimes(std::string text) {
  for (const std::string_view key :
       {"\"seconds\":", "\"rounds_per_second\":"}) {
    for (std::size_t at = text.find(key); at != std::string::npos;
         at = text.find(key, at + 1)) {
      const std::size_t from = at + key.size();
      text.erase(from, text.find_first_of(",}\n", from) - from);
    }
  }
  std::string kept;
  for (const std::string& line : SplitLines(text)) {
    const bool timed = line.starts_with("time ") ||
                       line.find(" rounds/s") != std::string::npos;
    kept += (timed ? "(time)" : line) + "\n";
  }
  return kept;
}

// The part of a page about a published model.
constexpr std::string_view kPublished = "<div class=\"published\">";
constexpr std::string_view kPublishedEnd = "<!-- published -->";

// A number, and the parts of a list with commas between them.
void AddNumber(const std::string& place, std::string number,
               PublicFacts& facts) {
  std::size_t begin = 0;
  for (std::size_t part = 1; begin < number.size(); ++part) {
    const std::size_t comma = number.find(',', begin);
    if (comma == std::string::npos && part == 1) break;
    const std::size_t end = std::min(comma, number.size());
    facts.numbers[place + ", part " + std::to_string(part)] =
        number.substr(begin, end - begin);
    begin = end + 1;
  }
  facts.numbers[place] = std::move(number);
}

void AddText(const std::string& name, const std::string& text,
             PublicFacts& facts) {
  std::string published;
  const auto lines = SplitLines(
      WithoutPictures(Without(text, kPublished, kPublishedEnd, &published)));
  if (!published.empty()) facts.numbers[name + ", published"] = published;
  facts.shapes[name + ": number of lines"] = std::to_string(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string place = name + ", line " + std::to_string(i + 1);
    Parsed parsed = Parse(lines[i]);
    for (std::size_t j = 0; j < parsed.numbers.size(); ++j) {
      AddNumber(place + ", number " + std::to_string(j + 1),
                std::move(parsed.numbers[j]), facts);
    }
    facts.shapes[place] = std::move(parsed.shape);
  }
}

// Every value of a JSON text by its path: a number keeps its place for any
// length of a list beside it.
void AddJson(const std::string& place, const Json& json, PublicFacts& facts) {
  if (const auto* members = json.object()) {
    for (const auto& [name, value] : *members) {
      AddJson(place + "/" + name, value, facts);
    }
  } else if (const auto* elements = json.array()) {
    facts.numbers[place + ": number of elements"] =
        std::to_string(elements->size());
    for (std::size_t i = 0; i < elements->size(); ++i) {
      AddJson(place + "/" + std::to_string(i), (*elements)[i], facts);
    }
  } else {
    facts.numbers[place] = json.Dump();
  }
}

// A file in which even words have noise; of JSON, the names of the members have
// none.
void AddNoisy(const std::string& name, const std::string& text,
              PublicFacts& facts) {
  const auto json = Json::Parse(text);
  if (!json || json->object() == nullptr) {
    facts.numbers[name] = text;
    return;
  }
  std::string members;
  for (const auto& member : *json->object()) members += member.first + " ";
  facts.shapes[name + ": members"] = members;
  AddJson(name + " ", *json, facts);
}

// One line a row. Colluding users see the answers of all others. The existence
// of an answer has no noise, nor has its form in a conversation.
void AddAnswers(const std::string& text, const std::vector<std::size_t>& own,
                bool live, PublicFacts& facts) {
  const auto lines = SplitLines(text);
  facts.shapes["answers: number of lines"] = std::to_string(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::ranges::find(own, i) != own.end()) continue;
    const std::string place = "answer to row " + std::to_string(i + 1);
    facts.shapes[place] =
        live ? Parse(lines[i]).shape : (lines[i].empty() ? "none" : "one");
    facts.numbers[place] = lines[i];
  }
}

const std::string* AnswersIn(const ProgramOutcome& outcome,
                             const ProgramReading& reading) {
  if (reading.answers == "-") return &outcome.out;
  const auto found = outcome.files.find(reading.answers);
  return found == outcome.files.end() ? nullptr : &found->second;
}

std::string AnswersFault(const std::string& text,
                         const ProgramReading& reading) {
  const auto lines = SplitLines(text);
  const auto& allowed = reading.allowed;
  for (std::size_t i = 0; i < std::min(lines.size(), reading.rows); ++i) {
    if (lines[i].empty() || allowed.empty()) continue;
    if (std::ranges::find(allowed, lines[i]) != allowed.end()) continue;
    return "round " + std::to_string(i + 1) + ": the answer '" +
           lines[i].substr(0, 40) + "' is out of range";
  }
  if (lines.size() == reading.rows) return "";
  return "round " + std::to_string(std::min(lines.size(), reading.rows) + 1) +
         ": " + std::to_string(lines.size()) + " answers to " +
         std::to_string(reading.rows) + " rows";
}

}  // namespace

PublicFacts ExtractFacts(const ProgramOutcome& outcome,
                         const ProgramReading& reading,
                         const std::vector<std::size_t>& own) {
  PublicFacts facts;
  facts.shapes["exit code"] = std::to_string(outcome.code);
  if (reading.answers != "-" && reading.with_output) {
    AddText("standard output", WithoutTimes(outcome.out), facts);
  }
  if (reading.with_errors) {
    AddText("standard error", WithoutTimes(outcome.error), facts);
  }
  for (const auto& [name, text] : outcome.files) {
    if (name == reading.answers) continue;
    facts.shapes["file " + name] = "there";
    facts.numbers["file " + name + ": bytes"] = std::to_string(text.size());
    const bool noisy =
        std::ranges::find(reading.noisy, name) != reading.noisy.end();
    if (noisy) {
      AddNoisy("file " + name, text, facts);
    } else {
      AddText("file " + name, WithoutTimes(text), facts);
    }
  }
  if (const std::string* answers = AnswersIn(outcome, reading)) {
    AddAnswers(*answers, own, reading.answers == kLiveAnswers, facts);
  }
  return facts;
}

std::string PublicText(const ProgramOutcome& outcome,
                       const ProgramReading& reading,
                       const std::vector<std::size_t>& own) {
  std::string text = "exit code " + std::to_string(outcome.code) + "\n";
  if (reading.answers != "-" && reading.with_output) {
    text += WithoutTimes(outcome.out);
  }
  if (reading.with_errors) text += WithoutTimes(outcome.error);
  for (const auto& [name, content] : outcome.files) {
    if (name == reading.answers) continue;
    text += "file " + name + "\n" + WithoutTimes(content);
  }
  if (const std::string* answers = AnswersIn(outcome, reading)) {
    const auto lines = SplitLines(*answers);
    text += "answers\n";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (std::ranges::find(own, i) == own.end()) text += lines[i];
      text += "\n";
    }
  }
  return text;
}

std::string FindFault(const ProgramOutcome& outcome,
                      const ProgramReading& reading) {
  if (!outcome.fault.empty()) return outcome.fault;
  const std::string* answers = AnswersIn(outcome, reading);
  const std::size_t prediction =
      answers == nullptr ? 0 : SplitLines(*answers).size();
  const std::string round =
      reading.answers.empty()
          ? ""
          : "round " + std::to_string(prediction + 1) + ": ";
  if (outcome.end == ProgramOutcome::End::kHung) return round + "it hung";
  if (outcome.end == ProgramOutcome::End::kCrashed) {
    if (outcome.code == SIGXFSZ) return round + "it wrote too much";
    return round + "it crashed by signal " + std::to_string(outcome.code);
  }
  if (outcome.code != 0) {
    const auto errors = SplitLines(outcome.error);
    return round + "it ended with exit code " + std::to_string(outcome.code) +
           (errors.empty() ? "" : ": " + errors.back().substr(0, 200));
  }
  if (reading.answers.empty()) return "";
  if (answers == nullptr) return "there is no file " + reading.answers;
  return AnswersFault(*answers, reading);
}

}  // namespace sotto
