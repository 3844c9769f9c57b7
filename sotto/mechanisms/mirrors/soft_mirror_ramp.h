#pragma once

#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/soft_mirror_delta.h"

namespace sotto {

// A ramp with few expected mistakes whose certified delta is at most `delta`
// on the grid that FindSoftRamp used last, kRampCells cells per epsilon. Public
// parameters in, public parameters out: ComputeDelta() certifies the result.
//
//   auto ramp = FindSoftRamp(0.5, 1e-6);
//
// Fails with kNotConverged where the search finds none.
// Threads: pure.
inline constexpr int kRampCells = 1000;
Result<SoftRamp> FindSoftRamp(double epsilon, double delta);

// sum of 1 - ramp[c] / 2^64.
double RampMistakes(const SoftRamp& ramp);

}  // namespace sotto
