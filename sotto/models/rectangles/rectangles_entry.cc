#include <cmath>
#include <memory>
#include <string>

#include "sotto/base/number_text.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/boundary_models/boundary_online_model.h"
#include "sotto/models/boundary_models/boundary_paper.h"
#include "sotto/models/boundary_models/boundary_plan.h"
#include "sotto/models/rectangles/non_private_rectangle.h"
#include "sotto/models/rectangles/rectangles_forms.h"
#include "sotto/models/rectangles/rectangles_predictor.h"

namespace sotto {
namespace {

struct Boxes {
  using Params = RectanglesParams;
  using Training = RectanglesTraining;
  using Predictor = RectanglesPredictor;
  static constexpr int kHashBits = 6;
  // Fails with kInvalidArgument if the stream has too many features for a box.
  static Result<Params> MakeParams(const Settings& settings,
                                   const InputSpec& inputs,
                                   const ApproximateDp& share) {
    if (inputs.features > RectanglesParams::kMaxDimensions) {
      return InvalidArgument(
          "a box has a side for every feature, and there are " +
          std::to_string(inputs.features) +
          ": name at most 256 numbers, and no hashed columns; or run stumps");
    }
    SOTTO_TRY_ASSIGN(auto params, ReadBoundaryParams<Params>(settings, share));
    params.dimensions = inputs.features;
    SOTTO_TRY_ASSIGN(params.paper, ReadSlicedNumbers(settings));
    return params;
  }
  static std::string Summary(const Params& params) {
    return "rectangles: a box with " + std::to_string(2 * params.dimensions) +
           " sides" +
           (params.paper ? ", by the printed lines of RectanglesPERP" : "");
  }
  static Json Parameters(const Params& params) {
    return Json::Object{{"dimensions", std::uint64_t{params.dimensions}},
                        {"calibration", CalibrationInWords(params.paper)}};
  }
};

// Which of the two forms is cheaper: the other is there to be compared with.
void SayForms(const BoundaryPhases& phases, Plan& plan) {
  const BoundaryForms forms = CompareForms(phases);
  plan.more["overlapping_noise_scale"] = forms.overlapping;
  plan.more["sliced_noise_scale"] = forms.sliced;
  plan.table += PlanLine(
      "by slices",
      "noise of scale " +
          (std::isfinite(forms.sliced) ? WholeWithCommas(forms.sliced)
                                       : std::string("infinity")) +
          (forms.overlapping_is_cheaper()
               ? ": dearer than overlapping sets, which are used"
               : ": cheaper than overlapping sets, which are used all the "
                 "same"));
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  SOTTO_TRY_ASSIGN(const auto params, PlannedParams<Boxes>(settings, inputs));
  SOTTO_TRY_ASSIGN(const auto phases, RectanglesPhases(params));
  SOTTO_TRY_ASSIGN(const auto promise, RectanglesPromise(params, phases));
  Plan plan =
      BoundaryPlan(phases, promise, settings, Boxes::Summary(params),
                   Boxes::Parameters(params), 0, params.paper.has_value());
  if (params.paper) {
    SlicedNumbers printed = *params.paper;
    SlicedNumbers least = *params.paper;
    printed.printed = true;
    least.printed = false;
    AddSlicedNumbers(phases, *params.paper,
                     {.printed = {phases.target, printed},
                      .least = {phases.target, least},
                      .theorem = "Theorem B.8: n = Theta(d/(alpha epsilon^2) "
                                 "polylog) rows, indefinitely",
                      .error = params.error},
                     plan);
  } else {
    SayForms(phases, plan);
  }
  return plan;
}

Result<std::unique_ptr<NonPrivateLearner>> MakeNonPrivate(
    const ModelRequest& request) {
  return NonPrivateOver(
      AnyLearner(NonPrivateRectangle(request.inputs.features)));
}

}  // namespace

const OnlineModelEntry& RectanglesEntry() {
  static const OnlineModelEntry kEntry = MakeBoundaryEntry<Boxes>(
      {.name = "rectangles",
       .help = "Predict membership in a box without a time limit, robust to "
               "adversarial queries",
       .example = "--epsilon 3 --delta 1e-5 --horizon 1e6 --features 1 "
                  "--training-rows 4e5",
       .promise = "questions of which a share is honest and a box is right",
       .features = "Dimensions of the box, if the stream does not say.",
       .most_features = RectanglesParams::kMaxDimensions,
       .options = SlicedOptions(),
       .plan = MakePlan,
       .plain = MakeNonPrivate});
  return kEntry;
}

}  // namespace sotto
