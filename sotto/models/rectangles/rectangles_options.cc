#include "sotto/models/rectangles/rectangles_options.h"

#include <string>

#include "sotto/models/boundary_models/boundary_plan.h"

namespace sotto {

const OptionTable& RectanglesOptions() {
  static const OptionTable kTable = ConcatOptions(
      {OptionTable{
           {.name = "features",
            .type = OptionType::kWhole,
            .help = "how many dimensions the box has, where the stream does "
                    "not say",
            .high = static_cast<double>(RectanglesParams::kMaxDimensions),
            .group = "Learning"}},
       BoundaryOptions()});
  return kTable;
}

Result<RectanglesParams> MakeRectanglesParams(const Settings& settings,
                                              const InputSpec& inputs,
                                              const ApproximateDp& share) {
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  if (inputs.features > RectanglesParams::kMaxDimensions) {
    return InvalidArgument(
        "a box has a side for every feature, and there are " +
        std::to_string(inputs.features) +
        ": name at most 256 numbers, and no hashed columns; or run stumps");
  }
  return RectanglesParams{
      .dimensions = inputs.features,
      .epsilon = share.epsilon,
      .delta = share.delta,
      .relation = relation,
      .rounds_per_user = settings.GetInt("rounds-per-user"),
      .error = settings.GetDouble("error"),
      .honest_fraction = settings.GetDouble("honest-fraction"),
      .paper = settings.Text("calibration") == "paper"};
}

}  // namespace sotto
