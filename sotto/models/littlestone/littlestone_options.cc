#include "sotto/models/littlestone/littlestone_options.h"

#include <memory>
#include <utility>

#include "sotto/classes/class_file.h"
#include "sotto/models/littlestone/finite_class_plan.h"

namespace sotto {

Option ClassOption() {
  return {.name = "class",
          .help =
              "points:N, thresholds:N, intervals:N and others that `sotto "
              "ldim --help` lists, or a file with a function a line, a 0 "
              "or 1 for each point",
          .group = "Learning",
          .required = true};
}

const OptionTable& LittlestoneOptions() {
  static const OptionTable kTable = {
      ClassOption(),
      {.name = "adversary",
       .fallback = "adaptive",
       .help = "who makes the stream may see what is published (adaptive: "
               "several functions vote), or cannot (oblivious: one is "
               "enough); privacy holds against both",
       .words = {"adaptive", "oblivious"},
       .group = "Learning"},
      {.name = "votes",
       .type = OptionType::kWhole,
       .help = "functions drawn at each change, an odd number",
       .low = 1,
       .high = 255,
       .group = "By hand (left out: chosen)"},
      {.name = "changes",
       .type = OptionType::kWhole,
       .help = "how often the hypothesis may change",
       .low = 1,
       .high = 4096,
       .group = "By hand (left out: chosen)"},
      {.name = "limit",
       .type = OptionType::kWhole,
       .help = "mistakes before a change, about",
       .low = 1,
       .high = 0x1p30,
       .group = "By hand (left out: chosen)"},
      {.name = "period",
       .type = OptionType::kWhole,
       .help = "rounds between two tests of the mistakes",
       .low = 1,
       .high = 0x1p30,
       .group = "By hand (left out: chosen)"},
      {.name = "stopper",
       .type = OptionType::kReal,
       .help = "the epsilon of the test of mistakes",
       .above = true,
       .group = "By hand (left out: chosen)"}};
  return kTable;
}

Result<FiniteClassLearner::Params> LittlestoneParams(
    const Settings& settings, const ApproximateDp& share) {
  if (settings.Text("calibration") == "paper") {
    return InvalidArgument(
        "littlestone has no run with the paper's constants: the plan says what "
        "they would cost");
  }
  if (!settings.Has("class")) {
    return InvalidArgument("littlestone needs --class");
  }
  auto functions = ReadClass(settings.Text("class"));
  if (!functions) return functions.error();
  const auto relation = ParseRelation(settings.Text("relation"));
  if (!relation) return relation.error();
  const auto adversary = ParseAdversary(settings.Text("adversary"));
  if (!adversary) return adversary.error();
  FiniteClassWishes wishes{
      .functions = std::make_shared<const FiniteClass>(*std::move(functions)),
      .user = share,
      .relation = *relation,
      .rounds_per_user = settings.Whole("rounds-per-user"),
      .delay = settings.Whole("label-delay"),
      .horizon = settings.Whole("horizon"),
      .adversary = *adversary,
      .votes = settings.MaybeWhole("votes"),
      .changes = settings.MaybeWhole("changes"),
      .stopper = settings.MaybeReal("stopper"),
      .period = settings.MaybeWhole("period")};
  if (settings.Has("limit")) {
    wishes.limit = static_cast<std::int64_t>(settings.Whole("limit"));
  }
  return ChooseFiniteClass(wishes);
}

Result<FitColumns> LittlestoneColumns(const FiniteClass& functions,
                                      const Inputs& inputs) {
  if (inputs.schema) {
    return InvalidArgument(
        "points are whole numbers, taken as they are: leave --schema out");
  }
  return FitColumns(
      {{.name = inputs.names.empty() ? "x" : inputs.names.front(),
        .kind = FitColumn::Kind::kPoint,
        .points = static_cast<std::uint32_t>(functions.points())}});
}

}  // namespace sotto
