#include "run_report.h"

#include <cmath>

#include "sotto/accounting/rounding.h"

namespace sotto::app {
namespace {

using nlohmann::ordered_json;

ordered_json OrNull(const std::optional<double>& number) {
  return number ? ordered_json(*number) : ordered_json();
}

double Rate(const RunReport& report) {
  return report.seconds > 0
             ? static_cast<double>(report.played_now) / report.seconds
             : 0;
}

ordered_json SkippedJson(const SkipCounts& skipped) {
  ordered_json json = ordered_json::object();
  for (std::size_t i = 0; i < kFaultReasons; ++i) {
    if (skipped.by_reason[i] == 0) continue;
    json[std::string(Name(static_cast<FaultReason>(i)))] = skipped.by_reason[i];
  }
  return json;
}

// What only the operator may see.
void AddOperatorsView(const RunReport& report, ordered_json& json) {
  const RunTally& tally = report.tally;
  json["labelled"] = tally.labelled;
  json["refused"] = tally.refused;
  json["skipped"] = report.skipped.total();
  json["skipped_by_reason"] = SkippedJson(report.skipped);
  ordered_json ends = ordered_json::array();
  for (const auto& end : tally.phase_ends) {
    ends.push_back({{"round", end.rounds},
                    {"mistakes", end.mistakes},
                    {"paid", end.paid}});
  }
  json["phase_ends"] = ends;
  if (report.compared) json["non_private_mistakes"] = tally.plain_mistakes;
  json["not_covered"] = {"mistakes",   "paid",
                         "labelled",   "refused",
                         "skipped",    "skipped_by_reason",
                         "phase_ends", "non_private_mistakes"};
}

void Row(std::FILE* out, const char* name, const std::string& value) {
  std::fprintf(out, "%-18s %s\n", name, value.c_str());
}

std::string Rounded(double number) {
  return Grouped(static_cast<std::uint64_t>(std::llround(number)));
}

void PrintMistakes(const RunReport& report, std::FILE* out) {
  const RunTally& tally = report.tally;
  if (report.public_only) {
    Row(out, "mistakes",
        "about " + Grouped(static_cast<std::uint64_t>(tally.now.shown)) +
            ", a private estimate, within " + Rounded(report.shown_error) +
            " with probability 95 %");
    if (report.shown_rounds < tally.now.rounds) {
      Row(out, "",
          "(of the first " + Grouped(report.shown_rounds) +
              " rounds: the horizon)");
    }
    return;
  }
  Row(out, "mistakes",
      CountAndShare(tally.now.mistakes, tally.labelled) +
          " (the operator's own view)");
  if (tally.labelled < tally.now.rounds) {
    Row(out, "rounds with label", Grouped(tally.labelled));
  }
  if (report.compared) {
    Row(out, "plain learner",
        CountAndShare(tally.plain_mistakes, tally.labelled) +
            " mistakes without any privacy");
  }
}

void PrintPlan(const RunReport& report, std::FILE* out) {
  if (report.expected) {
    Row(out, "plan expected",
        Rounded(*report.expected) + " mistakes over the horizon, " +
            report.verdict);
  }
  if (report.bound) {
    Row(out, "proved bound", Rounded(*report.bound) + " (probability 95 %)");
  }
}

}  // namespace

std::string Grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > 0; i -= 3) {
    text.insert(static_cast<std::size_t>(i), ",");
  }
  return text;
}

