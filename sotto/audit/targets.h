#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/audit/audit.h"
#include "sotto/base/result.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// What a target is to promise. What is not said is the target's own choice: a
// delta large enough that the games can show where it goes.
struct AuditRequest {
  std::optional<double> epsilon = {};
  std::optional<double> delta = {};
  std::uint64_t rounds = 0;  // of a game; 0: the target's choice
  // Only this one is wanted: what the others need may be left out, for a plan
  // can take long. KeepOnly does the rest.
  std::string adversary = {};
};

// One row: something of Sotto's that can be audited. A new mechanism is a row
// in targets.cc; every model of the registry has one by its row there.
struct AuditTarget {
  std::string name;
  std::string_view help;  // one line
  std::string_view game;  // which of the papers', in words
  std::vector<std::string_view> adversaries;
  // Fails with kInvalidArgument where the mechanism does.
  std::function<Result<AuditSubject>(const AuditRequest& request)> make;
};

const std::vector<AuditTarget>& AuditTargets();
// Null if there is none.
const AuditTarget* FindAuditTarget(std::string_view name);

// Which duels of a target are wanted; empty: all.
struct AuditChoice {
  std::string adversary = {};
  std::string mechanism = {};
};
// Only those. Fails with kInvalidArgument and the names that there are.
Status KeepOnly(AuditSubject& subject, const AuditChoice& choice);

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

// Of models, by the name of the model: what is known to be hard for it.
AuditTarget PopTarget();
AuditTarget PointsTarget();
AuditTarget LittlestoneTarget();
AuditTarget RectanglesTarget();
AuditTarget WinnowTarget();

// Any online model of the registry, played as a session, and `known`, its row
// above, if it has one. Any batch model, fitted to small tables.
AuditTarget OnlineTarget(const OnlineModelEntry& entry,
                         const AuditTarget* known);
AuditTarget BatchTarget(const BatchModelEntry& entry);

}  // namespace sotto
