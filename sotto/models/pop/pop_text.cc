#include "sotto/models/pop/pop_text.h"

#include <array>
#include <cstdio>
#include <utility>

#include "sotto/base/number_text.h"

namespace sotto {
namespace {

double ComputeShare(const PopPhase& phase) {
  return static_cast<double>(phase.active_share) / PopPhase::kAllExamples;
}

Json PhaseJson(const PopSchedule& schedule, const PopPhase& phase) {
  Json json = Json::Object{{"copies", phase.copies},
                           {"noise_scale", 1 / phase.rate},
                           {"gap", phase.gap},
                           {"reports", phase.reports},
                           {"rounds", phase.rounds}};
  if (schedule.handover == PhaseEnd::kStandby) {
    json["solo"] = phase.solo;
    json["active_share"] = ComputeShare(phase);
  }
  return json;
}

std::string PhaseLine(std::size_t number, bool last, const PopPhase& phase) {
  std::array<char, 96> line;
  std::snprintf(line.data(), line.size(),
                "%5zu%s %9lld %12.2f %6lld %8lld %8.3f\n", number,
                last ? "+" : " ", static_cast<long long>(phase.copies),
                1 / phase.rate, static_cast<long long>(phase.gap),
                static_cast<long long>(phase.reports), ComputeShare(phase));
  return line.data();
}

}  // namespace

std::string_view ToString(PhaseEnd handover) {
  switch (handover) {
    case PhaseEnd::kHalt:
      return "halt";
    case PhaseEnd::kRestart:
      return "restart";
    case PhaseEnd::kStandby:
      break;
  }
  return "standby";
}

Json PopParameters(const Settings& settings, const LearnerSpec& spec,
                   const PopSchedule& schedule) {
  Json phases = Json::Array();
  for (const PopPhase& phase : schedule.phases) {
    phases.Add(PhaseJson(schedule, phase));
  }
  return Json::Object{
      {"learner", spec.ToText()},
      {"variant",
       schedule.variant == PopVariant::kMajority ? "majority" : "practical"},
      {"horizon", settings.GetInt("horizon")},
      {"hand_over", ToString(schedule.handover)},
      {"stopper", schedule.stopper},
      {"mistakes_per_phase", schedule.mistakes},
      {"mistakes_tolerated",
       static_cast<double>(schedule.tolerated) / PopPhase::kAllExamples},
      {"pin_users", schedule.pin_users},
      {"rounds_per_user", settings.GetInt("rounds-per-user")},
      {"label_delay", settings.GetInt("label-delay")},
      {"phases", std::move(phases)}};
}

std::string Summary(const PopSchedule& schedule) {
  const PopPhase& first = schedule.At(0);
  // Majority votes have no band: it pays for votes near a tie, up to noise.
  const std::string paid =
      schedule.variant == PopVariant::kMajority
          ? "paid within " + std::to_string(first.copies / 4) +
                " votes of a tie"
          : "band of " + std::to_string(first.gap) + " votes";
  std::array<char, 160> numbers;
  std::snprintf(numbers.data(), numbers.size(),
                " copies, noise scale %.4g, %s, %lld paid rounds a phase, "
                "Stopper epsilon %.3g",
                1 / first.rate, paid.c_str(),
                static_cast<long long>(first.reports), schedule.stopper);
  std::string text =
      WithCommas(static_cast<std::uint64_t>(first.copies)) + numbers.data();
  const std::size_t phases = schedule.phases.size();
  if (phases > 1) {
    text +=
        "; " + std::to_string(phases) + " kinds of phases, the last repeats";
  }
  return text;
}

std::string PopPlanTable(const PopPlan& plan) {
  const auto& phases = plan.schedule.phases;
  std::array<char, 96> header;
  std::snprintf(header.data(), header.size(), "\n%6s %9s %12s %6s %8s %8s\n",
                "phase", "copies", "noise scale", "gap", "reports", "share");
  std::string table =
      PlanLine("paid expected", WholeWithCommas(plan.expected.paid)) +
      PlanLine("phases expected", std::to_string(plan.expected.phases.size())) +
      PlanLine("Stopper epsilon", Shortest(plan.schedule.stopper)) +
      header.data();
  for (std::size_t i = 0; i < phases.size(); ++i) {
    table += PhaseLine(i + 1, i + 1 == phases.size(), phases[i]);
  }
  return table +
         "(+ repeats; gap: vote counts that are paid for; reports: paid rounds "
         "of a phase; share: examples for the copies that answer)\n";
}

Json PopPlanMore(const LearnerSpec& spec, const PopPlan& plan) {
  Json phases = Json::Array();
  for (const PopPhaseExpectation& phase : plan.expected.phases) {
    phases.Add(Json::Object{{"begins", phase.begins},
                            {"mistakes", phase.mistakes},
                            {"paid", phase.paid}});
  }
  Json advice = Json::Array();
  for (const std::string& sentence : plan.advice) advice.Add(sentence);
  return Json::Object{{"learner", spec.ToText()},
                      {"paid_expected", plan.expected.paid},
                      {"advice", std::move(advice)},
                      {"phases", std::move(phases)}};
}

}  // namespace sotto
