#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
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

std::string ThreeDigits(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

// One line for a case that the runs could not decide.
std::string OpenText(const Comparison& compared) {
  std::string text = "inconclusive, row " + compared.change + ": ";
  if (compared.epsilon_lower > compared.claim.epsilon) {
    text += "epsilon seems to be above " + ThreeDigits(compared.epsilon_lower);
  } else if (std::isfinite(compared.detectable)) {
    text += "a leak of less than epsilon " + ThreeDigits(compared.detectable) +
            " would not have been noticed";
  } else {
    text += "no leak would have been noticed";
  }
  return text + "; --runs " + std::to_string(compared.runs_needed) +
         " decide.\n";
}

Json CaseJson(const Comparison& compared) {
  return Json::Object{
      {"change", compared.change},
      {"claimed", Json::Object{{"epsilon", compared.claim.epsilon},
                               {"delta", compared.claim.delta}}},
      {"epsilon_lower", compared.epsilon_lower},
      {"detectable",
       std::isfinite(compared.detectable) ? Json(compared.detectable) : Json()},
      {"verdict", compared.Verdict()},
      {"runs_needed", compared.runs_needed}};
}

}  // namespace

std::string LeakText(const ProgramLeak& leak) {
  std::string counted;
  if (!leak.event.empty()) {
    counted = " (counted: " + leak.event + "; epsilon at least " +
              ThreeDigits(leak.epsilon) + ")";
  }
  return "leak, row " + leak.change + ": " + leak.place + ": " +
         Short(leak.here) + " / " + Short(leak.there) + counted + "\n";
}

Json LeakJson(const ProgramLeak& leak) {
  return Json::Object{{"change", leak.change}, {"place", leak.place},
                      {"here", leak.here},     {"there", leak.there},
                      {"exact", leak.exact},   {"epsilon_lower", leak.epsilon},
                      {"event", leak.event}};
}

std::string ProgramText(const ProgramResult& result) {
  const std::string_view verdict = result.Conclusion();
  std::string text = "Audit of a program: " + std::string(verdict) + "\n";
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
  if (verdict == "inconclusive") {
    for (const Comparison& compared : result.cases) {
      if (compared.Verdict() == verdict) text += OpenText(compared);
    }
  }
  if (verdict == "consistent") {
    text +=
        "Nothing public told the worlds apart better than the claim allows; a "
        "leak twice as large, or larger by 1, would have been reported with "
        "probability 95%. That is no proof.\n";
  }
  return text;
}

Json ProgramJson(const ProgramResult& result) {
  Json::Array changes;
  for (const std::string& change : result.changes) changes.emplace_back(change);
  Json::Array leaks;
  for (const ProgramLeak& leak : result.leaks) leaks.push_back(LeakJson(leak));
  double most = 0;
  Json::Array cases;
  for (const Comparison& compared : result.cases) {
    most = std::max(most, compared.epsilon_lower);
    cases.push_back(CaseJson(compared));
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
      {"verdict", result.Conclusion()},
      {"changes", std::move(changes)},
      {"cases", std::move(cases)},
      {"leaks", std::move(leaks)},
      {"faults", std::move(faults)},
      {"suspicions", std::move(suspicions)},
      {"runs_needed", result.runs_needed}};
}

}  // namespace sotto
