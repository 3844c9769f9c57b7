#include "sotto/accounting/stopped_game.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sotto {
namespace {

constexpr std::int64_t kMaxPositions = std::int64_t{1} << 26;
constexpr int kMaxPolicySteps = 200;
// Rounding of the solver is a few 2^-53 per position; the slack must exceed it.
constexpr double kFirstInflation = 1e-14;
constexpr double kMaxInflation = 1e-9;
constexpr double kDeflation = 4e-15;
// Three products, two sums and this scaling itself: at most 6 * 2^-53.
constexpr double kRoundUp = 1 + 0x1p-50;
// Covers libm (2^-50) and the two or three operations that follow it.
constexpr double kConstantUp = 1 + 0x1p-48;

// (1 - exp(epsilon - l rate))_+, from above or from below.
double Payoff(double epsilon, double rate, std::int64_t position, double sign) {
  const double loss = static_cast<double>(position) * rate;
  const double error = 0x1p-51 * (std::abs(epsilon) + std::abs(loss));
  const double exponent = epsilon - loss - sign * error;
  if (!(exponent < 0)) return 0;
  return std::clamp(-std::expm1(exponent) * (1 + sign * 0x1p-50), 0.0, 1.0);
}

}  // namespace

StoppedGame::Kernel StoppedGame::CentralKernel(const StoppedProcess& process) {
  const double theta = std::exp(-process.rate);
  const double pi = 1 / (1 + theta);
  const double rest = theta / (1 + theta);
  double free = 0;
  double paid = 1;
  if (process.gap != StoppedProcess::kAboveThreshold) {
    const double exponent = -process.rate * static_cast<double>(process.gap);
    free = std::exp(exponent);
    paid = -std::expm1(exponent);
  }
  return {pi, pi * free, pi * paid, rest, rest * free, rest * paid};
}

StoppedGame::Kernel StoppedGame::UpperKernel(const StoppedProcess& process) {
  Kernel kernel = CentralKernel(process);
  // Relative error of exp(-x), x = rate * gap, on top of the usual: x 2^-53 for
  // the product, x 2^-52 if `rate` is the double above the true one. eta below
  // 2^-1000 is replaced by that.
  const double exponent = process.rate * static_cast<double>(process.gap);
  const double free_up = kConstantUp * (1 + exponent * 0x1p-51);
  for (double* x : {&kernel.up_free, &kernel.down_free}) {
    if (process.gap != StoppedProcess::kAboveThreshold) {
      *x = std::max(*x, 0x1p-1000) * free_up;
    }
  }
  for (double* x :
       {&kernel.up, &kernel.up_paid, &kernel.down, &kernel.down_paid}) {
    *x *= kConstantUp;
  }
  return kernel;
}

Result<StoppedGame> StoppedGame::Create(const Params& params) {
  SOTTO_TRY(Validate(params.process));
  if (!std::isfinite(params.epsilon) || params.lowest >= params.highest ||
      params.lowest < -kMaxPositions || params.highest > kMaxPositions ||
      params.highest - params.lowest >= kMaxPositions) {
    return InvalidArgument("the lattice of losses is empty or too long");
  }
  return StoppedGame(params);
}

StoppedGame::StoppedGame(const Params& params)
    : params_(params),
      size_(static_cast<std::size_t>(params.highest - params.lowest + 1)),
      central_(CentralKernel(params.process)),
      upper_kernel_(UpperKernel(params.process)),
      inflation_(kFirstInflation),
      policy_(size_ + 2, kChargeDown) {
  for (Side* side : {&above_, &below_}) {
    for (auto* v :
         {&side->carry_up, &side->carry_down, &side->from_above,
          &side->from_below, &side->value, &side->previous, &side->partial}) {
      v->resize(size_ + 2);
    }
  }
  above_.scale = 1 + inflation_;
  above_.bottom_ghost = 1;  // step 5: constant below the window
  below_.scale = 1 - kDeflation;
  SetPayoff();
}

void StoppedGame::SetPayoff() {
  const double rate = params_.process.rate;
  for (std::size_t i = 0; i < size_ + 2; ++i) {
    const std::int64_t position =
        params_.lowest - 1 + static_cast<std::int64_t>(i);
    above_.value[i] = Payoff(params_.epsilon, rate, position, 1) + kFloor;
    below_.value[i] = Payoff(params_.epsilon, rate, position, -1);
    if (below_.value[i] > 0) policy_[i] = kChargeUp;
  }
  above_.top = 1 + kFloor;  // rounds to 1, the largest value there is
  above_.value[size_ + 1] = above_.top;
  above_.value[0] = above_.value[1];
  // Leaving the window means stopping, for the strategy from below.
  below_.top = below_.value[size_ + 1];
  below_.value[0] = 0;
}

