#include "sotto/accounting/stopped_game.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace sotto {
namespace {

// The same game by plain recursion: at most `rounds` rounds, long double,
// lattice positions -rounds..rounds, stopping allowed at any time.
long double FiniteHorizon(const StoppedProcess& process, double epsilon,
                          int rounds) {
  const long double theta = std::exp(-static_cast<long double>(process.rate));
  const long double pi = 1 / (1 + theta);
  const long double eta =
      process.gap == 0 ? 0
                       : std::pow(theta, static_cast<long double>(process.gap));
  const int width = 2 * rounds + 3;
  const auto levels = static_cast<std::size_t>(process.targets) + 1;
  std::vector<long double> stop(static_cast<std::size_t>(width));
  for (int i = 0; i < width; ++i) {
    const long double loss =
        static_cast<long double>(i - rounds - 1) * process.rate;
    stop[static_cast<std::size_t>(i)] =
        std::max(0.0L, 1 - std::exp(epsilon - loss));
  }
  std::vector<std::vector<long double>> now(levels, stop);
  for (int t = 0; t < rounds; ++t) {
    const auto later = now;
    for (std::size_t j = 1; j < levels; ++j) {
      for (std::size_t i = 1; i + 1 < stop.size(); ++i) {
        const auto charged = [&](std::size_t to) {
          return eta * later[j][to] + (1 - eta) * later[j - 1][to];
        };
        now[j][i] =
            std::max({later[j][i], later[j - 1][i],
                      pi * later[j][i + 1] + (1 - pi) * charged(i - 1),
                      pi * charged(i + 1) + (1 - pi) * later[j][i - 1]});
      }
    }
  }
  return now.back()[static_cast<std::size_t>(rounds) + 1];
}

Result<StoppedGame> Solved(const StoppedProcess& process, double epsilon,
                           std::int64_t lowest, std::int64_t highest) {
  auto game = StoppedGame::Create({.process = process,
                                   .epsilon = epsilon,
                                   .lowest = lowest,
                                   .highest = highest});
  for (std::int64_t j = 0; game && j < process.targets; ++j) {
    if (Status status = game->AddTarget(); !status) return status.error();
  }
  return game;
}

TEST(StoppedGameTest, DominatesAndMeetsTheGameOfFiniteHorizon) {
  for (const StoppedProcess process :
       {StoppedProcess{.rate = .3, .targets = 1},
        StoppedProcess{.rate = .3, .targets = 3},
        StoppedProcess{.rate = 1, .targets = 2, .gap = 1},
        StoppedProcess{.rate = .5, .targets = 2, .gap = 4}}) {
    const auto game = Solved(process, 1, -60, 120);
    ASSERT_TRUE(game);
    long double before = 0;
    for (const int rounds : {2, 5, 10, 20, 40, 80}) {
      const long double value = FiniteHorizon(process, 1, rounds);
      EXPECT_LE(value, game->UpperAt(0));
      EXPECT_GE(value, before);
      before = value;
    }
    EXPECT_NEAR(static_cast<double>(before) / game->UpperAt(0), 1, 1e-5);
  }
}

TEST(StoppedGameTest, ANarrowWindowIsLooserButStillAbove) {
  const StoppedProcess process{.rate = .1, .targets = 20, .gap = 10};
  const auto wide = Solved(process, 1, -80, 120);
  ASSERT_TRUE(wide);
  double before = 1;
  for (const int extra : {2, 5, 10, 20, 40}) {
    const auto narrow = Solved(process, 1, -extra, 10 + extra);
    ASSERT_TRUE(narrow);
    EXPECT_GE(narrow->UpperAt(0), wide->UpperAt(0) * (1 - 1e-11));
    EXPECT_LE(narrow->UpperAt(0), before);
    EXPECT_LE(narrow->LowerAt(0), wide->UpperAt(0));
    before = narrow->UpperAt(0);
  }
  EXPECT_NEAR(wide->UpperAt(0) / wide->LowerAt(0), 1, 1e-9);
}

// AboveThreshold with one target, on positions -10..50.
class SupersolutionTest : public testing::Test {
 protected:
  SupersolutionTest() {
    for (int l = -11; l <= 51; ++l) {
      previous_.push_back(std::max(0.0, 1 - std::exp(1 - l * process_.rate)) +
                          1e-200);
    }
    previous_.back() = 1;
    previous_.front() = previous_[1];
    value_ = previous_;
    // Plain value iteration, which converges from below.
    const auto k = StoppedGame::CentralKernel(process_);
    for (int sweep = 0; sweep < 4000; ++sweep) {
      for (std::size_t i = value_.size() - 2; i >= 1; --i) {
        value_[i] = std::max(
            {value_[i], k.up * value_[i + 1] + k.down * previous_[i - 1],
             k.up * previous_[i + 1] + k.down * value_[i - 1]});
      }
      value_.front() = value_[1];
    }
    below_ = value_;
    // The previous level is unchanged, so each option gains only about half of
    // this.
    for (double& x : value_) x += 1e-12;
  }
  bool Accepted(const std::vector<double>& value) const {
    return StoppedGame::IsSupersolution(StoppedGame::UpperKernel(process_),
                                        value, previous_);
  }

