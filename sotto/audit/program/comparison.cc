#include "sotto/audit/program/comparison.h"

#include <algorithm>
#include <utility>

#include "sotto/audit/program/fact_pairs.h"
#include "sotto/audit/statistics/power.h"

namespace sotto {
namespace {

constexpr const char* kTogether = "all facts together";
constexpr std::size_t kPaired = 8;  // facts of which all pairs are tried

struct ChosenFact {
  const FactColumn* column = nullptr;
  FactEvent event;
};

// Names the world of a run by all facts that promise something: the sum of
// their log likelihood ratios, as if they were independent.
class JointEvent {
 public:
  JointEvent(const std::vector<ChosenFact>& facts, std::size_t runs)
      : here_(runs), there_(runs) {
    for (const ChosenFact& fact : facts) {
      Add(fact, false, here_);
      Add(fact, true, there_);
    }
  }

  // In the runs of a world from `from` on: those that look like the given one.
  std::uint64_t Hits(bool other, std::size_t from) const {
    const auto& scores = other ? there_ : here_;
    return static_cast<std::uint64_t>(
        std::count_if(scores.begin() + static_cast<std::ptrdiff_t>(from),
                      scores.end(), [](double score) { return score > 0; }));
  }

 private:
  static void Add(const ChosenFact& fact, bool other,
                  std::vector<double>& scores) {
    const auto& values = fact.column->In(other);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] +=
          fact.event.Contains(values[i]) ? fact.event.when : fact.event.unless;
    }
  }

  std::vector<double> here_;
  std::vector<double> there_;
};

class Comparer {
 public:
  Comparer(const std::vector<FactColumn>& columns, std::size_t runs,
           const ComparisonParams& params)
      : columns_(columns),
        parts_(RunParts::Of(runs)),
        params_(params),
        power_{.epsilon = params.claim.epsilon,
               .delta = params.claim.delta,
               .alpha = params.alpha / double{kFactEvents},
               .guesses = params.independent} {
    result_.change = params.change;
    result_.claim = params.claim;
  }

  FactComparison Run() {
    for (const FactColumn& column : columns_) Look(column);
    pairs_ = MakePairs(varying_);
    for (const FactColumn& column : pairs_) Look(column);
    Count();
    result_.detectable = DetectableEpsilon(power_, parts_.counted());
    const bool sure = result_.suspicions.empty();
    result_.runs_needed = RunParts::RunsWith(sure ? RunsForPower(power_)
                                                  : RunsForCertainty(power_));
    return std::move(result_);
  }

 private:
  void Look(const FactColumn& column) {
    const bool constant = column.constant();
    const bool equal = column.here.front() == column.there.front();
    if (constant && equal) return;
    if (constant && column.word && params_.exact_words) {
      if (result_.leaks.size() < kMostLeaks) {
        result_.leaks.push_back(Leak(column));
      }
      return;
    }
    if (constant) different_.push_back(&column);
    if (!constant && varying_.size() < kPaired) varying_.push_back(&column);
    FactEvent event = ChooseFactEvent(column, parts_, params_.claim.delta);
    if (event.promise > 0) chosen_.push_back({&column, std::move(event)});
  }

  ProgramLeak Leak(const FactColumn& column) const {
    return {.change = params_.change,
            .place = column.place,
            .here = column.here.front().text,
            .there = column.there.front().text,
            .exact = column.constant()};
  }

  double Bound(std::uint64_t hits, std::uint64_t others) {
    const double bound = CountedEpsilon(power_, hits, others, parts_.counted());
    result_.epsilon_lower = std::max(result_.epsilon_lower, bound);
    return bound;
  }

  void Count() {
    // Before facts are dropped: all of them, however little each promises.
    const JointEvent joint(chosen_, parts_.runs);
    const bool several = chosen_.size() > 1;
    std::ranges::stable_sort(chosen_,
                             [](const ChosenFact& a, const ChosenFact& b) {
                               return a.event.promise > b.event.promise;
                             });
    if (chosen_.size() > kMostLeaks) chosen_.resize(kMostLeaks);
    for (const ChosenFact& fact : chosen_) CountFact(fact);
    if (several) CountJoint(joint);
    for (const FactColumn* column : different_) Suspect(*column);
  }

  void CountFact(const ChosenFact& fact) {
    const auto hits = [&](bool other) {
      const auto& values = fact.column->In(other);
      return static_cast<std::uint64_t>(std::count_if(
          values.begin() + static_cast<std::ptrdiff_t>(parts_.chosen()),
          values.end(),
          [&](const FactValue& v) { return fact.event.Contains(v); }));
    };
    const double bound = Bound(hits(fact.event.there), hits(!fact.event.there));
    if (bound <= params_.claim.epsilon) return;
    ProgramLeak leak = Leak(*fact.column);
    leak.epsilon = bound;
    leak.event = fact.event.Text();
    result_.leaks.push_back(std::move(leak));
  }

  // In both directions it is the same guess; two counts favour one of them.
  void CountJoint(const JointEvent& joint) {
    const double bound = Bound(joint.Hits(false, parts_.chosen()),
                               joint.Hits(true, parts_.chosen()));
    if (bound <= params_.claim.epsilon || !result_.leaks.empty()) return;
    result_.leaks.push_back({.change = params_.change,
                             .place = kTogether,
                             .here = "",
                             .there = "",
                             .exact = false,
                             .epsilon = bound,
                             .event = "their likelihoods name the world"});
  }

  void Suspect(const FactColumn& column) {
    if (!result_.leaks.empty()) return;
    if (result_.suspicions.size() < kMostLeaks) {
      result_.suspicions.push_back(Leak(column));
    }
  }

  const std::vector<FactColumn>& columns_;
  RunParts parts_;
  const ComparisonParams& params_;
  AuditPower power_;
  FactComparison result_ = {};
  std::vector<ChosenFact> chosen_;
  std::vector<const FactColumn*> different_;
  std::vector<const FactColumn*> varying_;  // the first ones
  std::vector<FactColumn> pairs_;           // two facts each
};

}  // namespace

std::string_view FactComparison::Verdict() const {
  if (!leaks.empty()) return "violation";
  const bool enough = detectable <= MaterialEpsilon(claim.epsilon);
  return enough && suspicions.empty() && epsilon_lower <= claim.epsilon
             ? "consistent"
             : "inconclusive";
}

FactComparison CompareWorlds(const std::vector<FactColumn>& columns,
                             std::size_t runs, const ComparisonParams& params) {
  return Comparer(columns, runs, params).Run();
}

}  // namespace sotto
