#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/base/result.h"

namespace sotto {

// Computes the privacy cost of a composition of mechanisms before anything
// runs. `sotto account` prints these answers.
//
//   AccountQuestion question{.mechanism = AccountMechanism::kAboveThreshold,
//                            .reports = 100};
//   auto answer = LeastNoiseFor(question, 1.0, 1e-6);
//   if (answer) Use(answer->noise_scale);             // 69.3
//
// Guarantee: (epsilon, delta) as answered, against adaptive adversaries, for
//            `compositions` runs that may be interleaved; rounded against us.
// Proof:     account.md, next to this file, and the page of each method.
// Threads:   pure functions.
enum class AccountMechanism {
  kLaplace,
  kDiscreteLaplace,
  kGaussian,
  kDiscreteGaussian,
  kPure,
  kAboveThreshold,     // fresh noise, no threshold noise, charged by reports
  kBetweenThresholds,  // charged by reports inside a band of `gap` integers
  kPop,                // BetweenThresholds on votes, and a Stopper
};

// Names on the command line, such as "discrete-laplace" and "pop". The parser
// fails with kInvalidArgument and lists the names it knows.
std::string_view ToString(AccountMechanism mechanism);
Result<AccountMechanism> ParseAccountMechanism(std::string_view word);

// The bound to use for threshold tests and pop. Other mechanisms have one
// bound.
enum class AccountMethod {
  kBest,   // the exact worst case, or the Renyi bound where that is too long
  kExact,  // the exact worst case, certified, or fail
  kRenyi,  // the closed form
};

struct AccountQuestion {
  AccountMechanism mechanism = AccountMechanism::kLaplace;
  // Laplace scale or Gaussian sigma, per unit of sensitivity (the discrete
  // mechanisms: integer queries of sensitivity 1, see composed_mechanism.h);
  // for kPure the epsilon of each. Not used by LeastNoiseFor.
  double noise_scale = 0;
  std::uint64_t compositions = 1;
  std::int64_t reports = 1;  // threshold tests and pop: charged outcomes
  std::int64_t gap = 0;      // between-thresholds and pop: G >= 1
  double stopper = 0;        // pop: e_s
  AccountMethod method = AccountMethod::kBest;
};

struct AccountAnswer {
  double epsilon = 0;
  double delta = 0;
  double noise_scale = 0;  // kPure: epsilon of each
  std::string method;
};

// For kPure: the least scale of (discrete) Laplace noise that spends at most
// the epsilon of each answered, 1 / noise_scale rounded up. To nearest it could
// spend more.
double PureNoiseScale(const AccountAnswer& answer);

// The least epsilon at `delta`; the least delta at `epsilon`; the least noise
// (kPure: the largest epsilon of each) that meets both. Fail with
// kInvalidArgument on parameters out of range, kNotConverged where no bound
// could be certified.
Result<AccountAnswer> LeastEpsilonFor(const AccountQuestion& question,
                                      double delta);
Result<AccountAnswer> LeastDeltaFor(const AccountQuestion& question,
                                    double epsilon);
Result<AccountAnswer> LeastNoiseFor(const AccountQuestion& question,
                                    double epsilon, double delta);

}  // namespace sotto
