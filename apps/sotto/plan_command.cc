#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.h"
#include "plan_cover.h"
#include "plan_winnow.h"
#include "pop_flags.h"
#include "pop_report.h"
#include "run_report.h"

namespace sotto::app {
namespace {

using nlohmann::ordered_json;

struct PlanFlags {
  std::string model;
  PopFlags pop;
  WinnowFlags winnow;
  PlanCoverFlags cover;
  std::set<std::string> given;
  bool json = false;
};

ordered_json PhasesJson(const PopExpectation& expected) {
  ordered_json phases = ordered_json::array();
  for (const PopPhaseExpectation& phase : expected.phases) {
    phases.push_back({{"begins", phase.begins},
                      {"mistakes", phase.mistakes},
                      {"paid", phase.paid}});
  }
  return phases;
}

void PrintJson(const PlanFlags& flags, const LearnerSpec& spec,
               const PopPlan& plan, const Guarantee& promised) {
  const ordered_json report = {
      {"model", flags.model},
      {"learner", spec.ToText()},
      {"parameters", ParametersJson(flags.pop, plan.schedule)},
      {"guarantee", ToJson(promised)},
      {"mistakes_bound", plan.mistakes_bound
                             ? ordered_json(*plan.mistakes_bound)
                             : ordered_json()},
      {"mistakes_expected", plan.expected.mistakes},
      {"paid_expected", plan.expected.paid},
      {"verdict", ToString(plan.verdict)},
      {"advice", plan.advice},
      {"phases", PhasesJson(plan.expected)}};
  std::printf("%s\n", report.dump().c_str());
}

void Row(const char* name, const std::string& value) {
  std::printf("%-18s %s\n", name, value.c_str());
}

std::string Whole(double number) {
  return Grouped(static_cast<std::uint64_t>(std::llround(number)));
}

void PrintPhases(const PopPlan& plan) {
  std::printf("\n%6s %9s %12s %6s %8s %8s\n", "phase", "copies", "noise scale",
              "gap", "reports", "share");
  for (std::size_t i = 0; i < plan.schedule.phases.size(); ++i) {
    const PopPhase& phase = plan.schedule.phases[i];
    const bool last = i + 1 == plan.schedule.phases.size();
    std::printf(
        "%5zu%s %9lld %12.2f %6lld %8lld %8.3f\n", i + 1, last ? "+" : " ",
        static_cast<long long>(phase.copies), 1 / phase.rate,
        static_cast<long long>(phase.gap),
        static_cast<long long>(phase.reports),
        static_cast<double>(phase.active_share) / PopPhase::kAllExamples);
  }
  std::printf(
      "(+ repeats; gap: vote counts that are paid for; reports: paid rounds of "
      "a phase; share: examples for the copies that answer)\n");
}

void PrintText(const PlanFlags& flags, const LearnerSpec& spec,
               const PopPlan& plan, const Guarantee& promised) {
  const double rounds = static_cast<double>(flags.pop.horizon);
  Row("model", flags.model + " over " + spec.ToText());
  Row("verdict", std::string(ToString(plan.verdict)));
  std::string expected = Whole(plan.expected.mistakes);
  if (rounds > 0) {
    char share[48];
    std::snprintf(share, sizeof(share), " of %s rounds (%.3g %%)",
                  Whole(rounds).c_str(), 100 * plan.expected.mistakes / rounds);
    expected += share;
  }
  Row("mistakes expected", expected);
  Row("mistakes, proved",
      plan.mistakes_bound
          ? "at most " + Whole(*plan.mistakes_bound) + ", with probability 95 %"
          : "no bound below the number of rounds");
  Row("paid expected", Whole(plan.expected.paid));
  Row("phases expected", std::to_string(plan.expected.phases.size()));
  Row("Stopper epsilon", Exact(plan.schedule.stopper));
  PrintPhases(plan);
  std::printf("\nPrivacy: %s\n", promised.Describe().c_str());
  std::printf(
      "It holds for any data and any number of rounds; only the mistakes "
      "depend on the stream.\n");
  for (const std::string& advice : plan.advice) {
    std::printf("- %s\n", advice.c_str());
  }
  if (spec.name != "threshold") {
    std::printf(
        "The mistakes expected are a model of thresholds; for %s they are a "
        "guess (--complexity), and wrong labels are not in it.\n",
        spec.name.c_str());
  }
}

int RunPlan(PlanFlags flags) {
  if (flags.model == "winnow") {
    return PlanWinnowCommand(flags.pop, flags.winnow, flags.given, flags.json);
  }
  if (flags.model == "greedy-cover") {
    return PlanGreedyCover(flags.pop, flags.cover, flags.json);
  }
  if (flags.model != "pop") {
    return Report(InvalidArgument("no model " + Quote(flags.model) +
                                  "; there are pop, winnow, greedy-cover"));
  }
  if (const Status good = CheckForOthers(flags.given, "pop"); !good) {
    return Report(good.error());
  }
  if (const Status settled = Settle(flags.pop); !settled) {
    return Report(settled.error());
  }
  const auto spec = LearnerSpec::Parse(flags.pop.learner);
  if (!spec) return Report(InvalidArgument(spec.error().message));
  if (FactsOf(*spec).needs_features && spec->features == 0) {
    return Report(
        InvalidArgument("how many features there are must be known: "
                        "--learner " +
                        spec->name + ":features=N"));
  }
  const auto plan = PlanPop(PlanRequestOf(flags.pop, *spec));
  if (!plan) return Report(InvalidArgument(plan.error().message));
  const auto promised = Promised(flags.pop, plan->guarantee, false);
  if (!promised) return Report(promised.error());
  if (flags.json) {
    PrintJson(flags, *spec, *plan, *promised);
  } else {
    PrintText(flags, *spec, *plan, *promised);
  }
  return kDone;
}

constexpr const char* kFooter =
    "Touches no data. Says which parameters `sotto run` would use, how many "
    "mistakes are expected and proved, and what would change that.\n"
    "Examples:\n"
    "  sotto plan pop --epsilon 1 --delta 1e-6 --horizon 1e6\n"
    "  sotto plan pop --epsilon 0.5 --delta 1e-8 --horizon 1e7 --learner "
    "perceptron:features=20 --drift 1e5 --json\n"
    "  sotto plan winnow --epsilon 1 --delta 1e-6 --horizon 3e5 --features 100 "
    "--margin 0.5\n"
    "  sotto plan greedy-cover --epsilon 1 --delta 1e-6 --schema "
    "mushroom.schema.json --rows 6500";

}  // namespace

void AddPlanCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "plan", "What a run would do and cost, before any data is touched");
  command->footer(kFooter);
  auto flags = std::make_shared<PlanFlags>();
  command->add_option("MODEL", flags->model, "pop, winnow or greedy-cover")
      ->required();
  AddPopFlags(*command, flags->pop);
  AddWinnowFlags(*command, flags->winnow);
  AddPlanCoverFlags(*command, flags->cover);
  command->add_flag("--json", flags->json, "a JSON report instead of text");
  command->callback([flags, command, &exit_code] {
    flags->given = GivenFlags(*command);
    exit_code = RunPlan(*flags);
  });
}

}  // namespace sotto::app
