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
                                   MirrorsTarget()};
  const std::vector<AuditTarget> known = {PopTarget(), PointsTarget(),
                                          LittlestoneTarget(),
                                          RectanglesTarget(), WinnowTarget()};
  for (const OnlineRow* row : OnlineModels()) {
    const auto found = std::ranges::find(known, row->name, &AuditTarget::name);
    rows.push_back(
        OnlineTarget(*row, found == known.end() ? nullptr : &*found));
  }
  for (const BatchRow* row : BatchModels()) rows.push_back(BatchTarget(*row));
  return rows;
}

}  // namespace

const std::vector<AuditTarget>& AuditTargets() {
  static const std::vector<AuditTarget> kRows = AllTargets();
  return kRows;
}

const AuditTarget* FindAuditTarget(std::string_view name) {
  for (const AuditTarget& row : AuditTargets()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

namespace {

// By one of the names that a duel has.
Status KeepNamed(AuditSubject& subject, const std::string& wanted,
                 std::string AuditDuel::*name, const char* kind) {
  if (wanted.empty()) return Ok();
  std::vector<std::string> known;
  for (const AuditDuel& duel : subject.duels) {
    if (std::ranges::find(known, duel.*name) == known.end()) {
      known.push_back(duel.*name);
    }
  }
  std::erase_if(subject.duels,
                [&](const AuditDuel& duel) { return duel.*name != wanted; });
  if (!subject.duels.empty()) return Ok();
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
      KeepNamed(subject, choice.mechanism, &AuditDuel::mechanism, "mechanism");
  if (!kept) return kept;
  return KeepNamed(subject, choice.adversary, &AuditDuel::adversary,
                   "adversary");
}

}  // namespace sotto
