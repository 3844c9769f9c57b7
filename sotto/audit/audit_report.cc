#include "sotto/audit/audit_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/audit/statistics/power.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/report/figures.h"

namespace sotto {
namespace {

constexpr std::size_t kShownBins = 4;

std::string Padded(std::string text, std::size_t width) {
  text.append(text.size() < width ? width - text.size() : 2, ' ');
  return text;
}

std::string Row(const AuditResult& result, const CaseResult& audit_case) {
  std::string line = Padded(audit_case.mechanism, 26) +
                     Padded(audit_case.adversary, 20) +
                     Padded(WithCommas(audit_case.runs), 12);
  if (audit_case.fault)
    return line + "broken: " + Printable(*audit_case.fault) + "\n";
  line += Padded(Short(audit_case.epsilon_lower()), 10);
  line += Padded("(" + Short(audit_case.claim.epsilon) + ", " +
                     Short(audit_case.claim.delta) + ")",
                 20);
  return line + std::string(CaseVerdict(result, audit_case)) + "\n";
}

Json CaseJson(const AuditResult& result, const CaseResult& audit_case) {
  const double detectable = result.Detectable(audit_case);
  Json json = Json::Object{
      {"mechanism", audit_case.mechanism},
      {"adversary", audit_case.adversary},
      {"variant", audit_case.variant},
      {"runs", audit_case.runs},
      {"claimed", Json::Object{{"epsilon", audit_case.claim.epsilon},
                               {"delta", audit_case.claim.delta}}},
      {"epsilon_lower",
       audit_case.fault ? Json() : Json(audit_case.epsilon_lower())},
      {"confidence", result.options.confidence},
      {"verdict", CaseVerdict(result, audit_case)},
      {"above_claim", audit_case.violation || audit_case.undecided()},
      {"detectable", std::isfinite(detectable) ? Json(detectable) : Json()},
      {"runs_needed", result.RunsNeeded(audit_case)}};
  if (audit_case.fault) json["fault"] = *audit_case.fault;
  if (audit_case.findings.empty()) return json;
  const AuditFinding& best = audit_case.findings.front();
  json["delta_lower"] = best.delta;
  json["event"] = Json::Object{{"what", EventText(audit_case, best.event)},
                               {"likelier_in", best.event.likelier ? 1 : 0},
                               {"hits", best.hits},
                               {"hits_in_the_other", best.others},
                               {"games", best.games}};
  return json;
}

// The runs that decide all cases; 0 if all are decided.
std::uint64_t MostNeeded(const AuditResult& result) {
  std::uint64_t most = 0;
  for (const CaseResult& audit_case : result.cases) {
    if (!result.Inconclusive(audit_case)) continue;
    most = std::max(most, result.RunsNeeded(audit_case));
  }
  return most;
}

}  // namespace

std::string_view ChooseVerdict(const AuditResult& result) {
  if (result.violation()) return "violation";
  if (result.broken()) return "broken";
  return result.inconclusive() ? "inconclusive" : "consistent";
}

std::string_view CaseVerdict(const AuditResult& result,
                             const CaseResult& audit_case) {
  if (audit_case.fault) return "broken";
  if (audit_case.violation) return "violation";
  return result.Inconclusive(audit_case) ? "inconclusive" : "consistent";
}

Json AuditJson(const AuditResult& result) {
  const CaseResult& worst = result.worst();
  Json json = Json::Object{
      {"target", result.target},
      {"adversary", worst.adversary},
      {"runs", worst.runs},
      {"claimed", Json::Object{{"epsilon", worst.claim.epsilon},
                               {"delta", worst.claim.delta}}},
      {"epsilon_lower", worst.fault ? Json() : Json(worst.epsilon_lower())},
      {"confidence", result.options.confidence},
      {"verdict", ChooseVerdict(result)},
      {"above_claim", result.violation() || result.undecided()},
      {"most_shown", result.MostShown(worst)},
      {"runs_needed", MostNeeded(result)},
      {"false_alarm", kFalseAlarm},
      {"seed", result.options.seed}};
  if (worst.fault) json["fault"] = *worst.fault;
  Json::Array cases;
  for (const CaseResult& audit_case : result.cases) {
    cases.push_back(CaseJson(result, audit_case));
  }
  json["duels"] = std::move(cases);
  return json;
}

std::string EventText(const CaseResult& audit_case, const AuditEvent& event) {
  std::string what(TranscriptFeatures::Name(event.reading));
  const auto bin = [&](std::size_t b) {
    return audit_case.readings.Describe(event.reading, b);
  };
  std::vector<std::size_t> in;
  for (std::size_t b = 0; b < event.bins.size(); ++b) {
    if (event.bins[b]) in.push_back(b);
  }
  if (in.empty()) return what;
  if (event.reading == TranscriptFeatures::kPattern) {
    return what + " is one of a set of " + WithCommas(in.size()) + " patterns";
  }
  const bool run = in.back() - in.front() + 1 == in.size();
  if (run && in.back() == event.bins.size() - 1) {
    return what + " is at least " + bin(in.front());
  }
  if (run && in.front() == 0) return what + " is at most " + bin(in.back());
  std::string text = what + " is one of";
  for (std::size_t i = 0; i < std::min(in.size(), kShownBins); ++i) {
    text += (i == 0 ? " " : ", ") + bin(in[i]);
  }
  return in.size() > kShownBins
             ? text + " and " + WithCommas(in.size() - kShownBins) + " more"
             : text;
}

namespace {

// The case that needs the most games.
std::string OpenConclusion(const AuditResult& result) {
  const CaseResult* most = nullptr;
  for (const CaseResult& audit_case : result.cases) {
    if (!result.Inconclusive(audit_case)) continue;
    const bool more = most == nullptr ||
                      result.RunsNeeded(audit_case) > result.RunsNeeded(*most);
    if (more) most = &audit_case;
  }
  const double detectable = result.Detectable(*most);
  return WithCommas(most->runs) + " games in each world of '" +
         most->mechanism + "' say little: " +
         (std::isfinite(detectable)
              ? "a leak of less than epsilon " + Short(detectable)
              : "a leak of any size") +
         " could have gone unnoticed. A leak of twice the claim, or larger by "
         "1, needs --runs " +
         std::to_string(result.RunsNeeded(*most)) + ".";
}

}  // namespace

std::string Conclusion(const AuditResult& result) {
  if (result.violation()) {
    return "The claim does not hold; a sound mechanism is called so once in a "
           "million audits.";
  }
  if (result.undecided()) {
    return "That is above the claim, but not as certain as a violation has to "
           "be: inconclusive. More games decide (--runs), or another --seed.";
  }
  const CaseResult& worst = result.worst();
  if (result.inconclusive()) return OpenConclusion(result);
  return "That does not contradict the claim. It does not prove it: an audit "
         "finds leaks, a proof excludes them. A leak of epsilon " +
         Short(result.Detectable(worst)) +
         " would have been reported with probability " + Percent(kAuditPower) +
         ".";
}

std::string AuditText(const AuditResult& result) {
  std::string text =
      "Audit of " + result.target + ": " + std::string(ChooseVerdict(result)) +
      "\n\n" + Padded("mechanism", 26) + Padded("adversary", 20) +
      Padded("games", 12) + Padded("epsilon", 10) + Padded("claimed", 20) +
      "verdict\n" + Padded("", 46) + Padded("per world", 12) + "at least\n";
  for (const CaseResult& audit_case : result.cases)
    text += Row(result, audit_case);
  const CaseResult& worst = result.worst();
  if (worst.fault) {
    return text + "\n" + worst.mechanism +
           " could not be played: " + Printable(*worst.fault) +
           ". Nothing is known of its privacy.\n";
  }
  text += "\nWith confidence " + Percent(result.options.confidence) +
          ", epsilon is at least " + Short(worst.epsilon_lower()) +
          " at delta " + Short(worst.claim.delta) + ".\n";
  if (!worst.findings.empty()) {
    const AuditFinding& best = worst.findings.front();
    text += "The best event: " + EventText(worst, best.event) + ". It came " +
            WithCommas(best.hits) + " times in one world and " +
            WithCommas(best.others) + " times in the other, of " +
            WithCommas(best.games) + " games each.\n";
  }
  return text + Conclusion(result) + "\n";
}

}  // namespace sotto