// Thomas' elimination from the bottom: U(i) = partial(i) + carry_up(i) U(i+1).
void StoppedGame::Factorize(Side& side) const {
  double carry = side.bottom_ghost;
  const Kernel& k = central_;
  for (std::size_t i = 1; i <= size_; ++i) {
    const bool down = policy_[i] == kChargeDown;
    const double to_above = side.scale * (down ? k.up : k.up_free);
    const double to_below = side.scale * (down ? k.down_free : k.down);
    const double pivot = 1 / (1 - to_below * carry);
    carry = to_above * pivot;
    side.carry_up[i] = carry;
    side.carry_down[i] = to_below * pivot;
    side.from_above[i] = down ? 0 : side.scale * k.up_paid * pivot;
    side.from_below[i] = down ? side.scale * k.down_paid * pivot : 0;
  }
}

// The two sides are independent chains: run together they hide each other's
// latency.
void StoppedGame::SolveBothSides() {
  if (stale_) {
    Factorize(above_);
    Factorize(below_);
    stale_ = false;
  }
  for (Side* side : {&above_, &below_}) {
    const double* previous = side->previous.data();
    for (std::size_t i = 1; i <= size_; ++i) {
      side->partial[i] = side->from_below[i] * previous[i - 1] +
                         side->from_above[i] * previous[i + 1];
    }
  }
  double a = 0;
  double b = 0;
  for (std::size_t i = 1; i <= size_; ++i) {
    a = above_.partial[i] + above_.carry_down[i] * a;
    b = below_.partial[i] + below_.carry_down[i] * b;
    above_.partial[i] = a;
    below_.partial[i] = b;
  }
  a = above_.value[size_ + 1] = above_.top;
  b = below_.value[size_ + 1] = below_.top;
  for (std::size_t i = size_; i >= 1; --i) {
    a = above_.partial[i] + above_.carry_up[i] * a;
    b = below_.partial[i] + below_.carry_up[i] * b;
    above_.value[i] = a;
    below_.value[i] = b;
  }
  above_.value[0] = above_.value[1];
  below_.value[0] = 0;
}

bool StoppedGame::IsSupersolution(const Kernel& upper,
                                  const std::vector<double>& value,
                                  const std::vector<double>& previous) {
  assert(value.size() == previous.size() && value.size() >= 3);
  const double* u = value.data();
  const double* v = previous.data();
  const std::size_t size = value.size() - 2;
  bool good = true;
  for (std::size_t i = 1; i <= size; ++i) {
    const double charge_down = upper.up * u[i + 1] +
                               upper.down_free * u[i - 1] +
                               upper.down_paid * v[i - 1];
    const double charge_up = upper.down * u[i - 1] + upper.up_free * u[i + 1] +
                             upper.up_paid * v[i + 1];
    const double best =
        std::max(std::max(charge_down, charge_up) * kRoundUp, v[i]);
    good &= u[i] >= std::min(best, 1.0);  // NaN fails
  }
  return good;
}

// Howard's step, at the points that IsSupersolution would reject, so that what
// cannot be improved is exactly what needs more inflation.
bool StoppedGame::ImprovePolicy() {
  const Kernel& k = upper_kernel_;
  const double* u = above_.value.data();
  const double* v = above_.previous.data();
  bool changed = false;
  for (std::size_t i = 1; i <= size_; ++i) {
    const double charge_down =
        k.up * u[i + 1] + k.down_free * u[i - 1] + k.down_paid * v[i - 1];
    const double charge_up =
        k.down * u[i - 1] + k.up_free * u[i + 1] + k.up_paid * v[i + 1];
    if (std::max(charge_down, charge_up) * kRoundUp <= u[i]) continue;
    const Move better = charge_down >= charge_up ? kChargeDown : kChargeUp;
    changed |= policy_[i] != better;
    policy_[i] = better;
  }
  return changed;
}

Status StoppedGame::AddTarget() {
  std::swap(above_.value, above_.previous);
  std::swap(below_.value, below_.previous);
  for (int step = 0; step < kMaxPolicySteps; ++step) {
    SolveBothSides();
    if (IsSupersolution(upper_kernel_, above_.value, above_.previous)) {
      return Ok();
    }
    if (!ImprovePolicy()) {
      inflation_ *= 4;
      above_.scale = 1 + inflation_;
      if (!(inflation_ <= kMaxInflation)) break;
    }
    stale_ = true;
  }
  return NotConverged("the worst-case recursion could not be certified");
}

double StoppedGame::UpperAt(std::int64_t position) const {
  const std::int64_t index = position - params_.lowest + 1;
  assert(index >= 1 && index <= static_cast<std::int64_t>(size_));
  return std::min(1.0, above_.value[static_cast<std::size_t>(index)]);
}

double StoppedGame::LowerAt(std::int64_t position) const {
  const std::int64_t index = position - params_.lowest + 1;
  assert(index >= 1 && index <= static_cast<std::int64_t>(size_));
  return below_.value[static_cast<std::size_t>(index)];
}

}  // namespace sotto
