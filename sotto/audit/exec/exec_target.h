#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/audit/audit.h"
#include "sotto/audit/exec/program_peers.h"
#include "sotto/audit/exec/program_player.h"
#include "sotto/base/result.h"

namespace sotto {

// The games that a program of the user's can be the mechanism of; what comes in
// a round is a whole number.
inline constexpr std::array<std::string_view, 4> kExecGames = {
    "adaptive-query", "adaptive-input", "online", "challenge-threshold"};

// A mechanism that is a program (program_player.h), its claim and its game.
struct ExecRequest {
  ProgramMechanism mechanism;  // its peers are shared by all duels
  std::string name;            // in reports
  std::string game = "adaptive-query";
  ApproximateDp claim;
  std::int64_t sensitivity = 1;  // of a query, or how far inputs may differ
  std::uint64_t challenges = 1;  // of a user, in `online` and `adaptive-input`
  // Where the adversaries look: about so far around this input.
  std::int64_t centre = 0;
  std::optional<double> scale = {};  // left out: 1 / epsilon
  // Only this one, of those that play the game; empty: all.
  std::string adversary = {};
};

// Fails with kInvalidArgument and the names that there are.
Result<AuditSubject> ExecSubject(const ExecRequest& request);

// The same with a program as the adversary, which in `online` may give any JSON
// as input.
Result<AuditSubject> ExecSubject(const ExecRequest& request,
                                 std::shared_ptr<ProgramPeers> adversary);

// A subject's mechanisms, each once, with a program as the only adversary,
// called `name`. Fails with kInvalidArgument if none takes moves of others.
Status UseProgramAdversary(AuditSubject& subject, const std::string& name,
                           const std::shared_ptr<ProgramPeers>& adversary);

}  // namespace sotto
