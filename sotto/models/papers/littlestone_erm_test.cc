// Exact checks of LittlestoneErm on small instances: the distribution of the
// published hypothesis, by enumeration of where rows are dealt, what the test
// answers and what is drawn, for every table of a few rows and every change of
// one of them, against (epsilon, delta) as littlestone_erm.md, step 4, adds
// them up. Broken variants exceed it, and the program draws from that
// distribution.
#include "sotto/models/papers/littlestone_erm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/paper_learners.h"
#include "sotto/mechanisms/thresholds/above_threshold.h"
#include "sotto/models/papers/littlestone_erm_plan.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Labels = TeacherLists::Labels;
using Chunk = LittlestoneErm::Chunk;
using Row = std::optional<std::pair<std::uint32_t, bool>>;
using Table = std::vector<Row>;
// Functions drawn, and the stage they were drawn in, which is not published; 0:
// none.
using Outcome = std::pair<std::uint64_t, std::vector<Labels>>;
using Distribution = std::map<Outcome, double>;

// Deviations from the page; each is a broken variant.
struct BrokenVariant {
  bool cuts = true;          // lists to what was declared
  bool reads_two = false;    // a teacher reads its neighbour's chunk too
  std::int64_t counted = 1;  // what the test counts for each teacher
  std::size_t draws = 1;     // from the same lists
};

std::shared_ptr<const FiniteClass> Class(const char* name) {
  return std::make_shared<const FiniteClass>(*ReadClass(name));
}

LittlestoneErm Make(LittlestoneErm::Params params) {
  params.budget.user = {8, 0.5};
  auto made = LittlestoneErm::Create(std::move(params));
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return std::move(**made);
}

// All of the mechanism but the mechanism: lists are those of the library.
class Enumeration {
 public:
  Enumeration(const LittlestoneErm& erm, const BrokenVariant& variant)
      : erm_(erm),
        variant_(variant),
        lists_({.functions = erm.params().functions,
                .dimension = erm.params().dimension,
                .list_size = variant.cuts ? erm.params().list_size : 1000,
                .form = erm.params().form}) {
    if (erm.params().stages == 1) return;
    const auto test =
        AboveThreshold::Create({.epsilon = erm.params().test_epsilon,
                                .threshold = erm.params().threshold});
    threshold_rate_ = test->threshold_rate();
    query_rate_ = test->query_rate();
    offset_ = std::llround(1 / std::expm1(query_rate_) -
                           1 / std::expm1(threshold_rate_));
  }

  // Over all ways to deal the rows.
  Distribution Of(const Table& table) {
    Distribution distribution;
    const std::size_t teachers = erm_.params().teachers;
    std::size_t ways = 1;
    for (std::size_t i = 0; i < table.size(); ++i) ways *= teachers;
    for (std::size_t way = 0; way < ways; ++way) {
      std::vector<Chunk> chunks(teachers);
      std::size_t rest = way;
      for (const Row& row : table) {
        const std::size_t teacher = rest % teachers;
        rest /= teachers;
        if (!row) continue;
        chunks[teacher].push_back(*row);
        if (variant_.reads_two)
          chunks[(teacher + 1) % teachers].push_back(*row);
      }
      AddStages(chunks, 1 / static_cast<double>(ways), distribution);
    }
    return distribution;
  }

 private:
  using Lists = std::vector<std::vector<SparseSample::Item>>;

  // The noise of the threshold is carried as a distribution over stages.
  void AddStages(const std::vector<Chunk>& chunks, double weight,
                 Distribution& distribution) {
    std::vector<double> survives = {1};
    if (erm_.params().stages > 1) survives = ThresholdNoise();
    for (std::uint64_t stage = 1; stage <= erm_.params().stages; ++stage) {
      Lists lists;
      for (const Chunk& chunk : chunks) {
        lists.push_back(lists_.Of(erm_.Kept(chunk, stage), erm_.PAt(stage)));
      }
      double fires = survives[0];
      if (erm_.params().stages > 1) fires = Fire(lists, survives);
      AddDraws(lists, weight * fires, {stage, {}}, distribution);
    }
    if (erm_.params().stages == 1) return;
    for (const double left : survives) distribution[{0, {}}] += weight * left;
  }

