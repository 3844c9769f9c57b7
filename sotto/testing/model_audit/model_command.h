#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sotto/audit/program/program_audit.h"
#include "sotto/base/result.h"
#include "sotto/testing/model_audit/model_case.h"
#include "sotto/testing/model_audit/model_rows.h"

namespace sotto {

// A case as command lines, with the files that stay the same in all worlds.
//
// Threads: not thread-safe.
class ModelCommand {
 public:
  // How much of a run is public: with --public all that it writes; without,
  // which some settings need, the answers and what the model publishes.
  enum class View : std::uint8_t { kPublic, kAnswers, kStrict };

  // `folder` is for the fixed files; `program` starts the program.
  ModelCommand(const ModelCase& made, ModelColumns columns,
               std::vector<std::string> program, std::filesystem::path folder);

  // Writes the schema, the training set, the questions. Fails as WriteText.
  Status WriteFiles() const;

  // The audit to be played. kStrict: a row that cannot be used is an error, to
  // see whether the columns suit the model.
  ProgramAudit Audit(View view) const;
  // The same from states that are saved before the first row, which `Save`
  // makes for one seed: planning costs more than forty rows.
  ProgramAudit AuditFromStates(View view) const;
  std::vector<std::string> Save(View view, std::uint64_t seed) const;
  ProgramStream Stream() const;

 private:
  using Words = std::vector<std::string>;

  bool Has(std::string_view option) const;
  void Add(Words& words, const std::string& option,
           const std::string& value) const;
  // The model and its settings.
  Words Settings() const;
  void AddReading(Words& words) const;
  void AddOutputs(Words& words, View view) const;
  void AddTrain(Words& words) const;
  ProgramAudit MakeAudit(Words words, View view) const;
  std::string File(const std::string& name) const;
  double delta() const;

  const ModelCase& case_;
  ModelColumns columns_;
  Words program_;
  std::filesystem::path folder_;
  std::vector<std::pair<std::string, std::string>> settings_;
};

}  // namespace sotto
