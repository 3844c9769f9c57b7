#include "sotto/models/fits/greedy_cover/rule_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "sotto/base/utf8.h"
#include "sotto/models/fits/greedy_cover/cover_columns.h"
#include "sotto/models/fits/greedy_cover/cover_model.h"
#include "sotto/models/fits/greedy_cover/cover_plan.h"
#include "sotto/models/fits/greedy_cover/greedy_cover.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Kind = FitColumn::Kind;
using Row = std::vector<std::uint32_t>;

RuleSpace Space() {
  return *RuleSpace::Create(
      FitColumns({{.name = "color",
                   .kind = Kind::kCategory,
                   .values = {"red", "blue"}},
                  {.name = "big", .kind = Kind::kBoolean},
                  {.name = "town", .kind = Kind::kHashed, .points = 3},
                  {.name = "age", .kind = Kind::kCuts, .cuts = {20, 40, 60}}}),
      2);
}

Row RandomRow(Rng& rng) {
  const auto below = [&](std::uint64_t codes) {
    return static_cast<std::uint32_t>(rng.Next() % codes);
  };
  return {below(3), below(2), below(3), below(80) / 20};
}

DecisionList RandomList(const RuleSpace& space, int size, Rng& rng) {
  std::vector<ListRule> rules;
  const auto& all = space.conjunctions();
  for (int i = 0; i < size; ++i) {
    const Conjunction& c = all[rng.Next() % all.size()];
    ListRule rule{.literals = {}, .label = rng.Next() % 2 == 0};
    for (std::size_t l = 0; l < c.size; ++l) {
      rule.literals.push_back({space.atoms()[c.atoms[l]], c.sign(l)});
    }
    rules.push_back(rule);
  }
  return *DecisionList::Create(space.columns(), rules, true);
}

// Which rule catches the row: a list of that rule alone says yes.
std::size_t FindCatcher(const DecisionList& list, const Row& row) {
  for (std::size_t i = 0; i < list.rules().size(); ++i) {
    ListRule rule = list.rules()[i];
    rule.label = true;
    if (DecisionList::Create(list.columns(), {rule}, false)->Predict(row)) {
      return i;
    }
  }
  return list.rules().size();
}

std::int64_t Distance(const RuleShares& a, const RuleShares& b) {
  std::int64_t distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    distance += std::abs(a[i].negative - b[i].negative) +
                std::abs(a[i].positive - b[i].positive);
  }
  return distance;
}

TEST(RuleShares, CountEachRowUnderTheRuleThatCatchesIt) {
  const RuleSpace space = Space();
  testing::SeededRng rng(1);
  for (int trial = 0; trial < 20; ++trial) {
    const DecisionList list = RandomList(space, 6, rng);
    CoverData data(space);
    RuleShares naive(7);
    for (int i = 0; i < 150; ++i) {
      const Row row = RandomRow(rng);
      const bool label = rng.Next() % 3 == 0;
      data.Add(row, label);
      RuleShare& share = naive[FindCatcher(list, row)];
      ++(label ? share.positive : share.negative);
    }
    EXPECT_EQ(CountCaught(list, space, data), naive);
  }
}

// The sensitivity that the noise is made for, and a broken variant that counts
// a row under every rule that holds, which the same check refutes.
TEST(RuleShares, MoveByTwoAtMostWhenARowIsReplacedAndByOneWhenItIsAdded) {
  const RuleSpace space = Space();
  testing::SeededRng rng(2);
  std::int64_t replaced = 0;
  std::int64_t added = 0;
  std::int64_t counted_twice = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const DecisionList list = RandomList(space, 6, rng);
    CoverData none(space);
    CoverData one(space);
    CoverData other(space);
    for (int i = 0; i < 5; ++i) {
      const Row row = RandomRow(rng);
      for (CoverData* data : {&none, &one, &other}) data->Add(row, i % 2 == 0);
    }
    const Row row = RandomRow(rng);
    one.Add(row, rng.Next() % 2 == 0);
    other.Add(RandomRow(rng), rng.Next() % 2 == 0);
    const RuleShares a = CountCaught(list, space, one);
    replaced = std::max(replaced, Distance(a, CountCaught(list, space, other)));
    added = std::max(added, Distance(a, CountCaught(list, space, none)));
    std::int64_t held = 0;
    for (const ListRule& rule : list.rules()) {
      const auto alone = DecisionList::Create(space.columns(), {rule}, false);
      if (FindCatcher(*alone, row) == 0) ++held;
    }
    counted_twice = std::max(counted_twice, held);
  }
  EXPECT_EQ(replaced, 2);
  EXPECT_EQ(added, 1);
  EXPECT_GT(counted_twice, 1);
}

