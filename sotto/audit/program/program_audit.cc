#include "sotto/audit/program/program_audit.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "sotto/audit/audit.h"
#include "sotto/audit/program/live_play.h"
#include "sotto/audit/random_key.h"
#include "sotto/audit/statistics/power.h"
#include "sotto/base/threads.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/random/exact_samplers.h"

namespace sotto {
namespace {

using Outcomes = std::vector<ProgramOutcome>;

bool Refused(const ProgramOutcome& outcome) {
  constexpr int kUsage = 2;
  return outcome.end == ProgramOutcome::End::kExited && outcome.code == kUsage;
}

// Which world begins each run; the others follow in turn.
std::vector<std::size_t> DrawFirstWorlds(const ProgramAudit& audit,
                                         std::size_t worlds) {
  ChaChaRng rng(KnownKey().Derive("audit", "order", {audit.first_seed}));
  std::vector<std::size_t> first(audit.runs);
  for (std::size_t& world : first) {
    world = static_cast<std::size_t>(UniformBelow(worlds, rng));
  }
  return first;
}

// All runs of all worlds, the first of which is the stream as given. Threads
// take them in turn: the i-th run of every world before the next one of any,
// beginning with a world that is drawn, so that clocks, process ids and the
// load of the machine tell no world.
class Runner {
 public:
  Runner(const ProgramAudit& audit, std::vector<const ProgramStream*> worlds)
      : audit_(audit), worlds_(std::move(worlds)) {}

  // Ends early where the stream as given fails.
  Result<std::vector<Outcomes>> Run() {
    outcomes_.assign(worlds_.size(), Outcomes(audit_.runs));
    first_ = DrawFirstWorlds(audit_, worlds_.size());
    OnThreads(audit_.threads, [this](std::size_t) { Work(); });
    if (failure_) return *failure_;
    if (fault_) outcomes_.front().assign(1, *fault_);
    return std::move(outcomes_);
  }

 private:
  void Work() {
    const std::uint64_t all = audit_.runs * worlds_.size();
    while (!stopped_) {
      const std::uint64_t job = next_.fetch_add(1);
      if (job >= all) return;
      const std::uint64_t run = job / worlds_.size();
      const std::size_t world = (job + first_[run]) % worlds_.size();
      Keep(world, run, PlayOne(world, run), all);
    }
  }

  Result<ProgramOutcome> PlayOne(std::size_t world, std::uint64_t run) const {
    const bool apart = world == 0 && !audit_.same_seeds;
    return RunProgramOnce(
        {.command = audit_.command,
         .stream = *worlds_[world],
         .gzipped = audit_.gzipped,
         .seed = audit_.first_seed + run + (apart ? audit_.runs : 0),
         .timeout = audit_.timeout,
         .most_bytes = audit_.most_bytes});
  }

  void Keep(std::size_t world, std::uint64_t run,
            Result<ProgramOutcome> outcome, std::uint64_t all) {
    const std::scoped_lock lock(mutex_);
    if (!outcome) {
      failure_ = outcome.error();
      stopped_ = true;
      return;
    }
    if (world == 0 && !Refused(*outcome) &&
        !FindFault(*outcome, audit_.reading).empty()) {
      if (!fault_) fault_ = *outcome;
      stopped_ = true;
    }
    outcomes_[world][run] = *std::move(outcome);
    if (audit_.progress) audit_.progress(++done_, all);
  }

