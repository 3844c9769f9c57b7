// DecisionPERP as printed: small instances exactly, and the printed lines
// beside the class.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sotto/mechanisms/selection/exponential_mechanism.h"
#include "sotto/mechanisms/selection/selection_test_distribution.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/models/papers/sliced_cost.h"
#include "sotto/models/papers/sliced_test_distribution.h"
#include "sotto/models/papers/sliced_test_lines.h"
#include "sotto/models/stumps/decision_stumps_predictor.h"
#include "sotto/models/stumps/stump_test_tables.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::ForEachNeighbour;
using testing::MakeTable;
using testing::RectanglesLines;
using testing::Rows;
using testing::SeededRng;
using testing::SlicedDistribution;
using testing::SlicedRules;
using testing::Unit;

// --- Which points are relabelled 1.

using Multiset = std::multiset<double>;

Multiset Positives(const StumpTable& table, bool down, std::int64_t inside) {
  const auto first = table.First({0, down}, inside);
  return {first.begin(), first.end()};
}

// Elements of a that b does not have.
std::size_t Beyond(const Multiset& a, const Multiset& b) {
  std::vector<double> more;
  std::ranges::set_difference(a, b, std::back_inserter(more));
  return more.size();
}

// Calls visit(a, b) with the relabelled positives of neighbours; `inside` says
// how many rows are taken to be positive.
template <typename Inside, typename Visit>
void ForEachPositives(std::size_t most, const Inside& inside,
                      const Visit& visit) {
  ForEachNeighbour(most, [&](const Rows& a, const Rows& b) {
    const StumpTable with = MakeTable(a);
    const StumpTable without = MakeTable(b);
    for (std::int64_t p = -1; p <= static_cast<std::int64_t>(most) + 1; ++p) {
      for (const bool down : {false, true}) {
        visit(Positives(with, down, inside(with, p)),
              Positives(without, down, inside(without, p)));
      }
    }
  });
}

std::int64_t AsShown(const StumpTable&, std::int64_t p) { return p; }
// Broken: the number of positives itself.
std::int64_t AsItIs(const StumpTable& table, std::int64_t) {
  return table.positives();
}

TEST(DecisionPerpTest, ARowAddsRemovesOrSubstitutesOnePositive) {
  std::size_t substituted = 0;
  ForEachPositives(5, AsShown, [&](const Multiset& a, const Multiset& b) {
    ASSERT_LE(Beyond(a, b), 1u);
    ASSERT_LE(Beyond(b, a), 1u);
    substituted += a.size() == b.size() && a != b ? 1 : 0;
  });
  EXPECT_GT(substituted, 100u);
}

TEST(DecisionPerpTest, TheFirstAreWherePositivesAre) {
  const StumpTable table =
      MakeTable({{2, true}, {0, false}, {1, true}, {1, false}});
  EXPECT_EQ(Positives(table, false, 2), (Multiset{1, 2}));
  EXPECT_EQ(Positives(table, true, 3), (Multiset{0, 1, 1}));
  EXPECT_EQ(Positives(table, true, 9).size(), 4u);
  EXPECT_TRUE(Positives(table, false, -3).empty());
}

// --- The whole of it on small tables, exactly.

constexpr double kChoice = 0.4;  // epsilon of step 1
constexpr double kCount = 0.3;   // of step 2
constexpr double kTheta = 0.3;   // e^-e0 of tests
constexpr int kRounds = 2;

std::vector<int> Places(const Multiset& positives) {
  std::vector<int> places;
  for (const double x : positives) places.push_back(static_cast<int>(x));
  return places;
}

