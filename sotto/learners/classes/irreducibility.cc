#include "sotto/learners/classes/irreducibility.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sotto {
namespace {

FiniteClass::Set Both(const FiniteClass::Set& a, const FiniteClass::Set& b) {
  FiniteClass::Set both(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) both[i] = a[i] & b[i];
  return both;
}

bool Inside(const FiniteClass::Set& a, const FiniteClass::Set& b) {
  return Both(a, b) == a;
}

}  // namespace

std::vector<Irreducibility::Cut> Irreducibility::FindCuts(
    const FiniteClass::Set& set) {
  const std::vector<bool> labels = dimension_->OptimalLabels(set);
  std::vector<Cut> cuts;
  for (std::size_t x = 0; x < labels.size(); ++x) {
    Cut cut{x, Restrict(dimension_->functions(), set, x, labels[x])};
    if (cut.kept != set) cuts.push_back(std::move(cut));
  }
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) {
    return CountMembers(a.kept) < CountMembers(b.kept);
  });
  std::vector<Cut> least;
  for (Cut& cut : cuts) {
    const bool beaten = std::any_of(
        least.begin(), least.end(),
        [&cut](const Cut& other) { return Inside(other.kept, cut.kept); });
    if (!beaten) least.push_back(std::move(cut));
  }
  return least;
}

// Tries all ways to choose the remaining cuts from `from` on.
Answer Irreducibility::Choose(const FiniteClass::Set& left,
                              const std::vector<Cut>& cuts, std::size_t from,
                              std::uint64_t points, Witness& witness) {
  if (dimension_->AtLeast(left, wanted_) == Answer::kNo) return Answer::kYes;
  if (points == 0) return Answer::kNo;
  if (steps_ == 0) return Answer::kUnknown;
  --steps_;
  for (std::size_t i = from; i < cuts.size(); ++i) {
    const FiniteClass::Set next = Both(left, cuts[i].kept);
    if (next == left) continue;
    witness.push_back(cuts[i].point);
    const Answer answer = Choose(next, cuts, i + 1, points - 1, witness);
    if (answer != Answer::kNo) return answer;
    witness.pop_back();
  }
  return Answer::kNo;
}

std::optional<Irreducibility::Witness> Irreducibility::ReducesGreedily(
    const FiniteClass::Set& set) {
  const int dimension = dimension_->Of(set);
  const std::vector<Cut> cuts = FindCuts(set);
  FiniteClass::Set left = set;
  Witness witness;
  while (dimension_->AtLeast(left, dimension) == Answer::kYes) {
    const Cut* best = nullptr;
    std::size_t least = CountMembers(left);
    for (const Cut& cut : cuts) {
      const std::size_t count = CountMembers(Both(left, cut.kept));
      if (count >= least) continue;
      least = count;
      best = &cut;
    }
    if (best == nullptr) return std::nullopt;
    witness.push_back(best->point);
    left = Both(left, best->kept);
  }
  return witness;
}

Irreducibility::Fewest Irreducibility::Search(const FiniteClass::Set& set,
                                              std::uint64_t steps,
                                              std::uint64_t enough) {
  wanted_ = dimension_->Of(set);
  // One function alone equals the optimal labels.
  if (wanted_ <= 0) return {};
  steps_ = steps;
  Fewest fewest{.irreducible = known_[set], .witness = ReducesGreedily(set)};
  const std::vector<Cut> cuts = FindCuts(set);
  while (!fewest.exact() && fewest.irreducible < enough) {
    Witness witness;
    const Answer answer = Choose(set, cuts, 0, fewest.irreducible + 1, witness);
    if (answer == Answer::kUnknown) break;
    if (answer == Answer::kYes) {
      fewest.witness = std::move(witness);
    } else {
      known_[set] = ++fewest.irreducible;
    }
  }
  return fewest;
}

std::optional<Irreducibility::Witness> Irreducibility::Reduces(
    const FiniteClass::Set& set, std::uint64_t points) {
  if (IsKnown(set, points)) return std::nullopt;
  Fewest fewest = Search(set, kNoLimit, points);
  if (fewest.witness && fewest.witness->size() <= points) {
    return std::move(fewest.witness);
  }
  return std::nullopt;
}

bool Irreducibility::IsIrreducible(const FiniteClass::Set& set,
                                   std::uint64_t points) {
  if (dimension_->Of(set) <= 0 || IsKnown(set, points)) return true;
  const auto greedy = ReducesGreedily(set);
  if (greedy && greedy->size() <= points) return false;
  return !Reduces(set, points);
}

bool Irreducibility::IsKnown(const FiniteClass::Set& set,
                             std::uint64_t points) const {
  const auto place = known_.find(set);
  return place != known_.end() && place->second >= points;
}

}  // namespace sotto