  StoppedProcess process_{.rate = .25};
  std::vector<double> previous_, value_, below_;
};

TEST_F(SupersolutionTest, AcceptsWhatLiesAbove) {
  EXPECT_TRUE(Accepted(value_));
}

TEST_F(SupersolutionTest, RejectsTheLimitFromBelow) {
  EXPECT_FALSE(Accepted(below_));
}

TEST_F(SupersolutionTest, RejectsASingleLowPoint) {
  for (std::size_t i = 1; i + 1 < value_.size(); ++i) {
    if (value_[i] >= 1) continue;
    auto wrong = value_;
    wrong[i] *= 1 - 1e-6;
    wrong[i] -= 2e-12;
    EXPECT_FALSE(Accepted(wrong)) << i;
  }
}

TEST_F(SupersolutionTest, RejectsAWrongPolicyAndNotANumber) {
  // Always charging the up move, as if the other option did not exist.
  auto wrong = previous_;
  const auto k = StoppedGame::CentralKernel(process_);
  for (std::size_t i = 1; i + 1 < wrong.size(); ++i) {
    wrong[i] = (1 + 1e-10) * (k.up * previous_[i + 1] + k.down * wrong[i - 1]);
  }
  EXPECT_FALSE(Accepted(wrong));
  wrong = value_;
  wrong[20] = NAN;
  EXPECT_FALSE(Accepted(wrong));
}

TEST_F(SupersolutionTest, RejectsAValueBelowThePreviousLevel) {
  previous_.assign(9, .1);
  previous_[4] = .3;
  std::vector<double> value{.25, .25, .25, .3, .31, .3, .25, .25, .25};
  EXPECT_TRUE(Accepted(value));
  value[4] = .29;  // still above both options
  EXPECT_FALSE(Accepted(value));
}

TEST(StoppedGameTest, KeepsInflationAtItsFirstValue) {
  const auto game = Solved({.rate = 1 / 69.3, .targets = 100}, 1, -60, 170);
  ASSERT_TRUE(game);
  EXPECT_EQ(game->inflation(), 1e-14);
  EXPECT_NEAR(game->UpperAt(0) / game->LowerAt(0), 1, 1e-10);
}

TEST(StoppedGameTest, RefusesAnEmptyOrEndlessLattice) {
  const StoppedProcess process{.rate = .1};
  EXPECT_FALSE(Solved(process, 1, 5, 5));
  EXPECT_FALSE(Solved(process, NAN, -5, 5));
  EXPECT_FALSE(Solved(process, 1, -1000, std::int64_t{1} << 40));
  EXPECT_FALSE(Solved({.rate = -1}, 1, -5, 5));
}

}  // namespace
}  // namespace sotto
