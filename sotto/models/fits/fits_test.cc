// Trees, finite classes and lists; thresholds and stumps are split_scan_test's.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/fits/fit_test_distribution.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/models/fits/tree_fit.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/replay_rng.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Exact = ExactNumber;

FitColumns MixedColumns() {
  return FitColumns({{.name = "age", .low = 0, .high = 100},
                     {.name = "colour",
                      .kind = FitColumn::Kind::kCategory,
                      .feature = 1,
                      .values = {"red", "blue", "green"}},
                     {.name = "member",
                      .kind = FitColumn::Kind::kBoolean,
                      .feature = 4,
                      .values = {"false", "true"}}});
}

// Red: from 25 on. Otherwise members.
FitBatch MixedBatch(std::size_t rows, Rng& rng) {
  FitBatch batch(3);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<std::uint32_t> codes = {
        static_cast<std::uint32_t>(rng.Next()),
        static_cast<std::uint32_t>(rng.Next() % 3),
        static_cast<std::uint32_t>(rng.Next() % 2)};
    batch.Add(codes, codes[1] == 0 ? codes[0] >= (1U << 30) : codes[2] == 1);
  }
  batch.SetPublicPlaces(rows);
  return batch;
}

double GetError(const FitHypothesis& h, const FitBatch& batch) {
  double wrong = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    wrong += h.Predict(batch.row(i)) == (batch.label(i) == 1) ? 0 : 1;
  }
  return wrong / static_cast<double>(batch.size());
}

Exact ExactRate(const Rational& rate) {
  return Exact(rate.numerator()) / Exact(rate.denominator());
}

