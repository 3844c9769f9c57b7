#include "sotto/audit/program/public_facts.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace sotto {
namespace {

std::vector<std::string> LinesOf(const std::string& text) {
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

// Pictures are drawn from numbers that stand elsewhere, and their shape, down
// to the ticks of an axis, comes from these: only that there is one counts.
std::string WithoutPictures(std::string text) {
  constexpr std::string_view kBegin = "<svg";
  constexpr std::string_view kEnd = "</svg>";
  for (std::size_t at = text.find(kBegin); at != std::string::npos;
       at = text.find(kBegin, at + kBegin.size())) {
    const std::size_t end = text.find(kEnd, at);
    if (end == std::string::npos) break;
    text.erase(at + kBegin.size(), end - at - kBegin.size());
  }
  return text;
}

void AddText(const std::string& name, const std::string& text,
             PublicFacts& facts) {
  const auto lines = LinesOf(WithoutPictures(text));
  facts.shapes[name + ": number of lines"] = std::to_string(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string place = name + ", line " + std::to_string(i + 1);
    Parsed parsed = Parse(lines[i]);
    for (std::size_t j = 0; j < parsed.numbers.size(); ++j) {
      facts.numbers[place + ", number " + std::to_string(j + 1)] =
          std::move(parsed.numbers[j]);
    }
    facts.shapes[place] = std::move(parsed.shape);
  }
}

// One line a row. Of others' lines everybody who colludes sees the answer; that
// there is one has no noise.
void AddAnswers(const std::string& text, const std::vector<std::size_t>& own,
                PublicFacts& facts) {
  const auto lines = LinesOf(text);
  facts.shapes["answers: number of lines"] = std::to_string(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::ranges::find(own, i) != own.end()) continue;
    const std::string place = "answer to row " + std::to_string(i + 1);
    facts.shapes[place] = lines[i].empty() ? "none" : "one";
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
  const auto lines = LinesOf(text);
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

PublicFacts FactsOf(const ProgramOutcome& outcome,
                    const ProgramReading& reading,
                    const std::vector<std::size_t>& own) {
  PublicFacts facts;
  facts.shapes["exit code"] = std::to_string(outcome.code);
  if (reading.answers != "-") AddText("standard output", outcome.out, facts);
  if (reading.with_errors) AddText("standard error", outcome.error, facts);
  for (const auto& [name, text] : outcome.files) {
    facts.shapes["file " + name] = "there";
    if (name != reading.answers) AddText("file " + name, text, facts);
  }
  if (const std::string* answers = AnswersIn(outcome, reading)) {
    AddAnswers(*answers, own, facts);
  }
  return facts;
}

std::string FaultOf(const ProgramOutcome& outcome,
                    const ProgramReading& reading) {
  const std::string* answers = AnswersIn(outcome, reading);
  const std::size_t told = answers == nullptr ? 0 : LinesOf(*answers).size();
  const std::string round =
      reading.answers.empty() ? "" : "round " + std::to_string(told + 1) + ": ";
  if (outcome.end == ProgramOutcome::End::kHung) return round + "it hung";
  if (outcome.end == ProgramOutcome::End::kCrashed) {
    return round + "it crashed by signal " + std::to_string(outcome.code);
  }
  if (outcome.code != 0) {
    const auto errors = LinesOf(outcome.error);
    return round + "it ended with exit code " + std::to_string(outcome.code) +
           (errors.empty() ? "" : ": " + errors.back().substr(0, 200));
  }
  if (reading.answers.empty()) return "";
  if (answers == nullptr) return "there is no file " + reading.answers;
  return AnswersFault(*answers, reading);
}

}  // namespace sotto
