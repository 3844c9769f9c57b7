#include "sotto/learners/confident_winnow.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/portable_math.h"

namespace sotto {

Result<ConfidentWinnow> ConfidentWinnow::Create(const Params& params) {
  Params used = params;
  if (used.features == 0) return InvalidArgument("features must be at least 1");
  if (!(used.margin > 0 && used.margin <= 1)) {
    return InvalidArgument("margin must be in (0, 1]");
  }
  if (!(used.confidence >= 0 && used.confidence < 1)) {
    return InvalidArgument("confidence must be in [0, 1)");
  }
  const double best = (1 - used.confidence) * used.margin;
  if (used.rate == 0) used.rate = best;
  if (!(used.rate > 0 && used.rate < 2 * best)) {
    return InvalidArgument("rate must be below 2 (1 - confidence) margin");
  }
  return ConfidentWinnow(used);
}

ConfidentWinnow::ConfidentWinnow(const Params& params)
    : params_(params),
      logs_(std::size_t{params.features} + 1),
      weights_(logs_.size()) {
  Weigh();
}

double ConfidentWinnow::mistake_bound() const {
  const double inputs =
      static_cast<double>(logs_.size()) * (params_.nonnegative ? 1 : 2);
  const double gain = (1 - params_.confidence) * params_.rate * params_.margin -
                      params_.rate * params_.rate / 2;
  return std::log(inputs) / gain;
}

double ConfidentWinnow::Score(FeatureView x) const {
  double score = weights_.back();
  for (const Feature& feature : x) {
    if (feature.index >= params_.features) break;
    score += weights_[feature.index] * std::clamp(feature.value, -1.0, 1.0);
  }
  return score;
}

void ConfidentWinnow::Update(FeatureView x, bool y) {
  const double sign = y ? 1 : -1;
  // A mistake never passes: its signed score is at most 0.
  if (sign * Score(x) > params_.confidence * params_.margin) return;
  const double step = sign * params_.rate;
  for (const Feature& feature : x) {
    if (feature.index >= params_.features) break;
    logs_[feature.index] += step * std::clamp(feature.value, -1.0, 1.0);
  }
  logs_.back() += step;
  Weigh();
}

// exp(l) / Z, less exp(-l) / Z for the negated input. Scaled by the largest, so
// that nothing overflows.
void ConfidentWinnow::Weigh() {
  double largest = params_.nonnegative ? logs_[0] : 0;
  for (const double log : logs_) {
    largest = std::max(largest, params_.nonnegative ? log : std::abs(log));
  }
  double total = 0;
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    const double plus = PortableExp(logs_[i] - largest);
    const double minus =
        params_.nonnegative ? 0 : PortableExp(-logs_[i] - largest);
    weights_[i] = plus - minus;
    total += plus + minus;
  }
  for (double& weight : weights_) weight /= total;
}

void ConfidentWinnow::Save(ByteWriter& out) const {
  for (const double log : logs_) out.Real(log);
}

Status ConfidentWinnow::Load(ByteReader& in) {
  bool sound = true;
  for (double& log : logs_) {
    log = in.Real();
    sound = sound && std::isfinite(log);
  }
  if (in.failed() || !sound) {
    return Corruption("not the weights of ConfidentWinnow");
  }
  Weigh();
  return Ok();
}

}  // namespace sotto
