#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/audit/program/fact_event.h"

namespace sotto {

// A public fact that distinguishes the worlds.
struct ProgramLeak {
  std::string change;  // the change of the row
  std::string place;   // "file model.json, line 3"
  std::string here;    // the fact in the stream as given
  std::string there;   // and in the other
  // True if the fact was the same in all runs of a world.
  bool exact = true;
  double epsilon = 0;      // by counting: at least this much
  std::string event = {};  // that was counted: "its number is at most 3"
};

// How two worlds are compared.
struct ComparisonParams {
  std::string change;
  ApproximateDp claim;  // for the users that differ
  double alpha = 1e-6;  // of a false alarm
  bool exact_words = false;
  bool independent = true;  // runs of one world from those of the other
};

// Result of a comparison: one case of an audit.
struct FactComparison {
  std::string change;
  ApproximateDp claim;
  std::vector<ProgramLeak> leaks;
  std::vector<ProgramLeak> suspicions;
  double epsilon_lower = 0;  // largest bound by counting
  // Smallest leak that these runs would have reported, and the runs that would
  // report a material one, or be certain of the suspicions.
  double detectable = 0;
  std::uint64_t runs_needed = 0;

  // "violation", "inconclusive" or "consistent".
  std::string_view Verdict() const;
};

// Events that are counted in one comparison: kMostLeaks of different facts, and
// one of all facts together.
inline constexpr std::size_t kMostLeaks = 5;
inline constexpr std::size_t kFactEvents = kMostLeaks + 1;

// Compares the facts of two worlds. Events are chosen on the first runs, and
// counted on the others.
//
// Guarantee: if the claim holds, and words have no noise where exact_words says
//            so, Pr[some leak] <= alpha.
// Proof:     program_audit.md.
// Threads:   a pure function.
FactComparison CompareWorlds(const std::vector<FactColumn>& columns,
                             std::size_t runs, const ComparisonParams& params);

}  // namespace sotto
