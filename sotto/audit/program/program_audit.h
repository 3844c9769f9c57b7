#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/audit/program/comparison.h"
#include "sotto/audit/program/neighbours.h"
#include "sotto/audit/program/program_run.h"
#include "sotto/audit/program/public_facts.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// Audit of a program on two streams that differ in one user's row.
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
  // The program takes {seed} and follows the formats: all kinds of empty rounds
  // must give the same public output, byte for byte.
  bool equal_empties = false;
  // Only these changes; empty: all.
  std::vector<std::string> changes = {};
  // True if the stream's rows have no answers, as for a training set. The
  // answers are for `reading.rows` other rows.
  bool unanswered = false;
  // The false-alarm probability covers this many audits together.
  std::uint64_t audits = 1;
  // True if words, numbers of lines, names of files and the exit code have no
  // noise: one of them that differs is a leak, however few the runs.
  bool exact_words = true;
  // Run i of the stream as given has the same {seed} as run i of its neighbours
  // have, which always share theirs. False: the worlds are independent, and
  // fewer runs show as much.
  bool same_seeds = true;
  std::function<void(std::uint64_t runs, std::uint64_t of)> progress = {};
};

struct ProgramResult {
  std::vector<std::string> changes;  // that were tried
  std::uint64_t runs = 0;
  ApproximateDp claim;
  std::vector<Comparison> cases;  // one a change
  std::vector<ProgramLeak> leaks;
  // Errors, with change and round. Then nothing is known.
  std::vector<std::string> faults;
  // Facts that are the same in all runs of a world and differ between the
  // worlds, while the runs are too few to be certain.
  std::vector<ProgramLeak> suspicions;
  // Runs that would be certain of those or, if there are none, would show a
  // material leak.
  std::uint64_t runs_needed = 0;
  // True if the program exits with code 2 before any answer, for every row:
  // nothing was played.
  bool refused = false;
  std::string refusal = {};  // its last line

  // "violation", "broken", "inconclusive" or "consistent".
  std::string_view Conclusion() const;
  // The same of a program whose words have no noise, however few the runs:
  // "violation", "broken", "suspicious" or "consistent".
  std::string_view Verdict() const;
};

// The number of runs in each world that shows a material leak of most programs
// (statistics/power.h); up to 600, which is enough for an epsilon of 3.
std::uint64_t UsualRuns(const ApproximateDp& claim);

// Runs the program many times on the stream as given and on every neighbour of
// it, in turn, and compares all public output. Every fact may have noise: the
// first third of the runs chooses events, the others are counted, with a chance
// of 1e-6 for a false alarm of the whole audit. Only a few leaks of a kind are
// kept. A program that fails on the stream as given (exit code and all) must
// fail in the same way on every neighbour.
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
