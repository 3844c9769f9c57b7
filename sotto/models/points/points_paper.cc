#include "sotto/models/points/points_paper.h"

#include <cmath>
#include <string>

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"

namespace sotto {

Json PaperPointsParameters(const HistogramPointPredictor& points) {
  const HistogramPointDesign& design = points.params().design;
  return Json::Object{
      {"algorithm", "[Counters] Algorithm 3"},
      {"k", design.positives},
      {"window", design.window},
      {"first_count", design.first_count},
      {"tolerance", design.tolerance},
      {"histogram_epsilon", design.histogram.epsilon},
      {"histogram_threshold", points.histogram().threshold()},
      {"mirror_epsilon", design.mirror.epsilon},
      {"activation", design.shape.activation},
      {"slope", design.shape.slope},
      {"length", design.shape.size},
      {"fake_epsilon", design.fake_epsilon},
      {"patience", points.params().patience},
      {"mistakes_at_the_point", points.expected_mistakes()},
      {"learned_with_probability", points.SuccessProbability(1)}};
}

std::string PaperPointsSummary(const HistogramPointPredictor& points) {
  const HistogramPointDesign& design = points.params().design;
  return "points: Algorithm 3 as printed; a histogram of the first " +
         WithCommas(design.positives) +
         " labels 1 names one point, and a delayed mirror answers it 1 after "
         "about " +
         WholeWithCommas(points.expected_mistakes()) + " of its rounds";
}

namespace {

std::string Line(const HistogramPointPredictor& points) {
  const HistogramPointDesign& design = points.params().design;
  const ApproximateDp cost = Total(points.spend());
  return "k " + WithCommas(design.positives) + ", window " +
         WithCommas(design.window) + ", K " + WithCommas(design.first_count) +
         ", activation " + TextUp(design.shape.activation) + ": " +
         WholeWithCommas(points.expected_mistakes()) +
         " mistakes, learned with probability " +
         Shortest(std::floor(100 * points.SuccessProbability(1)) / 100) +
         " (a round costs epsilon " + TextUp(cost.epsilon) + ", delta " +
         TextUp(cost.delta) + ")";
}

void AddRow(const char* name, const Result<HistogramPointDesign>& design,
            Plan& plan) {
  const auto points = design
                          ? HistogramPointPredictor::Create({.design = *design})
                          : Result<HistogramPointPredictor>(design.error());
  if (!points) {
    plan.table += PlanLine(name, points.error().message);
    plan.more[name] = Json::Object{{"refused", points.error().message}};
    return;
  }
  plan.table += PlanLine(name, Line(*points));
  plan.more[name] = PaperPointsParameters(*points);
}

}  // namespace

void AddPaperNumbers(const ApproximateDp& round, double constant, Plan& plan) {
  AddRow("printed",
         ChooseHistogramPointDesign(round, PaperNumbers::kPrinted, constant),
         plan);
  AddRow("least", ChooseHistogramPointDesign(round, PaperNumbers::kLeast),
         plan);
  plan.table += PlanLine(
      "theorem", "Lemma C.1: O((1/epsilon) ln(1/delta)) mistakes, any horizon");
  plan.caveats.emplace_back(
      "Algorithm 3 learns one point: with several points labelled 1 the "
      "histogram may name none, and all are answered 0.");
  plan.caveats.emplace_back(
      "A point that the histogram misses, or whose labels do not pass, is "
      "answered 0 indefinitely.");
}

}  // namespace sotto
