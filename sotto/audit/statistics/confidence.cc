#include "sotto/audit/statistics/confidence.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kMalformed = std::numeric_limits<double>::quiet_NaN();

// The inverse incomplete beta function is good to a few units in the last
// place; the bounds step outward by far more than that.
constexpr double kSlack = 1e-12;

bool ValidTrials(std::uint64_t hits, std::uint64_t trials, double alpha) {
  return trials >= 1 && hits <= trials && alpha > 0 && alpha < 1;
}

// An end of Wilson's interval: `sign` is -1 or 1.
double Wilson(double hits, double trials, double z, double sign) {
  const double p = hits / trials;
  const double s = z * z / trials;
  const double spread = z * std::sqrt(p * (1 - p) / trials + s / (4 * trials));
  return (p + s / 2 + sign * spread) / (1 + s);
}

}  // namespace

double ClopperPearsonLower(std::uint64_t hits, std::uint64_t trials,
                           double alpha) {
  if (!ValidTrials(hits, trials, alpha)) return kMalformed;
  if (hits == 0) return 0;
  const auto h = static_cast<double>(hits);
  const auto n = static_cast<double>(trials);
  return boost::math::ibeta_inv(h, n - h + 1, alpha) * (1 - kSlack);
}

double ClopperPearsonUpper(std::uint64_t hits, std::uint64_t trials,
                           double alpha) {
  if (!ValidTrials(hits, trials, alpha)) return kMalformed;
  if (hits == trials) return 1;
  const auto h = static_cast<double>(hits);
  const auto n = static_cast<double>(trials);
  const double upper = boost::math::ibetac_inv(h + 1, n - h, alpha);
  return std::min(1.0, upper * (1 + kSlack));
}

double EpsilonLowerBound(std::uint64_t hits_p, std::uint64_t hits_q,
                         std::uint64_t trials, double delta, double alpha) {
  if (!(delta >= 0 && delta <= 1)) return kMalformed;
  const double p = ClopperPearsonLower(hits_p, trials, alpha / 2);
  const double q = ClopperPearsonUpper(hits_q, trials, alpha / 2);
  if (std::isnan(p) || std::isnan(q)) return kMalformed;
  if (p <= delta) return 0;
  return std::max(0.0, std::log((p - delta) / q));
}

double EpsilonByGuesses(std::uint64_t correct, std::uint64_t guesses,
                        double delta, double alpha) {
  if (!(delta >= 0 && delta <= 1) || !(alpha < 0.25)) return kMalformed;
  const double rate = ClopperPearsonLower(correct, guesses, alpha);
  if (std::isnan(rate)) return kMalformed;
  if (rate <= delta) return 0;
  return std::max(0.0, std::log((rate - delta) / (1 - rate)));
}

double GuessRate(double epsilon, double delta) {
  // (e^epsilon + delta) / (1 + e^epsilon), for every epsilon.
  const double other = 1 / (1 + std::exp(epsilon));
  return std::min(1.0, 1 - (1 - delta) * other);
}

double RoughEpsilon(double hits_p, double hits_q, double trials, double delta,
                    double z) {
  const double low = Wilson(hits_p, trials, z, -1) - delta;
  if (!(low > 0)) return 0;
  return std::max(0.0, std::log(low / Wilson(hits_q, trials, z, 1)));
}

double RoughEpsilonByGuesses(double correct, double guesses, double delta,
                             double z) {
  const double rate = Wilson(correct, guesses, z, -1);
  if (!(rate > delta)) return 0;
  return std::max(0.0, std::log((rate - delta) / (1 - rate)));
}

double DeltaLowerBound(std::uint64_t hits_p, std::uint64_t hits_q,
                       std::uint64_t trials, double epsilon, double alpha) {
  if (!(epsilon >= 0)) return kMalformed;
  const double p = ClopperPearsonLower(hits_p, trials, alpha / 2);
  const double q = ClopperPearsonUpper(hits_q, trials, alpha / 2);
  if (std::isnan(p) || std::isnan(q)) return kMalformed;
  return std::max(0.0, p - std::exp(epsilon) * q);
}

}  // namespace sotto
