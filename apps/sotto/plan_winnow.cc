#include "plan_winnow.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "run_report.h"
#include "winnow_report.h"

namespace sotto::app {
namespace {

using nlohmann::ordered_json;

ordered_json OrNull(const std::optional<double>& number) {
  return number ? ordered_json(*number) : ordered_json();
}

void Row(const char* name, const std::string& value) {
  std::printf("%-18s %s\n", name, value.c_str());
}

std::string Whole(double number) {
  return Grouped(static_cast<std::uint64_t>(std::llround(number)));
}

void PrintText(const PopFlags& common, const WinnowFlags& flags,
               const AnyWinnow& winnow, const WinnowOutlook& outlook) {
  Row("model", "winnow: " + InWords(flags, winnow));
  Row("verdict", outlook.verdict);
  if (outlook.expected) {
    char share[64];
    std::snprintf(
        share, sizeof(share), " of %s rounds (%.3g %%)",
        Grouped(common.horizon).c_str(),
        100 * *outlook.expected / static_cast<double>(common.horizon));
    Row("mistakes expected", Whole(*outlook.expected) + share);
  }
  char probability[96];
  std::snprintf(probability, sizeof(probability),
                ", with probability %g %%, if the margin holds",
                100 * (1 - flags.failure));
  Row("mistakes, proved",
      outlook.bound
          ? "at most " + Whole(std::ceil(*outlook.bound)) + probability
          : "no bound below the number of rounds");
  const Guarantee& guarantee = std::visit(
      [](const auto& w) -> const Guarantee& { return w.guarantee(); }, winnow);
  std::printf("\nPrivacy: %s\n", guarantee.Describe().c_str());
  std::printf("%s\n%s\n", WinnowNeighbours(common).c_str(),
              HypothesisWords().c_str());
  std::printf(
      "It holds for any data and any number of rounds; only the mistakes "
      "depend on the stream.\n");
  for (const std::string& advice : outlook.advice) {
    std::printf("- %s\n", advice.c_str());
  }
}

}  // namespace

int PlanWinnowCommand(PopFlags common, const WinnowFlags& flags,
                      const std::set<std::string>& given, bool json) {
  if (const Status good = CheckForWinnow(given); !good) {
    return Report(good.error());
  }
  if (const Status settled = SettleWinnow(common, flags, given); !settled) {
    return Report(settled.error());
  }
  if (flags.features == 0) {
    return Report(InvalidArgument("--features is needed: how many there are"));
  }
  const ApproximateDp share{common.epsilon, common.delta};
  const auto winnow = MakeWinnow(common, flags, share);
  if (!winnow) return Report(InvalidArgument(winnow.error().message));
  const auto outlook = OutlookOf(common, flags, share, *winnow);
  if (!outlook) return Report(InvalidArgument(outlook.error().message));
  if (!json) {
    PrintText(common, flags, *winnow, *outlook);
    return kDone;
  }
  const Guarantee& guarantee = std::visit(
      [](const auto& w) -> const Guarantee& { return w.guarantee(); }, *winnow);
  const ordered_json report = {
      {"model", "winnow"},
      {"parameters", ParametersJson(common, flags, *winnow)},
      {"guarantee", ToJson(guarantee)},
      {"mistakes_bound", OrNull(outlook->bound)},
      {"mistakes_expected", OrNull(outlook->expected)},
      {"verdict", outlook->verdict},
      {"advice", outlook->advice}};
  std::printf("%s\n", report.dump().c_str());
  return kDone;
}

}  // namespace sotto::app
