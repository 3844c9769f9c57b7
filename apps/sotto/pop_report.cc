#include "pop_report.h"

#include <cstdio>
#include <utility>

#include "run_report.h"

namespace sotto::app {

using nlohmann::ordered_json;

std::string_view ToString(HandOver hand_over) {
  switch (hand_over) {
    case HandOver::kHalt:
      return "halt";
    case HandOver::kRestart:
      return "restart";
    case HandOver::kStandby:
      break;
  }
  return "standby";
}

ordered_json ParametersJson(const PopFlags& flags,
                            const PopSchedule& schedule) {
  ordered_json json;
  json["variant"] =
      schedule.variant == PopVariant::kPaper ? "paper" : "practical";
  json["horizon"] = flags.horizon;
  json["hand_over"] = ToString(schedule.hand_over);
  json["stopper"] = schedule.stopper;
  json["mistakes_per_phase"] = schedule.mistakes;
  json["pin_users"] = schedule.pin_users;
  json["rounds_per_user"] = flags.rounds_per_user;
  json["label_delay"] = flags.label_delay;
  ordered_json phases = ordered_json::array();
  for (const PopPhase& phase : schedule.phases) {
    ordered_json one = {{"copies", phase.copies},
                        {"noise_scale", 1 / phase.rate},
                        {"gap", phase.gap},
                        {"reports", phase.reports},
                        {"rounds", phase.rounds}};
    if (schedule.hand_over == HandOver::kStandby) {
      one["solo"] = phase.solo;
      one["active_share"] =
          static_cast<double>(phase.active_share) / PopPhase::kAllExamples;
    }
    phases.push_back(std::move(one));
  }
  json["phases"] = std::move(phases);
  return json;
}

std::string InWords(const PopSchedule& schedule) {
  const PopPhase& first = schedule.At(0);
  char numbers[160];
  std::snprintf(numbers, sizeof(numbers),
                " copies, noise scale %.4g, band of %lld votes, %lld paid "
                "rounds a phase, Stopper epsilon %.3g",
                1 / first.rate, static_cast<long long>(first.gap),
                static_cast<long long>(first.reports), schedule.stopper);
  std::string text =
      Grouped(static_cast<std::uint64_t>(first.copies)) + numbers;
  const std::size_t phases = schedule.phases.size();
  if (phases > 1) {
    text +=
        "; " + std::to_string(phases) + " kinds of phases, the last repeats";
  }
  return text;
}

Result<Guarantee> Promised(const PopFlags& flags, const Guarantee& guarantee,
                           bool whole) {
  Guarantee::Params params = guarantee.params();
  if (flags.relation == "add-remove") params.relation = Relation::kAddRemove;
  if (whole) {
    params.epsilon = flags.epsilon;
    params.delta = flags.delta;
  }
  return Guarantee::Create(std::move(params));
}

}  // namespace sotto::app
