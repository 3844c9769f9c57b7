#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/audit/audit.h"
#include "sotto/base/result.h"

namespace sotto {

// What a target is to promise. What is not said is the target's own choice: a
// delta large enough that the games can show where it goes.
struct AuditRequest {
  std::optional<double> epsilon = {};
  std::optional<double> delta = {};
  std::uint64_t rounds = 0;  // of a game; 0: the target's choice
};

// One row: something of Sotto's that can be audited. A new one is a row in
// targets.cc.
struct AuditTarget {
  std::string_view name;
  std::string_view help;  // one line
  std::string_view game;  // which of the papers', in words
  std::vector<std::string_view> adversaries;
  // Fails with kInvalidArgument where the mechanism does.
  Result<AuditSubject> (*make)(const AuditRequest& request);
};

const std::vector<AuditTarget>& AuditTargets();
// Null if there is none.
const AuditTarget* FindAuditTarget(std::string_view name);

// Only the duels of one adversary. Fails with kInvalidArgument and the names
// that there are.
Status KeepAdversary(AuditSubject& subject, std::string_view adversary);

// The rows, each in a file of its own.
AuditTarget LaplaceTarget();
AuditTarget AboveThresholdTarget();
AuditTarget SparseVectorTarget();
AuditTarget BetweenThresholdsTarget();
AuditTarget ChallengeThresholdTarget();
AuditTarget StopperTarget();
AuditTarget CountersTarget();
AuditTarget MonitorTarget();
AuditTarget MirrorsTarget();
AuditTarget PopTarget();
AuditTarget WinnowTarget();

}  // namespace sotto
