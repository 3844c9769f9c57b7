#include <memory>
#include <string>

#include "sotto/base/number_text.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/boundary_models/boundary_online_model.h"
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
    if (settings.Text("calibration") == "paper") {
      return InvalidArgument(
          "stumps have no constants of the paper's own: see sotto plan "
          "rectangles --calibration paper");
    }
    SOTTO_TRY_ASSIGN(auto params, ReadBoundaryParams<Params>(settings, share));
    params.features = inputs.features;
    return params;
  }
  static std::string Summary(const Params& params) {
    return "stumps: a threshold on one of " + WithCommas(params.features) +
           " features";
  }
  static Json Parameters(const Params& params) {
    return Json::Object{{"features", std::uint64_t{params.features}}};
  }
};

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  SOTTO_TRY_ASSIGN(const auto params, PlannedParams<Stumps>(settings, inputs));
  SOTTO_TRY_ASSIGN(const auto training, StumpsTraining::Create(params));
  const double rows = static_cast<double>(settings.GetInt("training-rows"));
  const double lost = training.RowsLost();
  Plan plan = BoundaryPlan(training.phases(), training.guarantee(), settings,
                           Stumps::Summary(params), Stumps::Parameters(params),
                           rows > 0 ? lost / rows : 0);
  plan.more["rows_lost_by_choosing"] = lost;
  plan.table += PlanLine("choosing an axis",
                         "loses about " + WholeWithCommas(lost) + " rows");
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
       .plan = MakePlan,
       .plain = MakeNonPrivate});
  return kEntry;
}

}  // namespace sotto
