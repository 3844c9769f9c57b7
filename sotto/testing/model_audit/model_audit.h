#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/audit/program/program_audit.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/testing/model_audit/model_case.h"

namespace sotto {

// The program itself in two worlds, for cases made from the registry.
struct ModelAudit {
  std::vector<std::string> program;  // the words that start it
  std::vector<ModelSubject> subjects;
  ModelCasePlan plan;
  // Which of the cases: every shards-th, from the shard-th on.
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  // Every run plans from scratch; otherwise most resume from states that are
  // saved before the first row, which is faster.
  bool plain = false;
  // After so long no further case is begun.
  std::chrono::seconds budget{1'000'000};
  std::chrono::milliseconds timeout{60'000};
  unsigned threads = 1;
};

struct ModelCaseResult {
  std::string name;
  std::string verdict;  // as a ProgramResult's, or "refused"
  std::vector<ProgramLeak> leaks;
  std::vector<std::string> faults;
  std::string refusal;
};

struct ModelAuditResult {
  std::uint64_t played = 0;
  std::uint64_t refused = 0;  // alike in all worlds: nothing was learned
  std::uint64_t left = 0;     // for which there was no time
  // Of those played: numbers differ between the worlds, and so few runs cannot
  // tell noise from a leak. Cases are many instead of runs.
  std::uint64_t suspicious = 0;
  std::vector<ModelCaseResult> refusals;
  std::vector<ModelCaseResult> failures;  // violations, and what is broken

  bool good() const { return failures.empty() && played > 0; }
};

// Runs every case on its stream and on the neighbours of it with the same seed,
// and compares all that is public. Shapes that differ are looked at again with
// more seeds: only those that never vary in a world are leaks. A model whose
// default settings are refused is broken.
//
// Fails with kUnavailable if the program cannot be run at all.
//
// Proof:   sotto/audit/program/program_audit.md.
// Threads: uses `threads`, one case each.
Result<ModelAuditResult> AuditModels(const ModelAudit& audit);

Json ModelAuditJson(const ModelAuditResult& result);

}  // namespace sotto
