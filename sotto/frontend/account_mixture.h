#pragma once

#include <string>
#include <vector>

#include "sotto/accounting/account.h"
#include "sotto/accounting/tight_composition.h"
#include "sotto/base/result.h"

namespace sotto {

// Different mechanisms in one composition, as a text:
//
//   laplace:20*100,gaussian:50*10,dp:0.5/1e-7
//
// NAME:PARAMETER, optionally *COUNT. NAME is laplace, discrete-laplace,
// gaussian, discrete-gaussian (noise scale per unit of sensitivity), pure
// (epsilon) or dp (EPSILON/DELTA, any mechanism with this guarantee). Fails
// with kInvalidArgument and the part that cannot be read.
//
// Threads: pure functions.
Result<std::vector<LossTerm>> ParseMixture(const std::string& text);

// The least epsilon at `delta`, or delta at `epsilon`, of the adaptive
// composition of all of them. Fail as TightEpsilon and TightDelta do.
Result<AccountAnswer> MixtureEpsilon(const std::string& text, double delta);
Result<AccountAnswer> MixtureDelta(const std::string& text, double epsilon);

}  // namespace sotto
