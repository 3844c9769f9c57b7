#include "sotto/audit/targets.h"

#include <algorithm>

namespace sotto {

const std::vector<AuditTarget>& AuditTargets() {
  static const std::vector<AuditTarget> kRows = {LaplaceTarget(),
                                                 AboveThresholdTarget(),
                                                 SparseVectorTarget(),
                                                 BetweenThresholdsTarget(),
                                                 ChallengeThresholdTarget(),
                                                 StopperTarget(),
                                                 CountersTarget(),
                                                 MonitorTarget(),
                                                 MirrorsTarget(),
                                                 PopTarget(),
                                                 WinnowTarget()};
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