// Largest likelihood ratio of what is seen of Algorithm 5 on two sets, both
// directions; found once for each pair.
double GameRatio(const Multiset& a, const Multiset& b) {
  static std::map<std::pair<Multiset, Multiset>, double> known;
  const auto [place, fresh] = known.try_emplace({a, b}, 1);
  if (!fresh || a == b) return place->second;
  SlicedRules rules;
  rules.points = 3;
  rules.theta = kTheta;
  rules.stopper_theta = 0.75;
  rules.most_more = 1;
  rules.low = -2;
  rules.high = 3;
  rules.query_differs = false;
  rules.training_p = Places(a);
  rules.training_q = Places(b);
  for (const Direction way : {Direction::kPOverQ, Direction::kQOverP}) {
    const auto ratio =
        ExactGame(SlicedDistribution(rules), kRounds).MaxRatio(way);
    EXPECT_TRUE(ratio && *ratio);
    if (ratio && *ratio) place->second = std::max(place->second, **ratio);
  }
  return place->second;
}

double Larger(double a, double b) { return std::max(a / b, b / a); }

// Largest ratio over the axis and the noisy number of positives, which are
// shown, and all that follows; scores move one way for add-remove.
template <typename Inside>
double WorstRatio(const Rows& a, const Rows& b, bool monotone,
                  const Inside& inside) {
  const StumpTable with = MakeTable(a);
  const StumpTable without = MakeTable(b);
  const double rate = monotone ? kChoice : kChoice / 2;
  const auto chosen_with =
      ExponentialDistribution(std::exp(rate), with.Scores());
  const auto chosen_without =
      ExponentialDistribution(std::exp(rate), without.Scores());
  const DiscreteLaplaceDistribution<double> noise(std::exp(-kCount));
  double worst = 0;
  for (const bool down : {false, true}) {
    const std::size_t axis = down ? 1 : 0;
    for (int shown = -1; shown <= 4; ++shown) {
      const double first =
          Larger(chosen_with[axis], chosen_without[axis]) *
          Larger(noise.Mass(shown - static_cast<int>(with.positives())),
                 noise.Mass(shown - static_cast<int>(without.positives())));
      worst = std::max(
          worst,
          first * GameRatio(Positives(with, down, inside(with, shown)),
                            Positives(without, down, inside(without, shown))));
    }
  }
  return worst;
}

// Two rounds of tests in one dimension: one of them differs in each.
double Claimed() {
  return std::exp(kChoice + kCount) * std::pow(kTheta, -kRounds) * (1 + 1e-9);
}

TEST(DecisionPerpGameTest, ARowPaysForTheChoiceTheCountAndTheSlices) {
  double worst = 0;
  ForEachNeighbour(3, [&](const Rows& a, const Rows& b) {
    const double ratio = WorstRatio(a, b, a.size() != b.size(), AsShown);
    ASSERT_LE(ratio, Claimed());
    worst = std::max(worst, ratio);
  });
  EXPECT_GT(worst, 0.7 * Claimed());
}

// Positives by the number that is not shown: two of them move.
TEST(DecisionPerpGameTest, TheNumberOfPositivesAsItIsIsRefuted) {
  double worst = 0;
  ForEachNeighbour(3, [&](const Rows& a, const Rows& b) {
    worst = std::max(worst, WorstRatio(a, b, a.size() != b.size(), AsItIs));
  });
  EXPECT_GT(worst, 1.2 * Claimed());
}

// p^ cut to the number of rows, and shown: that number is private.
TEST(DecisionPerpGameTest, ACountThatIsCutAndShownIsRefuted) {
  const DiscreteLaplaceDistribution<double> noise(std::exp(-kCount));
  const auto cut = [&](int positives, int rows, int shown) {
    return shown > rows ? 0.0 : noise.ClampedMass(positives, shown, 0, rows);
  };
  double worst = 0;
  for (int shown = 0; shown <= 3; ++shown) {
    worst = std::max(worst, Larger(cut(2, 3, shown), cut(2, 2, shown)));
  }
  EXPECT_TRUE(std::isinf(worst));
}

// --- The class beside the printed lines.

constexpr std::uint32_t kFeatures = 3;

