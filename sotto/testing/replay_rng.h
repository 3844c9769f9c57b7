#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/random/chacha_rng.h"
#include "sotto/random/noise_observer.h"
#include "sotto/random/rng.h"

namespace sotto::testing {

// The randomness of one of two neighbouring worlds: a stream for each round,
// the same ones in both. The other world receives this one's private numbers
// (Rng::Private) in all visible rounds, so that it gives the same answers if
// data affect them only through noisy numbers. FirstDifference returns the
// first place where the numbers differ by more than declared, only one world
// adds noise, or the numbers of drawn words differ.
//
//   ReplayRng here(7);
//   Play(world_zero, here);
//   ReplayRng there(7, here);
//   Play(world_one, there);
//   EXPECT_EQ(FirstDifference(here, there).what, "");
//
// It can refute a sensitivity, not prove it: it uses one stream of data and one
// of noise.
//
// Threads: not thread-safe.
class ReplayRng final : public Rng,
                        public NoiseObserver,
                        private ReplayObserver {
 public:
  // One number to which noise was added.
  struct Site {
    std::string name;
    std::int64_t value = 0;
    std::int64_t sensitivity = 0;
    bool own = false;  // the answer of a hidden round, to its own user
  };
  // Draws of samplers with one scale: 1 / rate, or the deviation of a Gaussian,
  // read off the sampler's tables.
  struct Drawn {
    std::string kind;  // "laplace", "geometric", "gaussian", "selection"
    double scale = 0;
    std::size_t draws = 0;
  };
  // Rows that a draw looked at, sorted, and the cost in nats of each that is
  // removed or added.
  struct Looked {
    std::vector<std::string> rows;
    double nats = 0;
  };
  struct Round {
    std::uint64_t round = 0;
    bool hidden = false;
    bool rows_seen = true;  // what fits drew is for everybody
    std::vector<Site> sites = {};
    std::vector<Drawn> drawn = {};
    std::vector<Looked> looked = {};
    std::uint64_t next = 0;  // the word after the last one drawn
  };

  explicit ReplayRng(std::uint64_t seed);
  // `earlier` must outlive this.
  ReplayRng(std::uint64_t seed, const ReplayRng& earlier);

  // Hides only these sites of hidden rounds: what else gets noise there is
  // released to everybody, and compared. By default the whole round is hidden.
  void HideOnly(std::set<std::string, std::less<>> sites);
  // Rounds come in order. Everything before the first is round 0.
  void BeginRound(std::uint64_t round, bool hidden) override;
  // Call before reading the rounds.
  void End();
  const std::vector<Round>& rounds() const { return rounds_; }

  void OnDraw(const internal::GeometricDigits& digits,
              std::size_t draws) override;
  void OnDraw(const FixedWorkGaussian& gaussian, std::size_t draws) override;
  void OnSelection(const Rational& rate, std::size_t candidates) override;
  void OnSelection(const LossWeights& weights, std::size_t candidates) override;
  void OnRows(std::vector<std::string> rows, const LossWeights& weights,
              std::uint64_t units) override;

 private:
  void Note(std::string kind, double scale, std::size_t draws);
  void Produce(std::span<std::uint64_t> words) override;
  std::int64_t Observe(std::string_view site, std::int64_t value,
                       std::int64_t sensitivity) override;

  std::uint64_t seed_;
  const ReplayRng* earlier_ = nullptr;
  std::set<std::string, std::less<>> own_sites_;
  std::optional<ChaChaRng> stream_;
  std::vector<Round> rounds_;
};

struct ReplayDifference {
  std::uint64_t round = 0;
  std::string what;  // empty: there is none
};
// Compares rounds up to `last` that both worlds have, but for what is hidden.
// The worlds differ in `steps` rounds or rows: numbers may be that many times
// as far apart as is declared of one.
ReplayDifference FirstDifference(const ReplayRng& zero, const ReplayRng& one,
                                 std::uint64_t last = ~std::uint64_t{0},
                                 std::uint64_t steps = 1);

// How far apart the numbers of one site are, over all compared rounds.
struct SiteReach {
  double largest = 0;    // of one number
  double euclidean = 0;  // of all together
  std::int64_t declared = 0;
};
std::map<std::string, SiteReach> Reach(const ReplayRng& zero,
                                       const ReplayRng& one,
                                       std::uint64_t last = ~std::uint64_t{0});

// Cost of all rows that were looked at in one world only, in nats.
double RowLoss(const ReplayRng& zero, const ReplayRng& one,
               std::uint64_t last = ~std::uint64_t{0});

}  // namespace sotto::testing
