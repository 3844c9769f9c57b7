#include "sotto/learners/weighted_majority_learner.h"

#include <algorithm>
#include <bit>

namespace sotto {

// Below 2^-1000 a weight does not affect any sum; 0 avoids subnormals.
double ExpertBlame::GetWeight(std::size_t expert) const {
  const std::uint64_t blame = blame_[expert];
  return blame > 1000 ? 0 : std::bit_cast<double>((1023 - blame) << 52);
}

void ExpertBlame::Settle() {
  const std::uint32_t least = *std::min_element(blame_.begin(), blame_.end());
  if (least == 0) return;
  for (std::uint32_t& blame : blame_) blame -= least;
}

void ExpertBlame::Save(ByteWriter& out) const {
  for (const std::uint32_t blame : blame_) out.Number(blame);
}

Status ExpertBlame::Load(ByteReader& in) {
  for (std::uint32_t& blame : blame_) blame = in.Number<std::uint32_t>();
  if (in.failed() || *std::min_element(blame_.begin(), blame_.end()) != 0) {
    return Corruption("not the blame of these experts");
  }
  return Ok();
}

}  // namespace sotto
