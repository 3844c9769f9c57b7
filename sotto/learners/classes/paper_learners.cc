#include "sotto/learners/classes/paper_learners.h"

#include <algorithm>
#include <cmath>

namespace sotto {

PaperErm PaperErmFor(int dimension, double error, double failure,
                     double epsilon, double delta) {
  constexpr int kSteps = 60;  // to the fixed point: p grows with the rows
  const double d = std::max(dimension, 1);
  const double sample = epsilon / 3;
  PaperErm erm{.rows = 1e6};
  for (int i = 0; i < kSteps; ++i) {
    const double p = std::exp2(d + 1) * erm.rows * d;
    const double list = d * std::log(p) + d * d * std::log(2);
    const double bottom = 1 + (list + std::log(1 / delta)) / sample;
    erm.teachers = 2 * (bottom + (list + std::log(1e4 / failure)) / sample +
                        24 / epsilon * std::log(4 * (d + 1) / failure));
    erm.chunk =
        225 * d * d *
        (d * std::log(erm.rows) + std::log(2 * erm.teachers / failure)) / error;
    erm.rows = erm.teachers * erm.chunk;
  }
  return erm;
}

PaperOnline PaperOnlineFor(int dimension, double rounds, double epsilon,
                           double delta) {
  const double d = std::max(dimension, 1);
  const double log_rounds = std::log(std::max(rounds, 2.0));
  PaperOnline online{.calls = d * d * d};
  online.teachers =
      std::pow(d, 3.5) * log_rounds * std::log(1 / delta) / epsilon;
  const double between =
      d * d * d * std::log(std::max(2.0, d * log_rounds)) * online.teachers;
  online.mistakes = online.calls * between;
  return online;
}

}  // namespace sotto
