#include "sotto/mechanisms/mirrors/soft_mirror_ramp.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace sotto {
namespace {

// The Lagrangian of soft_mirror.md, step 4: mistakes plus `price` times the
// privacy loss of one Renyi order, forward with weight kForward.
constexpr double kForward = 0.97;
// The share of delta spent at the two ends of the ramp.
constexpr double kStartShare = 0.14;
constexpr double kEndShare = 0.5;
constexpr std::size_t kKnots = 400;
constexpr std::size_t kMaxCoins = 1 << 19;

// ln top and ln bottom of the coin with these log-odds.
double LogTop(double logit) { return -std::log1p(std::exp(-logit)); }
double LogBottom(double logit) { return -std::log1p(std::exp(logit)); }

double LogAddExp(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

class Stepper {
 public:
  Stepper(double order, double price) : order_(order), price_(price) {}

  // The step in log-odds that costs least per unit of log-odds gained.
  double Best(double logit, double guess) const {
    // Golden section in ln(step), bracketed around the last knot's answer.
    constexpr double kGolden = 0.6180339887498949;
    double low = std::log(guess) - 0.7;
    double high = std::log(guess) + 0.7;
    double a = high - kGolden * (high - low);
    double b = low + kGolden * (high - low);
    double cost_a = Cost(logit, std::exp(a));
    double cost_b = Cost(logit, std::exp(b));
    while (high - low > 1e-3) {
      if (cost_a < cost_b) {
        high = b;
        b = a;
        cost_b = cost_a;
        a = high - kGolden * (high - low);
        cost_a = Cost(logit, std::exp(a));
      } else {
        low = a;
        a = b;
        cost_a = cost_b;
        b = low + kGolden * (high - low);
        cost_b = Cost(logit, std::exp(b));
      }
    }
    return std::exp((low + high) / 2);
  }

 private:
  double Cost(double logit, double step) const {
    const double t0 = LogTop(logit);
    const double b0 = LogBottom(logit);
    const double t1 = LogTop(logit + step);
    const double b1 = LogBottom(logit + step);
    const double forward = LogAddExp(order_ * t1 + (1 - order_) * t0,
                                     order_ * b1 + (1 - order_) * b0);
    const double backward = LogAddExp(order_ * t0 + (1 - order_) * t1,
                                      order_ * b0 + (1 - order_) * b1);
    const double mistakes = std::exp(b0);
    return (mistakes +
            price_ * (kForward * forward + (1 - kForward) * backward)) /
           step;
  }

  double order_;
  double price_;
};

// Log-odds of the coins, walking from start to end with the best steps, which
// are interpolated between knots.
std::vector<double> Walk(double start, double end, const Stepper& stepper) {
  const double spacing = (end - start) / static_cast<double>(kKnots - 1);
  std::vector<double> log_steps;
  double guess = 0.1;
  // The first guess may be far off: approach it.
  for (int i = 0; i < 12; ++i) guess = stepper.Best(start, guess);
  for (std::size_t i = 0; i < kKnots; ++i) {
    guess = stepper.Best(start + spacing * static_cast<double>(i), guess);
    log_steps.push_back(std::log(guess));
  }
  std::vector<double> logits;
  for (double x = start; x < end && logits.size() <= kMaxCoins;) {
    logits.push_back(x);
    const double at = (x - start) / spacing;
    const auto i = std::min(static_cast<std::size_t>(at), kKnots - 2);
    const double part = at - static_cast<double>(i);
    x += std::exp(log_steps[i] * (1 - part) + log_steps[i + 1] * part);
  }
  logits.push_back(end);
  return logits;
}

std::vector<double> MakeWalk(double epsilon, double delta, double price) {
  const double order = 1 + std::log(1 / delta) / epsilon;
  return Walk(std::log(kStartShare * delta), -std::log(kEndShare * delta),
              Stepper(order, price));
}

SoftRamp ToRamp(const std::vector<double>& logits) {
  SoftRamp ramp;
  for (const double logit : logits) {
    const long double top =
        1 / (1 + std::exp(static_cast<long double>(-logit)));
    const auto threshold = static_cast<std::uint64_t>(top * 0x1p64L);
    if (ramp.empty() || threshold > ramp.back()) ramp.push_back(threshold);
  }
  return ramp;
}

// One direction of the ramp as a sum of independent losses.
class LossSum {
 public:
  // The coins of P and Q by log-odds.
  void Add(double p, double q) {
    coins_.push_back({std::exp(LogTop(p)), LogTop(p) - LogTop(q),
                      LogBottom(p) - LogBottom(q)});
  }

  // Saddle-point estimate of E[(1 - e^(epsilon - loss))_+], good to a percent
  // or so: only a guide, the grid decides.
  double EstimateDelta(double epsilon) const {
    double low = 1e-2;
    double high = 1e5;
    Moments at{};
    for (int i = 0; i < 40 && high / low > 1.01; ++i) {
      const double s = std::sqrt(low * high);
      at = At(s);
      (at.slope < epsilon + 1 / s + 1 / (s + 1) ? low : high) = s;
    }
    const double s = low;
    const double spread = at.curvature + 1 / (s * s) + 1 / ((s + 1) * (s + 1));
    constexpr double kTwoPi = 6.283185307179586;
    return std::exp(at.value - s * epsilon) /
           (s * (s + 1) * std::sqrt(kTwoPi * spread));
  }

 private:
  struct Coin {
    double top;
    double top_loss;
    double bottom_loss;
  };
  // Value and derivatives of the logarithm of E[e^(s loss)].
  struct Moments {
    double value;
    double slope;
    double curvature;
  };

  Moments At(double s) const {
    Moments sum{};
    for (const Coin& coin : coins_) {
      const double a = coin.top * std::exp(s * coin.top_loss);
      const double b = (1 - coin.top) * std::exp(s * coin.bottom_loss);
      const double share = a / (a + b);
      const double gap = coin.top_loss - coin.bottom_loss;
      sum.value += std::log(a + b);
      sum.slope += coin.bottom_loss + share * gap;
      sum.curvature += share * (1 - share) * gap * gap;
    }
    return sum;
  }

  std::vector<Coin> coins_;
};

// The larger of the two directions, estimated.
double EstimateDelta(const std::vector<double>& logits, double epsilon,
                     double delta) {
  LossSum forward;
  LossSum backward;
  for (std::size_t s = 0; s + 1 < logits.size(); ++s) {
    forward.Add(logits[s + 1], logits[s]);
    backward.Add(logits[s], logits[s + 1]);
  }
  return std::max(kStartShare * delta + forward.EstimateDelta(epsilon),
                  kEndShare * delta + backward.EstimateDelta(epsilon));
}

// The shortest walk whose estimate is at most `goal`.
std::vector<double> FindWalk(double epsilon, double delta, double goal) {
  // The price of privacy scales like the mistakes.
  const double scale = std::log(1 / delta) / (epsilon * epsilon);
  double low = 0.02 * scale;
  double high = 20 * scale;
  std::vector<double> best;
  while (high / low > 1.004) {
    const double price = std::sqrt(low * high);
    auto walk = MakeWalk(epsilon, delta, price);
    if (walk.size() > kMaxCoins) {
      high = price;
    } else if (EstimateDelta(walk, epsilon, delta) <= goal) {
      high = price;
      best = std::move(walk);
    } else {
      low = price;
    }
  }
  return best;
}

}  // namespace

double RampMistakes(const SoftRamp& ramp) {
  long double sum = 0;
  for (const std::uint64_t threshold : ramp) {
    sum += 1 - static_cast<long double>(threshold) * 0x1p-64L;
  }
  return static_cast<double>(sum);
}

Result<SoftRamp> FindSoftRamp(double epsilon, double delta) {
  for (const double share : {0.97, 0.93, 0.85, 0.6}) {
    const auto walk = FindWalk(epsilon, delta, share * delta);
    if (walk.empty()) continue;
    SoftRamp ramp = ToRamp(walk);
    SOTTO_TRY_ASSIGN(const auto deltas,
                     ComputeDelta(ramp, epsilon, kRampCells));
    if (std::max(deltas.one_over_zero, deltas.zero_over_one) <= delta) {
      return ramp;
    }
  }
  return NotConverged("no ramp found");
}

}  // namespace sotto
