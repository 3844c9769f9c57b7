#include "sotto/audit/exec/exec_target.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "sotto/audit/game_pair.h"
#include "sotto/audit/games/adversaries.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/targets.h"
#include "sotto/audit/variants.h"

namespace sotto {
namespace {

constexpr std::size_t kTrees = 8;

// Cases with one mechanism.
class Cases {
 public:
  explicit Cases(const ExecRequest& request)
      : request_(request),
        mechanism_(std::make_shared<const ProgramMechanism>(request.mechanism)),
        scale_(request.scale.value_or(1 / request.claim.epsilon)),
        spread_(static_cast<std::int64_t>(std::ceil(2 * scale_)) + 1) {
    subject_.target = request.name;
  }

  Result<AuditSubject> All();
  Result<AuditSubject> With(std::shared_ptr<ProgramPeers> adversary);

 private:
  using Whole = std::int64_t;

  auto Fresh() const {
    return [mechanism = mechanism_] { return ProgramPlayer(*mechanism); };
  }
  template <typename Rules, typename Adversary>
  void Add(const char* name, const Rules& rules,
           std::vector<Adversary> variants) {
    Add(name, MakeGamePair<Whole>(rules, Fresh(), std::move(variants)));
  }
  void Add(const char* name, std::unique_ptr<GamePair> audit_case) {
    subject_.cases.push_back(
        {name, "program", request_.claim, std::move(audit_case)});
  }

  game::AdaptiveQuery Query() const {
    return {.rounds = rounds(), .sensitivity = request_.sensitivity};
  }
  game::AdaptiveInput Input() const {
    return {.rounds = rounds(),
            .distance = request_.sensitivity,
            .challenges = request_.challenges};
  }
  game::Online Online() const {
    return {.rounds = rounds(), .challenges = request_.challenges};
  }
  game::ChallengeThreshold Hidden() const {
    return {.rounds = rounds(), .sensitivity = request_.sensitivity};
  }

  void AddQuery();
  void AddInput();
  void AddOnline();
  void AddHidden();
  std::vector<SingleStep> Steps() const;
  StrategyTree::Range Range(bool one_challenge) const {
    return {.low = request_.centre - spread_,
            .high = request_.centre + spread_,
            .one_challenge = one_challenge};
  }
  std::uint64_t rounds() const { return request_.mechanism.rounds; }

  const ExecRequest& request_;
  std::shared_ptr<const ProgramMechanism> mechanism_;
  double scale_;
  std::int64_t spread_;
  AuditSubject subject_;
};

void Cases::AddQuery() {
  Add("threshold-parking", Query(), ParkingAround(request_.centre, scale_));
  Add("extremal-pair", Query(), PairsAround(request_.centre));
  Add("random-trees", Query(), RandomTrees(Range(false), kTrees));
}

// A step at once and after others, of one and of all that is allowed.
std::vector<SingleStep> Cases::Steps() const {
  std::vector<SingleStep> steps;
  std::set<Whole> sizes = {1, request_.sensitivity};
  for (const std::uint64_t lead : {0u, 1u, 7u}) {
    if (lead >= rounds()) continue;
    for (const Whole size : sizes) {
      for (const Whole after : {Whole{0}, request_.centre}) {
        steps.push_back({.lead = lead,
                         .before = request_.centre,
                         .zero = request_.centre,
                         .one = request_.centre + size,
                         .after = after});
      }
    }
  }
  return steps;
}

void Cases::AddInput() {
  Add("extremal-pair", Input(), Steps());
  Add("random-trees", Input(), RandomTrees(Range(true), kTrees));
}

void Cases::AddOnline() {
  Add("extremal-pair", Online(), Steps());
  Add("hidden-step", Online(), HiddenSteps(rounds()));
  Add("random-trees", Online(), RandomTrees(Range(true), kTrees));
}

void Cases::AddHidden() {
  std::vector<HiddenQuery> variants;
  for (const Whole away : {-spread_, Whole{0}, spread_}) {
    for (const std::uint64_t at : {0u, 3u, 10u}) {
      if (at >= rounds()) continue;
      variants.push_back({.value = request_.centre + away,
                          .at = at,
                          .hidden = request_.centre + 100 * spread_});
    }
  }
  Add("hidden-query", Hidden(), std::move(variants));
}

Result<AuditSubject> Cases::All() {
  if (request_.game == "adaptive-query") AddQuery();
  if (request_.game == "adaptive-input") AddInput();
  if (request_.game == "online") AddOnline();
  if (request_.game == "challenge-threshold") AddHidden();
  if (subject_.cases.empty()) {
    return InvalidArgument("there is no game '" + request_.game + "'");
  }
  if (!request_.adversary.empty()) {
    Status kept = KeepOnly(subject_, {.adversary = request_.adversary});
    if (!kept) return kept.error();
  }
  return std::move(subject_);
}

Result<AuditSubject> Cases::With(std::shared_ptr<ProgramPeers> adversary) {
  const std::string name = request_.adversary;
  if (request_.game == "online") {
    using Own = ProgramGamePair<Json, game::Online, decltype(Fresh())>;
    Add(name.c_str(),
        std::make_unique<Own>(
            Online(), Fresh(),
            ProgramOpponent{adversary, request_.name, "program"}));
    return std::move(subject_);
  }
  ExecRequest all = request_;
  all.adversary.clear();
  auto subject = Cases(all).All();
  if (!subject) return subject;
  SOTTO_TRY(UseProgramAdversary(*subject, name, adversary));
  return subject;
}

}  // namespace

Result<AuditSubject> ExecSubject(const ExecRequest& request) {
  return Cases(request).All();
}

Result<AuditSubject> ExecSubject(const ExecRequest& request,
                                 std::shared_ptr<ProgramPeers> adversary) {
  return Cases(request).With(std::move(adversary));
}

Status UseProgramAdversary(AuditSubject& subject, const std::string& name,
                           const std::shared_ptr<ProgramPeers>& adversary) {
  std::vector<AuditCase> cases;
  std::set<std::string> played;
  for (const AuditCase& audit_case : subject.cases) {
    if (played.contains(audit_case.mechanism)) continue;
    auto own = audit_case.pair->WithProgram(
        {adversary, subject.target, audit_case.mechanism});
    if (!own) continue;
    played.insert(audit_case.mechanism);
    cases.push_back({name, audit_case.mechanism, audit_case.claim,
                     std::move(own), audit_case.cost});
  }
  subject.cases = std::move(cases);
  if (!subject.cases.empty()) return Ok();
  return InvalidArgument("nobody moves in a game against " + subject.target +
                         ": it has no adversary of your own");
}

}  // namespace sotto
