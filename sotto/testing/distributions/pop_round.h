#pragma once

#include <algorithm>
#include <vector>

#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/stopper.h"

namespace sotto {

enum class PopZone { kLow, kMedium, kHigh };

// The exact distribution of one round of POP: a noisy vote in a band, the count
// of paid rounds, a check of the Stopper.
//
//   PopRoundDistribution<double> rounds{
//       .theta = std::exp(-0.5), .low = 0, .high = 2,
//       .copies = 2, .stopper_theta = std::exp(-1.0)};
//   for (const auto& event : rounds.Round(/*votes=*/1, /*checked=*/{})) ...
//
// Compare an implementation with Round as a distribution, or with Play draw by
// draw, on scripted noise.
template <typename N>
struct PopRoundDistribution {
  using Number = N;
  // Outputs of the vote: the zone, the noisy count of a paid round, and the
  // noisy majority. With the band strictly around half the copies the answer is
  // a function of the other two.
  struct Vote {
    Number probability;
    PopZone zone;
    int n;  // Clamped to [low, high].
    bool answer;
  };
  struct Event {
    Number probability;
    PopZone zone;
    int n;
    bool answer;
    bool halted;
  };

  Number theta = 0;  // e^{-e0}
  int low = 0;       // Medium is low < n < high.
  int high = 2;
  int copies = 2;
  Number stopper_theta = 0;  // e^{-e_s}
  int limit = 1;             // r

  PopZone FindZone(int n) const {
    if (n <= low) return PopZone::kLow;
    return n >= high ? PopZone::kHigh : PopZone::kMedium;
  }
  bool GetAnswer(int n) const { return 2 * n >= copies; }

  // One entry per value of (zone, n if medium, answer); they sum to 1.
  std::vector<Vote> Votes(int votes) const {
    const DiscreteLaplaceDistribution<Number> noise(theta);
    const int half = (copies + 1) / 2;  // The least n that answers 1.
    std::vector<Vote> cells;
    if (half <= low) {  // A band above half: low rounds answer either way.
      const Number below = noise.AtMost(half - 1 - votes);
      cells.push_back({below, PopZone::kLow, low, false});
      cells.push_back(
          {noise.AtMost(low - votes) - below, PopZone::kLow, low, true});
    } else {
      cells.push_back({noise.AtMost(low - votes), PopZone::kLow, low, false});
    }
    for (int n = low + 1; n < high; ++n) {
      cells.push_back(
          {noise.Mass(n - votes), PopZone::kMedium, n, GetAnswer(n)});
    }
    const Number above = noise.AtLeast(std::max(half, high) - votes);
    cells.push_back({above, PopZone::kHigh, high, true});
    if (half > high) {  // A band below half.
      cells.push_back(
          {noise.AtLeast(high - votes) - above, PopZone::kHigh, high, false});
    }
    return cells;
  }

  // Pr[the check at `count` does not halt | those at `checked` did not].
  Number Survives(const std::vector<int>& checked, int count) const {
    std::vector<int> all = checked;
    all.push_back(count);
    return StopperSurvival(stopper_theta, limit, all) /
           StopperSurvival(stopper_theta, limit, checked);
  }

  // The distribution of a round with `votes` votes for 1 in a phase whose
  // checks so far were made at the counts `checked` and did not halt. rho is
  // integrated out.
  std::vector<Event> Round(int votes, const std::vector<int>& checked) const {
    const int count = checked.empty() ? 0 : checked.back();
    const Number clear = Survives(checked, count);
    const Number paid = Survives(checked, count + 1);
    std::vector<Event> events;
    for (const Vote& v : Votes(votes)) {
      const Number& stays = v.zone == PopZone::kMedium ? paid : clear;
      events.push_back({v.probability * stays, v.zone, v.n, v.answer, false});
      events.push_back(
          {v.probability * (1 - stays), v.zone, v.n, v.answer, true});
    }
    return events;
  }

  // The same round with its noise given: z on the votes, rho drawn at the start
  // of the phase, nu at this check; `count` medium rounds before it.
  Event Play(int votes, int count, int z, int rho, int nu) const {
    const PopZone zone = FindZone(votes + z);
    const int after = count + (zone == PopZone::kMedium ? 1 : 0);
    return {Number(1), zone, std::clamp(votes + z, low, high),
            GetAnswer(votes + z), after + nu >= limit + rho};
  }
};

}  // namespace sotto
