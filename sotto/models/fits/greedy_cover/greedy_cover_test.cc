#include "sotto/models/fits/greedy_cover/greedy_cover.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sotto/data/streams/encoding.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/models/fits/greedy_cover/cover_columns.h"
#include "sotto/models/fits/greedy_cover/cover_counts.h"
#include "sotto/models/fits/greedy_cover/cover_model.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Kind = FitColumn::Kind;
using Row = std::vector<std::uint32_t>;

FitColumns MixedColumns() {
  return *CheckCoverColumns(
      {{.name = "color",
        .kind = Kind::kCategory,
        .values = {"red", "blue", "green"},
        .other_unnamed = true},
       {.name = "big", .kind = Kind::kBoolean},
       {.name = "town", .kind = Kind::kHashed, .points = 3},
       {.name = "age", .kind = Kind::kCuts, .cuts = {20, 40, 60}}});
}

Row RandomRow(Rng& rng) {
  const auto below = [&](std::uint64_t codes) {
    return static_cast<std::uint32_t>(rng.Next() % codes);
  };
  return {below(4), below(2), below(3), below(80) / 20};
}

bool Holds(const RuleSpace& space, const Conjunction& conjunction,
           const Row& row) {
  ListRule rule;
  for (std::size_t i = 0; i < conjunction.size; ++i) {
    rule.literals.push_back(
        {space.atoms()[conjunction.atoms[i]], conjunction.sign(i)});
  }
  rule.label = true;
  return DecisionList::Create(space.columns(), {rule}, false)->Predict(row);
}

TEST(CoverColumns, EncodesFieldsAndNamesWhatItExpected) {
  const FitColumns columns = MixedColumns();
  const auto encoding =
      Encoding::Create({.schema = MakeSchema(columns), .raw_numbers = true}, 0);
  ASSERT_TRUE(encoding);
  // The code of a field alone; absent if the field cannot be used.
  const auto encode =
      [&](std::size_t c,
          std::string_view field) -> std::optional<std::uint32_t> {
    FeatureVector x;
    RowError fault;
    if (!encoding->Column(c, field, x, fault)) return std::nullopt;
    Row row(columns.size());
    columns.Encode(x, row);
    return row[c];
  };
  EXPECT_EQ(encode(0, "blue"), 1U);
  EXPECT_EQ(encode(0, "mauve"), 3U);  // other
  EXPECT_EQ(encode(1, "true"), 1U);
  EXPECT_LT(encode(2, "Delft"), 3U);
  EXPECT_EQ(encode(3, "41.5"), 2U);
  EXPECT_EQ(encode(3, "40"), 2U);  // at least the cut
  EXPECT_EQ(encode(3, "39"), 1U);
  EXPECT_EQ(encode(3, "old"), std::nullopt);
  EXPECT_EQ(encode(3, "nan"), std::nullopt);
  EXPECT_EQ(encode(1, "perhaps"), std::nullopt);
}

TEST(CoverColumns, AMissingFieldIsAValueAndAnotherTextIsNone) {
  const auto schema = Schema::Parse(
      R"({"columns":[{"name":"a","type":"category","values":["u","v"],)"
      R"("missing":true},{"name":"n","type":"number","range":[0,8],)"
      R"("missing":true}]})",
      "s");
  ASSERT_TRUE(schema);
  const auto columns = MakeCoverColumns(*schema, {.cuts = 3});
  ASSERT_TRUE(columns);
  ASSERT_EQ(columns->size(), 3U);  // with the mark of n
  for (const Schema& read : {CoverSchema(*schema, {}), MakeSchema(*columns)}) {
    const auto encoding =
        Encoding::Create({.schema = read, .raw_numbers = true}, 0);
    ASSERT_TRUE(encoding);
    const auto encode = [&](std::string_view a, std::string_view n) {
      FeatureVector x;
      RowError fault;
      EXPECT_TRUE(encoding->Column(0, a, x, fault));
      EXPECT_TRUE(encoding->Column(1, n, x, fault));
      EXPECT_TRUE(encoding->Column(2, n, x, fault));
      Row row(columns->size());
      columns->Encode(x, row);
      return row;
    };
    EXPECT_EQ(encode("v", "5"), (Row{1, 2, 0}));
    EXPECT_EQ(encode("?", "99"), (Row{2, 3, 0}));
    EXPECT_EQ(encode("other", "-1"), (Row{3, 0, 0}));
    EXPECT_EQ(encode("u", "NA"), (Row{0, 0, 1}));
  }
}

