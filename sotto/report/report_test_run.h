#pragma once

#include <vector>

#include "sotto/report/run_report.h"

namespace sotto::testing {

inline RunReport EmptyReport() {
  return {
      .facts = {.model = "pop",
                .learner = "threshold",
                .in_words = "pop over threshold, 9 copies",
                .guarantee = *Guarantee::Create(
                    {.notion = Notion::kChallengeDp,
                     .epsilon = 1,
                     .delta = 1e-6,
                     .protects = "a user's features and label"}),
                .parameters = Json::Object{{"copies", 9}, {"stopper", 0.25}}}};
}

// The rounds in turn; the private count says how many there were.
inline RunReport ReportAfter(const std::vector<Round>& rounds,
                             const LabelType& type = {}) {
  RunReport report = EmptyReport();
  report.facts.label = type;
  for (const Round& round : rounds) {
    report.stats.Add(round, type,
                     static_cast<std::int64_t>(report.stats.now.rounds) + 1);
  }
  return report;
}

inline Round Answered(bool prediction, bool y) {
  return {.y = Label(y), .prediction = Label(prediction)};
}

}  // namespace sotto::testing
