#include "sotto/models/boundary_models/boundary_paper.h"

#include <algorithm>
#include <string>

#include "sotto/base/json.h"
#include "sotto/base/number_text.h"

namespace sotto {
namespace {

void AddRow(const char* name, const SlicedRequest& request, Plan& plan) {
  const auto phases = ChooseSlicedPhases(request.target, request.numbers);
  if (!phases) {
    plan.table += PlanLine(name, phases.error().message);
    plan.more[name] = Json::Object{{"refused", phases.error().message}};
    return;
  }
  const BoundaryPhase& first = phases->phases.front();
  const double rows = SlicedRowsRequired(*phases, request.numbers);
  plan.table += PlanLine(
      name, WholeWithCommas(rows) + " rows, slices of " +
                WithCommas(static_cast<std::uint64_t>(first.initial.size)) +
                ", noise of scale " + WholeWithCommas(1 / first.initial.rate) +
                ", phase 1 ends after " + WithCommas(first.length) +
                " rounds (phases: " + std::to_string(phases->phases.size()) +
                ")");
  plan.more[name] = Json::Object{
      {"rows", rows},
      {"slice", first.initial.size},
      {"margin", first.initial.low + 1},
      {"reports", first.initial.limit},
      {"noise_scale", 1 / first.initial.rate},
      {"stopper_scale", 1 / first.initial.stopper},
      {"first_phase", first.length},
      {"phases", static_cast<std::uint64_t>(phases->phases.size())}};
}

}  // namespace

const OptionTable& SlicedOptions() {
  static const OptionTable kTable = {
      {.name = "constants",
       .fallback = "least",
       .help = "With --calibration paper: the smallest numbers that keep the "
               "guarantee, or the printed ones.",
       .words = {"least", "printed"},
       .group = "Learning"},
      {.name = "constant",
       .type = OptionType::kReal,
       .fallback = "1",
       .help = "With --calibration paper: factor of the margins; below 1 "
               "recycled sets fill with stray points.",
       .low = 1e-2,
       .high = 1e2,
       .group = "Learning"}};
  return kTable;
}

Result<std::optional<SlicedNumbers>> ReadSlicedNumbers(
    const Settings& settings) {
  if (settings.Text("calibration") == "paper") {
    return std::optional<SlicedNumbers>(
        {.printed = settings.Text("constants") == "printed",
         .constant = settings.GetDouble("constant")});
  }
  // Defaults pass: Python restores a state with all values.
  if (settings.Text("constants") != "least" ||
      settings.GetDouble("constant") != 1) {
    return InvalidArgument(
        "--constants and --constant are for --calibration paper");
  }
  return std::optional<SlicedNumbers>();
}

std::string CalibrationInWords(const std::optional<SlicedNumbers>& paper) {
  if (!paper) return "practical";
  return paper->printed ? "paper, printed" : "paper, least";
}

void AddSlicedNumbers(const BoundaryPhases& used, const SlicedNumbers& numbers,
                      const SlicedComparison& both, Plan& plan) {
  AddRow("printed", both.printed, plan);
  AddRow("least", both.least, plan);
  plan.table += PlanLine("theorem", std::string(both.theorem));
  plan.samples_required =
      std::max(both.other_rows, SlicedRowsRequired(used, numbers));
  plan.advice.front() = "the formulas ask for " +
                        WholeWithCommas(*plan.samples_required) +
                        " training rows for --error " + Shortest(both.error);
  plan.caveats.emplace_back(
      "With few positive rows a slice is empty, and everything lies inside of "
      "its side.");
}

}  // namespace sotto