StumpsParams Params(bool printed) {
  return {.features = kFeatures,
          .epsilon = 16,
          .delta = 0.05,
          .relation = Relation::kAddRemove,
          .error = 0.5,
          .honest_fraction = 1,
          .paper = SlicedNumbers{.printed = printed, .constant = 0.25}};
}

using Table = std::vector<std::pair<SlicedPoint, bool>>;

// Least errors of any threshold on a coordinate.
std::int64_t LeastErrors(const Table& s, std::size_t j, bool down) {
  std::vector<std::pair<float, bool>> column;
  for (const auto& [x, y] : s) column.emplace_back(static_cast<float>(x[j]), y);
  std::sort(column.begin(), column.end());
  std::int64_t wrong = std::ranges::count_if(
      column, [&](const auto& row) { return row.second == down; });
  std::int64_t least = wrong;
  for (std::size_t i = 0; i < column.size(); ++i) {
    wrong += column[i].second != down ? 1 : -1;
    const bool tie =
        i + 1 < column.size() && column[i].first == column[i + 1].first;
    if (!tie) least = std::min(least, wrong);
  }
  return least;
}

// Algorithm 7 of [PERP], line by line, with the samplers' noise; sorted the
// right way, or `ascending` for sigma = 1 as printed.
class DecisionLines {
 public:
  DecisionLines(const StumpsParams& params, const BoundaryPhases& phases,
                const Table& s, bool ascending, Rng& rng)
      : phases_(phases) {
    const double share = params.paper->printed ? 0.25 : 1.0 / 32;
    // Step 1.
    std::vector<std::int64_t> scores;
    for (std::size_t j = 0; j < params.features; ++j) {
      for (const bool down : {false, true}) {
        scores.push_back(-LeastErrors(s, j, down));
      }
    }
    const auto choose =
        ExponentialMechanism::Create({.epsilon = share * params.epsilon,
                                      .candidates = scores.size(),
                                      .monotone = true});
    const std::size_t chosen = *choose->Select(scores, rng);
    j_ = chosen / 2;
    down_ = chosen % 2 == 1;
    // Step 2.
    std::int64_t p =
        std::ranges::count_if(s, [](const auto& row) { return row.second; });
    noise_ =
        FixedWorkLaplace::Create(ExactRate(*SnapRate(share * params.epsilon)))
            ->Sample(rng);
    p += noise_;
    // Step 3.
    std::vector<SlicedPoint> d;
    for (const auto& [x, y] : s) {
      d.push_back({static_cast<double>(static_cast<float>(x[j_]))});
    }
    std::sort(d.begin(), d.end());
    if (down_ == ascending) std::reverse(d.begin(), d.end());
    if (p < static_cast<std::int64_t>(d.size())) {
      d.resize(static_cast<std::size_t>(std::max<std::int64_t>(p, 0)));
    }
    // Step 4.
    rectangles_.emplace(phases_, std::move(d), rng);
  }

  std::size_t j() const { return j_; }
  bool down() const { return down_; }
  std::int64_t noise() const { return noise_; }  // added to the positives
  std::pair<int, bool> Time(const SlicedPoint* x) {
    if (x == nullptr) return rectangles_->Time(nullptr);
    const SlicedPoint projected = {(*x)[j_]};
    return rectangles_->Time(&projected);
  }

 private:
  const BoundaryPhases& phases_;
  std::size_t j_ = 0;
  bool down_ = false;
  std::int64_t noise_ = 0;
  std::optional<RectanglesLines> rectangles_;
};

SlicedPoint Draw(SeededRng& rng) {
  SlicedPoint x(kFeatures);
  for (double& v : x) v = Unit(rng);
  return x;
}

bool GetLabel(const SlicedPoint& x, bool down) {
  return down ? x[1] < 0.5 : x[1] >= 0.5;
}

