#include "sotto/service/slot_cost.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/durable/record.h"
#include "sotto/report/figures.h"

namespace sotto {
namespace {

// bench/occupancy.py on `generate life`: 40,000 people, epsilon 1, three seeds.
struct Measured {
  double share;
  double wrong;   // percent
  double longer;  // percent, with longer batches
};
constexpr std::array kMeasured = {
    Measured{1, 24.29, 24.29}, Measured{0.5, 24.51, 24.05},
    Measured{0.25, 25.27, 24.33}, Measured{0.125, 26.04, 25.18}};

// The measured share at or below this one: its cost is not smaller.
const Measured& FindMeasured(double share) {
  for (const Measured& row : kMeasured) {
    if (row.share <= share) return row;
  }
  return kMeasured.back();
}

std::string Points(double wrong) {
  return Figure(std::max(0.0, wrong - kMeasured[0].wrong), 2) + " points";
}

}  // namespace

double FullGroupProbability(double mean, std::uint64_t places) {
  if (mean <= 0) return places == 0 ? 1 : 0;
  const auto term = [&](std::uint64_t k) {
    const auto n = static_cast<double>(k);
    return std::exp(n * std::log(mean) - mean - std::lgamma(n + 1));
  };
  // The sum of the shorter side: terms fall off away from the mean.
  double sum = 0;
  if (static_cast<double>(places) <= mean) {
    for (std::uint64_t k = 0; k < places; ++k) sum += term(k);
    return std::max(0.0, 1 - sum);
  }
  for (std::uint64_t k = places;; ++k) {
    const double next = term(k);
    sum += next;
    if (next <= 1e-17 * sum) return std::min(1.0, sum);
  }
}

std::size_t GroupBytes(std::uint64_t places, std::size_t columns) {
  constexpr std::size_t kBlock = 84;   // header and end
  constexpr std::size_t kSealed = 45;  // length, nonce, type and tag
  const std::size_t round = kSealed + PaddedRoundBytes(columns);
  const std::size_t label = kSealed + EncodeLabel({}).payload.size();
  return kBlock + static_cast<std::size_t>(places) * (round + label);
}

std::string OccupancyCost(std::string_view model, double share) {
  if (model != "tide") return "not measured for " + std::string(model);
  const Measured& row = FindMeasured(share);
  std::string text = Points(row.wrong) + " more wrong, " + Points(row.longer) +
                     " with longer batches: measured on one stream with " +
                     Percent(row.share) + " of the places taken";
  if (share < kMeasured.back().share) text += "; with fewer it is more";
  return text;
}

}  // namespace sotto
