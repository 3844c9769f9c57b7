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

// The games in which a user's program can be the mechanism. The input of a
// round is an integer.
inline constexpr std::array<std::string_view, 4> kExecGames = {
    "adaptive-query", "adaptive-input", "online", "challenge-threshold"};

// A mechanism that is a program (program_player.h), its claim and its game.
struct ExecRequest {
  ProgramMechanism mechanism;  // its peers are shared by all cases
  std::string name;            // in reports
  std::string game = "adaptive-query";
  ApproximateDp claim;
  std::int64_t sensitivity = 1;  // of a query, or maximum difference of inputs
  std::uint64_t challenges = 1;  // per user, in `online` and `adaptive-input`
  // Centre of the adversaries' inputs.
  std::int64_t centre = 0;
  std::optional<double> scale = {};  // default: 1 / epsilon
  // Name of the only adversary to play; empty: all.
  std::string adversary = {};
};

// Fails with kInvalidArgument and lists the names.
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
