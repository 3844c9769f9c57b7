#include "sotto/audit/audit.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "sotto/audit/play.h"
#include "sotto/audit/statistics/confidence.h"
#include "sotto/audit/statistics/power.h"

namespace sotto {
namespace {

constexpr std::uint64_t kLeastTraining = 400;
constexpr std::uint64_t kMostTrying = 2000;    // of each variant
constexpr std::uint64_t kMostTraining = 4000;  // for the chosen variant
constexpr std::size_t kExamples = 200;

// A small audit trains on a fraction of its games.
std::uint64_t TrainingGames(std::uint64_t runs, std::uint64_t most) {
  const std::uint64_t least = std::min(kLeastTraining, runs / 8);
  return std::clamp(runs / 32, least, most);
}

// Views of both worlds, by one variant.
struct Sample {
  std::vector<View> zero;
  std::vector<View> one;
};

Result<Sample> Draw(const GamePair& audit_case, PlayPlan plan,
                    std::size_t variant, std::uint64_t games) {
  plan.variant = variant;
  SOTTO_TRY_ASSIGN(auto zero, SampleViews(audit_case, plan, false, games));
  SOTTO_TRY_ASSIGN(auto one, SampleViews(audit_case, plan, true, games));
  return Sample{std::move(zero), std::move(one)};
}

// The estimated strength of a variant, from its trial games.
double ComputeGuarantee(const Sample& sample, double delta) {
  const TranscriptFeatures readings =
      TranscriptFeatures::Fit(sample.zero, sample.one, false);
  Counts counts;
  for (std::size_t i = 0; i < sample.zero.size(); ++i) {
    const Part part = i % 2 == 0 ? Part::kOrder : Part::kChoose;
    counts.Add(part, false, readings.Of(sample.zero[i]));
    counts.Add(part, true, readings.Of(sample.one[i]));
  }
  const auto events = ChooseEvents(counts, delta, {.alpha = 1e-2});
  return events.empty() ? 0 : events.front().promise;
}

// One case from its training to its last look.
class CaseAudit {
 public:
  CaseAudit(const AuditCase& audit_case, const AuditOptions& options,
            std::uint64_t share)
      : case_(audit_case),
        options_(options),
        share_(share),
        runs_(PlannedGames(audit_case.cost, options.runs)) {
    plan_.seed = options.seed;
    plan_.name = audit_case.mechanism + "/" + audit_case.adversary;
    plan_.shard = options.shard;
    plan_.shards = options.shards;
    plan_.threads = std::max(1u, options.threads);
    result_.adversary = audit_case.adversary;
    result_.mechanism = audit_case.mechanism;
    result_.claim = audit_case.claim;
    result_.cost = audit_case.cost;
  }

  CaseResult Run(const std::function<void(std::uint64_t)>& progress) {
    plan_.progress = progress;
    Status done = Train();
    if (done) done = PlayLooks();
    if (!done) result_.fault = done.error().message;
    return std::move(result_);
  }

 private:
  Status Train() {
    const GamePair& audit_case = *case_.pair;
    double best = -1;
    for (std::size_t v = 0;
         audit_case.variants() > 1 && v < audit_case.variants(); ++v) {
      SOTTO_TRY_ASSIGN(
          const auto tried,
          Draw(audit_case, plan_, v, TrainingGames(runs_, kMostTrying)));
      const double promise = ComputeGuarantee(tried, case_.claim.delta);
      if (promise <= best) continue;
      best = promise;
      result_.variant = v;
    }
    SOTTO_TRY_ASSIGN(auto sample, Draw(audit_case, plan_, result_.variant,
                                       TrainingGames(runs_, kMostTraining)));
    Sample chosen = std::move(sample);
    plan_.variant = result_.variant;
    result_.readings = TranscriptFeatures::Fit(chosen.zero, chosen.one, true);
    chosen.zero.resize(std::min(chosen.zero.size(), kExamples));
    chosen.one.resize(std::min(chosen.one.size(), kExamples));
    result_.examples_zero = std::move(chosen.zero);
    result_.examples_one = std::move(chosen.one);
    return Ok();
  }

  Status PlayLooks() {
    const std::uint64_t half = std::max<std::uint64_t>(1, runs_ / 2);
    std::uint64_t begin = 0;
    for (std::uint64_t look = 1; look <= options_.looks; ++look) {
      // Half of the games before the last look, half of those before that, ...
      std::uint64_t end = half >> (options_.looks - look);
      end = look == options_.looks ? half
                                   : end / PlayPlan::kBlock * PlayPlan::kBlock;
      if (end <= begin) continue;
      plan_.from = begin;
      plan_.to = end;
      begin = end;
      if (Status s = PlayGamePair(*case_.pair, result_.readings, plan_,
                                  result_.counts);
          !s) {
        return s;
      }
      Look();
      if (result_.violation) break;
    }
    return Ok();
  }

  void Look();