  std::vector<double> ThresholdNoise() const {
    std::vector<double> noise;
    for (int rho = 0; rho * threshold_rate_ < 40; ++rho) {
      noise.push_back(-std::expm1(-threshold_rate_) *
                      std::exp(-threshold_rate_ * rho));
    }
    return noise;
  }

  double Fire(const Lists& lists, std::vector<double>& survives) const {
    const std::int64_t value = variant_.counted * TopFrequency(lists);
    double fires = 0;
    for (std::size_t rho = 0; rho < survives.size(); ++rho) {
      const std::int64_t missing = erm_.params().threshold + offset_ +
                                   static_cast<std::int64_t>(rho) - value;
      const double above =
          std::exp(-query_rate_ *
                   static_cast<double>(std::max<std::int64_t>(missing, 0)));
      fires += survives[rho] * above;
      survives[rho] *= 1 - above;
    }
    return fires;
  }

  void AddDraws(const Lists& lists, double weight, const Outcome& before,
                Distribution& distribution) {
    if (before.second.size() == variant_.draws) {
      distribution[before] += weight;
      return;
    }
    const double rate = erm_.params().sample.epsilon / 2;
    std::map<SparseSample::Item, double> scores;
    for (const auto& list : lists) {
      for (const auto item : list) ++scores[item];
    }
    const double nothing =
        std::exp(rate * static_cast<double>(erm_.sample().bottom()));
    double sum = nothing;
    for (const auto& [item, score] : scores) sum += std::exp(rate * score);
    for (const auto& [item, score] : scores) {
      auto after = before;
      after.second.push_back(lists_.labels(item));
      AddDraws(lists, weight * std::exp(rate * score) / sum, after,
               distribution);
    }
    auto after = before;
    after.second.emplace_back();  // nothing
    AddDraws(lists, weight * nothing / sum, after, distribution);
  }

  const LittlestoneErm& erm_;
  BrokenVariant variant_;
  TeacherLists lists_;
  double threshold_rate_ = 0;
  double query_rate_ = 0;
  std::int64_t offset_ = 0;
};

double ComputeDelta(const Distribution& p, const Distribution& q,
                    double epsilon) {
  double delta = 0;
  for (const auto& [outcome, mass] : p) {
    const auto other = q.find(outcome);
    const double there = other == q.end() ? 0 : other->second;
    delta += std::max(0.0, mass - std::exp(epsilon) * there);
  }
  return delta;
}

// Every table of `rows` rows, each of the points with either label, or empty.
std::vector<Table> AllTables(std::uint32_t points, std::size_t rows) {
  std::vector<Row> rows_there = {std::nullopt};
  for (std::uint32_t x = 0; x < points; ++x) {
    for (const bool y : {false, true}) rows_there.emplace_back(std::pair(x, y));
  }
  std::vector<Table> tables = {{}};
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<Table> longer;
    for (const Table& table : tables) {
      for (const Row& row : rows_there) {
        longer.push_back(table);
        longer.back().push_back(row);
      }
    }
    tables = std::move(longer);
  }
  return tables;
}

// The delta of the worst pair of tables that differ in their last row, both
// ways (rows are dealt alike wherever they stand), at the epsilon claimed.
double WorstDelta(const LittlestoneErm& erm, const BrokenVariant& variant,
                  std::size_t rows, double epsilon) {
  Enumeration enumeration(erm, variant);
  const auto points =
      static_cast<std::uint32_t>(erm.params().functions->points());
  const std::vector<Table> others = AllTables(points, rows - 1);
  const std::vector<Table> lasts = AllTables(points, 1);
  double worst = 0;
  for (const Table& other : others) {
    if (!std::ranges::is_sorted(other)) continue;  // the order tells nothing
    std::vector<Distribution> distributions;
    for (const Table& last : lasts) {
      Table table = other;
      table.push_back(last[0]);
      distributions.push_back(enumeration.Of(table));
    }
    for (const Distribution& p : distributions) {
      for (const Distribution& q : distributions) {
        worst = std::max(worst, ComputeDelta(p, q, epsilon));
      }
    }
  }
  return worst;
}

