#include "sotto/report/public_run.h"

namespace sotto {
namespace {

PublicRun::Point PublicPoint(const Tally::Point& point) {
  return {.rounds = point.rounds, .mistakes = point.shown};
}

PublicRun::Mistakes PublicCount(const Tally& tally, const MistakeCount& count) {
  PublicRun::Mistakes mistakes{.now = PublicPoint(tally.now),
                               .trace = {},
                               .error = count.error,
                               .counted = count.counted};
  for (const Tally::Point& point : tally.trace) {
    mistakes.trace.push_back(PublicPoint(point));
  }
  return mistakes;
}

}  // namespace

PublicRun PublicPart(const RunReport& report) {
  const Tally& tally = report.tally;
  PublicRun run;
  run.rounds = tally.now.rounds;
  run.phases = report.phases;
  for (const Tally::Point& end : tally.phase_ends) {
    run.phase_ends.push_back(end.rounds);
  }
  run.halted_at = tally.halted_at;
  if (report.count) run.mistakes = PublicCount(tally, *report.count);
  run.interrupted = report.interrupted;
  return run;
}

}  // namespace sotto
