#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "sotto/audit/program/program_audit.h"
#include "sotto/base/printable.h"

namespace sotto {
namespace {

constexpr std::size_t kShown = 60;

std::string Short(const std::string& text) {
  return "'" + Printable(text.substr(0, kShown)) +
         (text.size() > kShown ? "...'" : "'");
}

}  // namespace

std::string LeakText(const ProgramLeak& leak) {
  char bound[60] = "";
  if (!leak.exact) {
    std::snprintf(bound, sizeof bound, " (counted: epsilon at least %.3g)",
                  leak.epsilon);
  }
  return "leak, row " + leak.change + ": " + leak.place + ": " +
         Short(leak.here) + " / " + Short(leak.there) + bound + "\n";
}

Json LeakJson(const ProgramLeak& leak) {
  return Json::Object{{"change", leak.change}, {"place", leak.place},
                      {"here", leak.here},     {"there", leak.there},
                      {"exact", leak.exact},   {"epsilon_lower", leak.epsilon}};
}

std::string ProgramText(const ProgramResult& result) {
  std::string text =
      "Audit of a program: " + std::string(result.Verdict()) + "\n";
  for (std::size_t i = 0; i < result.changes.size(); ++i) {
    text += (i == 0 ? "One row was " : ", ") + result.changes[i];
  }
  text += std::string(result.changes.empty() ? "" : "; ") +
          std::to_string(result.runs) + " runs in each world.\n";
  for (const ProgramLeak& leak : result.leaks) text += LeakText(leak);
  for (const std::string& fault : result.faults) {
    text += "broken, " + Printable(fault) + "\n";
  }
  for (const ProgramLeak& leak : result.suspicions) {
    text += "suspicious, row " + leak.change + ": " + leak.place + ": always " +
            Short(leak.here) + " / always " + Short(leak.there) + "\n";
  }
  if (!result.suspicions.empty()) {
    text += "If that is noise, it will vary: --runs " +
            std::to_string(result.runs_needed) + " makes it certain.\n";
  }
  if (result.Verdict() == "consistent") {
    text +=
        "Everything public was the same, or varied no more than the claim "
        "allows. That is no proof.\n";
  }
  return text;
}

Json ProgramJson(const ProgramResult& result) {
  Json::Array changes;
  for (const std::string& change : result.changes) changes.emplace_back(change);
  Json::Array leaks;
  double most = 0;
  for (const ProgramLeak& leak : result.leaks) {
    most = std::max(most, leak.epsilon);
    leaks.push_back(LeakJson(leak));
  }
  Json::Array suspicions;
  for (const ProgramLeak& leak : result.suspicions) {
    suspicions.push_back(LeakJson(leak));
  }
  Json::Array faults;
  for (const std::string& fault : result.faults) faults.emplace_back(fault);
  return Json::Object{
      {"target", "program"},
      {"adversary", "two-worlds"},
      {"runs", result.runs},
      {"claimed", Json::Object{{"epsilon", result.claim.epsilon},
                               {"delta", result.claim.delta}}},
      {"epsilon_lower", most},
      {"confidence", 1 - 1e-6},
      {"verdict", result.Verdict()},
      {"changes", std::move(changes)},
      {"leaks", std::move(leaks)},
      {"faults", std::move(faults)},
      {"suspicions", std::move(suspicions)},
      {"runs_needed", result.runs_needed}};
}

}  // namespace sotto
