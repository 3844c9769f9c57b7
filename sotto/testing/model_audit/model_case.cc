#include "sotto/testing/model_audit/model_case.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <random>

namespace sotto {
namespace {

// The options of one case.
using Choice = std::pair<std::string, std::string>;

constexpr std::array<ModelFormat, 9> kFormats = {{
    {.format = "csv"},
    {.format = "live"},
    {.format = "libsvm", .users = false},
    {.format = "vw"},
    {.format = "jsonl"},
    {.format = "csv", .gzipped = true, .users = false},
    {.format = "csv", .header = false},
    {.format = "vw", .gzipped = true, .users = false},
    {.format = "jsonl", .gzipped = true, .users = false},
}};

// Those before the first that is gzipped.
constexpr std::size_t kQuickFormats = 5;

bool Takes(const ModelSubject& subject, const ModelFormat& format) {
  return subject.command == "run" || format.format != "live";
}

// Rows of a table that is fitted have no names.
ModelFormat Suited(const ModelSubject& subject, ModelFormat format) {
  if (subject.command != "run") format.users = false;
  return format;
}

std::string Number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

bool InRange(const Option& option, double value) {
  return value <= option.high &&
         (option.above ? value > option.low : value >= option.low);
}

// A word of a help text that may be a value: small letters, digits, a colon, a
// dash; N stands for a number.
bool MakeValue(std::string& word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == 'N' && i > 0 && word[i - 1] == ':') word[i] = '4';
    const auto c = static_cast<unsigned char>(word[i]);
    if (std::islower(c) == 0 && std::isdigit(c) == 0 && c != ':' && c != '-') {
      return false;
    }
  }
  return !word.empty();
}

// The values that a help text lists: single words between commas, before the
// first text that is not one. For "threshold, points:N and others; or none"
// these are the first two.
std::vector<std::string> WordsOfHelp(std::string_view help) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < help.size()) {
    const std::size_t end =
        std::min(help.find_first_of(",;(", begin), help.size());
    std::string piece(help.substr(begin, end - begin));
    const bool last = piece.find(" and ") != std::string::npos;
    piece = piece.substr(0, piece.find(" and "));
    piece = piece.substr(0, piece.find_last_not_of(' ') + 1);
    if (!MakeValue(piece)) break;
    words.push_back(std::move(piece));
    if (last) break;
    begin = std::min(help.find_first_not_of(" ", end + 1), help.size());
  }
  if (words.size() < 2) words.clear();
  return words;
}

// A text that is usually a number may be another one.
bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isdigit(c) != 0 || c == '.';
  });
}

std::vector<Choice> ListChoices(const ModelSubject& subject) {
  std::vector<Choice> choices;
  for (const Option& option : subject.options) {
    if (IsSetByAuditor(option.name)) continue;
    for (std::string& value : ValuesToTry(option)) {
      choices.emplace_back(option.name, std::move(value));
    }
  }
  return choices;
}

class Maker {
 public:
  Maker(const std::vector<ModelSubject>& subjects, const ModelCasePlan& plan)
      : subjects_(subjects), plan_(plan), draw_(plan.seed) {}

  std::vector<ModelCase> Make() {
    const std::size_t formats = plan_.quick ? kQuickFormats : kFormats.size();
    for (std::size_t i = 0; i < formats; ++i) {
      for (const ModelSubject& subject : subjects_) {
        Default(subject, kFormats[i]);
      }
    }
    for (const ModelSubject& subject : subjects_) OtherLabels(subject);
    for (const ModelSubject& subject : subjects_) Options(subject);
    for (const ModelSubject& subject : subjects_) Pairs(subject);
    for (const ModelSubject& subject : subjects_) Counted(subject);
    return std::move(cases_);
  }

 private:
  void Default(const ModelSubject& subject, const ModelFormat& format) {
    const bool first = format.format == kFormats.front().format;
    if (!Takes(subject, format)) return;
    if (plan_.quick && !first && subject.command != "run") return;
    ModelCase made{.subject = &subject,
                   .format = Suited(subject, format),
                   .label = subject.labels.front(),
                   .every_change = first || !plan_.quick};
    cases_.push_back(made);
    if (!subject.needs_training_set || format.format == "live") return;
    if (plan_.quick && !first) return;
    made.every_change = !plan_.quick;
    made.labelled_set = true;
    cases_.push_back(std::move(made));
  }