Table DrawTable(SeededRng& rng, bool down, int rows) {
  Table table;
  for (int i = 0; i < rows; ++i) {
    const SlicedPoint x = Draw(rng);
    // A few labels are wrong.
    table.emplace_back(x, GetLabel(x, down) != (i % 500 == 0));
  }
  return table;
}

FeatureVector Features(const SlicedPoint& x) {
  FeatureVector features;
  for (std::uint32_t j = 0; j < x.size(); ++j) features.push_back({j, x[j]});
  return features;
}

Result<StumpsPredictor> Trained(const StumpsParams& params, const Table& table,
                                Rng& rng) {
  SOTTO_TRY_ASSIGN(auto training, StumpsTraining::Create(params));
  for (const auto& [x, y] : table) training.Add(Features(x), y);
  return std::move(training).Finish(rng);
}

// An empty round, a query near the threshold or anywhere.
const SlicedPoint* DrawQuery(SeededRng& rng, SlicedPoint& x) {
  const double kind = Unit(rng);
  x = Draw(rng);
  if (kind < 0.1) return nullptr;
  if (kind < 0.4) x[1] = 0.4 + 0.2 * x[1];
  if (kind < 0.5) x[1] = std::floor(8 * x[1]) / 8;
  return &x;
}

TEST(DecisionPerpTest, AnswersAsTheLinesOfThePaper) {
  for (const bool down : {false, true}) {
    const StumpsParams params = Params(false);
    SeededRng world(down ? 1 : 2);
    const Table table = DrawTable(world, down, 20'000);
    SeededRng here(7);
    SeededRng there(7);
    auto stump = Trained(params, table, here);
    ASSERT_TRUE(stump) << stump.error().message;
    const BoundaryPhases phases = stump->phases();
    DecisionLines lines(params, phases, table, false, there);
    EXPECT_EQ(stump->axis().feature, lines.j());
    EXPECT_EQ(stump->axis().down, lines.down());
    SlicedPoint x;
    int positive = 0;
    for (int i = 0; i < 100'000; ++i) {
      const SlicedPoint* query = DrawQuery(world, x);
      const auto printed = lines.Time(query);
      if (query == nullptr) {
        stump->PlayEmptyRound(here);
        continue;
      }
      const auto answer = stump->Answer(Features(x), here);
      ASSERT_EQ(answer.inside ? 1 : 0, printed.first) << i;
      ASSERT_EQ(answer.undecided, printed.second) << i;
      positive += answer.inside ? 1 : 0;
    }
    EXPECT_EQ(here.Next(), there.Next());
    EXPECT_GE(stump->phase(), 2u);
    EXPECT_GT(positive, 1'000);
  }
}

// With fewer positives than a slice has room for, a query far outside counts
// all p^ of them, between the thresholds: one more or less changes answers.
TEST(DecisionPerpTest, ThePositivesHaveTheNoiseOfThePaper) {
  const StumpsParams params = Params(false);
  const auto training = StumpsTraining::Create(params);
  ASSERT_TRUE(training);
  const auto margin =
      static_cast<int>(training->phases().phases[0].initial.low) + 1;
  const SlicedPoint above = {9, 9, 9};
  const SlicedPoint below = {-9, -9, -9};
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SeededRng world(seed);
    const Table table = DrawTable(world, seed % 2 == 0, 3 * margin);
    SeededRng here(seed);
    SeededRng there(seed);
    auto stump = Trained(params, table, here);
    ASSERT_TRUE(stump) << stump.error().message;
    const BoundaryPhases phases = stump->phases();
    DecisionLines lines(params, phases, table, false, there);
    moved += lines.noise() != 0 ? 1 : 0;
    for (int i = 0; i < 2'000; ++i) {
      const SlicedPoint& x = i % 2 == 0 ? above : below;
      const auto answer = stump->Answer(Features(x), here);
      const auto printed = lines.Time(&x);
      ASSERT_EQ(answer.inside ? 1 : 0, printed.first) << seed << " " << i;
      ASSERT_EQ(answer.undecided, printed.second) << seed << " " << i;
    }
  }
  EXPECT_GE(moved, 3);
}

// The first p^ in ascending order for sigma = 1 are the negatives.
TEST(DecisionPerpTest, SortedAsPrintedItLearnsTheOpposite) {
  const StumpsParams params = Params(false);
  SeededRng world(3);
  const Table table = DrawTable(world, false, 20'000);
  const auto training = StumpsTraining::Create(params);
  ASSERT_TRUE(training);
  for (const bool ascending : {false, true}) {
    SeededRng rng(8);
    DecisionLines lines(params, training->phases(), table, ascending, rng);
    int wrong = 0;
    for (int i = 0; i < 2'000; ++i) {
      const SlicedPoint x = Draw(world);
      wrong += (lines.Time(&x).first == 1) != GetLabel(x, false) ? 1 : 0;
    }
    EXPECT_EQ(wrong > 1'000, ascending) << wrong;
  }
}

TEST(DecisionPerpTest, AStateContinuesAndIsOfItsForm) {
  const StumpsParams params = Params(false);
  SeededRng world(4);
  const Table table = DrawTable(world, true, 8'000);
  SeededRng rng(9);
  auto stump = Trained(params, table, rng);
  ASSERT_TRUE(stump);
  SlicedPoint x;
  for (int i = 0; i < 30'000; ++i) stump->Answer(Features(Draw(world)), rng);
  EXPECT_GE(stump->phase(), 1u);
  ByteWriter writer;
  stump->Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = StumpsPredictor::Load(params, reader);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(reader.Finish());
  EXPECT_EQ(loaded->axis(), stump->axis());
  EXPECT_EQ(loaded->guarantee().Describe(), stump->guarantee().Describe());
  SeededRng here(10);
  SeededRng there(10);
  for (int i = 0; i < 20'000; ++i) {
    const FeatureVector query = Features(Draw(world));
    ASSERT_EQ(stump->Answer(query, here).inside,
              loaded->Answer(query, there).inside);
  }
  StumpsParams ours = params;
  ours.paper.reset();
  ByteReader other(writer.bytes());
  EXPECT_FALSE(StumpsPredictor::Load(ours, other));
}

// Shares of the paper and ours; what is left is for the slices, and a query has
// all of epsilon.
TEST(DecisionPerpTest, APartOfEpsilonIsForEachStepAndTheyAddUp) {
  for (const bool printed : {false, true}) {
    StumpsParams params = Params(printed);
    params.epsilon = 8;
    params.delta = 1e-3;
    params.error = 0.2;
    params.paper->constant = 1;
    const auto training = StumpsTraining::Create(params);
    ASSERT_TRUE(training) << training.error().message;
    const double share = printed ? 2 : 0.25;
    const Spend& row = training->guarantee().spend().parts[0];
    ASSERT_EQ(row.parts.size(), 3u);
    EXPECT_NEAR(Total(row.parts[0]).epsilon, share, 1e-6);
    EXPECT_NEAR(Total(row.parts[1]).epsilon, share, 1e-6);
    EXPECT_NEAR(Total(row.parts[2]).epsilon, 8 - 2 * share, 1e-6);
    EXPECT_LE(Total(row).epsilon, 8);
    const BoundaryTarget& target = training->phases().target;
    EXPECT_EQ(target.error, 0.1);
    EXPECT_EQ(target.sides, 2u);
    // The slices' part is what their noise costs at that epsilon.
    EXPECT_GE(row.parts[2].cost.delta,
              SlicesDelta(training->phases().phases[0].initial, 2,
                          target.training_epsilon));
    EXPECT_LE(row.parts[2].cost.delta, training->phases().schedule.At(0));
  }
}

}  // namespace
}  // namespace sotto
