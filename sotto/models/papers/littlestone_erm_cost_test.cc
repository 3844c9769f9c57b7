// Privacy cost of LittlestoneErm: every part of the budget is refused if it is
// a little larger. The step that makes a hypothesis proper has an exact
// distribution within its epsilon, and the program draws from that
// distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "sotto/models/papers/littlestone_erm.h"
#include "sotto/models/papers/littlestone_erm_plan.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Labels = TeacherLists::Labels;
using Params = LittlestoneErm::Params;
using Row = std::optional<std::pair<std::uint32_t, bool>>;

std::shared_ptr<const FiniteClass> Points(std::uint64_t points) {
  return std::make_shared<const FiniteClass>(
      *FiniteClass::Named("points", points));
}

TEST(LittlestoneErmCostTest, EveryPartOfTheBudgetIsCounted) {
  for (const std::uint64_t rounds : {1, 4}) {
    for (const bool proper : {false, true}) {
      for (const std::uint64_t p : {1, 14}) {  // two stages, or one
        const auto params =
            ChooseErm({.functions = Points(14),
                       .budget = {.user = {4, 1e-6}, .rounds_per_user = rounds},
                       .proper = proper,
                       .p = p});
        ASSERT_TRUE(params) << params.error().message;
        EXPECT_TRUE(LittlestoneErm::Create(*params));
        EXPECT_LE(params->sample.epsilon, 4.0 / static_cast<double>(rounds));
        EXPECT_LE(params->sample.delta, 1e-6 / static_cast<double>(rounds));
        for (const auto& part : std::vector<double& (*)(Params&)>{
                 [](Params& q) -> double& { return q.sample.epsilon; },
                 [](Params& q) -> double& { return q.sample.delta; },
                 [](Params& q) -> double& { return q.test_epsilon; },
                 [](Params& q) -> double& { return q.proper_epsilon; }}) {
          Params dear = *params;
          if (part(dear) == 0) continue;
          // The cost of the draws grows in steps.
          part(dear) *= &part(dear) == &dear.sample.delta ? 16 : 1.01;
          const auto refused = LittlestoneErm::Create(dear);
          ASSERT_FALSE(refused);
          EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
        }
      }
    }
  }
}

constexpr double kProper = 2;

// A teacher who never gets a hypothesis drawn: the majority is all zeros, which
// is not in the class, and all of the class stands for it.
Params NothingDrawn(Relation relation) {
  return {.functions = Points(4),
          .dimension = 1,
          .p = 4,
          .list_size = 4,
          .sample = {0.5, 1e-9},
          .proper_epsilon = kProper,
          .budget = {.user = {4, 1e-6}, .relation = relation}};
}

// Coins for all, then one of the heads: fits.md, step 3, with rate in the place
// of the one in use.
std::vector<double> ProperDistribution(const std::vector<Row>& rows,
                                       double rate) {
  std::vector<double> heads;
  std::vector<int> wrong(4);
  for (const Row& row : rows) {
    if (!row) continue;
    for (std::uint32_t h = 0; h < 4; ++h) {
      wrong[h] += (row->first == h) != row->second ? 1 : 0;
    }
  }
  const int least = *std::ranges::min_element(wrong);
  for (const int errors : wrong) {
    heads.push_back(std::exp(-rate * (errors - least)));
  }
  std::vector<double> distribution(4);
  for (unsigned set = 1; set < 16; ++set) {
    double mass = 1;
    for (unsigned h = 0; h < 4; ++h) {
      mass *= (set >> h & 1) != 0 ? heads[h] : 1 - heads[h];
    }
    for (unsigned h = 0; h < 4; ++h) {
      if ((set >> h & 1) != 0) distribution[h] += mass / std::popcount(set);
    }
  }
  return distribution;
}

// The largest log-ratio over all tables of three rows and changes of the last:
// to any other, or from and to an empty one.
double WorstRatio(Relation relation, double rate) {
  std::vector<Row> kinds = {std::nullopt};
  for (std::uint32_t x = 0; x < 4; ++x) {
    for (const bool y : {false, true}) kinds.emplace_back(std::pair(x, y));
  }
  double worst = 0;
  for (const Row& one : kinds) {
    for (const Row& two : kinds) {
      for (const Row& here : kinds) {
        for (const Row& there : kinds) {
          if (relation == Relation::kAddRemove && here && there) continue;
          const auto p = ProperDistribution({one, two, here}, rate);
          const auto q = ProperDistribution({one, two, there}, rate);
          for (std::size_t h = 0; h < 4; ++h) {
            worst = std::max(worst, std::log(p[h] / q[h]));
          }
        }
      }
    }
  }
  return worst;
}

TEST(LittlestoneErmCostTest, TheProperStepCostsItsEpsilon) {
  EXPECT_LE(WorstRatio(Relation::kReplace, kProper / 2), kProper + 1e-9);
  EXPECT_LE(WorstRatio(Relation::kAddRemove, kProper), kProper + 1e-9);
  // A broken variant: the rate of rows that are added or removed.
  EXPECT_GT(WorstRatio(Relation::kReplace, kProper), 1.2 * kProper);
}

// alpha = 1e-6.
TEST(LittlestoneErmCostStatisticalTest,
     TheProperStepFollowsTheCheckedDistribution) {
  const std::vector<Row> rows = {std::pair(0U, true), std::pair(0U, true),
                                 std::pair(1U, true), std::nullopt};
  FitBatch batch(1);
  for (const Row& row : rows) {
    if (row) batch.Add(std::vector{row->first}, row->second);
  }
  batch.PadTo(rows.size());
  testing::SeededRng rng(6);
  for (const auto relation : {Relation::kReplace, Relation::kAddRemove}) {
    const auto erm = LittlestoneErm::Create(NothingDrawn(relation));
    ASSERT_TRUE(erm) << erm.error().message;
    std::vector<std::uint64_t> counts(4);
    for (int run = 0; run < 1'500; ++run) {
      const Labels labels = (*erm)->Fit(batch, rng).table();
      ASSERT_EQ(std::ranges::count(labels, true), 1) << "not in the class";
      ++counts[static_cast<std::size_t>(std::ranges::find(labels, true) -
                                        labels.begin())];
    }
    const double rate = relation == Relation::kReplace ? kProper / 2 : kProper;
    EXPECT_GT(ChiSquaredPValue(counts, ProperDistribution(rows, rate)), 1e-6);
  }
}

TEST(LittlestoneErmCostTest, WhatIsProperIsInTheClassFromTheFirst) {
  const auto erm = LittlestoneErm::Create(NothingDrawn(Relation::kReplace));
  ASSERT_TRUE(erm);
  EXPECT_EQ(std::ranges::count((*erm)->First().table(), true), 1);
  Params improper = NothingDrawn(Relation::kReplace);
  improper.proper_epsilon = 0;
  EXPECT_EQ((*LittlestoneErm::Create(improper))->First().table(),
            Labels(4, false));
}

}  // namespace
}  // namespace sotto
