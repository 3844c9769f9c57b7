#include "sotto/audit/program/program_audit.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "sotto/audit/audit.h"
#include "sotto/audit/program/live_play.h"
#include "sotto/audit/statistics/confidence.h"

namespace sotto {
namespace {

constexpr std::size_t kMostLeaks = 5;  // of one change

using Outcomes = std::vector<ProgramOutcome>;

// All runs of one world, the threads taking them in turn.
class Runner {
 public:
  Runner(const ProgramAudit& audit, const ProgramStream& stream,
         const std::function<void()>& tick)
      : audit_(audit), stream_(stream), tick_(tick) {}

  Result<Outcomes> Run() {
    outcomes_.resize(audit_.runs);
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < audit_.threads; ++i) {
      threads.emplace_back([this] { Work(); });
    }
    Work();
    threads.clear();
    if (failure_) return *failure_;
    return std::move(outcomes_);
  }

 private:
  void Work() {
    for (;;) {
      const std::uint64_t i = next_.fetch_add(1);
      if (i >= audit_.runs) return;
      auto outcome = RunProgramOnce({.command = audit_.command,
                                     .stream = stream_,
                                     .gzipped = audit_.gzipped,
                                     .seed = audit_.first_seed + i,
                                     .timeout = audit_.timeout,
                                     .most_bytes = audit_.most_bytes});
      const std::scoped_lock lock(mutex_);
      if (!outcome) {
        failure_ = outcome.error();
        return;
      }
      outcomes_[i] = *std::move(outcome);
      tick_();
    }
  }

  const ProgramAudit& audit_;
  const ProgramStream& stream_;
  const std::function<void()>& tick_;
  std::atomic<std::uint64_t> next_ = 0;
  std::mutex mutex_;
  Outcomes outcomes_;
  std::optional<Error> failure_;
};

// The values of one fact in all runs of a world; "(nothing)" where it is not.
std::vector<std::string> ListValues(
    const std::vector<std::map<std::string, std::string>>& facts,
    const std::string& place) {
  std::vector<std::string> values;
  for (const auto& run : facts) {
    const auto found = run.find(place);
    values.push_back(found == run.end() ? "(nothing)" : found->second);
  }
  return values;
}

bool Constant(const std::vector<std::string>& values) {
  return std::ranges::all_of(
      values, [&](const std::string& v) { return v == values.front(); });
}

// The value that the first half of the runs finds in one world rather than in
// the other, and what the second half counts of it.
double CountedEpsilon(const std::vector<std::string>& here,
                      const std::vector<std::string>& there, double delta,
                      double alpha) {
  const std::size_t half = here.size() / 2;
  std::map<std::string, int> lead;
  for (std::size_t i = 0; i < half; ++i) {
    ++lead[here[i]];
    --lead[there[i]];
  }
  double best = 0;
  for (const bool up : {true, false}) {
    const auto extreme =
        up ? std::max_element(lead.begin(), lead.end(),
                              [](const auto& a, const auto& b) {
                                return a.second < b.second;
                              })
           : std::min_element(lead.begin(), lead.end(),
                              [](const auto& a, const auto& b) {
                                return a.second < b.second;
                              });
    if (extreme == lead.end()) continue;
    const auto hits = [&](const std::vector<std::string>& values) {
      return static_cast<std::uint64_t>(
          std::count(values.begin() + static_cast<std::ptrdiff_t>(half),
                     values.end(), extreme->first));
    };
    const auto& likely = up ? here : there;
    const auto& other = up ? there : here;
    best =
        std::max(best, EpsilonLowerBound(hits(likely), hits(other),
                                         here.size() - half, delta, alpha / 2));
  }
  return best;
}

using Facts = std::vector<std::map<std::string, std::string>>;

struct World {
  Facts shapes;
  Facts numbers;
};

World MakeWorld(const Outcomes& outcomes, const ProgramReading& reading,
                const std::vector<std::size_t>& own) {
  World world;
  for (const ProgramOutcome& outcome : outcomes) {
    PublicFacts facts = ExtractFacts(outcome, reading, own);
    world.shapes.push_back(std::move(facts.shapes));
    world.numbers.push_back(std::move(facts.numbers));
  }
  return world;
}

std::set<std::string> Places(const Facts& here, const Facts& there) {
  std::set<std::string> places;
  for (const Facts* facts : {&here, &there}) {
    for (const auto& run : *facts) {
      for (const auto& [place, value] : run) places.insert(place);
    }
  }
  return places;
}

// Step 2.
std::uint64_t RunsNeeded(const ApproximateDp& claim, double alpha) {
  const double e = std::exp(claim.epsilon);
  const double most = std::min(1.0, (e + claim.delta) / (1 + e));
  if (most >= 1) return ~std::uint64_t{0};
  return 1 + static_cast<std::uint64_t>(
                 std::ceil(std::log(alpha) / (2 * std::log(most))));
}

// Both worlds of one change.
class Comparison {
 public:
  Comparison(const NeighbourStream& neighbour, const ApproximateDp& claim,
             std::uint64_t share)
      : neighbour_(neighbour), share_(share) {
    // A group of users: guarantee.md's group privacy.
    const auto users = static_cast<double>(neighbour.users);
    claim_ = {users * claim.epsilon,
              std::min(1.0, users * claim.delta *
                                std::exp((users - 1) * claim.epsilon))};
  }