  const AuditCase& case_;
  const AuditOptions& options_;
  std::uint64_t share_;
  std::uint64_t runs_;
  PlayPlan plan_ = {};
  CaseResult result_ = {};
};

// Evaluates the counts so far, as one of `share` looks of the audit.
void LookAt(CaseResult& result, const AuditOptions& options,
            std::uint64_t share) {
  const AuditConfidence confidence{.alpha = 1 - options.confidence,
                                   .share = share};
  const AuditConfidence alarm{.alpha = kFalseAlarm, .share = share};
  const auto events =
      ChooseEvents(result.counts, result.claim.delta, confidence);
  result.findings =
      CountEvents(result.counts, events, result.claim, confidence);
  const auto certain = ChooseEvents(result.counts, result.claim.delta, alarm);
  const auto sure = CountEvents(result.counts, certain, result.claim, alarm);
  result.violation =
      !sure.empty() && sure.front().epsilon > result.claim.epsilon;
  result.runs = result.counts.games(Part::kOrder, false) +
                result.counts.games(Part::kChoose, false) +
                result.counts.games(Part::kCount, false);
}

// The event of a case, as it is counted in an audit of this many cases.
AuditPower MakePower(const CaseResult& audit_case, std::uint64_t cases,
                     std::uint64_t looks) {
  const auto bounds = static_cast<double>(kAuditEvents * looks *
                                          std::max<std::uint64_t>(1, cases));
  return {.epsilon = audit_case.claim.epsilon,
          .delta = audit_case.claim.delta,
          .alpha = kFalseAlarm / bounds};
}

void CaseAudit::Look() { LookAt(result_, options_, share_); }

}  // namespace

bool AuditResult::violation() const {
  return std::any_of(cases.begin(), cases.end(),
                     [](const CaseResult& d) { return d.violation; });
}

bool AuditResult::broken() const {
  return std::any_of(cases.begin(), cases.end(),
                     [](const CaseResult& d) { return d.fault.has_value(); });
}

bool AuditResult::undecided() const {
  return std::any_of(cases.begin(), cases.end(),
                     [](const CaseResult& d) { return d.undecided(); });
}

bool AuditResult::inconclusive() const {
  return std::any_of(cases.begin(), cases.end(),
                     [&](const CaseResult& d) { return Inconclusive(d); });
}

bool AuditResult::Inconclusive(const CaseResult& audit_case) const {
  if (audit_case.violation || audit_case.fault) return false;
  return audit_case.undecided() ||
         Detectable(audit_case) > MaterialEpsilon(audit_case.claim.epsilon);
}

double AuditResult::Detectable(const CaseResult& audit_case) const {
  const std::uint64_t games =
      audit_case.runs / 2;  // events are counted on a half
  return DetectableEpsilon(MakePower(audit_case, cases.size(), options.looks),
                           games);
}

std::uint64_t AuditResult::RunsNeeded(const CaseResult& audit_case) const {
  return 2 * audit_case.cost *
         RunsForPower(MakePower(audit_case, cases.size(), options.looks));
}

double AuditResult::MostShown(const CaseResult& audit_case) const {
  const std::uint64_t games = audit_case.runs / 2;
  if (games == 0) return 0;
  const AuditPower power = MakePower(audit_case, cases.size(), options.looks);
  return EpsilonLowerBound(games, 0, games, power.delta, power.alpha);
}

const CaseResult& AuditResult::worst() const {
  const auto badness = [](const CaseResult& d) {
    if (d.fault) return 1e300;
    return d.epsilon_lower() / std::max(d.claim.epsilon, 1e-9) +
           (d.violation ? 1e6 : 0);
  };
  return *std::max_element(cases.begin(), cases.end(),
                           [&](const CaseResult& a, const CaseResult& b) {
                             return badness(a) < badness(b);
                           });
}

std::uint64_t PlannedGames(std::uint64_t cost, std::uint64_t runs) {
  return std::min(runs, std::max(kLeastRuns, runs / cost));
}

AuditResult Audit(const AuditSubject& subject, const AuditOptions& options) {
  AuditResult result{.target = subject.target, .options = options, .cases = {}};
  result.options.progress = {};
  const std::uint64_t share = subject.cases.size() * options.looks;
  std::uint64_t all = 0;
  for (const AuditCase& audit_case : subject.cases) {
    all += 2 * (PlannedGames(audit_case.cost, options.runs) / options.shards);
  }
  std::atomic<std::uint64_t> played = 0;
  for (const AuditCase& audit_case : subject.cases) {
    const auto progress = [&](std::uint64_t games) {
      const std::uint64_t now = played.fetch_add(games) + games;
      if (options.progress) options.progress(now, all);
    };
    result.cases.push_back(CaseAudit(audit_case, options, share).Run(progress));
  }
  return result;
}

void SetVerdict(AuditResult& result) {
  const std::uint64_t share = result.cases.size() * result.options.looks;
  for (CaseResult& audit_case : result.cases)
    LookAt(audit_case, result.options, share);
}

}  // namespace sotto
