// Single releases, their samplers, and accounting of their cost.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sotto/audit/games/adversaries.h"
#include "sotto/audit/games/oblivious.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/mutants/mutant.h"
#include "sotto/audit/mutants/noise_of.h"

namespace sotto {
namespace {

// Releases of value + noise, `releases` of them.
struct Releases {
  FixedWorkLaplace noise;
  std::int64_t factor = 1;
  std::int64_t most = 1'000'000;  // of the noise, cut off
  std::uint64_t releases = 1;
  std::uint64_t done = 0;

  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    ++done;
    return factor * value + std::clamp(noise.Sample(rng), -most, most);
  }
  bool halted() const { return done >= releases; }
};

AuditSubject MakeSubject(const Releases& mechanism) {
  AuditSubject subject{"release", {}};
  subject.cases.push_back(
      {"extremal-pair",
       "release",
       {1, 0},
       MakeGamePair<std::int64_t>(
           game::AdaptiveQuery{.rounds = 5}, [mechanism] { return mechanism; },
           std::vector<Parking>{{0, 1}})});
  return subject;
}

AuditSubject SoundRelease() { return MakeSubject({NoiseOfRate(1)}); }

// Textbook noise in floating point: the doubles reachable from 0 and from 1
// differ. Releases the exponent and the number of low bits that are 0.
struct FloatRelease {
  bool done = false;

  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    done = true;
    const double uniform =
        (static_cast<double>(rng.Next() >> 11) + 0.5) * 0x1p-53;
    const double sign = (rng.Next() & 1) != 0 ? 1 : -1;
    const double prediction =
        static_cast<double>(value) - sign * std::log(uniform);
    const auto bits = std::bit_cast<std::uint64_t>(prediction);
    int exponent = 0;
    std::frexp(prediction, &exponent);
    return 60 * std::clamp(exponent + 8, 0, 12) +
           std::countr_zero(bits | 1ULL << 50);
  }
  bool halted() const { return done; }
};

AuditSubject FloatSubject() {
  AuditSubject subject{"float", {}};
  subject.cases.push_back(
      {"extremal-pair",
       "float",
       {1, 0},
       MakeGamePair<std::int64_t>(
           game::AdaptiveQuery{.rounds = 1}, [] { return FloatRelease{}; },
           std::vector<Parking>{{0, 1}})});
  return subject;
}

// A running count that takes each user in `cap` rounds and is private for one.
// It is released after every round with noise for the whole count.
struct CappedCount {
  FixedWorkLaplace noise;
  std::uint64_t cap = 1;
  std::uint64_t rounds = 0;
  std::int64_t count = 0;

  // All rounds are of one user.
  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    if (rounds++ < cap) count += value;
    if (rounds < 3) return 0;
    return count + noise.Sample(rng);
  }
  bool halted() const { return rounds >= 3; }
};

AuditSubject CapSubject(std::uint64_t cap) {
  const CappedCount mechanism{NoiseOfRate(1), cap};
  const auto both = Challenge<std::int64_t>(0, 1);
  const std::vector<Move<std::int64_t>> moves = {both, both,
                                                 Same<std::int64_t>(0)};
  AuditSubject subject{"capped count", {}};
  subject.cases.push_back(
      {"two-rounds",
       "capped count",
       {1, 0},
       MakeGamePair<std::int64_t>(
           game::AdaptiveInput{.rounds = 3, .challenges = 2},
           [mechanism] { return mechanism; },
           std::vector<Oblivious<std::int64_t>>{
               Oblivious<std::int64_t>(moves)})});
  return subject;
}

}  // namespace

std::vector<Mutant> ReleaseMutants() {
  return {
      {"noise-at-nine-tenths", "nine tenths of the noise", 800'000,
       [] { return MakeSubject({NoiseOfRate(1 / 0.9)}); }, SoundRelease},
      {"release-sensitivity-halved", "a record counts twice", 20'000,
       [] {
         return MakeSubject({NoiseOfRate(1), 2});
       },
       SoundRelease},
      {"noise-cut-off", "noise is cut off at three scales", 100'000,
       [] {
         return MakeSubject({NoiseOfRate(1), 1, 3});
       },
       SoundRelease},
      {"float-laplace", "noise in floating point, low bits and all", 20'000,
       FloatSubject},
      {"ledger-charged-late",
       "the second answer is given before the first is "
       "charged",
       50'000,
       [] {
         return MakeSubject({NoiseOfRate(1), 1, 1'000'000, 2});
       },
       SoundRelease},
      {"user-cap-off-by-one", "a user of one round gets two", 20'000,
       [] { return CapSubject(2); }, [] { return CapSubject(1); }},
  };
}

}  // namespace sotto
