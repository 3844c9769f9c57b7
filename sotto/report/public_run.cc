#include "sotto/report/public_run.h"

namespace sotto {
namespace {

PublicRun::Point PublicPoint(const RunStats::Point& point) {
  return {.rounds = point.rounds, .mistakes = point.shown};
}

PublicRun::Mistakes PublicCount(const RunStats& stats,
                                const MistakeCount& count) {
  PublicRun::Mistakes mistakes{.now = PublicPoint(stats.now),
                               .trace = {},
                               .error = count.error,
                               .counted = count.counted};
  for (const RunStats::Point& point : stats.trace) {
    mistakes.trace.push_back(PublicPoint(point));
  }
  return mistakes;
}

}  // namespace

PublicRun PublicPart(const RunReport& report) {
  const RunStats& stats = report.stats;
  PublicRun run;
  run.rounds = stats.now.rounds;
  run.phases = report.phases;
  for (const RunStats::Point& end : stats.phase_ends) {
    run.phase_ends.push_back(end.rounds);
  }
  run.halted_at = stats.halted_at;
  if (report.count) run.mistakes = PublicCount(stats, *report.count);
  run.interrupted = report.interrupted;
  return run;
}

}  // namespace sotto
