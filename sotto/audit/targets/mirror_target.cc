// Mirrors: OnlineGame with one hidden step; without the adaptive variants it is
// the game of joint differential privacy.
#include <algorithm>
#include <cstdint>
#include <string>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/players.h"
#include "sotto/audit/targets.h"
#include "sotto/audit/variants.h"
#include "sotto/mechanisms/mirrors/mirror.h"

namespace sotto {
namespace {

constexpr double kMostRounds = 400;

Result<AuditSubject> MirrorsSubject(const AuditRequest& request) {
  AuditSubject subject{"mirrors", {}};
  for (const auto kind :
       {Mirror::Kind::kRandomStep, Mirror::Kind::kStaircaseMirror,
        Mirror::Kind::kJdpMirror, Mirror::Kind::kSoftMirror}) {
    const auto mirror = Mirror::Create({.epsilon = request.epsilon.value_or(1),
                                        .delta = request.delta.value_or(0.01)},
                                       kind);
    // Not every mechanism supports every epsilon.
    if (!mirror && mirror.error().code == ErrorCode::kInvalidArgument &&
        subject.cases.size() > 0) {
      continue;
    }
    if (!mirror) return mirror.error();
    const auto expected = static_cast<std::uint64_t>(
        std::min(kMostRounds, 2 * mirror->expected_mistakes() + 8));
    const std::uint64_t rounds =
        request.rounds == 0 ? expected : request.rounds;
    subject.cases.push_back(
        {"hidden-step",
         std::string(ToString(kind)),
         {mirror->guarantee().epsilon(), mirror->guarantee().delta()},
         MakeGamePair<std::int64_t>(
             game::Online{.rounds = rounds},
             [m = *mirror] { return MirrorPlayer(m); }, HiddenSteps(rounds))});
  }
  return subject;
}

}  // namespace

AuditTarget MirrorsTarget() {
  return {"mirrors",
          "mirrors of a private stream of bits",
          "OnlineGame",
          {"hidden-step"},
          MirrorsSubject};
}

}  // namespace sotto