TEST(CoverColumns, CutsNumbersEvenlyInTheirPublicRange) {
  const auto schema = Schema::Parse(
      R"({"columns":[{"name":"x","type":"number","range":[0,8]}]})", "s");
  ASSERT_TRUE(schema);
  const auto columns = MakeCoverColumns(*schema, {.cuts = 3});
  ASSERT_TRUE(columns);
  EXPECT_EQ((*columns)[0].cuts, (std::vector<double>{2, 4, 6}));
  const auto bare =
      Schema::Parse(R"({"columns":[{"name":"x","type":"number"}]})", "s");
  EXPECT_FALSE(MakeCoverColumns(*bare, {}));
}

TEST(RuleSpace, ListsEveryConjunctionOfBooleansOnce) {
  const auto space = RuleSpace::Create(
      FitColumns(std::vector<FitColumn>(10, {.kind = Kind::kBoolean})), 3);
  ASSERT_TRUE(space);
  // 1 + 2 d + 4 (d choose 2) + 8 (d choose 3)
  EXPECT_EQ(space->conjunctions().size(), 1U + 20 + 4 * 45 + 8 * 120);
  EXPECT_FALSE(RuleSpace::Create(space->columns(), 4));
}

TEST(CoverCounts, AgreeWithCountingRowByRowWhileRowsLeave) {
  for (const std::uint32_t literals : {1U, 2U, 3U}) {
    testing::SeededRng rng(literals);
    const auto space = RuleSpace::Create(MixedColumns(), literals);
    ASSERT_TRUE(space);
    CoverData data(*space);
    std::vector<std::pair<Row, bool>> rows;
    for (int i = 0; i < 300; ++i) {
      rows.emplace_back(RandomRow(rng), rng.Next() % 3 == 0);
      data.Add(rows.back().first, rows.back().second);
    }
    CoverCounts counts(data, literals);
    const auto& conjunctions = space->conjunctions();
    for (int round = 0; round < 4; ++round) {
      for (std::size_t i = 0; i < conjunctions.size();
           i += literals * literals) {
        std::array<std::int64_t, 2> naive{};
        for (const auto& [row, label] : rows) {
          if (Holds(*space, conjunctions[i], row)) ++naive[label ? 1 : 0];
        }
        ASSERT_EQ(counts.Of(conjunctions[i]), naive);
      }
      const Conjunction& gone =
          conjunctions[1 + rng.Next() % (conjunctions.size() - 1)];
      counts.Cover(gone);
      std::erase_if(rows, [&](const auto& row) {
        return Holds(*space, gone, row.first);
      });
    }
  }
}