  void Compare(const World& here, const World& there, ProgramResult& result) {
    const auto shapes = Places(here.shapes, there.shapes);
    const auto numbers = Places(here.numbers, there.numbers);
    const double alpha =
        kFalseAlarm /
        static_cast<double>(share_ * (shapes.size() + numbers.size()));
    const std::string first = "exit code";  // the most important fact
    Place(first, ListValues(here.shapes, first),
          ListValues(there.shapes, first), true, alpha);
    for (const std::string& place : shapes) {
      if (place == first) continue;
      Place(place, ListValues(here.shapes, place),
            ListValues(there.shapes, place), true, alpha);
    }
    for (const std::string& place : numbers) {
      Place(place, ListValues(here.numbers, place),
            ListValues(there.numbers, place), false, alpha);
    }
    result.leaks.insert(result.leaks.end(), leaks_.begin(), leaks_.end());
    if (suspicions_.empty()) return;
    result.suspicions.insert(result.suspicions.end(), suspicions_.begin(),
                             suspicions_.end());
    result.runs_needed =
        std::max(result.runs_needed, RunsNeeded(claim_, alpha));
  }

 private:
  void Place(const std::string& place, const std::vector<std::string>& here,
             const std::vector<std::string>& there, bool shape, double alpha) {
    if (leaks_.size() >= kMostLeaks) return;
    ProgramLeak leak{neighbour_.change, place, here.front(),
                     there.front(),     true,  0};
    if (Constant(here) && Constant(there)) {
      if (here.front() == there.front()) return;
      const bool certain = shape || here.size() >= RunsNeeded(claim_, alpha);
      auto& list = certain ? leaks_ : suspicions_;
      if (list.size() < kMostLeaks) list.push_back(std::move(leak));
      return;
    }
    leak.exact = false;
    leak.epsilon = CountedEpsilon(here, there, claim_.delta, alpha);
    if (leak.epsilon > claim_.epsilon) leaks_.push_back(std::move(leak));
  }

  const NeighbourStream& neighbour_;
  ApproximateDp claim_;
  std::uint64_t share_;
  std::vector<ProgramLeak> leaks_;
  std::vector<ProgramLeak> suspicions_;
};

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
    SOTTO_TRY_ASSIGN(auto here, Play(audit_.stream));
    here_ = std::move(here);
    if (const auto fault = FaultIn(here_, audit_.reading)) {
      result_.faults.push_back("as given: " + *fault);
      if (!Refused(here_.front())) return std::move(result_);
      result_.refused = true;
      result_.refusal = LastLine(here_.front().error);
      audit_.reading.with_errors = true;  // a refusal is public
    }
    for (const NeighbourStream& neighbour : neighbours_) {
      SOTTO_TRY(Face(neighbour));
    }
    return std::move(result_);
  }

 private:
  static bool Refused(const ProgramOutcome& outcome) {
    constexpr int kUsage = 2;
    return outcome.end == ProgramOutcome::End::kExited &&
           outcome.code == kUsage;
  }
  static std::string LastLine(const std::string& text) {
    const std::size_t end = text.find_last_not_of('\n');
    if (end == std::string::npos) return "";
    const std::size_t begin = text.rfind('\n', end);
    return text.substr(begin + 1, end - begin);
  }

  Result<Outcomes> Play(const ProgramStream& stream) {
    const std::uint64_t all = audit_.runs * (neighbours_.size() + 1);
    const std::function<void()> tick = [&] {
      if (audit_.progress) audit_.progress(++done_, all);
    };
    return Runner(audit_, stream, tick).Run();
  }

  Status Face(const NeighbourStream& neighbour) {
    result_.changes.push_back(neighbour.change);
    SOTTO_TRY_ASSIGN(auto there, Play(neighbour.stream));
    const auto fault = FaultIn(there, audit_.reading);
    if (fault && !result_.refused) {
      result_.faults.push_back(neighbour.change + ": " + *fault);
    }
    Comparison(neighbour, audit_.claim, audit_.audits * neighbours_.size())
        .Compare(MakeWorld(here_, audit_.reading, neighbour.own),
                 MakeWorld(there, audit_.reading, neighbour.own), result_);
    if (audit_.equal_empties && neighbour.empty) Empties(neighbour, there);
    return Ok();
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
  Outcomes here_;
  std::atomic<std::uint64_t> done_ = 0;
  std::vector<std::string> empties_;
  std::string empty_change_;
};

}  // namespace

std::string_view ProgramResult::Verdict() const {
  if (!leaks.empty()) return "violation";
  if (!faults.empty()) return "broken";
  return suspicions.empty() ? "consistent" : "suspicious";
}

std::uint64_t UsualRuns(const ApproximateDp& claim) {
  constexpr double kPlaces = 1e4;  // with changes; of most programs
  constexpr std::uint64_t kLeast = 20;
  constexpr std::uint64_t kMost = 300;
  return std::clamp(RunsNeeded(claim, kFalseAlarm / kPlaces), kLeast, kMost);
}

Result<ProgramResult> AuditProgram(const ProgramAudit& audit) {
  return Auditor(audit).Run();
}

}  // namespace sotto
