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

// Something to audit: a claim, and the duels that put it to the test.
struct AuditCase {
  std::string adversary;
  std::string mechanism;  // which of the target's, in words
  ApproximateDp claim;
  std::unique_ptr<GamePair> duel;
  // A game takes about so many times as long as one of a mechanism: so many
  // times fewer are played, but at least kLeastRuns.
  std::uint64_t cost = 1;
};
inline constexpr std::uint64_t kLeastRuns = 256;
struct AuditSubject {
  std::string target;
  std::vector<AuditCase> duels;
};

struct AuditOptions {
  std::uint64_t runs = 100'000;  // games per world and adversary, see `cost`
  double confidence = 0.999;     // of epsilon_lower
  std::uint64_t seed = 1;
  std::uint64_t looks = 4;  // how often, at most, it looks whether to stop
  unsigned threads = 1;
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  // How far it is, in games of all that may be played; from any thread.
  std::function<void(std::uint64_t games, std::uint64_t of)> progress = {};
};

// A violation is called at this chance of a false alarm, whatever the
// confidence of the bound: for a whole audit, all adversaries and looks.
inline constexpr double kFalseAlarm = 1e-6;

// What came of one duel.
struct DuelResult {
  std::string adversary;
  std::string mechanism;
  ApproximateDp claim;
  std::uint64_t runs = 0;  // per world, both halves
  std::size_t variant = 0;
  std::vector<AuditFinding> findings;  // the best first
  bool violation = false;
  // A program or mechanism that failed: nothing was learned of its privacy.
  std::optional<std::string> fault;
  TranscriptFeatures readings;
  Counts counts;
  std::vector<View> examples_zero;
  std::vector<View> examples_one;

  double epsilon_lower() const {
    return findings.empty() ? 0 : findings.front().epsilon;
  }
  // The bound is above the claim, and not as certain as a violation has to be.
  bool undecided() const {
    return !violation && !fault && epsilon_lower() > claim.epsilon;
  }
};

struct AuditResult {
  std::string target;
  AuditOptions options;
  std::vector<DuelResult> duels;

  bool violation() const;
  bool broken() const;  // some duel could not be played
  bool undecided() const;
  // The largest epsilon whose violation so many games of the duel could show:
  // that of a mechanism that tells the worlds apart always.
  double MostShown(const DuelResult& duel) const;
  // The duel with the largest bound beside its claim; broken ones first.
  const DuelResult& worst() const;
};

// Plays all duels of a subject.
//
//   auto subject = FindAuditTarget("stopper")->make({});
//   AuditResult result = Audit(*subject, {.runs = 100'000, .threads = 2});
//   if (result.violation()) ...
//
// For each duel the best variant is looked for and the readings are fitted on
// games that are not counted; events are chosen on one half of the games and
// counted on the other. It stops early at a violation that is certain at
// kFalseAlarm. Every number is a function of the subject and the options but
// `threads`.
//
// Guarantee: if the claim holds, Pr[epsilon_lower > epsilon of the claim for
//            some duel] <= 1 - confidence, Pr[violation] <= kFalseAlarm.
// Proof:     audit.md.
// Threads:   uses `threads` threads.
AuditResult Audit(const AuditSubject& subject, const AuditOptions& options);

// The parts of an audit, for shards: counts without a verdict (looks is then
// 1), and the verdict on counts that were added up.
void Judge(AuditResult& result);

}  // namespace sotto
