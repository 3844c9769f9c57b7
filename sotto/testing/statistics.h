#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "sotto/audit/statistics/confidence.h"

namespace sotto {

// Tests for the statistical suites, beside the bounds of
// statistics/confidence.h. All are one-line calls:
//
//   EXPECT_GT(ChiSquaredPValue(counts, probabilities), 1e-6);
//   EXPECT_LE(EpsilonLowerBound(hits_p, hits_q, trials, delta, 1e-6), 1.0);
//
// A call whose arguments break the contract below returns NaN, which compares
// false with everything: neither a sound mechanism nor its broken variant
// passes a test that was set up wrongly.
//
// Threads: pure functions.

// Pearson's chi-squared test that `counts` are multinomial with the given
// probabilities, which must sum to 1 within 1e-9. The caller bins: every bin
// must expect at least kMinExpectedCount hits, except bins of probability 0,
// which must be empty (one hit there gives 0). The distribution of the
// statistic is the limit distribution, good to a factor of a few at alpha =
// 1e-6 for the minimum count.
inline constexpr double kMinExpectedCount = 5;
double ChiSquaredPValue(std::span<const std::uint64_t> counts,
                        std::span<const double> probabilities);

// Chi-squared test that two rows of counts come from one distribution. Bins
// empty in both rows are skipped; each other bin must expect at least
// kMinExpectedCount in both rows. Neither row may be all zero.
double ChiSquaredTwoSamplePValue(std::span<const std::uint64_t> counts_a,
                                 std::span<const std::uint64_t> counts_b);

// Kolmogorov-Smirnov test of a discrete distribution: bins in the order of the
// variable, no minimum count. The p-value is min(1, 2 exp(-2 n D^2)), which
// Massart's form of the DKW inequality proves for every n and every
// distribution; it is conservative where the distribution has large atoms.
double KsPValue(std::span<const std::uint64_t> counts,
                std::span<const double> probabilities);

// The same for samples of a continuous distribution; `samples` must be sorted.
// A distribution with atoms belongs into bins, above: here its atoms would
// count as misfit.
double KsPValue(std::span<const double> samples,
                const std::function<double(double)>& cdf);

// Two-sample test on bins in the order of the variable; both rows must have the
// same total n. The p-value is min(1, C exp(-n D^2)), C = 2 for n >= 458 and e
// below: Wei and Dudley, Two-sample Dvoretzky-Kiefer-Wolfowitz inequalities.
double KsTwoSamplePValue(std::span<const std::uint64_t> counts_a,
                         std::span<const std::uint64_t> counts_b);

}  // namespace sotto
