#include "sotto/models/leader/private_leader.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sotto/mechanisms/thresholds/exact_stopper.h"
#include "sotto/models/fits/fit_test_distribution.h"
#include "sotto/models/fits/stump_fit.h"
#include "sotto/models/leader/leader_epochs.h"
#include "sotto/models/leader/leader_test_spy.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Exact = ExactNumber;

struct Spied {
  std::shared_ptr<SpyFit> fit;
  PrivateLeader leader;
};

Spied Spy(bool late) {
  auto fit = std::make_shared<SpyFit>(late);
  auto leader = PrivateLeader::Create({.fit = fit,
                                       .columns = OneCategory(),
                                       .budget = {.user = {1, 0}},
                                       .epochs = {.first = 2, .growth = 2}});
  EXPECT_TRUE(leader);
  return {fit, *std::move(leader)};
}

// The state of the watch: mistakes of the window, its rounds, its block, how
// often it fired, and what it takes for normal.
std::string WatchState(const PrivateLeader& leader) {
  ByteWriter writer;
  leader.Save(writer);
  return writer.bytes().substr(writer.bytes().size() - 40);
}

TEST(PrivateLeaderTest, ALateMistakeIsNotCountedInAWindowOfLater) {
  const auto watch_after = [](bool wrong) {
    auto leader = PrivateLeader::Create({.fit = std::make_shared<SpyFit>(true),
                                         .columns = OneCategory(),
                                         .budget = {.user = {1, 0}},
                                         .epochs = {.first = 4096, .growth = 2},
                                         .drift_epsilon = 1,
                                         .drift_block = 32});
    EXPECT_TRUE(leader);
    testing::SeededRng rng(1);
    const auto round = leader->Open(kRed, rng);
    for (int i = 0; i < 100; ++i) leader->PlayEmptyRound(rng);
    leader->Close(round, round.prediction != wrong);
    return WatchState(*leader);
  };
  EXPECT_EQ(watch_after(true), watch_after(false));
}

// A user of three rounds is counted in three windows: each has a third.
TEST(PrivateLeaderTest, TheWatchSharesItsEpsilonAmongTheRoundsOfAUser) {
  const auto promise = [](std::uint64_t rounds) {
    auto leader = PrivateLeader::Create(
        {.fit = std::make_shared<SpyFit>(true),
         .columns = OneCategory(),
         .budget = {.user = {1, 0}, .rounds_per_user = rounds},
         .epochs = {.first = 64, .growth = 2},
         .drift_epsilon = 0.5});
    EXPECT_TRUE(leader) << leader.error().message;
    return leader->guarantee();
  };
  for (const std::uint64_t rounds : {1, 3}) {
    const Guarantee whole = promise(rounds);
    EXPECT_NEAR(whole.epsilon(), 1.5, 1e-9);
    const Spend& watch = whole.spend().parts.at(1);
    ASSERT_TRUE(watch.noise);
    EXPECT_NEAR(watch.noise->scale, 2 * static_cast<double>(rounds), 1e-9);
    EXPECT_EQ(watch.steps, rounds);
  }
}

TEST(PrivateLeaderTest, ARowIsInTheBatchOfTheEpochInWhichItsLabelComes) {
  for (const bool late : {true, false}) {
    Spied spied = Spy(late);
    testing::SeededRng rng(1);
    const auto first = spied.leader.Open(kRed, rng);
    const auto second = spied.leader.Open(kRed, rng);
    spied.leader.Close(second, true);
    EXPECT_FALSE(second.prediction);
    const auto third = spied.leader.Open(kRed, rng);  // the second epoch
    EXPECT_TRUE(third.prediction);
    spied.leader.Close(first, false);
    spied.leader.Close(third, true);
    spied.leader.PlayEmptyRound(rng);
    for (int i = 0; i < 3; ++i) spied.leader.PlayEmptyRound(rng);
    ASSERT_EQ(spied.fit->batches(), 2U);
    EXPECT_EQ(spied.fit->Places(0), (std::vector<int>{1, 2}));
    EXPECT_EQ(spied.fit->Places(1), late ? (std::vector<int>{0, 1, 2, 2})
                                         : (std::vector<int>{1, 2, 2, 2}));
  }
}

TEST(PrivateLeaderTest, EpochsEndByTheClockAlone) {
  for (const bool labelled : {true, false}) {
    Spied spied = Spy(true);
    testing::SeededRng rng(1);
    std::vector<std::uint64_t> epochs;
    for (int i = 0; i < 40; ++i) {
      const bool y = i % 3 == 0;
      if (labelled) {
        spied.leader.Play(kRed, &y, rng);
      } else {
        spied.leader.PlayEmptyRound(rng);
      }
      epochs.push_back(spied.leader.epoch());
    }
    EXPECT_EQ(std::ranges::count(epochs, 0U), 2);
    EXPECT_EQ(std::ranges::count(epochs, 1U), 4);
    EXPECT_EQ(std::ranges::count(epochs, 2U), 8);
    EXPECT_EQ(std::ranges::count(epochs, 3U), 16);
  }
}

