#include "sotto/audit/targets.h"

#include <algorithm>
#include <string>

#include "sotto/registry/registry.h"

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

Status KeepAdversary(AuditSubject& subject, std::string_view adversary) {
  std::string known;
  for (const AuditDuel& duel : subject.duels) {
    if (known.find(duel.adversary) == std::string::npos) {
      known += (known.empty() ? "" : ", ") + duel.adversary;
    }
  }
  std::erase_if(subject.duels, [&](const AuditDuel& duel) {
    return duel.adversary != adversary;
  });
  if (!subject.duels.empty()) return Ok();
  return InvalidArgument("no adversary '" + std::string(adversary) +
                         "' plays against " + subject.target + "; there are " +
                         known);
}

}  // namespace sotto
