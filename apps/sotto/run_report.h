#pragma once

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run_tally.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/streams/row_fault.h"
#include "stream_driver.h"

namespace sotto::app {

// All that is said at the end of a run, in text, JSON or HTML. What `run` keeps
// stable for machines is in docs/formats/report.md.
struct RunReport {
  explicit RunReport(Guarantee promised) : guarantee(std::move(promised)) {}

  std::string model;
  std::string learner;
  Guarantee guarantee;
  nlohmann::ordered_json parameters;
  RunTally tally;
  std::uint64_t phases = 1;
  std::uint64_t played_now = 0;  // rounds of this run, not of those before
  double seconds = 0;
  bool seeded = false;

  // Of the plan; absent if there was none.
  std::optional<double> expected;
  std::optional<double> bound;
  std::string verdict;

  bool public_only = false;
  double shown_error = 0;  // of the private count of mistakes
  std::uint64_t shown_rounds = 0;

  bool compared = false;
  bool interrupted = false;
  SkipCounts skipped;
  std::string neighbours;  // on the relation, instead of the usual words
  std::vector<std::string> assumptions;  // what else must be said
  std::vector<VoteSample> votes;
};

nlohmann::ordered_json ToJson(const Guarantee& guarantee);
nlohmann::ordered_json ToJson(const RunReport& report);

// The privacy statement, a sentence or two an item.
std::vector<std::string> PrivacyStatement(const RunReport& report);
// What follows the table.
void PrintText(const RunReport& report, std::FILE* out);

// "4712 (0.47 %)"
std::string CountAndShare(std::uint64_t part, std::uint64_t whole);
// "12.3 s", "1,234,567"
std::string Grouped(std::uint64_t number);

}  // namespace sotto::app
