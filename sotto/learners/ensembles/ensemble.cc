#include "sotto/learners/ensembles/ensemble.h"

namespace sotto {

Status Ensemble::Play(std::span<const Step> steps,
                      std::span<std::int64_t> votes) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    SOTTO_TRY_ASSIGN(const auto count, Votes(steps[i].x));
    votes[i] = count;
    if (steps[i].copy == Step::kNobody) continue;
    const Status taught = Update(steps[i].copy, steps[i].x, steps[i].y);
    if (!taught) return taught;
  }
  return Ok();
}

Status Ensemble::Teach(std::span<const Step> steps) {
  for (const Step& step : steps) {
    if (step.copy == Step::kNobody) continue;
    Status taught = Update(step.copy, step.x, step.y);
    if (!taught) return taught;
  }
  return Ok();
}

}  // namespace sotto
