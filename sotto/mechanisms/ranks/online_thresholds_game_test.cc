#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "sotto/mechanisms/ranks/online_thresholds_line.h"
#include "sotto/mechanisms/ranks/online_thresholds_plan.h"
#include "sotto/mechanisms/ranks/online_thresholds_search.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/exact_game.h"

namespace sotto {
namespace {

// OnlineThresholds on four records in one world and three in the other, with
// the PivotLine and ThresholdSearch it uses, played draw by draw: the adversary
// sees every zone, not only the answers. Released values are clamped to
// [0, kTop], which is post-processing.
constexpr int kTop = 6;
constexpr std::array<double, 4> kRecords = {2, 1.5, 2.5,
                                            2};  // the last differs

// Pr[Z = z] for |z| <= kReach of a discrete Gaussian; beyond it lies less than
// 1e-15.
constexpr int kReach = 12;
std::vector<double> GaussianMasses(std::int64_t variance) {
  std::vector<double> masses;
  double sum = 0;
  for (int z = -kReach; z <= kReach; ++z) {
    masses.push_back(std::exp(-z * z / (2.0 * static_cast<double>(variance))));
    sum += masses.back();
  }
  for (double& mass : masses) mass /= sum;
  return masses;
}

struct OnlineThresholdsDistribution {
  using Number = double;
  using State = std::monostate;
  struct Context {
    std::optional<PivotLine> line;  // none: the size comes first
    std::optional<ThresholdSearch> search;
    double x = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): the 0 of a defaulted comparison
    friend auto operator<=>(const Context&, const Context&) = default;
  };
  using Move = double;      // the query; while a search runs, the same again
  using Observation = int;  // a released value, or one of these
  static constexpr int kBelow = -1;
  static constexpr int kAbove = -2;

  OnlineThresholdsPlan plan;
  std::vector<double> masses = GaussianMasses(plan.value_variance);
  std::vector<double> queries = {1.75, 2.6, 3};

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{1.0, {}}};
  }
  std::vector<Move> Moves(const Context& context) const {
    if (!context.line) return {0.0};
    if (context.search) return {context.x};
    std::vector<Move> moves;
    for (const double x : queries) {
      const std::size_t gap = context.line->FindGap(x);
      const bool known = context.line->pivots()[gap].at == x;
      if (!known && context.line->Parts(gap) > 1) moves.push_back(x);
    }
    return moves;
  }

  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context& context, const State&,
      const Move& move) const {
    constexpr double kEverything = 1e300;
    if (!context.line) return Release(Rank(world, kEverything), 0, 1);
    const Context now = Searching(context, move);
    const std::size_t gap = now.search->gap();
    const auto& pivots = now.line->pivots();
    const bool left = now.search->from_left();
    const std::int64_t count =
        Count(world, pivots[left ? gap : gap + 1].at, move);
    const std::int64_t excess = now.search->Excess(count);
    const DiscreteLaplaceDistribution<double> noise(std::exp(-plan.rate));
    const auto at_most = static_cast<int>(-(plan.band / 2) - 1 - excess);
    const auto at_least = static_cast<int>(plan.band - plan.band / 2 - excess);
    const double below = noise.AtMost(at_most);
    const double above = noise.AtLeast(at_least);
    PivotLine line = *now.line;
    const std::size_t pivot = line.Split(gap, move, left);
    const Pivot from = line.pivots()[line.Reference(pivot, left)];
    const std::int64_t records = Count(world, from.at, move);
    auto outcomes = Release(from.at < move ? records : -records, from.value,
                            1 - below - above);
    outcomes.push_back({below, kBelow, {}});
    outcomes.push_back({above, kAbove, {}});
    return outcomes;
  }

  Context Next(const Context& context, const Move& move,
               const Observation& seen) const {
    if (!context.line) {
      return {.line = PivotLine(plan, seen, 0.05), .search = std::nullopt};
    }
    Context next = Searching(context, move);
    if (seen >= 0) {
      const bool left = next.search->from_left();
      const std::size_t pivot =
          next.line->Split(next.search->gap(), move, left);
      next.line->Measure(pivot, next.line->Reference(pivot, left), seen);
      next.search.reset();
    } else {
      next.search->Vote(seen == kAbove);
      if (next.search->done()) next.search.reset();
    }
    if (!next.search) next.x = 0;
    return next;
  }

 private:
  static Context Searching(Context context, double x) {
    if (context.search) return context;
    context.search.emplace(*context.line, context.line->FindGap(x));
    context.x = x;
    return context;
  }
  static std::int64_t Rank(World world, double x) {
    const auto end = kRecords.end() - (world == World::kP ? 0 : 1);
    return std::count_if(kRecords.begin(), end,
                         [x](double record) { return record < x; });
  }
  static std::int64_t Count(World world, double a, double b) {
    return std::abs(Rank(world, a) - Rank(world, b));
  }
  std::vector<Outcome<Number, Observation, State>> Release(
      std::int64_t records, std::int64_t base, double probability) const {
    std::array<double, kTop + 1> mass{};
    std::int64_t unclamped = base + records - kReach;
    for (const double one : masses) {
      const auto value = std::clamp<std::int64_t>(unclamped++, 0, kTop);
      mass[static_cast<std::size_t>(value)] += one;
    }
    std::vector<Outcome<Number, Observation, State>> outcomes;
    for (int value = 0; value <= kTop; ++value) {
      outcomes.push_back(
          {probability * mass[static_cast<std::size_t>(value)], value, {}});
    }
    return outcomes;
  }
};