  const ProgramAudit& audit_;
  std::vector<const ProgramStream*> worlds_;
  std::vector<std::size_t> first_;  // world of each run
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
  std::vector<Outcomes> outcomes_;
  std::optional<ProgramOutcome> fault_;
  std::optional<Error> failure_;
};

std::vector<PublicFacts> ExtractAll(const Outcomes& outcomes,
                                    const ProgramReading& reading,
                                    const std::vector<std::size_t>& own) {
  std::vector<PublicFacts> facts;
  for (const ProgramOutcome& outcome : outcomes) {
    facts.push_back(ExtractFacts(outcome, reading, own));
  }
  return facts;
}

using FactMap = std::map<std::string, std::string> PublicFacts::*;

// The values of one fact in all runs of a world; "(nothing)" where it is not.
std::vector<FactValue> ListValues(const std::vector<PublicFacts>& runs,
                                  FactMap facts, const std::string& place) {
  std::vector<FactValue> values;
  for (const PublicFacts& run : runs) {
    const auto found = (run.*facts).find(place);
    values.push_back(FactValue::Of(
        found == (run.*facts).end() ? "(nothing)" : found->second));
  }
  return values;
}

// All facts of a run as one text: they may tell together what none tells.
std::vector<FactValue> WholeTexts(const std::vector<PublicFacts>& runs) {
  std::vector<FactValue> values;
  for (const PublicFacts& run : runs) {
    std::string text;
    for (const auto* facts : {&run.shapes, &run.numbers}) {
      for (const auto& [place, value] : *facts) text += value + "\n";
    }
    values.push_back({.text = std::move(text)});
  }
  return values;
}

// All facts of two worlds: the exit code, which is the most important one,
// shapes, numbers, and everything as one.
std::vector<FactColumn> MakeColumns(const std::vector<PublicFacts>& here,
                                    const std::vector<PublicFacts>& there) {
  std::vector<FactColumn> columns;
  for (const FactMap facts : {&PublicFacts::shapes, &PublicFacts::numbers}) {
    std::set<std::string> places;
    for (const auto* runs : {&here, &there}) {
      for (const PublicFacts& run : *runs) {
        for (const auto& [place, value] : run.*facts) places.insert(place);
      }
    }
    for (const std::string& place : places) {
      columns.push_back({place, facts == &PublicFacts::shapes,
                         ListValues(here, facts, place),
                         ListValues(there, facts, place)});
    }
  }
  const auto first =
      std::ranges::find(columns, "exit code", &FactColumn::place);
  std::rotate(columns.begin(), first, first + 1);
  return columns;
}

// The claim for a group of users: guarantee.md's group privacy.
ApproximateDp ClaimFor(const NeighbourStream& neighbour,
                       const ApproximateDp& claim) {
  const auto users = static_cast<double>(neighbour.users);
  return {users * claim.epsilon,
          std::min(1.0, users * claim.delta *
                            std::exp((users - 1) * claim.epsilon))};
}

// The first run with an error.
std::optional<std::string> FaultIn(const Outcomes& outcomes,
                                   const ProgramReading& reading) {
  for (const ProgramOutcome& outcome : outcomes) {
    std::string fault = FindFault(outcome, reading);
    if (!fault.empty()) return fault;
  }
  return std::nullopt;
}

// One audit: the world as given, then neighbour after neighbour.
class Auditor {
 public:
  explicit Auditor(const ProgramAudit& audit)
      : audit_(audit), neighbours_(MakeNeighbours(audit.stream)) {
    if (!audit.changes.empty()) {
      std::erase_if(neighbours_, [&](const NeighbourStream& neighbour) {
        return std::ranges::find(audit.changes, neighbour.change) ==
               audit.changes.end();
      });
    }
    for (NeighbourStream& neighbour : neighbours_) {
      if (audit.unanswered) neighbour.own.clear();
    }
    if (!audit.unanswered) audit_.reading.rows = audit.stream.rows.size();
    if (audit_.stream.format == "live") audit_.reading.answers = kLiveAnswers;
    result_.runs = audit.runs;
    result_.claim = audit.claim;
  }

  Result<ProgramResult> Run() {
    std::vector<const ProgramStream*> streams = {&audit_.stream};
    for (const NeighbourStream& neighbour : neighbours_) {
      streams.push_back(&neighbour.stream);
    }
    SOTTO_TRY_ASSIGN(const auto worlds, Runner(audit_, streams).Run());
    if (const auto fault = FaultIn(worlds.front(), audit_.reading)) {
      const ProgramOutcome& first = worlds.front().front();
      result_.faults.push_back("as given: " + *fault);
      if (!Refused(first)) return std::move(result_);
      result_.refused = true;
      result_.refusal = LastLine(first.error);
      audit_.reading.with_errors = true;  // a refusal is public
    }
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
      Face(neighbours_[i], worlds.front(), worlds[i + 1]);
    }
    return std::move(result_);
  }

 private:
  static std::string LastLine(const std::string& text) {
    const std::size_t end = text.find_last_not_of('\n');
    if (end == std::string::npos) return "";
    const std::size_t begin = text.rfind('\n', end);
    return text.substr(begin + 1, end - begin);
  }

