#include "sotto/testing/model_audit/model_command.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "sotto/audit/program/program_run.h"

namespace sotto {
namespace {

constexpr std::uint64_t kStreamSeed = 1;
constexpr std::uint64_t kTrainSeed = 3;
// The changes that option cases are tried with: one of each kind.
const std::vector<std::string>& FewChanges() {
  static const std::vector<std::string> kFew = {
      "replaced by another row", "absent", "unusable: an unknown label",
      "unusable: not of the format", "its label later"};
  return kFew;
}

std::string Short(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// "--epsilon 1 --learner stump" as pairs.
std::vector<std::pair<std::string, std::string>> MakeExample(
    const ModelSubject& subject) {
  std::vector<std::pair<std::string, std::string>> settings;
  std::istringstream words(subject.example);
  std::string word;
  while (words >> word) {
    if (word.starts_with("--")) {
      settings.emplace_back(word.substr(2), "");
    } else if (!settings.empty()) {
      settings.back().second = word;
    }
  }
  return settings;
}

void Put(std::vector<std::pair<std::string, std::string>>& settings,
         const std::string& name, const std::string& value) {
  for (auto& [known, old] : settings) {
    if (known != name) continue;
    old = value;
    return;
  }
  settings.emplace_back(name, value);
}

}  // namespace

ModelCommand::ModelCommand(const ModelCase& made, ModelColumns columns,
                           std::vector<std::string> program,
                           std::filesystem::path folder)
    : case_(made),
      columns_(columns),
      program_(std::move(program)),
      folder_(std::move(folder)),
      settings_(MakeExample(*made.subject)) {
  Put(settings_, "epsilon", Short(made.epsilon));
  // Without one there is no private count of mistakes to look at.
  if (made.subject->command == "run") Put(settings_, "delta", "1e-6");
  const std::string rows = std::to_string(kModelRows);
  if (Has("horizon")) Put(settings_, "horizon", rows);
  if (Has("training-rows")) Put(settings_, "training-rows", rows);
  if (Has("features")) {
    Put(settings_, "features", std::to_string(MakeColumns(columns)));
  }
  if (Has("force")) Put(settings_, "force", "");
  for (const auto& [name, value] : made.options) Put(settings_, name, value);
}

bool ModelCommand::Has(std::string_view option) const {
  return FindOption(case_.subject->options, option) != nullptr;
}

std::string ModelCommand::File(const std::string& name) const {
  return (folder_ / name).string();
}

double ModelCommand::delta() const {
  for (const auto& [name, value] : settings_) {
    if (name == "delta") return std::strtod(value.c_str(), nullptr);
  }
  return 0;
}

ProgramStream ModelCommand::Stream() const {
  return ModelStream(case_.format, columns_, case_.label, kStreamSeed);
}

Status ModelCommand::WriteFiles() const {
  ModelFormat plain = case_.format;
  if (plain.format == "live") plain.format = "jsonl";
  const std::string ending = "." + std::string(plain.format);
  if (Status written = WriteText(folder_ / "schema.json",
                                 ModelSchema(columns_, case_.label));
      !written) {
    return written;
  }
  if (Status written = WriteText(folder_ / ("empty" + ending),
                                 EmptyStream(plain, columns_).Text());
      !written) {
    return written;
  }
  const auto train = ModelStream(plain, columns_, case_.label, kTrainSeed);
  if (Status written = WriteText(folder_ / ("train" + ending), train.Text());
      !written) {
    return written;
  }
  return WriteText(folder_ / ("questions" + ending), Stream().Text());
}

ModelCommand::Words ModelCommand::Settings() const {
  Words words = program_;
  words.push_back(case_.subject->command);
  words.push_back(case_.subject->name);
  for (const auto& [name, value] : settings_) {
    words.push_back("--" + name);
    if (!value.empty()) words.push_back(value);
  }
  return words;
}

void ModelCommand::AddReading(Words& words) const {
  if (case_.label != LabelType::Kind::kTwo) {
    words.insert(words.end(), {"--schema", File("schema.json")});
  }
  if (case_.format.header || case_.format.format != "csv") return;
  const ProgramStream stream = EmptyStream(case_.format, columns_);
  const auto columns = std::ranges::count(stream.header.front(), ',') + 1;
  words.insert(words.end(), {"--no-header", "--columns",
                             std::to_string(columns), "--label", stream.label});
  if (!stream.user.empty()) {
    words.insert(words.end(), {"--user", stream.user});
  }
}

void ModelCommand::AddTrain(Words& words) const {
  if (!case_.subject->needs_training_set) return;
  const std::string ending = case_.format.format == "live"
                                 ? "jsonl"
                                 : std::string(case_.format.format);
  words.insert(
      words.end(),
      {"--train", case_.labelled_set ? "{data}" : File("train." + ending)});
}

void ModelCommand::AddOutputs(Words& words, View view) const {
  if (view == View::kStrict) return;
  if (case_.subject->command != "run") {
    words.insert(words.end(), {"--skip-bad", "--quiet"});
    return;
  }
  if (Has("publish")) {
    words.insert(words.end(), {"--publish", "{out}/model.json"});
  }
  if (case_.format.format == "live") return;
  words.insert(words.end(), {"-p", "{out}/answers"});
  if (view == View::kPublic) {
    words.insert(words.end(), {"--report", "{out}/page.html", "--public"});
  } else {
    words.emplace_back("--skip-bad");
  }
}

ProgramAudit ModelCommand::MakeAudit(Words words, View view) const {
  const bool live = case_.format.format == "live";
  const bool run = case_.subject->command == "run";
  const std::string ending(case_.format.format);
  if (!run) words.insert(words.end(), {"--out", "{out}/model.json"});
  if (live) {
    words.emplace_back("--live");
  } else {
    words.emplace_back("-d");
    words.push_back(case_.labelled_set ? File("questions." + ending)
                                       : "{data}");
  }
  AddReading(words);
  AddOutputs(words, view);
  ProgramAudit audit{.command = std::move(words),
                     .stream = Stream(),
                     .gzipped = case_.format.gzipped,
                     .reading = {.answers = run ? "answers" : "",
                                 .rows = kModelRows,
                                 .allowed = {},
                                 .with_errors = view == View::kPublic && !live,
                                 .with_output = view == View::kPublic && !live,
                                 .noisy = {"model.json"}},
                     .claim = {case_.epsilon, delta()},
                     .runs = case_.runs,
                     .equal_empties = true,
                     .unanswered = case_.labelled_set || !run};
  if (case_.labelled_set) {
    audit.stream = ModelStream(case_.format, columns_, case_.label, kTrainSeed);
  }
  if (!case_.every_change) audit.changes = FewChanges();
  return audit;
}

ProgramAudit ModelCommand::Audit(View view) const {
  Words words = Settings();
  AddTrain(words);
  words.insert(words.end(), {"--seed", "{seed}"});
  return MakeAudit(std::move(words), view);
}

ProgramAudit ModelCommand::AuditFromStates(View view) const {
  Words words = Settings();
  words.insert(words.end(), {"--load", File("{seed}.state")});
  return MakeAudit(std::move(words), view);
}

std::vector<std::string> ModelCommand::Save(View view,
                                            std::uint64_t seed) const {
  Words words = Settings();
  const bool live = case_.format.format == "live";
  AddTrain(words);
  AddReading(words);
  const std::string number = std::to_string(seed);
  words.insert(words.end(),
               {"--seed", number, "--save", File(number + ".state")});
  if (live) {
    words.emplace_back("--live");
  } else {
    words.insert(words.end(),
                 {"-d", File("empty." + std::string(case_.format.format)),
                  view == View::kPublic ? "--public" : "--skip-bad"});
  }
  return words;
}

}  // namespace sotto
