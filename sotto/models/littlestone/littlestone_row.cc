#include "sotto/models/littlestone/littlestone_row.h"

#include <algorithm>
#include <string>

#include "sotto/classes/class_file.h"
#include "sotto/classes/dimension_search.h"
#include "sotto/fits/published_fit.h"
#include "sotto/model/feature_needs.h"
#include "sotto/model/plan_text.h"
#include "sotto/models/littlestone/dp_online_plan.h"
#include "sotto/models/littlestone/finite_class_plan.h"
#include "sotto/models/littlestone/littlestone_online_model.h"
#include "sotto/models/littlestone/littlestone_options.h"
#include "sotto/models/littlestone/paper_learners.h"

namespace sotto {
namespace {

// Of the rounds: above and below which the plan is hopeless or comfortable.
constexpr double kHopeless = 0.2;
constexpr double kComfortable = 0.02;
constexpr std::uint64_t kPlanNodes = 200'000;

Status Prepare(const Settings& settings, ExampleReader::Params& request) {
  const auto functions = ReadClass(settings.Text("class"));
  if (!functions) return functions.error();
  FillEncoding({.each_costs = true}, settings, request);
  // Points are numbered, not measured.
  request.limits.points = functions->points();
  request.encoding.raw_numbers = true;
  return Ok();
}

void Judge(const Settings& settings, Plan& plan) {
  const auto rounds = static_cast<double>(settings.Whole("horizon"));
  if (rounds == 0) return;
  const double excess = std::min(rounds, *plan.mistakes_expected);
  plan.mistakes_expected = excess + settings.Real("noise") * rounds;
  plan.verdict = excess > kHopeless * rounds      ? Verdict::kHopeless
                 : excess > kComfortable * rounds ? Verdict::kTight
                                                  : Verdict::kComfortable;
}

// What the paper's own learner would need, and why it is not what runs.
void Compare(const Settings& settings, const FiniteClass& functions,
             Plan& plan) {
  const DimensionBounds bounds = SearchDimension(
      functions, {.max_nodes = kPlanNodes, .threads = 1, .tree = false});
  const auto rounds = static_cast<double>(settings.Whole("horizon"));
  const PaperOnline paper =
      PaperOnlineFor(bounds.lo, rounds > 0 ? rounds : 1e6,
                     settings.Real("epsilon"), settings.Real("delta"));
  plan.more["littlestone_dimension_lo"] = bounds.lo;
  plan.more["littlestone_dimension_hi"] = bounds.hi;
  plan.more["paper"] = Json::Object{{"mistakes", paper.mistakes},
                                    {"teachers", paper.teachers},
                                    {"calls", paper.calls}};
  plan.caveats.emplace_back(
      "Chosen: a test of mistakes with the exponential mechanism over the "
      "class. The paper's DP-OL, its constants taken as 1, would make about " +
      std::to_string(static_cast<long long>(std::min(1e18, paper.mistakes))) +
      " mistakes.");
}

// DP-OL itself: what it takes if all its calls are used, and for whom its votes
// are enough.
Result<Plan> PlanPaper(const Settings& settings, const Inputs* inputs) {
  const auto params = DpOnlineParams(
      settings, {settings.Real("epsilon"), settings.Real("delta")});
  if (!params) return params.error();
  if (inputs != nullptr) {
    const auto columns = LittlestoneColumns(*params->functions, *inputs);
    if (!columns) return columns.error();
  }
  const auto learner = DpOnlineLearner::Create(*params);
  if (!learner) return learner.error();
  Plan plan{.model = LittlestoneInWords(*params),
            .parameters = LittlestoneParameters(*params),
            .guarantee = learner->guarantee(),
            .mistakes_expected = DpOnlineMistakes(*params),
            .presumes = Presumes::kRule};
  Judge(settings, plan);
  plan.more["mistakes_of_all_calls"] = DpOnlineMistakes(*params);
  plan.caveats.emplace_back(
      settings.Text("adversary") == "oblivious"
          ? "Votes are for streams that were fixed beforehand (18 ln(2T/0.05) "
            "of them); --adversary adaptive has enough for all points at once."
          : "Votes are for streams made by somebody who sees what is published "
            "(enough for all points of the class at every call).");
  plan.caveats.emplace_back(
      "All calls together take " + WholeWithCommas(DpOnlineMistakes(*params)) +
      " mistakes, the paper's hidden constants taken as 1; --calibration "
      "practical takes far fewer.");
  return plan;
}

Result<Plan> PlanOf(const Settings& settings, const Inputs* inputs) {
  if (IsPaper(settings)) return PlanPaper(settings, inputs);
  const auto params = LittlestoneParams(
      settings, {settings.Real("epsilon"), settings.Real("delta")});
  if (!params) return params.error();
  if (inputs != nullptr) {
    const auto columns = LittlestoneColumns(*params->functions, *inputs);
    if (!columns) return columns.error();
  }
  const auto learner = FiniteClassLearner::Create(*params);
  if (!learner) return learner.error();
  Plan plan{.model = LittlestoneInWords(*params),
            .parameters = LittlestoneParameters(*params),
            .guarantee = learner->guarantee(),
            .mistakes_expected = ExpectedClassMistakes(*params),
            .presumes = Presumes::kRule};
  Judge(settings, plan);
  Compare(settings, *params->functions, plan);
  plan.caveats.emplace_back(
      "Mistakes are expected of the worst streams of which a function of the "
      "class is right, chosen by somebody who sees what is published; streams "
      "that stay as they are cost far fewer under `leader --learner finite`.");
  return plan;
}

}  // namespace

const OnlineRow& LittlestoneRow() {
  static const OnlineRow kRow = {
      .name = "littlestone",
      .help =
          "a function of a finite class, learned against adversaries too and "
          "published",
      .example =
          "--epsilon 1 --delta 1e-6 --horizon 1e5 --class thresholds:255",
      .options = LittlestoneOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise = "no stream: a right function of the class is expected",
      .publishes = "functions",
      .prepare = Prepare,
      .plan = PlanOf,
      .create = CreateLittlestone,
      .load = LoadLittlestone};
  return kRow;
}

const PublishedRow& PublishedLittlestone() {
  static const PublishedRow kRow = {
      .name = "littlestone", .show = ShowFit, .predict = PredictWithFit};
  return kRow;
}

}  // namespace sotto
