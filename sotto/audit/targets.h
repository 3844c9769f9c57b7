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

// The claim that a target makes. Defaults are chosen by the target, with a
// delta that is large enough to be visible in games.
struct AuditRequest {
  std::optional<double> epsilon = {};
  std::optional<double> delta = {};
  std::uint64_t rounds = 0;  // of a game; 0: the target's choice
  // The only adversary to play. A target may skip preparations for the others,
  // as a plan can take long. KeepOnly removes them.
  std::string adversary = {};
};

// One entry: a mechanism or model that can be audited. A new mechanism is an
// entry in targets.cc; every model of the registry has one through its registry
// entry.
struct AuditTarget {
  std::string name;
  std::string_view help;  // one line
  std::string_view game;  // name of the game in the papers
  std::vector<std::string_view> adversaries;
  // Fails with kInvalidArgument where the mechanism does.
  std::function<Result<AuditSubject>(const AuditRequest& request)> make;
};

const std::vector<AuditTarget>& AuditTargets();
// Null if there is none.
const AuditTarget* FindAuditTarget(std::string_view name);

// The cases of a target to play; empty: all.
struct AuditChoice {
  std::string adversary = {};
  std::string mechanism = {};
};
// Removes all other cases. Fails with kInvalidArgument and lists the names.
Status KeepOnly(AuditSubject& subject, const AuditChoice& choice);

// The entries, each in its own file.
AuditTarget LaplaceTarget();
AuditTarget AboveThresholdTarget();
AuditTarget SparseVectorTarget();
AuditTarget BetweenThresholdsTarget();
AuditTarget ChallengeThresholdTarget();
AuditTarget StopperTarget();
AuditTarget CountersTarget();
AuditTarget MonitorTarget();
AuditTarget MirrorsTarget();
AuditTarget UnknownHorizonTarget();
AuditTarget ChallengeBetweenThresholdsTarget();
AuditTarget OnlineThresholdsTarget();
AuditTarget SelectionTarget();
AuditTarget SparseHistogramTarget();
AuditTarget SparseSampleTarget();
AuditTarget ReorderSliceComputeTarget();
AuditTarget DpOnlineTarget();
AuditTarget CompositionTarget();
AuditTarget GeneralTarget();
AuditTarget SlotsTarget();

// Entries of models, by the model's name, with attacks that are known to be
// hard for it.
AuditTarget PopTarget();
AuditTarget PointsTarget();
AuditTarget LittlestoneTarget();
AuditTarget RectanglesTarget();
AuditTarget WinnowTarget();
AuditTarget StumpsTarget();
AuditTarget EverlastingTarget();
// A part of RectanglesTarget: the whole predictor in the everlasting game.
Result<AuditSubject> RectanglesEverlastingSubject(const AuditRequest& request);

// Any online model of the registry, played as a session, and `known`, its entry
// above, if it has one. Any batch model, fitted to small tables.
AuditTarget OnlineTarget(const OnlineModelEntry& entry,
                         const AuditTarget* known);
AuditTarget BatchTarget(const BatchModelEntry& entry);

}  // namespace sotto
