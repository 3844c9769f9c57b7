#include <memory>
#include <string>

#include "sotto/base/number_text.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/boundary_models/boundary_online_model.h"
#include "sotto/models/boundary_models/boundary_paper.h"
#include "sotto/models/boundary_models/boundary_plan.h"
#include "sotto/models/stumps/decision_stumps_predictor.h"
#include "sotto/models/stumps/non_private_stump.h"

namespace sotto {
namespace {

struct Stumps {
  using Params = StumpsParams;
  using Training = StumpsTraining;
  using Predictor = StumpsPredictor;
  static constexpr int kHashBits = 8;
  static Result<Params> MakeParams(const Settings& settings,
                                   const InputSpec& inputs,
                                   const ApproximateDp& share) {
    SOTTO_TRY_ASSIGN(auto params, ReadBoundaryParams<Params>(settings, share));
    params.features = inputs.features;
    SOTTO_TRY_ASSIGN(params.paper, ReadSlicedNumbers(settings));
    return params;
  }
  static std::string Summary(const Params& params) {
    return "stumps: a threshold on one of " + WithCommas(params.features) +
           " features" +
           (params.paper ? ", by the printed lines of DecisionPERP" : "");
  }
  static Json Parameters(const Params& params) {
    Json json = Json::Object{{"features", std::uint64_t{params.features}}};
    if (params.paper) json["calibration"] = CalibrationInWords(params.paper);
    return json;
  }
};

// Rows with which the choice of the axis takes half of the error.
double RowsForTheChoice(const StumpsTraining& training, double error) {
  return training.RowsLost() / (error / 2);
}

// Both forms beside each other, each with its own shares of epsilon.
Status CompareNumbers(const StumpsParams& params,
                      const StumpsTraining& training, Plan& plan) {
  SlicedNumbers printed = *params.paper;
  SlicedNumbers least = *params.paper;
  printed.printed = true;
  least.printed = false;
  SOTTO_TRY_ASSIGN(const auto first, MakeDecisionPerp(params, printed));
  SOTTO_TRY_ASSIGN(const auto second, MakeDecisionPerp(params, least));
  AddSlicedNumbers(
      training.phases(), params.paper->printed ? first.numbers : second.numbers,
      {.printed = {first.target, first.numbers},
       .least = {second.target, second.numbers},
       .theorem = "Theorem B.12: n = Theta(ln(d)/(alpha epsilon) + "
                  "polylog/(alpha epsilon^2)) rows, indefinitely",
       .error = params.error,
       .other_rows = RowsForTheChoice(training, params.error)},
      plan);
  return Ok();
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  SOTTO_TRY_ASSIGN(const auto params, PlannedParams<Stumps>(settings, inputs));
  SOTTO_TRY_ASSIGN(const auto training, StumpsTraining::Create(params));
  const double rows = static_cast<double>(settings.GetInt("training-rows"));
  const double lost = training.RowsLost();
  Plan plan =
      BoundaryPlan(training.phases(), training.guarantee(), settings,
                   Stumps::Summary(params), Stumps::Parameters(params),
                   rows > 0 ? lost / rows : 0, params.paper.has_value());
  plan.more["rows_lost_by_choosing"] = lost;
  plan.table += PlanLine("choosing an axis",
                         "loses about " + WholeWithCommas(lost) + " rows");
  if (params.paper) SOTTO_TRY(CompareNumbers(params, training, plan));
  plan.caveats.emplace_back(
      "The axis and its direction are chosen once, from the training rows; if "
      "another becomes right, start over.");
  return plan;
}

Result<std::unique_ptr<NonPrivateLearner>> MakeNonPrivate(
    const ModelRequest& request) {
  return std::unique_ptr<NonPrivateLearner>(
      std::make_unique<NonPrivateStump>(request.inputs.features));
}

}  // namespace

const OnlineModelEntry& StumpsEntry() {
  static const OnlineModelEntry kEntry = MakeBoundaryEntry<Stumps>(
      {.name = "stumps",
       .help = "Predict by one threshold on one of many numbers without a time "
               "limit",
       .example = "--epsilon 3 --delta 1e-5 --horizon 1e6 --features 100 "
                  "--training-rows 4e5",
       .promise = "questions of which a share is honest and a stump is right",
       .features = "Number of columns, if the stream does not say.",
       .most_features = StumpsParams::kMaxFeatures,
       .options = SlicedOptions(),
       .plan = MakePlan,
       .plain = MakeNonPrivate});
  return kEntry;
}

}  // namespace sotto
