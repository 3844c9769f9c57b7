#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/accounting/delta_schedule.h"
#include "sotto/accounting/privacy_cost.h"
#include "sotto/accounting/spend.h"
#include "sotto/base/result.h"

namespace sotto {

// The adversary's view, from the largest to the smallest:
//   kDp           everything released;
//   kJdp          everything but the protected user's own outputs, for fixed
//                 inputs;
//   kChallengeDp  the same, all other inputs chosen adaptively [POP, Def. 3.1];
//   kEverlasting  the same with delta(i) for a challenge in round i, without a
//                 time limit
//                 [PERP, Def. 3.8].
enum class Notion { kDp, kJdp, kChallengeDp, kEverlasting };

// The difference between two neighbouring inputs:
//   kReplace      the protected rounds hold other data, or none (the round
//                 still happens: its time is public);
//   kAddRemove    they hold data in one input and none in the other;
//   kChangeByOne  one line of a stream of counts differs by one.
enum class Relation { kReplace, kAddRemove, kChangeByOne };

enum class Adversary { kAdaptive, kOblivious };

// Names in reports and flags: "challenge-dp", "add-remove", "adaptive". The
// parsers fail with kInvalidArgument and list the names they know.
std::string_view ToString(Notion notion);
std::string_view ToString(Relation relation);
std::string_view ToString(Adversary adversary);
Result<Notion> ParseNotion(std::string_view word);
Result<Relation> ParseRelation(std::string_view word);
Result<Adversary> ParseAdversary(std::string_view word);

// The privacy guarantee of a mechanism, complete enough to print under its
// output.
//
//   auto promise = Guarantee::Create(
//       {.notion = Notion::kChallengeDp, .epsilon = 1, .delta = 1e-6,
//        .protects = "a user's features and label"});
//   if (!promise) return promise.error();
//   std::cerr << promise->Describe();
//
// Proof:   guarantee.md fixes the words; each mechanism's page proves what it
//          returns.
// Threads: a value type.
class Guarantee {
 public:
  struct Params {
    Notion notion = Notion::kDp;
    Relation relation = Relation::kReplace;
    double epsilon = 0;
    double delta = 0;
    std::optional<DeltaSchedule> schedule = std::nullopt;
    Adversary adversary = Adversary::kAdaptive;
    std::uint64_t rounds_per_user = 1;
    std::string protects;
    // True if users come in rounds of a public clock, where a missing user
    // leaves an empty round. Set it for kDp; it holds for every other notion.
    // If false, data are records of a table, and a record may be missing.
    bool in_rounds = false;
    // Where the budget goes; unnamed if not known, as for a guarantee that was
    // read from a file.
    Spend spend = {};
    friend bool operator==(const Params&, const Params&) = default;
  };

  // Fails with kInvalidArgument unless epsilon is finite and not negative,
  // delta (or the schedule's sum) lies in [0, 1), rounds_per_user is positive,
  // and `protects` is not empty. kEverlasting needs a schedule and `delta` 0;
  // the other notions take no schedule.
  static Result<Guarantee> Create(Params params);

  Notion notion() const { return params_.notion; }
  Relation relation() const { return params_.relation; }
  double epsilon() const { return params_.epsilon; }
  // With a schedule: its sum over all rounds.
  double delta() const;
  const std::optional<DeltaSchedule>& schedule() const {
    return params_.schedule;
  }
  Adversary adversary() const { return params_.adversary; }
  std::uint64_t rounds_per_user() const { return params_.rounds_per_user; }
  const std::string& protects() const { return params_.protects; }
  bool in_rounds() const { return params_.in_rounds; }
  const Spend& spend() const { return params_.spend; }
  const Params& params() const { return params_; }

  // One sentence. Every number is rounded up.
  std::string Describe() const;

  friend bool operator==(const Guarantee&, const Guarantee&) = default;

 private:
  explicit Guarantee(Params params) : params_(std::move(params)) {}

  Params params_;
};

// A guarantee that states the total of params.spend: StatedCost(params.spend,
// asked). Ignores params.epsilon and params.delta. With a schedule only epsilon
// is taken from the parts, and the schedule must sum to at least their delta.
// Fails as StatedCost and Guarantee::Create do.
Result<Guarantee> MakeGuarantee(Guarantee::Params params,
                                const ApproximateDp& asked);

}  // namespace sotto
