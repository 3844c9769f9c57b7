#include "sotto/report/figures.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "sotto/base/number_text.h"

namespace sotto {

std::string Figure(double number, int digits) {
  constexpr double kWhole = 1e15;
  const double written = std::pow(10, digits) - 0.5;
  if (number >= written && number < kWhole) return WholeWithCommas(number);
  char text[32];
  std::snprintf(text, sizeof(text), "%.*g", digits, number);
  return Shortest(std::strtod(text, nullptr));
}

std::string Short(double number) {
  constexpr int kDigits = 3;
  return Figure(number, kDigits);
}

std::string Percent(double share) { return Short(100 * share) + "%"; }

std::string CountAndShare(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return WithCommas(part);
  return WithCommas(part) + " (" +
         Percent(static_cast<double>(part) / static_cast<double>(whole)) + ")";
}

std::string BoundProbability(const Json& parameters) {
  constexpr double kUsualFailure = 0.05;
  const Json* failure = parameters.Find("failure");
  return Percent(1 - (failure != nullptr
                          ? failure->number().value_or(kUsualFailure)
                          : kUsualFailure));
}

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace sotto
