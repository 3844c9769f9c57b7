#include "sotto/mechanisms/mirror_promise.h"

namespace sotto {

Status CheckMirrorTarget(double epsilon, double delta, std::uint64_t delay) {
  if (!(epsilon >= 0.05 && epsilon <= 10)) {
    return InvalidArgument("a mirror needs epsilon in [0.05, 10]");
  }
  if (!(delta >= 1e-12 && delta <= 0.1)) {
    return InvalidArgument("a mirror needs delta in [1e-12, 0.1]");
  }
  if (delay < 1 || delay > std::uint64_t{1} << 40) {
    return InvalidArgument("a mirror needs a delay in [1, 2^40]");
  }
  return Ok();
}

Result<Guarantee> MirrorPromise(double epsilon, double delta,
                                double certified) {
  if (!(certified <= delta)) {
    return Error{ErrorCode::kNotConverged,
                 "the mirror's delta could not be certified"};
  }
  return Guarantee::Create(
      {.notion = Notion::kChallengeDp,
       .relation = Relation::kReplace,
       .epsilon = epsilon,
       .delta = certified,
       .protects = "whether one step, whose own answer is hidden, held a one"});
}

}  // namespace sotto
