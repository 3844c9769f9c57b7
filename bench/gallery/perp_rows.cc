// Training rows that predictors over boundary sets need, by the dimension.
#include <cmath>
#include <cstdint>
#include <utility>

#include "bench/gallery/figures.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/papers/sliced_phases.h"
#include "sotto/models/stumps/decision_stumps_predictor.h"

namespace sotto::gallery {
namespace {

constexpr double kEpsilon = 3;
constexpr double kDelta = 1e-5;
constexpr double kError = 0.2;

void Add(double d, const Result<double>& rows, FigureCurve& curve) {
  if (rows) curve.points.push_back(Exact(d, *rows));
}

Result<double> Rectangles(std::uint32_t d) {
  SOTTO_TRY_ASSIGN(const auto phases, ChooseBoundaryPhases({.epsilon = kEpsilon,
                                                            .delta = kDelta,
                                                            .sides = 2 * d,
                                                            .error = kError}));
  return phases.RowsRequired();
}

Result<double> Printed(std::uint32_t d) {
  constexpr SlicedNumbers kNumbers{.printed = true};
  SOTTO_TRY_ASSIGN(const auto phases, ChooseSlicedPhases({.epsilon = kEpsilon,
                                                          .delta = kDelta,
                                                          .sides = 2 * d,
                                                          .error = kError},
                                                         kNumbers));
  return SlicedRowsRequired(phases, kNumbers);
}

// A teacher of a box needs rows for each of its sides.
Result<double> Generic(std::uint32_t d) {
  SOTTO_TRY_ASSIGN(const auto params, PlanEverlasting({.epsilon = kEpsilon,
                                                       .delta = kDelta,
                                                       .error = kError,
                                                       .complexity = 2.0 * d}));
  return LabelledRows(params);
}

Result<double> Stumps(std::uint32_t d) {
  StumpsParams params{.features = d};
  params.epsilon = kEpsilon;
  params.delta = kDelta;
  params.error = kError;
  SOTTO_TRY_ASSIGN(const auto training, StumpsTraining::Create(params));
  // The rows lost are a share of the error that the rest must leave over.
  return training.phases().RowsRequired() + training.RowsLost() / kError;
}

Figure Make(bool small) {
  Figure figure{"Labelled rows for an error of 20 %, epsilon 3, delta 1e-5",
                "dimensions d", "labelled rows"};
  FigureCurve printed{"RectanglesPERP, printed formulas"};
  FigureCurve generic{"everlasting, any class"};
  FigureCurve ours{"rectangles, ours"};
  FigureCurve stumps{"stumps, ours"};
  for (const std::uint32_t d : {1, 2, 5, 10, 20, 50, 100}) {
    if (small && d != 1 && d != 10) continue;
    Add(d, Printed(d), printed);
    Add(d, Generic(d), generic);
    Add(d, Rectangles(d), ours);
    Add(d, Stumps(d), stumps);
  }
  figure.curves = {std::move(printed), std::move(generic), std::move(ours),
                   std::move(stumps)};
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  const FigureCurve& printed =
      Curve(figure, "RectanglesPERP, printed formulas");
  const FigureCurve& ours = Curve(figure, "rectangles, ours");
  const FigureCurve& stumps = Curve(figure, "stumps, ours");
  const double last = ours.points.back().x;
  Expect(printed.points.size() >= 2 && stumps.points.size() >= 2,
         "plans were made", failures);
  const auto power = [last](const FigureCurve& curve) {
    return std::log(At(curve, last) / At(curve, 1)) / std::log(last);
  };
  Expect(power(printed) > 1 && power(printed) < 1.35,
         "printed: nearly linear in d", failures);
  Expect(power(ours) > 1.5 && power(ours) < 1.85, "ours: about d^1.7",
         failures);
  Expect(At(ours, last) < At(Curve(figure, "everlasting, any class"), last),
         "and less than any class of this size needs", failures);
  Expect(At(stumps, last) < 2 * At(stumps, 1), "stumps hardly more", failures);
  Expect(At(printed, 1) > 1000 * At(ours, 1),
         "the printed constants cost thousands of times the rows", failures);
  return failures;
}

}  // namespace

GalleryEntry PerpRows() {
  return {
      "perp-rows",
      "[PERP] Theorems 1.3 to 1.5",
      "Predictors that answer forever begin with a labelled set. How many "
      "rows must it have? Boxes in d dimensions have 2d sides, each with a "
      "private test of its own. The generic predictor asks many teachers, "
      "which learn a box from rows of their own; its size is what our plans "
      "guess. A decision stump has one side, and only finding its axis depends "
      "on d. From the plans; honest queries only.",
      Make,
      "The printed formulas are nearly linear in d (d^1.2) and begin above "
      "1e12 rows. Ours need 1e7 times fewer in one dimension, but grow as "
      "d^1.7: our sets overlap, so that a record pays for all sides, where the "
      "paper cuts slices. Stumps need hardly more than a constant.",
      Check};
}

}  // namespace sotto::gallery