struct Claim {
  double epsilon = 0;
  double delta = 0;
};

// Step 4, without the samplers' slack.
Claim GetClaim(const LittlestoneErm& erm) {
  const auto& params = erm.params();
  const double test = params.stages > 1 ? params.test_epsilon : 0;
  return {test + params.sample.epsilon,
          SparseSampleDelta(params.sample.epsilon / 2, params.list_size,
                            erm.sample().bottom())};
}

LittlestoneErm OneTeacher() {
  return Make({.functions = Class("points:3"),
               .dimension = 1,
               .p = 3,
               .list_size = 2,
               .sample = {1.5, 0.2}});
}

LittlestoneErm TwoStages() {
  return Make({.functions = Class("points:4"),
               .dimension = 1,
               .teachers = 2,
               .p = 1,
               .stages = 2,
               .tolerance = 0.4,
               .list_size = 4,
               .threshold = 2,
               .test_epsilon = 1.5,
               .sample = {1, 0.3}});
}

TEST(LittlestoneErmTest, EveryChangeOfARowCostsWhatIsClaimed) {
  // A list of new hypotheses where there were none attains it.
  const LittlestoneErm one = OneTeacher();
  const Claim claim = GetClaim(one);
  EXPECT_NEAR(WorstDelta(one, {}, 2, claim.epsilon), claim.delta, 1e-9);
  const LittlestoneErm two = TwoStages();
  const double worst = WorstDelta(two, {}, 3, GetClaim(two).epsilon);
  EXPECT_LE(worst, GetClaim(two).delta);
  EXPECT_GT(worst, 0.1 * GetClaim(two).delta);
}

// Delta of the broken variant over the claimed one, next to the sound one's.
struct Cost {
  double sound = 0;
  double broken = 0;
};

Cost ComputeCost(const LittlestoneErm& erm, const BrokenVariant& variant,
                 std::size_t rows) {
  const Claim claim = GetClaim(erm);
  return {WorstDelta(erm, {}, rows, claim.epsilon) / claim.delta,
          WorstDelta(erm, variant, rows, claim.epsilon) / claim.delta};
}

TEST(LittlestoneErmTest, AListLongerThanDeclaredCostsMore) {
  LittlestoneErm::Params params = OneTeacher().params();
  params.list_size = 1;
  const Cost cost = ComputeCost(Make(params), {.cuts = false}, 2);
  EXPECT_LE(cost.sound, 1 + 1e-6);
  EXPECT_GT(cost.broken, 1.5);
}

TEST(LittlestoneErmTest, ATeacherWhoReadsTwoChunksCostsMore) {
  LittlestoneErm::Params params = OneTeacher().params();
  params.teachers = 2;
  const Cost cost = ComputeCost(Make(params), {.reads_two = true}, 2);
  EXPECT_LE(cost.sound, 1 + 1e-6);
  EXPECT_GT(cost.broken, 1.5);
}

TEST(LittlestoneErmTest, ListsDrawnFromTwiceCostMore) {
  const Cost cost = ComputeCost(OneTeacher(), {.draws = 2}, 2);
  EXPECT_GT(cost.broken, 1.5);
}

TEST(LittlestoneErmTest, AFrequencyOfSensitivityTwoCostsMore) {
  LittlestoneErm::Params params = TwoStages().params();
  params.sample = {0.001, 1e-6};
  const Cost cost = ComputeCost(Make(params), {.counted = 2}, 3);
  EXPECT_LE(cost.sound, 1 + 1e-6);
  EXPECT_GT(cost.broken, 100);
}

FitBatch MakeBatch(const Table& table) {
  FitBatch batch(1);
  for (const Row& row : table) {
    if (row) {
      batch.Add(std::vector{row->first}, row->second);
    } else {
      batch.PadTo(batch.size() + 1);
    }
  }
  return batch;
}

ErmOptions WishesFor(const char* name) {
  return {.functions = Class(name), .budget = {.user = {1, 1e-6}}};
}

