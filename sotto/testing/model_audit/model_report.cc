#include <string>
#include <utility>

#include "sotto/testing/model_audit/model_audit.h"

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
