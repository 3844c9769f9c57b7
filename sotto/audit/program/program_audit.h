#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/audit/program/neighbours.h"
#include "sotto/audit/program/program_run.h"
#include "sotto/audit/program/public_facts.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// A whole program in two worlds that differ in one user's row.
struct ProgramAudit {
  std::vector<std::string> command;
  ProgramStream stream;
  bool gzipped = false;  // the stream's file
  ProgramReading reading;
  ApproximateDp claim;      // for one user
  std::uint64_t runs = 20;  // in each world
  unsigned threads = 1;
  std::chrono::milliseconds timeout{60'000};
  std::size_t most_bytes = std::size_t{1} << 28;  // of a file or an output
  // Run i of every world has {seed} = first_seed + i.
  std::uint64_t first_seed = 1;
  // The program takes {seed} and keeps to the formats: rows in which nobody
  // takes part, of whatever kind, must leave everything public the same, byte
  // for byte.
  bool equal_empties = false;
  // Only these changes; empty: all.
  std::vector<std::string> changes = {};
  // Of the stream's rows none has an answer: it is a labelled set, say, and the
  // answers are to `reading.rows` others.
  bool unanswered = false;
  // The chance of a false alarm is for so many audits together.
  std::uint64_t audits = 1;
  std::function<void(std::uint64_t runs, std::uint64_t of)> progress = {};
};

// Something public that tells the worlds apart.
struct ProgramLeak {
  std::string change;  // what the user did
  std::string place;   // "file model.json, line 3"
  std::string here;    // what is there in the world as given
  std::string there;   // and in the other
  // No noise is expected there, and there was none; otherwise by counting.
  bool exact = true;
  double epsilon = 0;  // by counting: at least this much
};

struct ProgramResult {
  std::vector<std::string> changes;  // that were tried
  std::uint64_t runs = 0;
  ApproximateDp claim;
  std::vector<ProgramLeak> leaks;
  // What went wrong, with change and round: then nothing is known.
  std::vector<std::string> faults;
  // Numbers that are the same in all runs of a world and differ between the
  // worlds, while the runs are too few to be certain.
  std::vector<ProgramLeak> suspicions;
  std::uint64_t runs_needed = 0;  // to be certain of those
  // Exit code 2 before any answer, whatever the row: nothing was played.
  bool refused = false;
  std::string refusal = {};  // its last line

  // "violation", "broken", "suspicious" or "consistent".
  std::string_view Verdict() const;
};

// So many runs in each world make it certain, for most programs, that a number
// without noise differs; up to 300, which is enough for an epsilon of 3.
std::uint64_t UsualRuns(const ApproximateDp& claim);

// Runs the program many times on the stream as given and on every neighbour of
// it, and compares all that is public. Shapes that are the same in all runs of
// a world must be the same in the other. Numbers may have noise: those that are
// the same in all runs of a world and not in the other are a leak once that has
// a chance below 1e-6, whatever varies is counted, with the same chance for the
// whole audit. Few leaks of a kind are kept. A program that fails on the stream
// as given (exit code and all) must fail alike on every neighbour.
//
// Fails with kUnavailable if the program cannot be run at all.
//
// Proof:   program_audit.md.
// Threads: uses `threads`.
Result<ProgramResult> AuditProgram(const ProgramAudit& audit);

std::string ProgramText(const ProgramResult& result);
std::string LeakText(const ProgramLeak& leak);  // a line
Json LeakJson(const ProgramLeak& leak);
Json ProgramJson(const ProgramResult& result);

}  // namespace sotto
