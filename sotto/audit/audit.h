#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/audit/counts.h"
#include "sotto/audit/evidence.h"
#include "sotto/audit/game_pair.h"
#include "sotto/audit/games/view.h"
#include "sotto/audit/transcript_features.h"
#include "sotto/base/result.h"

namespace sotto {

// One case of an audit: a claim, and the games that test it.
struct AuditCase {
  std::string adversary;
  std::string mechanism;  // name of the target's mechanism
  ApproximateDp claim;
  std::unique_ptr<GamePair> pair;
  // Relative time of a game. The number of games is divided by it, but is at
  // least kLeastRuns.
  std::uint64_t cost = 1;
};
inline constexpr std::uint64_t kLeastRuns = 256;
struct AuditSubject {
  std::string target;
  std::vector<AuditCase> cases;
};

struct AuditOptions {
  std::uint64_t runs = 100'000;  // games per world and adversary, see `cost`
  double confidence = 0.999;     // of epsilon_lower
  std::uint64_t seed = 1;
  std::uint64_t looks = 4;  // maximum number of interim looks
  unsigned threads = 1;
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  // Progress, in games out of the maximum. Called from any thread.
  std::function<void(std::uint64_t games, std::uint64_t of)> progress = {};
};

// False-alarm probability of a violation, for a whole audit with all
// adversaries and looks. It does not depend on the confidence of the bound.
inline constexpr double kFalseAlarm = 1e-6;

// Result of one case.
struct CaseResult {
  std::string adversary;
  std::string mechanism;
  ApproximateDp claim;
  std::uint64_t runs = 0;  // per world, both halves
  std::uint64_t cost = 1;  // AuditCase::cost
  std::size_t variant = 0;
  std::vector<AuditFinding> findings;  // the best first
  bool violation = false;
  // Error of a program or mechanism. Then nothing is known about its privacy.
  std::optional<std::string> fault;
  TranscriptFeatures readings;
  Counts counts;
  std::vector<View> examples_zero;
  std::vector<View> examples_one;

  double epsilon_lower() const {
    return findings.empty() ? 0 : findings.front().epsilon;
  }
  // True if the bound is above the claim, but not as certain as a violation
  // must be.
  bool undecided() const {
    return !violation && !fault && epsilon_lower() > claim.epsilon;
  }
};

struct AuditResult {
  std::string target;
  AuditOptions options;
  std::vector<CaseResult> cases;

  bool violation() const;
  bool broken() const;  // true if some case could not be played
  bool undecided() const;
  // True if a case is undecided, or played too few games to notice a material
  // leak (statistics/power.h).
  bool inconclusive() const;
  bool Inconclusive(const CaseResult& audit_case) const;
  // The smallest epsilon that would have been reported with probability
  // kAuditPower, of a mechanism that gives randomised response; infinity if
  // none would have been.
  double Detectable(const CaseResult& audit_case) const;
  // The `runs` of an audit that notices a material leak in this case.
  std::uint64_t RunsNeeded(const CaseResult& audit_case) const;
  // The largest epsilon that this number of games can refute: the bound for a
  // mechanism that always reveals its world.
  double MostShown(const CaseResult& audit_case) const;
  // The case with the largest bound beside its claim; broken ones first.
  const CaseResult& worst() const;
};

// Plays all cases of a subject.
//
//   auto subject = FindAuditTarget("stopper")->make({});
//   AuditResult result = Audit(*subject, {.runs = 100'000, .threads = 2});
//   if (result.violation()) ...
//
// For each case the best variant is chosen and the readings are fitted on games
// that are not counted; events are chosen on one half of the games and counted
// on the other. It stops early at a violation that is certain at kFalseAlarm.
// Every number is a function of the subject and the options, except `threads`.
//
// Guarantee: if the claim holds, Pr[epsilon_lower > epsilon of the claim for
//            some case] <= 1 - confidence, Pr[violation] <= kFalseAlarm.
// Proof:     audit.md.
// Threads:   uses `threads` threads.
AuditResult Audit(const AuditSubject& subject, const AuditOptions& options);

// The games that this many runs are for a case of that cost, per world.
std::uint64_t PlannedGames(std::uint64_t cost, std::uint64_t runs);

// Sets the verdict from the counts, for merged shards. The shards have counts
// without a verdict; looks is then 1.
void SetVerdict(AuditResult& result);

}  // namespace sotto