// A table of which function `target` is right.
FitBatch RightTable(const FiniteClass& functions, std::size_t target,
                    std::size_t rows, Rng& rng) {
  FitBatch batch(1);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto x = static_cast<std::uint32_t>(rng.Next() % functions.points());
    batch.Add(std::vector{x}, functions.Label(target, x));
  }
  return batch;
}

std::size_t CountErrors(const FitHypothesis& h, const FitBatch& batch) {
  std::size_t errors = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    errors += h.Predict(batch.row(i)) != (batch.label(i) == 1) ? 1 : 0;
  }
  return errors;
}

TEST(LittlestoneErmTest, AsManyRowsAsPlannedSuffice) {
  testing::SeededRng rng(2);
  for (const char* name : {"thresholds:15", "points:30", "intervals:5"}) {
    const auto params = ChooseErm(WishesFor(name));
    ASSERT_TRUE(params) << params.error().message;
    const auto erm = LittlestoneErm::Create(*params);
    ASSERT_TRUE(erm) << erm.error().message;
    ASSERT_TRUE((*erm)->proves_rows());
    const double rows = (*erm)->RowsFor(0.1, 0.05);
    EXPECT_LT(rows, 500);
    int failures = 0;
    for (int run = 0; run < 20; ++run) {
      const auto batch = RightTable(*params->functions, run % 10,
                                    static_cast<std::size_t>(rows), rng);
      const std::size_t errors = CountErrors((*erm)->Fit(batch, rng), batch);
      failures += 10 * errors > batch.size() ? 1 : 0;
    }
    EXPECT_LE(failures, 1) << name;
  }
}

TEST(LittlestoneErmTest, FewerTeachersThanNeededAreNeverEnough) {
  ErmOptions options = WishesFor("thresholds:15");
  options.teachers = 10;
  const auto erm = LittlestoneErm::Create(*ChooseErm(options));
  ASSERT_TRUE(erm);
  EXPECT_TRUE(std::isinf((*erm)->RowsFor(0.1, 0.05)));
}

// All labels 0: the essential hypothesis of many points is the function that is
// 0 everywhere, which is not in the class.
TEST(LittlestoneErmTest, WithASmallPItFindsAFunctionOutsideTheClass) {
  ErmOptions options = WishesFor("points:14");
  options.p = 1;
  options.budget.user = {8, 1e-3};
  const auto params = ChooseErm(options);
  ASSERT_TRUE(params);
  EXPECT_EQ(params->stages, 2U);
  EXPECT_LT(params->list_size, 14U);
  const auto erm = LittlestoneErm::Create(*params);
  ASSERT_TRUE(erm) << erm.error().message;
  EXPECT_FALSE((*erm)->proves_rows());
  FitBatch batch(1);
  for (std::uint32_t i = 0; i < 4 * params->teachers; ++i) {
    batch.Add(std::vector{i % 14}, false);
  }
  testing::SeededRng rng(1);
  EXPECT_EQ((*erm)->Fit(batch, rng).table(), Labels(14, false));
  options.proper = true;
  const auto proper = LittlestoneErm::Create(*ChooseErm(options));
  ASSERT_TRUE(proper) << proper.error().message;
  const Labels chosen = (*proper)->Fit(batch, rng).table();
  EXPECT_EQ(std::ranges::count(chosen, true), 1);
}

TEST(LittlestoneErmTest, EmptyTablesAndRowsOutsideTheClassAreNothing) {
  const LittlestoneErm erm = OneTeacher();
  testing::SeededRng rng(1);
  testing::SeededRng same(1);
  const FitBatch outside = MakeBatch({std::pair(3U, true)});
  const FitBatch empty = MakeBatch({std::nullopt});
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(erm.Fit(outside, rng), erm.Fit(empty, same));
  }
}