TEST(DecisionList, SimplifiedPredictsTheSameForEveryRow) {
  testing::SeededRng rng(5);
  const FitColumns columns = MixedColumns();
  const auto space = RuleSpace::Create(columns, 2);
  ASSERT_TRUE(space);
  std::vector<Row> rows;
  for (std::uint32_t color = 0; color < 4; ++color) {
    for (std::uint32_t big = 0; big < 2; ++big) {
      for (std::uint32_t town = 0; town < 3; ++town) {
        for (std::uint32_t age = 0; age < 4; ++age) {
          rows.push_back({color, big, town, age});
        }
      }
    }
  }
  std::size_t dropped = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<ListRule> rules;
    for (int i = 0; i < 12; ++i) {
      const auto& all = space->conjunctions();
      const Conjunction& c = all[1 + rng.Next() % (all.size() - 1)];
      ListRule rule{.literals = {}, .label = rng.Next() % 2 == 0};
      for (std::size_t l = 0; l < c.size; ++l) {
        rule.literals.push_back({space->atoms()[c.atoms[l]], c.sign(l)});
      }
      rules.push_back(rule);
    }
    const auto list = DecisionList::Create(columns, rules, trial % 2 == 0);
    ASSERT_TRUE(list);
    const DecisionList simple = list->Simplified();
    dropped += list->rules().size() - simple.rules().size();
    for (const Row& row : rows) {
      ASSERT_EQ(list->Predict(row), simple.Predict(row)) << trial;
    }
  }
  EXPECT_GT(dropped, 200U);
}

TEST(DecisionList, ReadsAsAPersonWouldSayIt) {
  const auto list = DecisionList::Create(
      MixedColumns(),
      {{.literals = {{{0, 0}, true}}, .label = true},
       {.literals = {{{0, 2}, true}}, .label = true},
       {.literals = {{{1, 0}, false}, {{3, 1}, true}}, .label = false},
       {.literals = {{{2, 1}, false}}, .label = true}},
      false);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->Text({.negative = "no", .positive = "yes"}),
            "if color is red or green then yes\n"
            "else if not big and age >= 40 then no\n"
            "else if town is not bucket 1 then yes\n"
            "else no\n");
  EXPECT_EQ(list->lines(), 3U);
}

TEST(DecisionList, RefusesRulesAboutNothing) {
  const ListRule no_column{.literals = {{{9, 0}, true}}, .label = true};
  const ListRule no_value{.literals = {{{0, 3}, true}}, .label = true};
  EXPECT_FALSE(DecisionList::Create(MixedColumns(), {no_column}, true));
  EXPECT_FALSE(DecisionList::Create(MixedColumns(), {no_value}, true));
}

// Red things are positive; of the others, big ones are not, and the rest are
// if they are forty or more.
bool Truth(const Row& row) {
  return row[0] == 0 || (row[1] == 0 && row[3] >= 2);
}

Result<GreedyCover> Learner(double epsilon) {
  return GreedyCover::Create({.epsilon = epsilon, .delta = 1e-6, .rules = 12},
                             *RuleSpace::Create(MixedColumns(), 1));
}

double GetError(const DecisionList& list, std::uint64_t seed) {
  testing::SeededRng rng(seed);
  int wrong = 0;
  for (int i = 0; i < 2000; ++i) {
    const Row row = RandomRow(rng);
    if (list.Predict(row) != Truth(row)) ++wrong;
  }
  return wrong / 2000.0;
}

TEST(GreedyCover, LearnsAListFromEnoughRows) {
  const auto learner = Learner(1);
  ASSERT_TRUE(learner);
  testing::SeededRng rng(11);
  CoverData data(learner->space());
  for (int i = 0; i < 20000; ++i) {
    const Row row = RandomRow(rng);
    data.Add(row, Truth(row));
  }
  EXPECT_LT(GetError(learner->Fit(data, rng), 1), 0.02);
  EXPECT_EQ(GetError(learner->FitWithoutPrivacy(data), 1), 0);
}

TEST(GreedyCover, PromisesBeforeItHasSeenDataWhatWasAskedFor) {
  const auto learner = Learner(0.5);
  ASSERT_TRUE(learner);
  EXPECT_EQ(learner->guarantee().epsilon(), 0.5);
  EXPECT_EQ(learner->guarantee().delta(), 1e-6);
  EXPECT_EQ(learner->guarantee().relation(), Relation::kReplace);
  EXPECT_FALSE(Learner(0));
  EXPECT_FALSE(GreedyCover::Create({.epsilon = 1, .delta = 1e-6, .rules = 0},
                                   learner->space()));
  EXPECT_FALSE(GreedyCover::Create({.epsilon = 1, .delta = 1e-6, .bonus = 0.0},
                                   learner->space()));
}

