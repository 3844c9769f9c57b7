// Counters, stopping rules and the mirror as published.
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sotto/audit/games/adversaries.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/mutants/mutant.h"
#include "sotto/audit/mutants/noise_of.h"
#include "sotto/audit/variants.h"

namespace sotto {
namespace {

// The binary mechanism over four steps, epsilon 1: three levels, and the sum of
// the noisy nodes that make up each prefix.
struct SmallTree {
  FixedWorkLaplace noise;
  bool root_noise = true;
  bool reused = false;  // all nodes have the first one's noise
  std::array<std::int64_t, 4> counts = {};
  std::array<std::int64_t, 3> nodes = {};  // leaf, pair, root, as they closed
  std::uint64_t steps = 0;
  std::int64_t drawn = 0;

  Result<std::int64_t> Step(std::int64_t count, Rng& rng) {
    counts[steps++] = count;
    const auto noisy = [&](std::int64_t sum) {
      if (!reused || steps == 1) drawn = noise.Sample(rng);
      return sum + drawn;
    };
    switch (steps) {
      case 1:
        return nodes[0] = noisy(counts[0]);
      case 2:
        return nodes[1] = noisy(counts[0] + counts[1]);
      case 3:
        return nodes[1] + noisy(counts[2]);
      default:
        nodes[2] = counts[0] + counts[1] + counts[2] + counts[3];
        return root_noise ? noisy(nodes[2]) : nodes[2];
    }
  }
  bool halted() const { return steps == 4; }
};

AuditSubject TreeSubject(double rate, bool root_noise, bool reused = false) {
  const SmallTree mechanism{NoiseOfRate(rate), root_noise, reused};
  AuditSubject subject{"small tree", {}};
  subject.cases.push_back(
      {"extremal-pair",
       "small tree",
       {1, 0},
       MakeGamePair<std::int64_t>(
           game::AdaptiveInput{.rounds = 4},
           [mechanism] { return SmallTree(mechanism); },
           std::vector<SingleStep>{{.lead = 0}, {.lead = 2}})});
  return subject;
}

AuditSubject SoundTree() { return TreeSubject(1.0 / 3, true); }

// Halts at a count of about 8, epsilon 1, by one-sided noise on the limit and
// in every check.
struct StopByHand {
  FixedWorkLaplace noise;
  bool only_on_events = false;  // checks only where something was counted
  bool random_limit = false;    // no noise in the checks
  std::int64_t limit = -1;
  std::int64_t count = 0;
  bool done = false;

  Result<std::int64_t> Step(std::int64_t added, Rng& rng) {
    const auto draw = [&] { return std::abs(noise.Sample(rng)); };
    if (limit < 0) limit = 8 + draw();
    count += added;
    if (only_on_events && added == 0) return 0;
    done = count + (random_limit ? 0 : draw()) >= limit;
    return done ? 1 : 0;
  }
  bool halted() const { return done; }
};

AuditSubject StopSubject(bool only_on_events, bool random_limit) {
  const StopByHand mechanism{NoiseOfRate(0.5), only_on_events, random_limit};
  std::vector<SingleStep> steps;
  for (const std::int64_t before : {5, 7, 8}) {
    steps.push_back({.lead = 1, .before = before, .zero = 0, .one = 1});
  }
  AuditSubject subject{"stop by hand", {}};
  subject.cases.push_back(
      {"extremal-pair",
       "stop by hand",
       {1, 0},
       MakeGamePair<std::int64_t>(
           game::AdaptiveInput{.rounds = 8},
           [mechanism] { return StopByHand(mechanism); }, steps)});
  return subject;
}

// [Counters] Algorithm 2 as it was published, activation 0.1: the theorem is
// read as (0.3, 0.001).
struct PublishedMirror {
  static constexpr std::int64_t kLength = 11;
  std::int64_t first = -1;
  std::int64_t second = 0;

  static double Uniform(Rng& rng) {
    return static_cast<double>(rng.Next() >> 11) * 0x1p-53;
  }
  // Pr[i] proportional to e^(-1.5 |i - 6|) on 1 ... 11.
  static std::int64_t Length(Rng& rng) {
    static const std::array<double, kLength> kDistribution = [] {
      std::array<double, kLength> distribution = {};
      double sum = 0;
      for (std::int64_t i = 0; i < kLength; ++i) {
        sum += std::exp(-1.5 * std::abs(static_cast<double>(i - 5)));
        distribution[static_cast<std::size_t>(i)] = sum;
      }
      for (double& p : distribution) p /= sum;
      return distribution;
    }();
    const double uniform = Uniform(rng);
    std::size_t i = 0;
    while (i + 1 < kDistribution.size() && uniform >= kDistribution[i]) ++i;
    return static_cast<std::int64_t>(i) + 1;
  }

  Result<std::int64_t> Step(std::int64_t one, Rng& rng) {
    if (first < 0) {
      first = Length(rng);
      second = Length(rng);
    }
    const bool active = Uniform(rng) < 0.1;
    if (one == 0) return 0;
    if (first > 0) {
      first -= active ? 1 : 0;
      return 0;
    }
    if (second > 0) {
      second -= active ? 1 : 0;
      return active ? 1 : 0;
    }
    return 1;
  }
  bool halted() const { return false; }
};

AuditSubject MirrorSubject() {
  std::vector<HiddenStep> steps;
  for (const std::uint64_t at : {90u, 110u, 130u}) {
    steps.push_back({.after_rounds = at});
  }
  AuditSubject subject{"mirror as published", {}};
  subject.cases.push_back({"hidden-step",
                           "mirror as published",
                           {0.3, 0.001},
                           MakeGamePair<std::int64_t>(
                               game::Online{.rounds = 200},
                               [] { return PublishedMirror{}; }, steps)});
  return subject;
}

}  // namespace

std::vector<Mutant> StreamMutants() {
  return {
      {"counter-root-without-noise", "one node of the tree is exact", 20'000,
       [] { return TreeSubject(1.0 / 3, false); }, SoundTree},
      {"counter-noise-not-split", "every level has the noise of one", 100'000,
       [] { return TreeSubject(1, true); }, SoundTree},
      {"counter-noise-reused", "all nodes have one and the same noise", 20'000,
       [] { return TreeSubject(1.0 / 3, true, true); }, SoundTree},
      {"stopper-checks-on-events", "checks only where something was counted",
       20'000, [] { return StopSubject(true, false); },
       [] { return StopSubject(false, false); }},
      {"stopper-random-limit", "halts at a random count, no noise in checks",
       20'000, [] { return StopSubject(false, true); },
       [] { return StopSubject(false, false); }},
      {"mirror-as-published", "JDP-Mirror at an activation of 0.1", 2'000'000,
       MirrorSubject},
  };
}

}  // namespace sotto
