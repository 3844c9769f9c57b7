#pragma once

#include <cstdint>

#include "sotto/base/result.h"

namespace sotto {

// The exact composition of `count` epsilon-DP mechanisms: randomized response
// is the worst of them, and its total loss is (2k - n) * epsilon_each with k
// binomial. Also exact for the discrete Laplace at sensitivity 1, whose loss
// takes the values +-1/scale only.
//
//   auto delta = BinomialDelta(0.1, 100, 4.7746);
//   auto epsilon = BinomialEpsilon(0.1, 100, 1e-6);  // 4.774568
//
// Paper:     Kairouz, Oh, Viswanath 2015, Theorem 3.3.
// Guarantee: rounded up; within 1e-8 of the exact value, relatively (epsilon),
//            1e-9 (delta). Zero only where delta is exactly zero.
// Proof:     binomial_composition.md, next to this file.
// Threads:   pure functions.
//
// epsilon_each in [1e-15, 1e9], count in [1, 1e12]; epsilon finite and not
// negative, delta in (0, 1): otherwise kInvalidArgument.
Result<double> BinomialDelta(double epsilon_each, std::uint64_t count,
                             double epsilon);
Result<double> BinomialEpsilon(double epsilon_each, std::uint64_t count,
                               double delta);

}  // namespace sotto