  // Those that only a schema can say, in the formats that have one.
  void OtherLabels(const ModelSubject& subject) {
    for (std::size_t i = 1; i < subject.labels.size(); ++i) {
      for (const ModelFormat& format : kFormats) {
        if (format.gzipped || !format.header ||
            (format.format != "csv" && format.format != "jsonl")) {
          continue;
        }
        if (plan_.quick && format.format != "csv") continue;
        cases_.push_back({.subject = &subject,
                          .format = Suited(subject, format),
                          .label = subject.labels[i],
                          .every_change = !plan_.quick});
      }
    }
  }

  void Options(const ModelSubject& subject) {
    auto choices = ListChoices(subject);
    for (std::size_t i = choices.size(); i > 1; --i) {
      std::swap(choices[i - 1], choices[draw_() % i]);
    }
    if (choices.size() > plan_.options) choices.resize(plan_.options);
    for (Choice& choice : choices) Add(subject, {std::move(choice)});
  }

  void Pairs(const ModelSubject& subject) {
    const auto choices = ListChoices(subject);
    if (choices.size() < 2) return;
    for (std::uint64_t i = 0; i < plan_.pairs; ++i) {
      const Choice& first = choices[draw_() % choices.size()];
      const Choice& second = choices[draw_() % choices.size()];
      if (first.first != second.first) Add(subject, {first, second});
    }
  }

  void Add(const ModelSubject& subject, std::vector<Choice> options) {
    const ModelFormat* format = &kFormats[next_++ % kFormats.size()];
    if (!Takes(subject, *format)) format = &kFormats.front();
    cases_.push_back({.subject = &subject,
                      .format = Suited(subject, *format),
                      .label = subject.labels.front(),
                      .options = std::move(options)});
  }

  // A small epsilon, at which few runs are enough to be certain of a number
  // without noise: program_audit.md, step 2.
  void Counted(const ModelSubject& subject) {
    if (plan_.runs == 0) return;
    cases_.push_back({.subject = &subject,
                      .format = Suited(subject, kFormats.front()),
                      .label = subject.labels.front(),
                      .every_change = true,
                      .runs = plan_.runs,
                      .epsilon = 0.25});
  }

  const std::vector<ModelSubject>& subjects_;
  const ModelCasePlan& plan_;
  std::mt19937_64 draw_;
  std::size_t next_ = 0;
  std::vector<ModelCase> cases_;
};

}  // namespace

std::string ModelFormat::Name() const {
  return std::string(format) + (gzipped ? ".gz" : "") +
         (header ? "" : " without a header") + (users ? "" : " without names");
}

std::string ModelCase::Name() const {
  std::string name =
      subject->command + " " + subject->name + ", " + format.Name();
  if (label == LabelType::Kind::kClasses) name += ", classes";
  if (label == LabelType::Kind::kNumber) name += ", numbers";
  if (labelled_set) name += ", a row of its labelled set";
  if (runs > 1) name += ", " + std::to_string(runs) + " runs";
  for (const auto& [option, value] : options) {
    name += " --" + option + (value.empty() ? "" : " " + value);
  }
  return name;
}

bool IsSetByAuditor(std::string_view option) {
  constexpr std::array kSaid = {
      "data",    "format",        "schema",      "user",       "label",
      "columns", "no-header",     "save",        "save-every", "load",
      "seed",    "live",          "predictions", "report",     "progress",
      "train",   "publish",       "public",      "epsilon",    "delta",
      "out",     "training-rows", "horizon",     "features",   "force",
      "quiet",   "skip-bad",      "labels"};
  return std::ranges::find(kSaid, option) != kSaid.end();
}

std::vector<std::string> ValuesToTry(const Option& option) {
  std::vector<std::string> values;
  switch (option.type) {
    case OptionType::kFlag:
      return {""};
    case OptionType::kText:
      if (option.words.empty()) {
        values = WordsOfHelp(option.help);
        if (IsNumber(option.fallback)) values.emplace_back("3");
      } else {
        values.assign(option.words.begin(), option.words.end());
      }
      break;
    case OptionType::kWhole:
      for (const double value : {option.low, 1.0, 3.0, 20.0}) {
        if (InRange(option, value)) values.push_back(Number(value));
      }
      break;
    case OptionType::kReal:
      for (const double value : {option.low, 0.25, 0.5, 2.0}) {
        if (InRange(option, value)) values.push_back(Number(value));
      }
      break;
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::erase(values, std::string(option.fallback));
  return values;
}

std::vector<ModelCase> ModelCases(const std::vector<ModelSubject>& subjects,
                                  const ModelCasePlan& plan) {
  return Maker(subjects, plan).Make();
}

}  // namespace sotto