TEST(LittlestoneErmTest, ThePapersConstantsRunAndCostFarMore) {
  ErmOptions options = WishesFor("points:2");
  options.paper = true;
  const auto params = ChooseErm(options);
  ASSERT_TRUE(params);
  EXPECT_EQ(params->stages, 2U);
  EXPECT_GT(params->teachers, 500U);
  const auto erm = LittlestoneErm::Create(*params);
  ASSERT_TRUE(erm) << erm.error().message;
  testing::SeededRng rng(3);
  const auto batch = RightTable(*params->functions, 1, 10'000, rng);
  EXPECT_EQ(CountErrors((*erm)->Fit(batch, rng), batch), 0U);
  EXPECT_GT(PaperErmFor(1, 0.1, 0.05, 1, 1e-6).rows, 1e7);
}

TEST(LittlestoneErmTest, RefusesWhatCostsMoreThanTheBudget) {
  auto params = *ChooseErm(WishesFor("thresholds:7"));
  params.sample.epsilon *= 1.01;
  const auto dear = LittlestoneErm::Create(params);
  ASSERT_FALSE(dear);
  EXPECT_EQ(dear.error().code, ErrorCode::kBudgetExhausted);
  ErmOptions pure = WishesFor("thresholds:7");
  pure.budget.user.delta = 0;
  EXPECT_FALSE(ChooseErm(pure));
  ErmOptions points = WishesFor("points:64");
  points.p = 1;
  points.form = TeacherLists::Form::kExact;  // by the formula
  EXPECT_TRUE(LittlestoneErm::Create(*ChooseErm(points)));
  ErmOptions large = WishesFor("thresholds:63");
  large.p = 1;
  EXPECT_TRUE(LittlestoneErm::Create(*ChooseErm(large)));  // greedy lists
  large.form = TeacherLists::Form::kExact;
  EXPECT_FALSE(LittlestoneErm::Create(*ChooseErm(large)));
  for (const auto& spoil : std::vector<void (*)(LittlestoneErm::Params&)>{
           [](auto& p) { p.teachers = 0; }, [](auto& p) { p.stages = 0; },
           [](auto& p) { p.tolerance = 1; }, [](auto& p) { p.p = 0; },
           [](auto& p) { p.dimension = 30; },
           [](auto& p) { p.list_size = 0; }}) {
    auto bad = *ChooseErm(WishesFor("thresholds:7"));
    spoil(bad);
    EXPECT_FALSE(LittlestoneErm::Create(bad));
  }
}

// alpha = 1e-6; a threshold that two teachers reach, and one above them.
class LittlestoneErmStatisticalTest
    : public ::testing::TestWithParam<std::int64_t> {};

INSTANTIATE_TEST_SUITE_P(Thresholds, LittlestoneErmStatisticalTest,
                         ::testing::Values(2, 4));

// Printed lines: [Littlestone] Thm 3: its distribution.
TEST_P(LittlestoneErmStatisticalTest, FollowsTheCheckedDistribution) {
  LittlestoneErm::Params params = TwoStages().params();
  params.threshold = GetParam();
  const LittlestoneErm erm = Make(params);
  const Table table = {std::pair(0U, true), std::pair(1U, false), std::nullopt,
                       std::pair(9U, true), std::pair(0U, true)};
  Table inside = table;  // a point outside the class is an empty row
  inside[3] = std::nullopt;
  std::map<Labels, double> distribution;
  const Labels first = erm.First().table();
  for (const auto& [outcome, mass] : Enumeration(erm, {}).Of(inside)) {
    const bool nothing =
        outcome.second.empty() || outcome.second.front().empty();
    distribution[nothing ? first : outcome.second.front()] += mass;
  }
  std::map<Labels, std::uint64_t> counts;
  testing::SeededRng rng(4);
  const FitBatch batch = MakeBatch(table);
  for (int i = 0; i < 2'000; ++i) ++counts[erm.Fit(batch, rng).table()];
  std::vector<double> expected;
  std::vector<std::uint64_t> seen;
  for (const auto& [labels, mass] : distribution) {
    expected.push_back(mass);
    seen.push_back(counts[labels]);
  }
  EXPECT_GE(distribution.size(), 3U);
  EXPECT_GT(ChiSquaredPValue(seen, expected), 1e-6);
}

}  // namespace
}  // namespace sotto