TEST(PrivateLeaderTest, MoreLabelsThanRoundsAreAllTaken) {
  Spied spied = Spy(true);
  testing::SeededRng rng(1);
  std::vector<PrivateLeader::Round> open;
  for (int i = 0; i < 6; ++i) open.push_back(spied.leader.Open(kRed, rng));
  spied.leader.PlayEmptyRound(rng);  // the third epoch, of 8
  for (int i = 0; i < 2; ++i) {
    for (const auto& round : open) spied.leader.Close(round, true);
  }
  for (int i = 0; i < 8; ++i) spied.leader.PlayEmptyRound(rng);
  EXPECT_EQ(spied.fit->Places(2).size(), 12U);
  // The size by which a fit may choose is that of the clock, not of the labels.
  EXPECT_EQ(spied.fit->public_places(), (std::vector<std::size_t>{2, 4, 8}));
}

// The exact game: a fit's distribution over its splits, from rows alone.
class LeaderGameTest : public ::testing::Test {
 protected:
  LeaderGameTest()
      : columns_(OneCategory()),
        weights_(*SplitWeights::Create(columns_, SplitLoss::kErrors,
                                       *ParseRational("0.5"))) {
    rows_.push_back(std::nullopt);
    for (const std::uint32_t code : {0U, 1U, 2U}) {
      for (const bool y : {false, true}) {
        rows_.push_back(TestExample{{code}, y});
      }
    }
  }

  Distribution ComputeDistribution(const std::vector<TestRow>& rows) const {
    const FitBatch batch = MakeBatch(1, rows);
    std::map<Split, std::uint64_t, SplitOrder> losses;
    std::uint64_t least = rows.size();
    for (const Split& split : SplitsAt(columns_, SplitLoss::kErrors, {})) {
      losses[split] = LossByDefinition(split, batch, SplitLoss::kErrors);
      least = std::min(least, losses[split]);
    }
    Distribution distribution;
    Exact total = 0;
    for (const auto& [split, loss] : losses) {
      distribution[split] = ToExact(weights_.weights()(loss - least));
      total += distribution[split];
    }
    for (auto& [split, p] : distribution) p /= total;
    return distribution;
  }
  // The largest quotient of one hypothesis's probability if the row is `here`
  // in one world and `there` in the other, over all other rows: after the fits
  // before, the adversary who chooses them may choose the worst.
  Exact WorstFit(const TestRow& here, const TestRow& there) const {
    Exact worst = 1;
    for (const TestRow& other : rows_) {
      for (const TestRow& another : rows_) {
        worst = std::max(worst,
                         Worst(ComputeDistribution({here, other, another}),
                               ComputeDistribution({there, other, another})));
      }
    }
    return worst;
  }

  FitColumns columns_;
  SplitWeights weights_;
  std::vector<TestRow> rows_;
};

TEST_F(LeaderGameTest, OneRoundCostsEpsilonWhereverItsLabelComes) {
  const Exact row = ExpAbove(*ParseRational("0.5"));
  Exact removal = 1;
  Exact addition = 1;
  Exact replacement = 1;
  for (const TestRow& one : rows_) {
    removal = std::max(removal, WorstFit(one, std::nullopt));
    addition = std::max(addition, WorstFit(std::nullopt, one));
    for (const TestRow& other : rows_) {
      replacement = std::max(replacement, WorstFit(one, other));
    }
  }
  // add-remove: one batch, one step.
  EXPECT_LE(removal, row);
  // replace, in one batch; and taken out of one, put into a later one.
  EXPECT_LE(replacement, row * row);
  EXPECT_LE(removal * addition, row * row);
  EXPECT_GT(removal * addition, row * row * Exact(7) / 10);
}

TEST_F(LeaderGameTest, ARowInTwoBatchesIsNotPaidFor) {
  // A broken variant: epochs that share rows.
  Exact once = 1;
  for (const TestRow& one : rows_) {
    for (const TestRow& other : rows_) {
      once = std::max(once, WorstFit(one, other));
    }
  }
  const Exact row = ExpAbove(*ParseRational("0.5"));
  EXPECT_GT(once * once, row * row);
}

// Pr[the first check of a stopper halts], limit 2.
Exact HaltsAt(const ExactStopper& stopper, int count) {
  const LossWeights& w = stopper.weights();
  Exact sum = 0;
  Exact total = 0;
  for (std::uint64_t rho = 0; rho < w.flat(); ++rho) {
    const int m = std::max(0, 2 + static_cast<int>(rho) - count);
    sum += ToExact(w(rho)) * ToExact(w(static_cast<std::uint64_t>(m)));
    total += ToExact(w(rho)) * ToExact(w(0));
  }
  return sum / total;
}