  void Face(const NeighbourStream& neighbour, const Outcomes& here,
            const Outcomes& there) {
    result_.changes.push_back(neighbour.change);
    const auto fault = FaultIn(there, audit_.reading);
    if (fault && !result_.refused) {
      result_.faults.push_back(neighbour.change + ": " + *fault);
    }
    Compare(neighbour, ExtractAll(here, audit_.reading, neighbour.own),
            ExtractAll(there, audit_.reading, neighbour.own));
    if (audit_.equal_empties && neighbour.empty) Empties(neighbour, there);
  }

  void Compare(const NeighbourStream& neighbour,
               const std::vector<PublicFacts>& here,
               const std::vector<PublicFacts>& there) {
    std::vector<FactColumn> columns = MakeColumns(here, there);
    if (!audit_.exact_words) {
      columns.push_back(
          {"everything", false, WholeTexts(here), WholeTexts(there)});
    }
    const auto share = static_cast<double>(audit_.audits * neighbours_.size());
    FactComparison compared =
        CompareWorlds(columns, here.size(),
                      {.change = neighbour.change,
                       .claim = ClaimFor(neighbour, audit_.claim),
                       .alpha = kFalseAlarm / share,
                       .exact_words = audit_.exact_words,
                       .independent = !audit_.same_seeds});
    const auto add = [](const auto& from, auto& to) {
      to.insert(to.end(), from.begin(), from.end());
    };
    add(compared.leaks, result_.leaks);
    add(compared.suspicions, result_.suspicions);
    if (compared.Verdict() == "inconclusive") {
      result_.runs_needed = std::max(result_.runs_needed, compared.runs_needed);
    }
    result_.cases.push_back(std::move(compared));
  }

  // Empty rounds: all kinds must give the same output.
  void Empties(const NeighbourStream& neighbour, const Outcomes& there) {
    std::vector<std::string> texts;
    for (const ProgramOutcome& outcome : there) {
      texts.push_back(PublicText(outcome, audit_.reading, neighbour.own));
    }
    if (empties_.empty()) {
      empties_ = std::move(texts);
      empty_change_ = neighbour.change;
      return;
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i] == empties_[i]) continue;
      const auto [a, b] = FirstDifference(empties_[i], texts[i]);
      result_.leaks.push_back({neighbour.change,
                               "beside '" + empty_change_ + "', same seed", a,
                               b, true, 0});
      return;
    }
  }

  static std::pair<std::string, std::string> FirstDifference(
      const std::string& a, const std::string& b) {
    constexpr std::size_t kBefore = 20;
    constexpr std::size_t kLength = 60;
    const std::size_t at =
        static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    const std::size_t from = at > kBefore ? at - kBefore : 0;
    return {a.substr(from, kLength),
            b.substr(std::min(from, b.size()), kLength)};
  }

  ProgramAudit audit_;
  std::vector<NeighbourStream> neighbours_;
  ProgramResult result_ = {};
  std::vector<std::string> empties_;
  std::string empty_change_;
};

}  // namespace

std::string_view ProgramResult::Conclusion() const {
  if (!leaks.empty()) return "violation";
  if (!faults.empty()) return "broken";
  const bool open =
      std::ranges::any_of(cases, [](const FactComparison& compared) {
        return compared.Verdict() == "inconclusive";
      });
  return open ? "inconclusive" : "consistent";
}

std::string_view ProgramResult::Verdict() const {
  if (!leaks.empty()) return "violation";
  if (!faults.empty()) return "broken";
  return suspicions.empty() ? "consistent" : "suspicious";
}

std::uint64_t UsualRuns(const ApproximateDp& claim) {
  constexpr double kChanges = 8;  // of most streams
  constexpr std::uint64_t kLeast = 20;
  constexpr std::uint64_t kMost = 600;
  const AuditPower power{.epsilon = claim.epsilon,
                         .delta = claim.delta,
                         .alpha = kFalseAlarm / (kChanges * kFactEvents),
                         .guesses = true};
  return std::clamp<std::uint64_t>(RunParts::RunsWith(RunsForPower(power)),
                                   kLeast, kMost);
}

Result<ProgramResult> AuditProgram(const ProgramAudit& audit) {
  return Auditor(audit).Run();
}

}  // namespace sotto