// The same promise of a user with four rows: each gets a quarter, or less.
TEST(GreedyCoverTest, AUserOfFourRowsGetsFourTimesTheNoise) {
  const auto of = [](std::uint64_t rows, double shares) {
    return GreedyCover::Create({.epsilon = 1,
                                .delta = 1e-6,
                                .rules = 12,
                                .rows_per_user = rows,
                                .shares = shares},
                               *RuleSpace::Create(MixedColumns(), 1));
  };
  for (const double shares : {0.0, 0.1}) {
    const auto one = of(1, shares);
    const auto four = of(4, shares);
    ASSERT_TRUE(one && four);
    EXPECT_LT(four->rate().ToDoubleUp(), one->rate().ToDoubleUp() / 4);
    EXPECT_EQ(four->guarantee().rounds_per_user(), 4U);
    EXPECT_LE(four->guarantee().epsilon(), 1);
    EXPECT_LE(four->guarantee().delta(), 1e-6);
  }
}

// 20000 lists of one rule; a frequency off by 0.02 has probability below
// 2 exp(-2 * 20000 * 0.02^2) = 2.3e-7 for each of six rules: alpha < 1.4e-6.
// Printed lines: [Winnow] Alg. 1: its distribution.
// Printed lines: [Winnow] Alg. 4: its distribution.
TEST(GreedyCoverStatisticalTest, DrawsRulesByTheLawOfTheProof) {
  const auto space =
      RuleSpace::Create(FitColumns({{.name = "b", .kind = Kind::kBoolean}}), 1);
  const auto learner = GreedyCover::Create(
      {.epsilon = 20, .delta = 1e-3, .rules = 1, .penalty = 2, .reward = 1},
      *space);
  ASSERT_TRUE(learner);
  CoverData data(*space);
  data.Add(Row{1}, true);
  data.Add(Row{0}, false);
  // Always, b, not b; each with label 0 and 1.
  const double unit = learner->rate().ToDoubleUp();
  const std::array<double, 6> scores = {-1, -1, -2, 1, 1, -2};
  double total = 0;
  for (const double score : scores) total += std::exp(unit * score);
  std::array<int, 6> drawn{};
  testing::SeededRng rng(8);
  constexpr int kLists = 20000;
  for (int i = 0; i < kLists; ++i) {
    const ListRule rule = learner->Fit(data, rng).rules()[0];
    const std::size_t which =
        rule.literals.empty() ? 0U : (rule.literals[0].holds ? 1U : 2U);
    ++drawn[2 * which + (rule.label ? 1 : 0)];
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(drawn[i] / double{kLists}, std::exp(unit * scores[i]) / total,
                0.02);
  }
}

TEST(GreedyCover, FitsATableWithoutRows) {
  const auto learner = Learner(1);
  ASSERT_TRUE(learner);
  testing::SeededRng rng(3);
  EXPECT_EQ(learner->Fit(CoverData(learner->space()), rng).rules().size(), 12U);
}

TEST(CoverModel, IsReadBackAsItWasWritten) {
  const auto learner = Learner(1);
  ASSERT_TRUE(learner);
  testing::SeededRng rng(4);
  const CoverModel model{.list = learner->Fit(CoverData(learner->space()), rng),
                         .labels = {.negative = "no", .positive = "yes"},
                         .guarantee = learner->guarantee(),
                         .is_private = false,
                         .parameters = learner->parameters()};
  const auto json = Json::Parse(model.ToJson().Dump());
  ASSERT_TRUE(json);
  const auto again = CoverModel::FromJson(*json);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->list, model.list);
  EXPECT_EQ(again->parameters, model.parameters);
  EXPECT_EQ(again->guarantee.Describe(), model.guarantee.Describe());
  EXPECT_FALSE(again->is_private);
  EXPECT_EQ(again->ToJson(), *json);
}

}  // namespace
}  // namespace sotto