std::string CountAndShare(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return Grouped(part);
  char share[32];
  std::snprintf(share, sizeof(share), " (%.3g %%)",
                100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return Grouped(part) + share;
}

ordered_json ToJson(const Guarantee& guarantee) {
  return {{"notion", ToString(guarantee.notion())},
          {"relation", ToString(guarantee.relation())},
          {"epsilon", guarantee.epsilon()},
          {"delta", guarantee.delta()},
          {"adversary", ToString(guarantee.adversary())},
          {"rounds_per_user", guarantee.rounds_per_user()},
          {"protects", guarantee.protects()},
          {"text", guarantee.Describe()}};
}

ordered_json ToJson(const RunReport& report) {
  const RunTally& tally = report.tally;
  ordered_json json;
  json["model"] = report.model;
  json["learner"] = report.learner;
  json["rounds"] = tally.now.rounds;
  json["mistakes"] = report.public_only ? ordered_json(tally.now.shown)
                                        : ordered_json(tally.now.mistakes);
  json["paid"] =
      report.public_only ? ordered_json() : ordered_json(tally.now.paid);
  json["phases"] = report.phases;
  json["halted_at"] =
      tally.halted_at ? ordered_json(*tally.halted_at) : ordered_json();
  json["guarantee"] = ToJson(report.guarantee);
  json["parameters"] = report.parameters;
  json["seconds"] = report.seconds;
  json["rounds_per_second"] = Rate(report);
  json["private"] = !report.seeded;
  json["public"] = report.public_only;
  json["plan"] = {{"mistakes_expected", OrNull(report.expected)},
                  {"mistakes_bound", OrNull(report.bound)},
                  {"verdict", report.verdict}};
  json["interrupted"] = report.interrupted;
  json["statement"] = PrivacyStatement(report);
  if (report.public_only) {
    json["mistakes_error"] = report.shown_error;
  } else {
    AddOperatorsView(report, json);
  }
  return json;
}

std::vector<std::string> PrivacyStatement(const RunReport& report) {
  std::vector<std::string> said;
  if (report.seeded) {
    said.push_back(
        "NOT PRIVATE: a seed makes the noise known to anyone; it is for "
        "experiments only. Without the seed it would be:");
  }
  said.push_back(report.guarantee.Describe());
  said.push_back(
      !report.neighbours.empty() ? report.neighbours
      : report.guarantee.relation() == Relation::kAddRemove
          ? "An absent round leaves its place in the stream. The numbers are "
            "those for replaced rounds, because a replacement may be nothing."
          : "The same numbers hold if neighbours are rounds present or absent: "
            "a replacement may be nothing, in its place.");
  said.push_back(
      "The guarantee is computational: the noise is ChaCha20 under a secret "
      "key. It depends on no horizon and on nothing in the data.");
  if (!report.public_only) {
    said.push_back(
        "Each prediction is for its own user only. Mistakes, paid rounds and "
        "all else computed from labels are the operator's own view and are "
        "not covered.");
  } else {
    said.push_back(
        "Each prediction is for its own user only. The mistakes shown are a "
        "private count, which is part of this guarantee.");
  }
  for (const auto& assumption : report.assumptions) said.push_back(assumption);
  return said;
}

void PrintText(const RunReport& report, std::FILE* out) {
  const RunTally& tally = report.tally;
  std::fputc('\n', out);
  Row(out, "model", report.model + " over " + report.learner);
  Row(out, "rounds", Grouped(tally.now.rounds));
  PrintMistakes(report, out);
  if (!report.public_only) {
    Row(out, "paid rounds", CountAndShare(tally.now.paid, tally.now.rounds));
    if (tally.refused > 0) {
      Row(out, "refused",
          Grouped(tally.refused) + " rounds of users who had none left");
    }
  }
  Row(out, "phases", Grouped(report.phases));
  if (tally.halted_at) {
    Row(out, "halted",
        "after round " + Grouped(*tally.halted_at) +
            ": the budget of the phase is used up");
  }
  PrintPlan(report, out);
  if (!report.public_only && report.skipped.total() > 0) {
    Row(out, "bad rows", report.skipped.Text());
  }
  char time[64];
  std::snprintf(time, sizeof(time), "%.2f s, ", report.seconds);
  Row(out, "time", time + Rounded(Rate(report)) + " rounds/s");
  if (report.interrupted) Row(out, "interrupted", "ended by a signal");
  std::fputs("\nPrivacy: ", out);
  bool first = true;
  for (const auto& sentence : PrivacyStatement(report)) {
    std::fprintf(out, "%s%s\n", first ? "" : "  ", sentence.c_str());
    first = false;
  }
}

}  // namespace sotto::app
