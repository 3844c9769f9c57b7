#include "sotto/models/rectangles/rectangles_forms.h"

#include <cmath>
#include <limits>

#include "sotto/accounting/stopped_process.h"
#include "sotto/mechanisms/slicing/reorder_slice_compute_bound.h"

namespace sotto {
namespace {

// Total cost of all slices if each costs `each`; half of delta for the slicing.
double SlicedEpsilon(double each, double delta, std::uint32_t slices) {
  const auto charge = SliceBound({.slice_epsilon = each,
                                  .substitution_epsilon = each,
                                  .geometric_rate = each,
                                  .slices = slices,
                                  .failure = delta / 2});
  return charge ? charge->epsilon : std::numeric_limits<double>::infinity();
}

}  // namespace

BoundaryForms CompareForms(const BoundaryPhases& phases) {
  const SideNoise& noise = phases.phases.front().initial;
  BoundaryForms forms{1 / noise.rate, std::numeric_limits<double>::infinity()};
  const double delta = phases.schedule.At(0);
  double low = std::log(0x1p-14);
  double high = std::log(phases.target.epsilon);
  while (high - low > 1e-3) {
    const double middle = (low + high) / 2;
    const bool meets =
        SlicedEpsilon(std::exp(middle), delta, phases.target.sides) <=
        phases.target.epsilon;
    (meets ? low : high) = middle;
  }
  // In favour of slices: as if their own delta were needed once.
  const auto least = LeastNoise(
      {.epsilon = std::exp(low),
       .delta = delta / 2,
       .targets = noise.limit,
       .gap_in_scales =
           static_cast<double>(noise.high - noise.low - 1) * noise.rate});
  if (least) forms.sliced = 1 / least->rate;
  return forms;
}

}  // namespace sotto
