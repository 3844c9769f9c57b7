#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner.h"

namespace sotto {

// True if a copy's default label is 0: every second copy, if its learner has a
// default label. Depends on its number only, which is public and chosen before
// any data.
constexpr bool LeansToZero(std::int64_t copy) { return copy % 2 != 0; }

// Untaught copies.
template <SavableLearner L>
std::vector<L> FreshCopies(const L& fresh, std::int64_t copies) {
  std::vector<L> made(static_cast<std::size_t>(copies), fresh);
  if constexpr (DefaultLabelLearner<L>) {
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      if (LeansToZero(copy))
        made[static_cast<std::size_t>(copy)].SetDefaultLabel(false);
    }
  }
  return made;
}

// Saves the number of copies, then each copy. All ensembles that hold single
// copies write the same bytes, so one structure can load the state of another.
template <SavableLearner L>
void SaveCopies(std::span<const L> copies, ByteWriter& out) {
  out.Number(static_cast<std::uint64_t>(copies.size()));
  for (const L& copy : copies) copy.Save(out);
}

// Fails with kCorruption if these are not the bytes of as many copies.
inline Status CheckSavedCopies(std::uint64_t copies, ByteReader& in) {
  const auto saved = in.Number<std::uint64_t>();
  if (!in.failed() && saved == copies) return Ok();
  return Corruption("the saved ensemble has " + std::to_string(saved) +
                    " copies, this one " + std::to_string(copies));
}

template <SavableLearner L>
Status LoadCopies(std::span<L> copies, ByteReader& in) {
  Status status = CheckSavedCopies(copies.size(), in);
  for (L& copy : copies) {
    if (!status) break;
    status = copy.Load(in);
  }
  if (status && in.failed()) {
    return Corruption("the saved ensemble ends too soon");
  }
  return status;
}

}  // namespace sotto
