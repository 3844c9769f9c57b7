// One side of a box with small boundary sets: the everlasting game of a
// training row, and OnlineGame for a query that the side could not decide.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/audit/exec/input_fields.h"
#include "sotto/audit/games/boundary_adversaries.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/targets.h"
#include "sotto/mechanisms/boundaries/boundary_cost.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/mechanisms/boundaries/boundary_side.h"

namespace sotto {

// {"value":4.5}, with "training" for a row of the training set, or "absent".
static Status ReadInput(const Json& json, SideInput& input) {
  InputFields fields(json);
  input.value = fields.Number("value");
  input.training = fields.Flag("training");
  input.absent = fields.Flag("absent");
  return fields.Done();
}

namespace {

constexpr std::uint64_t kRounds = 400;

// Noise for both kinds of copies, so small that one number matters. The band is
// narrow where it is probed and wide where it is flooded.
SideNoise NarrowBand() {
  return {
      .rate = 0.1, .low = 2, .high = 9, .size = 12, .limit = 24, .stopper = 1};
}
SideNoise WideBand() {
  return {
      .rate = 0.1, .low = 2, .high = 15, .size = 16, .limit = 24, .stopper = 1};
}

// OnlineGame in which the challenge is a row of the training set, or a query,
// that is absent in one world: the claims are about those.
struct SideRules {
  std::uint64_t rounds = 1;
  bool training = false;

  std::string_view Refuse(const Move<SideInput>& move,
                          std::uint64_t before) const {
    if (!move.challenge) return move.zero == move.one ? "" : game::kDiffer;
    if (before > 0) return game::kTooMany;
    if (move.zero.absent == move.one.absent) return kPresent;
    const bool kind = (move.zero.absent || move.zero.training == training) &&
                      (move.one.absent || move.one.training == training);
    return kind ? "" : kOther;
  }
  bool Hides(bool challenge) const { return challenge; }

  static constexpr std::string_view kPresent =
      "the protected user is absent in one world, and in one only";
  static constexpr std::string_view kOther =
      "this claim is about the other kind of user";
};

struct SideParts {
  BoundaryPhase phase;
  BoundarySamplers samplers;

  static Result<std::shared_ptr<const SideParts>> Create(
      const SideNoise& noise) {
    const BoundaryPhase phase{
        .length = kRounds, .initial = noise, .recycled = noise};
    SOTTO_TRY_ASSIGN(auto samplers, BoundarySamplers::Create(phase));
    return std::make_shared<const SideParts>(
        SideParts{phase, std::move(samplers)});
  }
};

// The public view of a side: 1 where the answer is "inside". The first rounds
// are rows of the training set and show nothing.
class SidePlayer {
 public:
  explicit SidePlayer(std::shared_ptr<const SideParts> parts)
      : parts_(std::move(parts)), set_(parts_->phase.initial.size) {}

  Result<std::int64_t> Step(const SideInput& input, Rng& rng) {
    if (input.training) {
      if (begun_) return InvalidArgument("rows of the labelled set come first");
      if (!input.absent) set_.Add(input.value);
      return 0;
    }
    if (!begun_) {
      set_.Settle();
      side_.Begin(std::move(set_), parts_->phase, parts_->samplers, rng);
      begun_ = true;
    }
    if (ticks_++ % kRoundsPerCheck == 0)
      side_.Check(parts_->phase, parts_->samplers, rng);
    if (input.absent) return 0;
    const auto zone =
        side_.Test(input.value, parts_->phase, parts_->samplers, rng);
    return zone == BoundarySide::Zone::kLow ? 1 : 0;
  }
  bool halted() const { return false; }

 private:
  std::shared_ptr<const SideParts> parts_;
  BoundarySet set_;
  BoundarySide side_;
  bool begun_ = false;
  std::int64_t ticks_ = 0;
};

std::vector<BoundaryProbing> Probings(std::int64_t size) {
  std::vector<BoundaryProbing> variants;
  for (const double at : {4.5, 7.5, 9.5, 11.5}) {
    for (const bool follows : {false, true}) {
      variants.push_back({.rows = static_cast<std::uint64_t>(size),
                          .at = at,
                          .follows = follows});
    }
  }
  return variants;
}

// The probes are at quantiles of the undecided queries.
std::vector<BoundaryFlooding> Floodings(std::int64_t size) {
  std::vector<BoundaryFlooding> variants;
  for (const std::uint64_t floods : {48u, 80u}) {
    for (const double at : {0.3, 0.6}) {
      for (const bool follows : {false, true}) {
        variants.push_back({.rows = static_cast<std::uint64_t>(size),
                            .floods = floods,
                            .between = static_cast<double>(size / 2),
                            .at = at,
                            .follows = follows});
      }
    }
  }
  return variants;
}

Result<AuditSubject> RectanglesSubject(const AuditRequest& request) {
  const double epsilon = request.epsilon.value_or(4);
  const std::uint64_t rounds = request.rounds == 0 ? 240 : request.rounds;
  const double slack = BoundarySlack(rounds, 1, epsilon);
  AuditSubject subject{"rectangles", {}};
  SOTTO_TRY_ASSIGN(const auto narrow, SideParts::Create(NarrowBand()));
  const SideNoise& probed = narrow->phase.initial;
  subject.cases.push_back({"boundary-probing",
                           "a training row",
                           {epsilon, TrainingDelta(probed, 1, epsilon) + slack},
                           MakeGamePair<SideInput>(
                               SideRules{.rounds = rounds, .training = true},
                               [parts = narrow] { return SidePlayer(parts); },
                               Probings(probed.size))});
  SOTTO_TRY_ASSIGN(const auto wide, SideParts::Create(WideBand()));
  const SideNoise& flooded = wide->phase.initial;
  subject.cases.push_back(
      {"flooding",
       "an undecided query",
       {epsilon,
        QueryDelta(flooded, flooded, 1, Relation::kAddRemove, epsilon) + slack},
       MakeGamePair<SideInput>(
           SideRules{.rounds = rounds},
           [parts = wide] { return SidePlayer(parts); },
           Floodings(flooded.size))});
  SOTTO_TRY_ASSIGN(auto whole, RectanglesEverlastingSubject(request));
  for (AuditCase& audit_case : whole.cases) {
    subject.cases.push_back(std::move(audit_case));
  }
  return subject;
}

}  // namespace

AuditTarget RectanglesTarget() {
  return {"rectangles",
          "a box that nobody knows, from a labelled set and then from what was "
          "asked",
          "OnlineGame, everlasting game",
          {"boundary-probing", "flooding", "everlasting-probing"},
          RectanglesSubject};
}

}  // namespace sotto
