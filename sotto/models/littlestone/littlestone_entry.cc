#include "sotto/models/littlestone/littlestone_entry.h"

#include <algorithm>
#include <array>
#include <string>

#include "sotto/base/number_text.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/paper_learners.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/fits/published_fit.h"
#include "sotto/models/littlestone/finite_class_plan.h"
#include "sotto/models/littlestone/littlestone_online_model.h"
#include "sotto/models/littlestone/littlestone_options.h"
#include "sotto/models/papers/dp_online_plan.h"

namespace sotto {
namespace {

// Of the rounds: above and below which the plan is hopeless or comfortable.
constexpr double kHopeless = 0.2;
constexpr double kComfortable = 0.02;

Status Prepare(const Settings& settings, ReaderParams& request) {
  FillEncoding({.each_costs = true}, settings, request);
  // Points are numbered, not measured.
  request.encoding.raw_numbers = true;
  return TakePoints(settings, request);
}

void Judge(const Settings& settings, Plan& plan) {
  const auto rounds = static_cast<double>(settings.GetInt("horizon"));
  if (rounds == 0) return;
  const double excess = std::min(rounds, *plan.mistakes_expected);
  plan.mistakes_expected = excess + settings.GetDouble("noise") * rounds;
  plan.verdict = excess > kHopeless * rounds      ? Verdict::kHopeless
                 : excess > kComfortable * rounds ? Verdict::kTight
                                                  : Verdict::kComfortable;
}

// Mistakes of the paper's own learner if all its calls are used: at least,
// where the dimension is not known.
double PaperMistakes(const Settings& settings,
                     const FiniteClassLearner::Params& params,
                     const DimensionBounds& bounds) {
  constexpr double kUsualHorizon = 1e6;
  const auto horizon = settings.GetInt("horizon");
  const double paper =
      PaperOnlineFor(bounds.lo,
                     horizon > 0 ? static_cast<double>(horizon) : kUsualHorizon,
                     params.user.epsilon, params.user.delta)
          .mistakes;
  if (bounds.lo < bounds.hi) return paper;
  const auto chosen = ChooseDpOnline({.functions = params.functions,
                                      .user = params.user,
                                      .relation = params.relation,
                                      .rounds_per_user = params.rounds_per_user,
                                      .delay = params.delay,
                                      .horizon = horizon,
                                      .adversary = params.streams});
  return chosen ? std::max(paper, DpOnlineMistakes(*chosen)) : paper;
}

// What it would need, and why it is not what runs.
void Compare(const Settings& settings, const FiniteClassLearner::Params& params,
             Plan& plan) {
  const DimensionBounds bounds = QuickDimension(*params.functions);
  const bool known = bounds.lo == bounds.hi;
  const double mistakes = PaperMistakes(settings, params, bounds);
  plan.more["littlestone_dimension_lo"] = bounds.lo;
  plan.more["littlestone_dimension_hi"] = bounds.hi;
  plan.more["paper"] = Json::Object{{"mistakes", mistakes}};
  plan.table += PlanLine("the paper's DP-OL",
                         WholeWithCommas(mistakes) + (known ? "" : " or more") +
                             " mistakes (Littlestone dimension " +
                             std::to_string(bounds.lo) +
                             (known ? "" : " to " + std::to_string(bounds.hi)) +
                             ", its constants taken as 1)");
  plan.caveats.emplace_back(
      "Chosen: a test of mistakes with the exponential mechanism over the "
      "class, which pays for the logarithm of the class; DP-OL pays for a "
      "power of its dimension.");
}

// What is said of mistakes: nothing of parameters by hand, as the count of all
// calls is the paper's for the paper's numbers only.
void JudgePaper(const Settings& settings, const DpOnlineLearner::Params& params,
                bool runs, Plan& plan) {
  const bool by_hand =
      params.form == TeacherLists::Form::kGreedy ||
      std::ranges::any_of(std::array{"teachers", "p", "stages", "changes",
                                     "votes", "limit", "period", "stopper"},
                          [&](const char* name) { return settings.Has(name); });
  const bool learns = TeachersSuffice(params);
  if (!by_hand) Judge(settings, plan);
  if (by_hand) plan.mistakes_expected.reset();
  if (!runs || !learns) plan.verdict = Verdict::kHopeless;
  if (!learns) {
    plan.caveats.emplace_back(
        "So few teachers hardly ever get a function drawn, even if all agree: "
        "nothing is learned.");
  } else if (by_hand) {
    plan.caveats.emplace_back(
        "With parameters by hand, or greedy lists, mistakes are not foreseen: "
        "privacy does not depend on them, learning does.");
  }
}

// DP-OL itself: what it takes if all its calls are used, and for whom its votes
// are enough.
Result<Plan> PlanPaper(const Settings& settings, const InputSpec* inputs) {
  SOTTO_TRY_ASSIGN(const auto params,
                   DpOnlineParams(settings, {settings.GetDouble("epsilon"),
                                             settings.GetDouble("delta")}));
  if (inputs != nullptr) {
    SOTTO_TRY_ASSIGN(const auto columns,
                     LittlestoneColumns(*params.functions, *inputs));
  }
  const Status runs = CheckDpOnlineSize(params);
  if (runs) {
    SOTTO_TRY_ASSIGN(const auto learner, DpOnlineLearner::Create(params));
  }
  SOTTO_TRY_ASSIGN(auto guarantee, DpOnlineGuarantee(params));
  Plan plan{.model = LittlestoneInWords(params),
            .parameters = LittlestoneParameters(params),
            .guarantee = std::move(guarantee),
            .mistakes_expected = DpOnlineMistakes(params),
            .presumes = ForecastAssumption::kRule};
  JudgePaper(settings, params, runs.has_value(), plan);
  plan.more["mistakes_of_all_calls"] = DpOnlineMistakes(params);
  plan.more["runs"] = runs.has_value();
  plan.table += PlanLine("of all its calls",
                         WholeWithCommas(DpOnlineMistakes(params)) +
                             " mistakes, hidden constants taken as 1");
  plan.caveats.push_back(VotesInWords(params));
  plan.caveats.emplace_back(
      "When the calls or stages are used up the hypothesis stays, and mistakes "
      "go on; nothing is proved of so many calls being enough.");
  if (!runs) plan.caveats.emplace_back("`sotto run` refuses so many teachers.");
  plan.advice.emplace_back("--calibration practical takes far fewer mistakes.");
  return plan;
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  if (IsPaper(settings)) return PlanPaper(settings, inputs);
  SOTTO_TRY_ASSIGN(const auto params,
                   LittlestoneParams(settings, {settings.GetDouble("epsilon"),
                                                settings.GetDouble("delta")}));
  if (inputs != nullptr) {
    SOTTO_TRY_ASSIGN(const auto columns,
                     LittlestoneColumns(*params.functions, *inputs));
  }
  SOTTO_TRY_ASSIGN(const auto learner, FiniteClassLearner::Create(params));
  Plan plan{.model = LittlestoneInWords(params),
            .parameters = LittlestoneParameters(params),
            .guarantee = learner.guarantee(),
            .mistakes_expected = ExpectedClassMistakes(params),
            .presumes = ForecastAssumption::kRule};
  Judge(settings, plan);
  Compare(settings, params, plan);
  plan.caveats.emplace_back(
      "Mistakes are expected of the worst streams of which a function of the "
      "class is right; streams that stay as they are cost far fewer under "
      "`leader --learner finite`.");
  plan.caveats.push_back(VotesInWords(params));
  return plan;
}

}  // namespace

const OnlineModelEntry& LittlestoneEntry() {
  static const OnlineModelEntry kRow = {
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
      .plan = MakePlan,
      .create = CreateLittlestone,
      .load = LoadLittlestone};
  return kRow;
}

const ModelFileFormat& PublishedLittlestone() {
  static const ModelFileFormat kRow = {
      .name = "littlestone", .show = ShowFit, .predict = PredictWithFit};
  return kRow;
}

}  // namespace sotto