TEST(RuleShares, CostWhatTheNoiseOfTheirRelationCosts) {
  const auto replace = SharesMechanism::Create({.epsilon = 0.1});
  const auto add = SharesMechanism::Create(
      {.epsilon = 0.1, .relation = Relation::kAddRemove});
  ASSERT_TRUE(replace && add);
  EXPECT_NEAR(replace->scale(), 20, 1e-9);
  EXPECT_NEAR(add->scale(), 10, 1e-9);
  EXPECT_LE(replace->epsilon(), 0.1);
  EXPECT_LT(replace->delta(), 1e-25);
  EXPECT_FALSE(SharesMechanism::Create({.epsilon = 0}));
  EXPECT_FALSE(SharesMechanism::Create({.epsilon = NAN}));
  EXPECT_FALSE(SharesMechanism::Create({.epsilon = 1, .max_rules = 0}));
}

TEST(GreedyCover, PaysForSharesOutOfTheSameEpsilon) {
  const RuleSpace space = Space();
  const GreedyCover::Params params{.epsilon = 1, .delta = 1e-6, .rules = 120};
  GreedyCover::Params shared = params;
  shared.shares = 0.2;
  GreedyCover::Params rest = params;
  rest.epsilon = 0.8;
  const auto all = GreedyCover::Create(params, space);
  const auto with = GreedyCover::Create(shared, space);
  const auto less = GreedyCover::Create(rest, space);
  ASSERT_TRUE(all && with && less);
  EXPECT_EQ(with->guarantee().Describe(), all->guarantee().Describe());
  EXPECT_LT(with->rate().ToDoubleUp(), all->rate().ToDoubleUp());
  EXPECT_NEAR(with->rate().ToDoubleUp(), less->rate().ToDoubleUp(),
              2e-3 * less->rate().ToDoubleUp());
  EXPECT_NEAR(with->share_scale(), 10, 1e-9);
  EXPECT_EQ(all->share_scale(), 0);
  shared.shares = 1;
  EXPECT_FALSE(GreedyCover::Create(shared, space));
}

TEST(GreedyCover, RefusesABonusWithoutARewardAndTwoCaps) {
  GreedyCover::Params params{.epsilon = 1, .delta = 1e-6, .rules = 8};
  params.bonus = 5;
  EXPECT_TRUE(GreedyCover::Create(params, Space()));
  params.cap = 100;
  EXPECT_FALSE(GreedyCover::Create(params, Space()));
  params.bonus.reset();
  const auto capped = GreedyCover::Create(params, Space());
  ASSERT_TRUE(capped);
  EXPECT_EQ(capped->cap(), 100);
  params.reward = 0;
  EXPECT_FALSE(GreedyCover::Create(params, Space()));
}

TEST(CoverModel, KeepsSharesAndShowsThemLineByLine) {
  const RuleSpace space = Space();
  const auto learner = GreedyCover::Create(
      {.epsilon = 8, .delta = 1e-6, .rules = 3, .shares = 0.5}, space);
  ASSERT_TRUE(learner);
  testing::SeededRng rng(3);
  CoverData data(space);
  for (int i = 0; i < 3000; ++i) {
    const Row row = RandomRow(rng);
    data.Add(row, row[0] == 0);
  }
  const auto drawn = learner->FitWithShares(data, rng);
  ASSERT_EQ(drawn.shares.size(), drawn.list.rules().size() + 1);
  std::int64_t sum = 0;
  for (const RuleShare& s : drawn.shares) sum += s.negative + s.positive;
  EXPECT_NEAR(static_cast<double>(sum), 3000, 60);  // 8 draws of scale 0.5
  const CoverModel model{.list = drawn.list,
                         .labels = {},
                         .guarantee = learner->guarantee(),
                         .parameters = learner->parameters(),
                         .shares = drawn.shares,
                         .share_scale = learner->share_scale()};
  EXPECT_FALSE(model.is_private);  // unless the caller says so
  const auto again = CoverModel::FromJson(model.ToJson());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->shares, model.shares);
  EXPECT_EQ(again->parameters.Find("cap")->integer(), learner->cap());
  EXPECT_EQ(again->share_scale, model.share_scale);
  const std::string text = drawn.list.Text({}, drawn.shares);
  EXPECT_NE(text.find("% right]"), std::string::npos) << text;
  EXPECT_EQ(drawn.list.Text({}).find('['), std::string::npos);
}