TEST(TreeFitTest, LevelsAndLeavesTogetherCostARow) {
  for (const std::uint64_t rounds : {1, 3}) {
    for (const Relation relation : {Relation::kReplace, Relation::kAddRemove}) {
      const FitBudget budget{
          .user = {1, 0}, .relation = relation, .rounds_per_user = rounds};
      const auto fit = TreeFit::Create(MixedColumns(), 0, budget);
      ASSERT_TRUE(fit);
      const Exact whole = ExactRate(*RowRate(budget));
      for (std::uint32_t depth = 1; depth <= TreeFit::kMaxDepth; ++depth) {
        Exact sum = 0;
        for (const Rational& rate :
             static_cast<const TreeFit&>(**fit).RatesAt(depth)) {
          sum += ExactRate(rate);
        }
        EXPECT_LE(sum, whole);
        EXPECT_GT(sum, whole * Exact(999'999) / 1'000'000);
      }
    }
  }
}

TEST(TreeFitTest, LearnsWhatAStumpCannot) {
  testing::SeededRng rng(2);
  const FitBatch batch = MixedBatch(20'000, rng);
  const auto fit = TreeFit::Create(MixedColumns(), 3, {.user = {1, 0}});
  ASSERT_TRUE(fit);
  EXPECT_LT(GetError((*fit)->Fit(batch, rng), batch), 0.05);
}

TEST(TreeFitTest, DepthFollowsThePublicPlacesNotTheRows) {
  const auto fit = TreeFit::Create(MixedColumns(), 0, {.user = {3, 0}});
  ASSERT_TRUE(fit);
  testing::SeededRng data(3);
  FitBatch rows = MixedBatch(20'000, data);
  // The same number of words is drawn, whatever the rows are.
  const auto words = [&](const FitBatch& batch) {
    testing::SeededRng noise(9);
    static_cast<void>((*fit)->Fit(batch, noise));
    return noise.Next();
  };
  FitBatch empty(3);
  empty.PadTo(rows.size());
  empty.SetPublicPlaces(20'000);
  EXPECT_EQ(words(rows), words(empty));
  rows.SetPublicPlaces(100);
  EXPECT_NE(words(rows), words(empty));
}

// permute-and-flip over whole-number weights: p_i times the integral over
// [0, 1] of the product of 1 - p_j v.
std::vector<Exact> FlipDistribution(const std::vector<Exact>& coins) {
  std::vector<Exact> distribution;
  for (std::size_t i = 0; i < coins.size(); ++i) {
    std::vector<Exact> polynomial = {Exact(1)};
    for (std::size_t j = 0; j < coins.size(); ++j) {
      if (j == i) continue;
      polynomial.emplace_back(0);
      for (std::size_t k = polynomial.size() - 1; k > 0; --k) {
        polynomial[k] -= coins[j] * polynomial[k - 1];
      }
    }
    Exact integral = 0;
    for (std::size_t k = 0; k < polynomial.size(); ++k) {
      integral += polynomial[k] / Exact(static_cast<int>(k + 1));
    }
    distribution.push_back(coins[i] * integral);
  }
  return distribution;
}

std::vector<Exact> FlipDistribution(const std::vector<std::uint64_t>& losses,
                                    const LossWeights& weights) {
  const std::uint64_t least = *std::ranges::min_element(losses);
  std::vector<Exact> coins;
  coins.reserve(losses.size());
  for (const std::uint64_t loss : losses) {
    coins.push_back(ToExact(weights(loss - least)) / ToExact(weights(0)));
  }
  return FlipDistribution(coins);
}

TEST(FiniteFitTest, ARemovalCostsTheRateExactly) {
  const auto rate = ParseRational("1.5");
  const LossWeights weights = *LossWeights::Create(*rate, FiniteFit::kBits);
  Exact worst = 1;
  for (int code = 0; code < 64 * 8; ++code) {
    std::vector<std::uint64_t> before;
    std::vector<std::uint64_t> after;
    for (int i = 0; i < 3; ++i) {
      before.push_back(1 + (static_cast<unsigned>(code >> (2 * i)) & 3));
      after.push_back(before.back() -
                      (static_cast<unsigned>(code >> (6 + i)) & 1));
    }
    const auto p = FlipDistribution(before, weights);
    const auto q = FlipDistribution(after, weights);
    for (std::size_t i = 0; i < 3; ++i) {
      worst = std::max({worst, Exact(p[i] / q[i]), Exact(q[i] / p[i])});
    }
  }
  EXPECT_LE(worst, ExpAbove(*rate));
  EXPECT_GT(worst, ExpAbove(*rate) / 2);
}

// alpha = 1e-6.
TEST(FiniteFitStatisticalTest, DrawsByPermuteAndFlip) {
  const LossWeights weights =
      *LossWeights::Create(*ParseRational("0.4"), FiniteFit::kBits);
  const std::vector<std::uint64_t> losses = {7, 5, 5, 9, 12};
  std::vector<double> distribution;
  for (const Exact& p : FlipDistribution(losses, weights)) {
    distribution.push_back(static_cast<double>(p));
  }
  testing::SeededRng rng(8);
  std::vector<std::uint64_t> counts(losses.size());
  for (int i = 0; i < 200'000; ++i) {
    ++counts[FiniteFit::Draw(losses, weights, rng)];
  }
  EXPECT_GT(ChiSquaredPValue(counts, distribution), 1e-6);
}

TEST(FiniteFitTest, FindsTheFunctionAndSaysNothingOfOtherNumbers) {
  auto functions = FiniteClass::Named("intervals", 20);
  ASSERT_TRUE(functions);
  const auto fit = FiniteFit::Create(
      std::make_shared<const FiniteClass>(*std::move(functions)),
      {.user = {1, 0}});
  ASSERT_TRUE(fit);
  FitBatch batch(1);
  for (std::uint32_t i = 0; i < 4000; ++i) {
    batch.Add(std::vector{i % 21}, i % 21 >= 5 && i % 21 < 12);
  }
  testing::SeededRng rng(1);
  const FitHypothesis h = (*fit)->Fit(batch, rng);
  EXPECT_TRUE(h.Predict(std::vector{5U}));
  EXPECT_TRUE(h.Predict(std::vector{11U}));
  EXPECT_FALSE(h.Predict(std::vector{4U}));
  EXPECT_FALSE(h.Predict(std::vector{12U}));
  EXPECT_FALSE(h.Predict(std::vector{20U}));
}

Settings ParseSettings(const FitEntry& entry) {
  OptionTable table =
      ConcatOptions({PrivacyOptions(), FitOptions(), entry.options});
  // Those of the candidates of auto.
  for (const char* other : {"tree", "list"}) {
    for (const Option& option : FindFit(other)->options) {
      if (FindOption(table, option.name) == nullptr) table.push_back(option);
    }
  }
  Settings settings(std::move(table));
  EXPECT_TRUE(settings.Set("epsilon", "1"));
  EXPECT_TRUE(settings.Set("delta", "1e-6"));
  return settings;
}

TEST(ListFitTest, LearnsAListAndDropsLateLabels) {
  const FitEntry& entry = *FindFit("list");
  const auto fit =
      entry.create(ParseSettings(entry), MixedColumns(), {.user = {1, 1e-6}});
  ASSERT_TRUE(fit);
  EXPECT_FALSE((*fit)->takes_late_labels());
  EXPECT_GT((*fit)->delta(), 0);
  EXPECT_LE((*fit)->delta(), 1e-6);
  testing::SeededRng rng(5);
  FitBatch batch(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<std::uint32_t> codes = {
        static_cast<std::uint32_t>(rng.Next()),
        static_cast<std::uint32_t>(rng.Next() % 4),
        static_cast<std::uint32_t>(rng.Next() % 2)};
    batch.Add(codes, codes[1] == 2 || (codes[1] != 0 && codes[0] >= 1U << 31));
  }
  EXPECT_LT(GetError((*fit)->Fit(batch, rng), batch), 0.05);
}

TEST(ListFitTest, OfAShortBatchItDrawsOneRuleIfItsLengthIsPublic) {
  const FitEntry& entry = *FindFit("list");
  const auto fit =
      entry.create(ParseSettings(entry), MixedColumns(), {.user = {1, 1e-6}});
  ASSERT_TRUE(fit);
  FitBatch batch(3);
  for (std::uint32_t i = 0; i < 100; ++i) {
    batch.Add(std::vector{i << 25, i % 4, i % 2}, i % 4 == 2);
  }
  const auto longest = [&] {
    std::size_t tests = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      testing::SeededRng rng(seed);
      tests = std::max(tests, (*fit)->Fit(batch, rng).tests().size());
    }
    return tests;
  };
  EXPECT_GT(longest(), 1U);
  batch.SetPublicPlaces(100);
  EXPECT_EQ(longest(), 1U);
}

TEST(ListFitTest, ABudgetForOtherUsersThanTheSettingsIsRefused) {
  const FitEntry& entry = *FindFit("list");
  EXPECT_FALSE(entry.create(ParseSettings(entry), MixedColumns(),
                            {.user = {1, 1e-6}, .rounds_per_user = 5}));
}

TEST(AutoFitTest, NoRowIsBothFittedAndHeldOut) {
  FitBatch batch(1);
  for (std::uint32_t i = 0; i < 40; ++i) {
    batch.Add(std::vector{i}, true, FitBatch::HeldOut(i));
  }
  const FitBatch fitted = batch.Only(false);
  const FitBatch held_out = batch.Only(true);
  int kept = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NE(fitted.label(i) == FitBatch::kEmpty,
              held_out.label(i) == FitBatch::kEmpty);
    kept += held_out.label(i) == FitBatch::kEmpty ? 0 : 1;
  }
  EXPECT_EQ(kept, 10);
}

// The fits get three quarters of the public number of places, for any number of
// rows: the words that they draw depend on it.
TEST(AutoFitTest, TellsItsFitsThePublicPlacesNotTheRows) {
  const FitEntry& entry = *FindFit("auto");
  const auto fit =
      entry.create(ParseSettings(entry), MixedColumns(), {.user = {3, 0}});
  ASSERT_TRUE(fit);
  testing::SeededRng data(3);
  FitBatch rows = MixedBatch(20'000, data);
  const auto words = [&](const FitBatch& batch) {
    testing::SeededRng noise(9);
    static_cast<void>((*fit)->Fit(batch, noise));
    return noise.Next();
  };
  FitBatch few(3);
  for (std::size_t i = 0; i < 100; ++i) {
    few.Add(rows.row(i), rows.label(i) == 1, FitBatch::HeldOut(i));
  }
  for (const std::size_t places : {100, 20'000}) {
    rows.SetPublicPlaces(places);
    few.SetPublicPlaces(places);
    EXPECT_EQ(words(rows), words(few)) << places;
  }
  const std::uint64_t many = words(few);
  few.SetPublicPlaces(100);
  EXPECT_NE(words(few), many);
}

TEST(AutoFitTest, TakesTheBestOfItsFits) {
  const FitEntry& entry = *FindFit("auto");
  const auto fit =
      entry.create(ParseSettings(entry), MixedColumns(), {.user = {3, 0}});
  ASSERT_TRUE(fit);
  EXPECT_EQ((*fit)->delta(), 0);
  testing::SeededRng rng(2);
  FitBatch batch(3);
  const FitBatch rows = MixedBatch(40'000, rng);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    batch.Add(rows.row(i), rows.label(i) == 1, FitBatch::HeldOut(i));
  }
  batch.SetPublicPlaces(rows.size());
  EXPECT_LT(GetError((*fit)->Fit(batch, rng), batch), 0.1);
}

TEST(AutoFitTest, RowsThatAreFittedAndHeldOutAreNotPaidFor) {
  // The broken variant: one row moves both a fit between two functions and the
  // choice between two hypotheses, each by more than half of the rate.
  const auto rate = ParseRational("1.5");
  const LossWeights weights = *LossWeights::Create(*rate, FiniteFit::kBits);
  Exact once = 1;
  for (std::uint64_t lost = 0; lost < 6; ++lost) {
    const auto p = FlipDistribution({lost + 1, 0}, weights);
    const auto q = FlipDistribution({lost, 0}, weights);
    once = std::max(once, Exact(q[0] / p[0]));
  }
  EXPECT_LE(once, ExpAbove(*rate));
  EXPECT_GT(once * once, ExpAbove(*rate));
}

TEST(FitsTest, AllSayTheirCostBeforeAnyDataAndStayWithinIt) {
  InputSpec inputs{.features = 2, .dense = 2, .names = {"a", "b"}};
  for (const FitEntry* entry : Fits()) {
    const Settings settings = ParseSettings(*entry);
    const auto columns = entry->columns(settings, inputs);
    ASSERT_TRUE(columns) << entry->name;
    const auto fit = entry->create(settings, *columns, {.user = {0.7, 1e-6}});
    ASSERT_TRUE(fit) << entry->name;
    EXPECT_LE((*fit)->epsilon(), 0.7);
    EXPECT_LE((*fit)->delta(), 1e-6);
    EXPECT_GT((*fit)->ExpectedError(10), (*fit)->ExpectedError(1e5));
    EXPECT_GT((*fit)->RowsFor(0.01, 0.05), (*fit)->RowsFor(0.1, 0.05));
    EXPECT_FALSE((*fit)->Summary().empty());
  }
}

// Neighbour replay: a row replaced, its label, or an empty place, and one and
// the same randomness. As many words are drawn, whichever rule comes out.
TEST(FitsTest, AllDrawTheSameWhateverTheRowsAre) {
  InputSpec inputs{.features = 2, .dense = 2, .names = {"a", "b"}};
  for (const FitEntry* entry : Fits()) {
    const Settings settings = ParseSettings(*entry);
    const auto columns = entry->columns(settings, inputs);
    ASSERT_TRUE(columns) << entry->name;
    const auto fit = entry->create(settings, *columns, {.user = {1, 1e-6}});
    ASSERT_TRUE(fit) << entry->name;
    const auto drawn = [&](std::uint32_t code, bool label, bool empty) {
      FitBatch rows(columns->size());
      for (std::uint32_t i = 0; i < 30; ++i) {
        rows.Add(std::vector(columns->size(), i % 2), i % 2 == 1);
      }
      if (!empty) rows.Add(std::vector(columns->size(), code), label);
      rows.PadTo(32);
      rows.SetPublicPlaces(32);
      testing::ReplayRng rng(1);
      static_cast<void>((*fit)->Fit(rows, rng));
      return rng.Next();
    };
    const std::uint64_t next = drawn(0, false, false);
    EXPECT_EQ(next, drawn(1, true, false)) << entry->name;
    EXPECT_EQ(next, drawn(0, true, false)) << entry->name;
    EXPECT_EQ(next, drawn(0, false, true)) << entry->name;
  }
}

TEST(FitsTest, RefuseWhatTheyCannotPromise) {
  for (const FitBudget& bad : {FitBudget{.user = {0.0001, 0}},
                               {.user = {17, 0}},
                               {.user = {1, 0}, .rounds_per_user = 5000}}) {
    EXPECT_FALSE(RowRate(bad));
  }
  const auto two = RowRate({.user = {1, 0}, .rounds_per_user = 2});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->ToString(), "1/4");
  const auto alone =
      RowRate({.user = {1, 0}, .relation = Relation::kAddRemove});
  EXPECT_EQ(alone->ToString(), "1");
}

}  // namespace
}  // namespace sotto
