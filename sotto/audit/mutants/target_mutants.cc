// Targets of `sotto audit` that spend more than they claim, and predictors of
// the everlasting game without noise.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sotto/audit/everlasting_pair.h"
#include "sotto/audit/mutants/mutant.h"
#include "sotto/audit/mutants/noise_of.h"
#include "sotto/audit/targets.h"

namespace sotto {
namespace {

AuditSubject MakeTarget(const char* name, double epsilon) {
  return *FindAuditTarget(name)->make({.epsilon = epsilon});
}

// The noise of one epsilon with the claims of another.
AuditSubject MakeOverdrawn(const char* name, double spent, double claimed) {
  AuditSubject subject = MakeTarget(name, spent);
  const AuditSubject honest = MakeTarget(name, claimed);
  for (std::size_t i = 0; i < subject.cases.size(); ++i) {
    subject.cases[i].claim = honest.cases[i].claim;
  }
  return subject;
}

// Inside is above the least row of the training set, or above a few more with
// noise: what a predictor on boundary sets does, for one side.
struct Hull {
  FixedWorkLaplace noise;
  bool noisy = true;
  std::vector<double> rows = {};

  Status Train(std::span<const LabelledNumber> set, Rng& rng) {
    // All queries are answered from one noisy rank: one row moves it by one.
    offset = noisy ? noise.Sample(rng) : 0;
    for (const LabelledNumber& row : set) rows.push_back(row.x);
    return Ok();
  }
  Result<std::int64_t> Step(const std::optional<double>& query, Rng&) {
    if (!query) return 0;
    const auto below =
        std::ranges::count_if(rows, [&](double row) { return row <= *query; });
    return below + offset > kRank ? 1 : 0;
  }
  static constexpr std::int64_t kRank = 4;
  std::int64_t offset = 0;
};

// One game for all: rows 1 to 8, a row more at 0.5, a query in every round.
AuditSubject MakeHull(bool noisy) {
  std::vector<EverlastingProbing> variants;
  std::vector<LabelledNumber> rows;
  for (int i = 1; i <= 8; ++i) rows.push_back({static_cast<double>(i)});
  for (const double at : {2.25, 3.25, 4.25, 5.25}) {
    variants.push_back({.rows = rows, .extra = LabelledNumber{0.5}, .at = at});
  }
  const Hull mechanism{NoiseOfRate(1), noisy};
  AuditSubject subject{"hull", {}};
  subject.cases.push_back(
      {"everlasting-probing",
       "hull",
       {1, 0},
       MakeEverlastingPair(
           4, 0, [mechanism] { return Hull(mechanism); }, variants)});
  return subject;
}

// Answers the same query as before, exactly: a query that was played once is
// known. Otherwise a coin.
struct QueryMemory {
  bool remembers = true;
  std::vector<double> asked = {};

  Status Train(std::span<const LabelledNumber>, Rng&) { return Ok(); }
  Result<std::int64_t> Step(const std::optional<double>& query, Rng& rng) {
    if (!query) return 0;
    const bool known = std::ranges::find(asked, *query) != asked.end();
    if (known && remembers) return 1;
    asked.push_back(*query);
    return (rng.Next() & 1) != 0 ? 1 : 0;
  }
};

AuditSubject MakeMemory(bool remembers) {
  AuditSubject subject{"memory", {}};
  subject.cases.push_back(
      {"everlasting-probing",
       "memory",
       {0.5, 0.01},
       MakeEverlastingPair(
           3, 1, [remembers] { return QueryMemory{remembers}; },
           {EverlastingProbing{
               .rows = {}, .challenge = 1, .hidden = 2, .at = 2}})});
  return subject;
}

}  // namespace

std::vector<Mutant> TargetMutants() {
  return {
      {"selection-thrice", "scores weigh three times as much", 20'000,
       [] { return MakeOverdrawn("selection", 3, 1); },
       [] { return MakeTarget("selection", 1); }},
      {"sparse-histogram-thrice", "a third of the noise", 20'000,
       [] { return MakeOverdrawn("sparse-histogram", 3, 1); },
       [] { return MakeTarget("sparse-histogram", 1); }},
      {"sparse-sample-thrice", "scores weigh three times as much", 20'000,
       [] { return MakeOverdrawn("sparse-sample", 3, 1); },
       [] { return MakeTarget("sparse-sample", 1); }},
      {"unknown-horizon-thrice", "a third of the noise in every epoch", 8'000,
       [] { return MakeOverdrawn("unknown-horizon-counter", 3, 1); },
       [] { return MakeTarget("unknown-horizon-counter", 1); }},
      {"slices-overdrawn", "each slice spends twelve times its share", 20'000,
       [] { return MakeOverdrawn("reorder-slice-compute", 6, 0.5); },
       [] { return MakeTarget("reorder-slice-compute", 0.5); }},
      {"challenge-band-overdrawn", "an eighth of the noise", 20'000,
       [] { return MakeOverdrawn("challenge-between-thresholds", 8, 1); },
       [] { return MakeTarget("challenge-between-thresholds", 1); }},
      {"online-thresholds-overdrawn", "a budget of 16 is stated as 1/4", 60'000,
       [] { return MakeOverdrawn("online-thresholds", 16, 0.25); },
       [] { return MakeTarget("online-thresholds", 0.25); }},
      {"dp-ol-overdrawn", "a budget of 16 is stated as 1/4", 10'000,
       [] { return MakeOverdrawn("dp-ol", 16, 0.25); },
       [] { return MakeTarget("dp-ol", 0.25); }},
      {"everlasting-exact-hull", "the training set answers without noise",
       4'000, [] { return MakeHull(false); }, [] { return MakeHull(true); }},
      {"everlasting-query-kept", "a query is remembered as it was asked", 4'000,
       [] { return MakeMemory(true); }, [] { return MakeMemory(false); }},
  };
}

}  // namespace sotto
