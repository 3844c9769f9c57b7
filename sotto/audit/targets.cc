#include "sotto/audit/targets.h"

#include <algorithm>
#include <string>

#include "sotto/models/registry/registry.h"

namespace sotto {

namespace {

std::vector<AuditTarget> AllTargets() {
  std::vector<AuditTarget> rows = {LaplaceTarget(),
                                   AboveThresholdTarget(),
                                   SparseVectorTarget(),
                                   BetweenThresholdsTarget(),
                                   ChallengeThresholdTarget(),
                                   StopperTarget(),
                                   CountersTarget(),
                                   MonitorTarget(),
                                   MirrorsTarget(),
                                   UnknownHorizonTarget(),
                                   ChallengeBetweenThresholdsTarget(),
                                   OnlineThresholdsTarget(),
                                   SelectionTarget(),
                                   SparseHistogramTarget(),
                                   SparseSampleTarget(),
                                   ReorderSliceComputeTarget(),
                                   DpOnlineTarget(),
                                   CompositionTarget(),
                                   GeneralTarget(),
                                   SlotsTarget()};
  const std::vector<AuditTarget> known = {
      PopTarget(),    PointsTarget(), LittlestoneTarget(), RectanglesTarget(),
      WinnowTarget(), StumpsTarget(), EverlastingTarget()};
  for (const OnlineModelEntry* entry : OnlineModels()) {
    const auto found =
        std::ranges::find(known, entry->name, &AuditTarget::name);
    rows.push_back(
        OnlineTarget(*entry, found == known.end() ? nullptr : &*found));
  }
  for (const BatchModelEntry* entry : BatchModels())
    rows.push_back(BatchTarget(*entry));
  return rows;
}

}  // namespace

const std::vector<AuditTarget>& AuditTargets() {
  static const std::vector<AuditTarget> kRows = AllTargets();
  return kRows;
}

const AuditTarget* FindAuditTarget(std::string_view name) {
  for (const AuditTarget& entry : AuditTargets()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

namespace {

// By one of the names that a case has.
Status KeepNamed(AuditSubject& subject, const std::string& wanted,
                 std::string AuditCase::*name, const char* kind) {
  if (wanted.empty()) return Ok();
  std::vector<std::string> known;
  for (const AuditCase& audit_case : subject.cases) {
    if (std::ranges::find(known, audit_case.*name) == known.end()) {
      known.push_back(audit_case.*name);
    }
  }
  std::erase_if(subject.cases, [&](const AuditCase& audit_case) {
    return audit_case.*name != wanted;
  });
  if (!subject.cases.empty()) return Ok();
  std::string names;
  for (const std::string& one : known) {
    names += (names.empty() ? "'" : ", '") + one + "'";
  }
  return InvalidArgument("no " + std::string(kind) + " '" + wanted + "' in " +
                         subject.target + "; there are " + names);
}

}  // namespace

Status KeepOnly(AuditSubject& subject, const AuditChoice& choice) {
  Status kept =
      KeepNamed(subject, choice.mechanism, &AuditCase::mechanism, "mechanism");
  if (!kept) return kept;
  return KeepNamed(subject, choice.adversary, &AuditCase::adversary,
                   "adversary");
}

}  // namespace sotto
