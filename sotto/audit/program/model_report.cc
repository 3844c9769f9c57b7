#include <string>
#include <utility>

#include "sotto/audit/program/model_audit.h"
#include "sotto/base/printable.h"

namespace sotto {
namespace {

Json CaseJson(const ModelCaseResult& found) {
  Json::Array leaks;
  for (const ProgramLeak& leak : found.leaks) leaks.push_back(LeakJson(leak));
  Json::Array faults;
  for (const std::string& fault : found.faults) faults.emplace_back(fault);
  return Json::Object{{"case", found.name},
                      {"verdict", found.verdict},
                      {"leaks", std::move(leaks)},
                      {"faults", std::move(faults)}};
}

std::string_view ChooseVerdict(const ModelAuditResult& result) {
  for (const ModelCaseResult& found : result.failures) {
    if (found.verdict == "violation") return "violation";
  }
  return result.good() ? "consistent" : "broken";
}

}  // namespace

std::string ModelAuditText(const ModelAuditResult& result) {
  std::string text = "Audit of every model in the whole program: " +
                     std::string(ChooseVerdict(result)) + "\n" +
                     std::to_string(result.played) +
                     " cases were the same in all worlds, or varied no more "
                     "than the claim allows;\n" +
                     std::to_string(result.refused) +
                     " were refused, alike in all worlds";
  if (result.left > 0) {
    text += "; for " + std::to_string(result.left) + " there was no time";
  }
  text += ".\n";
  if (result.suspicious > 0) {
    text += "In " + std::to_string(result.suspicious) +
            " of the cases numbers differed, and so few runs cannot tell "
            "noise from a leak: sotto audit program can.\n";
  }
  for (const ModelCaseResult& found : result.failures) {
    text += found.verdict + ": " + found.name + "\n";
    for (const ProgramLeak& leak : found.leaks) text += "  " + LeakText(leak);
    for (const std::string& fault : found.faults) {
      text += "  broken, " + Printable(fault) + "\n";
    }
  }
  return text;
}

Json ModelAuditJson(const ModelAuditResult& result) {
  Json::Array failures;
  for (const ModelCaseResult& found : result.failures) {
    failures.push_back(CaseJson(found));
  }
  Json::Array refusals;
  for (const ModelCaseResult& found : result.refusals) {
    refusals.push_back(
        Json::Object{{"case", found.name}, {"refusal", found.refusal}});
  }
  return Json::Object{{"target", "models"},
                      {"adversary", "two-worlds"},
                      {"verdict", ChooseVerdict(result)},
                      {"played", result.played},
                      {"refused", result.refused},
                      {"left", result.left},
                      {"suspicious", result.suspicious},
                      {"failures", std::move(failures)},
                      {"refusals", std::move(refusals)}};
}

}  // namespace sotto
