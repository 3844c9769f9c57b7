#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/label.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/data/streams/schema.h"
#include "sotto/online/online_model.h"
#include "sotto/online/run_stats.h"
#include "sotto/online/session.h"

namespace sotto {

// The facts of a run before any data is touched: anybody may see them.
struct RunFacts {
  std::string model;
  std::string learner = {};   // empty: the model has none
  std::string in_words = {};  // OnlineModel::Summary
  Guarantee guarantee;        // of all that the run releases
  Json parameters = Json::Object{};
  std::vector<std::string> caveats = {};
  OnlineModel::Forecast forecast = {};
  std::optional<std::uint64_t> horizon = {};
  LabelType label = {};
  bool seeded = false;                    // the noise is known to anyone
  std::string publishes = {};             // empty: nothing
  std::vector<std::string> columns = {};  // public names, if there are any
  // Filled in by the caller, empty if unknown: the name of the data, the date,
  // and the version of the program.
  std::string data = {};
  std::string date = {};
  std::string version = {};
  // Budget that the schema's ranges have cost the same people.
  std::optional<SchemaCost> spent_before = {};

  // With that of this run: epsilons and deltas add up.
  SchemaCost Total() const {
    const SchemaCost before = spent_before.value_or(SchemaCost());
    return {before.epsilon + guarantee.epsilon(),
            before.delta + guarantee.delta()};
  }
};

// The private count of mistakes, if there is one.
struct MistakeCount {
  double error = 0;           // within this with probability 95%
  std::uint64_t counted = 0;  // the rounds that are in it
};

// How a round was voted on, for the plot of the spread of the votes.
struct VoteSample {
  std::uint64_t round = 0;
  double share = 0;  // of the copies that say 1
};

// A hypothesis that was published on the way.
struct Publication {
  std::uint64_t by = 0;   // the round at or before which it was
  std::string text = {};  // human-readable
  // If it is one question about one number.
  struct Cut {
    std::string column = {};
    double value = 0;
  };
  std::optional<Cut> cut = {};
};

// All that is said at the end of a run, in text, JSON or HTML. The caller fills
// it in from a session; what of it anybody may see is decided by PublicPart
// (public_run.h) alone. The keys that stay stable are in
// docs/formats/report.md.
//
//   RunReport report = MakeReport(session);
//   report.seconds = watch.seconds();
//   std::puts(RunJson(report).Dump().c_str());
struct RunReport {
  RunFacts facts;
  RunStats stats = {};
  std::uint64_t phases = 1;  // that have begun
  std::optional<MistakeCount> count = {};
  bool public_only = false;  // only what anybody may see
  bool interrupted = false;  // a signal ended it
  std::vector<Publication> published = {};

  // The operator's own view, as is most of the stats.
  std::uint64_t played_now = 0;  // rounds of this run, not of those before
  double seconds = 0;
  SkipCounts skipped = {};
  std::optional<std::uint64_t> plain_mistakes = {};  // of Comparison
  std::optional<double> plain_error = {};            // of numbers: its sum
  std::vector<VoteSample> votes = {};
};

// Reads from a session what it knows; the caller adds the rest.
RunReport MakeReport(const Session& session);

Json RunJson(const RunReport& report);
// The text that follows the table.
std::string RunText(const RunReport& report);

// The privacy statement, a sentence or two an item; and as a paragraph, also
// for a run that was ended by an error and has no report.
std::vector<std::string> PrivacyStatement(const RunReport& report);
std::string StatementText(const RunReport& report);
// The guarantee for who has never heard of epsilon.
std::string ExplainGuarantee(const Guarantee& guarantee);

}  // namespace sotto