// A wide band, so that paid tests are likely and four draws show what they
// cost.
OnlineThresholdsPlan SmallPlan(std::int64_t tests, std::int64_t values) {
  return {.rate = 0.2,
          .band = 40,
          .value_variance = 1,
          .tests = tests,
          .values = values,
          .width = 1,
          .votes = 1,
          .max_parts = 4};
}

double LogMoment(const OnlineThresholdsPlan& plan, int order,
                 Direction direction, int moves) {
  const ExactGame game(OnlineThresholdsDistribution{.plan = plan}, moves);
  return std::log(**game.Moment(order, direction));
}

TEST(OnlineThresholdsGameTest, ExactMomentsStayBelowTheChargedOnes) {
  const OnlineThresholdsPlan plan = SmallPlan(1, 2);
  for (const int order : {2, 3}) {
    const double charged = OnlineThresholdsLogMoment(plan, 1, 2, order);
    for (const Direction direction : {Direction::kPOverQ, Direction::kQOverP}) {
      const double exact = LogMoment(plan, order, direction, 4);
      EXPECT_LE(exact, charged);
      EXPECT_GT(exact, 0.5 * charged);
    }
  }
}

// Narrow bands and cheap values: here the tests are what is paid for.
TEST(OnlineThresholdsGameTest, NarrowBandsStayBelowTheChargedMomentsToo) {
  OnlineThresholdsPlan plan = SmallPlan(2, 3);
  plan.band = 3;
  plan.value_variance = 9;
  plan.votes = 2;
  const double charged = OnlineThresholdsLogMoment(plan, 2, 3, 2);
  for (const Direction direction : {Direction::kPOverQ, Direction::kQOverP}) {
    const double exact = LogMoment(plan, 2, direction, 5);
    EXPECT_LE(exact, charged);
    EXPECT_GT(exact, OnlineThresholdsLogMoment(plan, 0, 1, 2));
  }
}

// Broken variants: the line lets a region be counted once more than is charged.
TEST(OnlineThresholdsGameTest, ARegionCountedOnceMoreThanChargedIsRefuted) {
  const double charged = OnlineThresholdsLogMoment(SmallPlan(1, 2), 1, 2, 2);
  EXPECT_GT(LogMoment(SmallPlan(2, 3), 2, Direction::kPOverQ, 4), charged);
}

// The same with values that cost nothing, as if only tests were paid.
TEST(OnlineThresholdsGameTest, FreeValuesAreRefuted) {
  const double charged = OnlineThresholdsLogMoment(SmallPlan(1, 2), 1, 1, 2);
  EXPECT_GT(LogMoment(SmallPlan(1, 2), 2, Direction::kPOverQ, 4), charged);
}

}  // namespace
}  // namespace sotto
