#include "sotto/models/tide/tide_relevance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace sotto {
namespace {

// Shares move half way to what the weights say, and never below half of what
// they were at the start.
constexpr double kInertia = 0.5;
constexpr double kFloor = 0.5;

double Share(std::uint32_t value) {
  return std::ldexp(static_cast<double>(value), -TideFilter::kBits);
}

double Dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

TideRelevance::TideRelevance(const TideFilter& filter, std::size_t groups,
                             double step_deviation)
    : fresh_(step_deviation * step_deviation),
      buffers_(filter.buffers.size() * filter.buffers.size(), 0.0),
      with_weights_(filter.buffers.size() * groups, 0.0),
      variances_(groups, 0.0) {
  for (const TideFilter::Buffer& buffer : filter.buffers) {
    kept_.push_back(1 - Share(buffer.loss));
    filter_weights_.push_back(Share(buffer.weight));
  }
}

void TideRelevance::Begin(std::span<const double> deviations) {
  std::ranges::transform(deviations, variances_.begin(),
                         [](double d) { return d * d; });
}

// A step's noise is n = z - w . buffers; buffers' = kept * buffers + n;
// weights' = weights - rate * scale * n.
void TideRelevance::Step(const TideFrame& frame, double rate) {
  const std::size_t q = kept_.size();
  std::vector<double> with_noise(q);  // covariance of buffers and n
  for (std::size_t i = 0; i < q; ++i) {
    with_noise[i] =
        -Dot(std::span(buffers_).subspan(i * q, q), filter_weights_);
  }
  const double noise = fresh_ - Dot(with_noise, filter_weights_);
  for (std::size_t g = 0; g < variances_.size(); ++g) {
    const auto covariance = std::span(with_weights_).subspan(g * q, q);
    const double reach = rate * frame.scale(g);
    const double both = -Dot(covariance, filter_weights_);
    variances_[g] += reach * (reach * noise - 2 * both);
    for (std::size_t i = 0; i < q; ++i) {
      covariance[i] = kept_[i] * (covariance[i] - reach * with_noise[i]) +
                      both - reach * noise;
    }
  }
  for (std::size_t i = 0; i < q; ++i) {
    for (std::size_t k = 0; k < q; ++k) {
      buffers_[i * q + k] = kept_[i] * kept_[k] * buffers_[i * q + k] +
                            kept_[i] * with_noise[i] +
                            kept_[k] * with_noise[k] + noise;
    }
  }
}

std::vector<double> TideRelevance::Shares(const TideFrame& frame,
                                          std::span<const double> weights,
                                          std::uint32_t outputs) const {
  const auto groups = frame.encoding().groups();
  std::vector<double> evidence(groups.size());
  double sum = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::size_t size = std::size_t{groups[g].size} * outputs;
    const auto own =
        weights.subspan(std::size_t{groups[g].first} * outputs, size);
    const auto n = static_cast<double>(size);
    const double by_noise = variances_[g] * (n + std::sqrt(2 * n));
    evidence[g] = std::sqrt(std::max(0.0, Dot(own, own) - by_noise) / n);
    sum += evidence[g];
  }
  std::vector<double> shares(frame.shares().begin(), frame.shares().end());
  if (!(sum > 0)) return shares;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double wanted =
        kFloor * groups[g].share + (1 - kFloor) * evidence[g] / sum;
    shares[g] = kInertia * shares[g] + (1 - kInertia) * wanted;
  }
  return shares;
}

// A row has length 1, and about its share of it in every group.
double TideRelevance::Temper() const {
  const double noise =
      std::accumulate(variances_.begin(), variances_.end(), 0.0);
  return 1 / std::sqrt(1 + std::numbers::pi / 8 * noise);
}

void TideRelevance::Save(ByteWriter& writer) const {
  for (const auto* part : {&buffers_, &with_weights_, &variances_}) {
    for (const double value : *part) writer.Real(value);
  }
}

Status TideRelevance::Load(ByteReader& reader) {
  bool sane = true;
  for (auto* part : {&buffers_, &with_weights_, &variances_}) {
    for (double& value : *part) {
      value = reader.Real();
      sane = sane && std::isfinite(value);
    }
  }
  if (!sane || reader.failed()) {
    return Corruption("the relevance of columns in tide makes no sense");
  }
  return Ok();
}

}  // namespace sotto
