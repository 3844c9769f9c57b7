// Rows that learn one point of N: the Littlestone paper's minimiser against the
// exponential mechanism.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bench/gallery/figures.h"
#include "sotto/learners/classes/class_file.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/papers/littlestone_erm_plan.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::gallery {
namespace {

constexpr double kEpsilon = 1;
constexpr double kDelta = 1e-6;
constexpr std::uint64_t kSmallP = 4;  // stages of 8 and 16

// Half of the rows are the secret point, labelled 1; the others are drawn from
// all others, labelled 0.
FitBatch DrawRows(std::uint32_t points, std::uint32_t secret, std::size_t rows,
                  Rng& rng) {
  FitBatch batch(1);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool one = (rng.Next() & 1) != 0;
    auto other = static_cast<std::uint32_t>(rng.Next() % (points - 1));
    other += other >= secret ? 1 : 0;
    batch.Add(std::array{one ? secret : other}, one);
  }
  return batch;
}

// How many of the fits are right at the secret point and wrong at hardly any
// other.
int CountGood(const PrivateFit& fit, std::uint32_t points, std::size_t rows,
              int runs) {
  testing::SeededRng rng(rows);
  int good = 0;
  for (int run = 0; run < runs; ++run) {
    const auto secret = static_cast<std::uint32_t>(rng.Next() % points);
    const FitBatch batch = DrawRows(points, secret, rows, rng);
    const FitHypothesis h = fit.Fit(batch, rng);
    std::uint32_t others = 0;
    for (std::uint32_t x = 0; x < points; ++x) {
      others += x != secret && h.Predict(std::array{x}) ? 1 : 0;
    }
    const bool right = h.Predict(std::array{secret});
    good += right && 10 * others <= points ? 1 : 0;
  }
  return good;
}

// The first of 20, 21, 22, ... (5 % apart) rows with which 95 % are good.
double LeastRows(const PrivateFit& fit, std::uint32_t points, int runs) {
  int low = 0;
  int high = 120;
  const auto rows = [](int step) {
    return static_cast<std::size_t>(std::lround(20 * std::pow(1.05, step)));
  };
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    const bool enough =
        20 * CountGood(fit, points, rows(middle), runs) >= 19 * runs;
    (enough ? high : low) = middle;
  }
  return static_cast<double>(rows(high));
}

std::shared_ptr<const FiniteClass> MakePoints(std::uint32_t count) {
  return std::make_shared<const FiniteClass>(
      *ReadClass("points:" + std::to_string(count)));
}

Result<std::unique_ptr<LittlestoneErm>> MakeErm(
    std::shared_ptr<const FiniteClass> functions,
    std::optional<std::uint64_t> p) {
  SOTTO_TRY_ASSIGN(const auto params,
                   ChooseErm({.functions = std::move(functions),
                              .budget = {.user = {kEpsilon, kDelta}},
                              .p = p}));
  return LittlestoneErm::Create(params);
}

FigurePoint Measured(double x, double rows) {
  return {x, rows, rows / 1.05, rows * 1.05};
}

Figure Make(bool small) {
  Figure figure{"Rows that learn one of N points, epsilon 1", "points N",
                "rows for 95 %", true, false};
  const int runs = small ? 20 : 40;
  FigureCurve essential{.name = "DP-ERM, essential lists", .seeds = runs};
  FigureCurve apart{.name = "DP-ERM, lists of all functions", .seeds = runs};
  FigureCurve finite{.name = "exponential mechanism", .seeds = 10 * runs};
  FigureCurve formula{.name = "its formula: 4 ln(20 N)", .dashed = true};
  for (const std::uint32_t points : {32, 128, 512, 1024}) {
    if (small && points != 32 && points != 512) continue;
    const auto functions = MakePoints(points);
    const auto x = static_cast<double>(points);
    if (const auto erm = MakeErm(functions, kSmallP)) {
      essential.points.push_back(Measured(x, LeastRows(**erm, points, runs)));
    }
    if (const auto erm = MakeErm(functions, std::nullopt)) {
      apart.points.push_back(Measured(x, LeastRows(**erm, points, runs)));
    }
    const auto fit = FiniteFit::Create(functions, {.user = {kEpsilon, 0}});
    if (fit) {
      finite.points.push_back(Measured(x, LeastRows(**fit, points, 10 * runs)));
      // The bound on rows of a table where a wrong point is wrong on half.
      formula.points.push_back(Exact(x, (*fit)->RowsFor(0.5, 0.05)));
    }
  }
  // The formula is drawn on.
  const double last = formula.points.back().x;
  const double slope = formula.points.back().y / std::log(last / 0.05);
  for (double x = 1e4; x < 1.1e9; x *= 10) {
    formula.points.push_back(Exact(x, slope * std::log(x / 0.05)));
  }
  figure.curves = {std::move(essential), std::move(apart), std::move(finite),
                   std::move(formula)};
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  const auto growth = [&](const char* name) {
    const FigureCurve& curve = Curve(figure, name);
    return curve.points.back().y / curve.points.front().y;
  };
  Expect(growth("DP-ERM, essential lists") < 1.25, "DP-ERM is flat in N",
         failures);
  Expect(growth("exponential mechanism") > 1.1,
         "the exponential mechanism grows", failures);
  const double teachers =
      Curve(figure, "DP-ERM, essential lists").points.back().y;
  Expect(teachers > Curve(figure, "its formula: 4 ln(20 N)").points.back().y,
         "and is better at any N one can run", failures);
  return failures;
}

}  // namespace

GalleryEntry LittlestoneRows() {
  return {
      "littlestone-rows",
      "[Littlestone] Theorem 3",
      "One of N points is labelled 1, and half of the rows are that point. A "
      "private learner that draws one of the N functions by their errors needs "
      "rows that grow with ln N. The paper's learner asks teachers, who each "
      "list the essential hypotheses of what their rows leave: the point they "
      "saw, or, if they saw none, the function that is 0 everywhere, which is "
      "no function of the class. Such lists are short whatever N is. The same "
      "with lists of all functions that are left. Delta 1e-6; the fewest rows, "
      "5 % apart, with which 95 % of the runs found the point.",
      Make,
      "The paper's learner is flat in N: 392 rows for 32 points as for 1,024, "
      "where the exponential mechanism grows with ln N, from 27 to 42. "
      "But its constant is larger: drawn on, the lines cross near N = 1e41. "
      "Teachers who list all that is left grow, too, and do nearly as well as "
      "the exponential mechanism.",
      Check};
}

}  // namespace sotto::gallery