TEST(DecisionList, AddsUpTheSharesOfRulesOnOneLine) {
  const auto list =
      DecisionList::Create(Space().columns(),
                           {{.literals = {{{0, 0}, true}}, .label = true},
                            {.literals = {{{0, 1}, true}}, .label = true}},
                           false);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->Text({}, RuleShares{{1, 10}, {1, 8}, {-3, -4}}),
            "if color is red or blue then 1   [about 20 rows, 90% right]\n"
            "else 0   [about 0 rows]\n");
}

TEST(CoverColumns, RefuseNamesThatAreNotUtf8) {
  EXPECT_TRUE(IsUtf8("na\xC3\xAFve \xE2\x82\xAC \xF0\x9F\x8D\x84"));
  for (const char* bad : {"\xFF", "\xC0\x80", "\xE2\x82", "\xED\xA0\x80",
                          "\xF4\x90\x80\x80", "a\x80"}) {
    EXPECT_FALSE(IsUtf8(bad));
    EXPECT_FALSE(CheckCoverColumns({{.name = bad, .kind = Kind::kBoolean}}));
    EXPECT_FALSE(CheckCoverColumns(
        {{.name = "x", .kind = Kind::kCategory, .values = {bad}}}));
  }
}

TEST(CoverColumns, HaveABlankRowForWhichNothingHolds) {
  const RuleSpace space = Space();
  CoverData data(space);
  Row blank(space.columns().size(), 7);
  space.columns().Encode({}, blank);
  data.Add(blank, false);
  std::size_t holds = 0;
  for (std::size_t a = 0; a < data.atoms(); ++a) {
    holds += data.bits(false, a)[0];
  }
  EXPECT_EQ(holds, 1U);  // a bucket there must be
}

TEST(CoverPlan, NeedsFewerRowsForMorePrivacyLossAndFewerRules) {
  const auto rows = [](double epsilon, std::uint32_t rules) {
    const auto learner = GreedyCover::Create(
        {.epsilon = epsilon, .delta = 1e-6, .rules = rules}, Space());
    return PlanCover(*learner, {.rows = 1})->samples_required;
  };
  // Above 100 rounds the calibration is a closed form.
  EXPECT_LT(rows(3, 200), rows(1, 200));
  EXPECT_LT(rows(1, 120), rows(1, 200));
}

TEST(CoverPlan, GradesTheRowsThereAre) {
  const auto learner =
      GreedyCover::Create({.epsilon = 1, .delta = 1e-6, .rules = 120}, Space());
  ASSERT_TRUE(learner);
  const auto plan = PlanCover(*learner, {});
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->verdict);
  // The distribution itself: a rule worse than the best by rule_loss wrong rows
  // has at most failure / draws of the weight of all candidates.
  const double wrong = learner->params().penalty * learner->rate().ToDoubleUp();
  const double candidates =
      2.0 * static_cast<double>(Space().conjunctions().size());
  EXPECT_LE(candidates * std::exp(-wrong * plan->rule_loss),
            0.05 / 121 * 1.0001);
  const auto grade = [&](std::uint64_t rows) {
    return *PlanCover(*learner, {.rows = rows})->verdict;
  };
  EXPECT_EQ(grade(plan->samples_required), Verdict::kComfortable);
  EXPECT_EQ(grade(plan->samples_required - 1), Verdict::kTight);
  EXPECT_EQ(grade(plan->samples_expected - 1), Verdict::kHopeless);
  EXPECT_FALSE(PlanCover(*learner, {.error = 0}));
}

}  // namespace
}  // namespace sotto
