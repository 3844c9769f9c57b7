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

#include "sotto/statistics/confidence.h"

namespace sotto {
namespace {

constexpr double kFalseAlarm = 1e-6;
constexpr std::size_t kMostLeaks = 5;  // of one change

using Outcomes = std::vector<ProgramOutcome>;

// All runs of one world, the threads taking them in turn.
class Runner {
 public:
  Runner(const ProgramAudit& audit, const ProgramStream& stream,
         const std::function<void()>& tick)
      : audit_(audit), text_(stream.Text()), tick_(tick) {}

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
                                     .stream = text_,
                                     .ending = audit_.stream.format,
                                     .timeout = audit_.timeout});
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
  std::string text_;
  const std::function<void()>& tick_;
  std::atomic<std::uint64_t> next_ = 0;
  std::mutex mutex_;
  Outcomes outcomes_;
  std::optional<Error> failure_;
};

// The values of one fact in all runs of a world; "(nothing)" where it is not.
std::vector<std::string> ValuesOf(
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

World WorldOf(const Outcomes& outcomes, const ProgramReading& reading,
              const std::vector<std::size_t>& own) {
  World world;
  for (const ProgramOutcome& outcome : outcomes) {
    PublicFacts facts = FactsOf(outcome, reading, own);
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

// How many runs in each world make it certain that a number without noise
// differs: program_audit.md, step 2.
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
             std::size_t changes)
      : neighbour_(neighbour), changes_(changes) {
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
        static_cast<double>(changes_ * (shapes.size() + numbers.size()));
    for (const std::string& place : shapes) {
      Place(place, ValuesOf(here.shapes, place), ValuesOf(there.shapes, place),
            true, alpha);
    }
    for (const std::string& place : numbers) {
      Place(place, ValuesOf(here.numbers, place),
            ValuesOf(there.numbers, place), false, alpha);
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
  std::size_t changes_;
  std::vector<ProgramLeak> leaks_;
  std::vector<ProgramLeak> suspicions_;
};

// The first run that went wrong.
std::optional<std::string> FaultIn(const Outcomes& outcomes,
                                   const ProgramReading& reading) {
  for (const ProgramOutcome& outcome : outcomes) {
    std::string fault = FaultOf(outcome, reading);
    if (!fault.empty()) return fault;
  }
  return std::nullopt;
}

}  // namespace

std::string_view ProgramResult::Verdict() const {
  if (!leaks.empty()) return "violation";
  return faults.empty() ? "consistent" : "broken";
}

Result<ProgramResult> AuditProgram(const ProgramAudit& audit) {
  const auto neighbours = NeighboursOf(audit.stream);
  ProgramAudit plan = audit;
  plan.reading.rows = audit.stream.rows.size();
  ProgramResult result;
  result.runs = audit.runs;
  result.claim = audit.claim;
  std::atomic<std::uint64_t> done = 0;
  const std::uint64_t all = audit.runs * (neighbours.size() + 1);
  const std::function<void()> tick = [&] {
    if (audit.progress) audit.progress(++done, all);
  };
  const auto here = Runner(plan, audit.stream, tick).Run();
  if (!here) return here.error();
  if (const auto fault = FaultIn(*here, plan.reading)) {
    result.faults.push_back("as given: " + *fault);
    return result;
  }
  for (const NeighbourStream& neighbour : neighbours) {
    result.changes.push_back(neighbour.change);
    const auto there = Runner(plan, neighbour.stream, tick).Run();
    if (!there) return there.error();
    if (const auto fault = FaultIn(*there, plan.reading)) {
      result.faults.push_back(neighbour.change + ": " + *fault);
    }
    Comparison(neighbour, audit.claim, neighbours.size())
        .Compare(WorldOf(*here, plan.reading, neighbour.own),
                 WorldOf(*there, plan.reading, neighbour.own), result);
  }
  return result;
}

}  // namespace sotto