TEST_F(LeaderGameTest, AHaltIsPaidForAndWouldBeSeen) {
  // A mistake in one world only, then a fit with another row.
  const Exact row = ExpAbove(*ParseRational("0.5"));
  const auto stopper = ExactStopper::Create(1);
  ASSERT_TRUE(stopper);
  const Exact halt = HaltsAt(*stopper, 1) / HaltsAt(*stopper, 0);
  Exact fit = 1;
  for (const TestRow& one : rows_) {
    for (const TestRow& other : rows_) {
      fit = std::max(fit, WorstFit(one, other));
    }
  }
  EXPECT_LE(halt * fit, row * row * ExpAbove(*ParseRational("1")));
  // A broken variant: only the fit is charged.
  EXPECT_GT(halt * fit, row * row);
}

TEST_F(LeaderGameTest, TheFitHasTheLawOfTheGame) {
  const std::vector<TestRow> rows = {rows_[1], rows_[4], rows_[4]};
  const SplitScan scan(columns_, MakeBatch(1, rows), {}, 1, weights_);
  const Distribution distribution = ComputeDistribution(rows);
  for (const auto& [split, p] : distribution) {
    Uint128 place = 0;
    Exact found = 0;
    while (place < scan.total(0)) {
      const Uint128 width = ComputeWidth(scan, place);
      if (scan.At(0, place) == split) {
        found = ToExact(width) / ToExact(scan.total(0));
      }
      place += width;
    }
    EXPECT_EQ(found, p);
  }
}

TEST(PrivateLeaderTest, StartsOverWhenMistakesPileUpAndForgetsOldRows) {
  auto fit = std::make_shared<SpyFit>(true);
  auto leader = PrivateLeader::Create({.fit = fit,
                                       .columns = OneCategory(),
                                       .budget = {.user = {1, 0}},
                                       .epochs = {.first = 2, .growth = 4},
                                       .drift_epsilon = 2});
  ASSERT_TRUE(leader);
  EXPECT_EQ(leader->guarantee().epsilon(), 3);
  testing::SeededRng rng(1);
  // Right for long, then always wrong.
  for (int i = 0; i < 5000; ++i) {
    const bool y = leader->hypothesis().Predict(std::vector{0U});
    leader->Play(kRed, &y, rng);
  }
  const std::uint64_t before = leader->epoch();
  EXPECT_GT(leader->length(), 5000U);
  std::uint64_t rounds = 0;
  while (leader->epoch() == before && rounds < 1000) {
    const bool y = !leader->hypothesis().Predict(std::vector{0U});
    leader->Play(kRed, &y, rng);
    ++rounds;
  }
  EXPECT_LT(rounds, 200U);
  EXPECT_EQ(leader->length(), 2U);
  // Two blocks of 32.
  EXPECT_EQ(fit->Places(fit->batches() - 1).size(), 64U);
}

PrivateLeader::Params StumpParams() {
  auto fit = MakeStumpFit(OneCategory(), {.user = {1, 0}});
  EXPECT_TRUE(fit);
  return {.fit = *std::move(fit),
          .columns = OneCategory(),
          .budget = {.user = {1, 0}},
          .epochs = {.first = 32, .growth = 2}};
}

TEST(PrivateLeaderTest, PromisesWhatItsFitPromisesAndLearns) {
  auto leader = PrivateLeader::Create(StumpParams());
  ASSERT_TRUE(leader);
  EXPECT_EQ(leader->guarantee().epsilon(), 1);
  EXPECT_EQ(leader->guarantee().delta(), 0);
  EXPECT_TRUE(leader->guarantee().in_rounds());
  testing::SeededRng rng(5);
  int mistakes = 0;
  for (int i = 0; i < 4000; ++i) {
    const bool y = rng.Next() % 2 == 0;
    const FeatureVector x = {{y ? 0U : 1U, 1}};
    mistakes += leader->Play(x, &y, rng) == y ? 0 : 1;
  }
  EXPECT_LT(mistakes, 60);
}

TEST(PrivateLeaderTest, EpochsAreChosenForAnyHorizonAndEndAtTheLongest) {
  const SpyFit fit(true);
  const LeaderEpochs chosen =
      ChooseEpochs(fit, {.longest = 1000}, std::uint64_t{1} << 60, 1);
  EXPECT_EQ(chosen.Next(900), 1000U);
  EXPECT_EQ(chosen.Next(1000), 1000U);
  // Epochs that never grow, too.
  EXPECT_EQ(ExpectedMistakes(fit, {.first = 1, .growth = 1},
                             std::uint64_t{1} << 60, 1),
            0);
}

TEST(PrivateLeaderTest, RejectsEpochsThatMakeNoSense) {
  for (const LeaderEpochs& bad : {LeaderEpochs{.first = 0, .growth = 2},
                                  {.first = 4, .growth = 0.5},
                                  {.first = 4, .growth = 17}}) {
    auto params = StumpParams();
    params.epochs = bad;
    EXPECT_FALSE(PrivateLeader::Create(std::move(params)));
  }
}

}  // namespace
}  // namespace sotto
