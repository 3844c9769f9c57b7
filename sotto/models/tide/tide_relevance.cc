#include "sotto/models/tide/tide_relevance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace sotto {
namespace {

// Shares move half way to what the weights say, and never below two
// thirds, nearly, of what they were at the start.
constexpr double kInertia = 0.5;
constexpr double kFloor = 0.65;
// Deviations of its noise by which a group's squared length must exceed it; for
// classes, where every weight has many, fewer.
constexpr double kBar = 2;
constexpr double kClassBar = 1;

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

std::vector<double> TideRelevance::Evidence(const TideFrame& frame,
                                            std::span<const double> weights,
                                            std::uint32_t outputs) const {
  const auto groups = frame.encoding().groups();
  const double bar = outputs == 1 ? kBar : kClassBar;
  std::vector<double> evidence(groups.size(), 0.0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].kind == TideGroup::Kind::kPair) continue;
    const std::size_t size = std::size_t{groups[g].size} * outputs;
    const auto own =
        weights.subspan(std::size_t{groups[g].first} * outputs, size);
    const auto n = static_cast<double>(size);
    const double by_noise = variances_[g] * (n + bar * std::sqrt(2 * n));
    evidence[g] = std::sqrt(std::max(0.0, Dot(own, own) - by_noise) / n);
  }
  return evidence;
}

std::vector<double> TideRelevance::Shares(std::span<const double> now,
                                          std::span<const double> first,
                                          std::span<const double> evidence) {
  const double sum = std::accumulate(evidence.begin(), evidence.end(), 0.0);
  std::vector<double> shares(now.begin(), now.end());
  for (std::size_t g = 0; g < shares.size(); ++g) {
    const double wanted =
        sum > 0 ? kFloor * first[g] + (1 - kFloor) * evidence[g] / sum
                : first[g];
    shares[g] =
        first[g] > 0 ? kInertia * shares[g] + (1 - kInertia) * wanted : 0;
  }
  return shares;
}

double TideRelevance::Signal(const TideFrame& frame,
                             std::span<const double> weights,
                             std::uint32_t outputs) const {
  const auto groups = frame.encoding().groups();
  double signal = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].kind == TideGroup::Kind::kPair) continue;
    const std::size_t size = std::size_t{groups[g].size} * outputs;
    const auto own =
        weights.subspan(std::size_t{groups[g].first} * outputs, size);
    signal += Dot(own, own) / static_cast<double>(size) - variances_[g];
  }
  return std::max(0.0, signal);
}

void TideRelevance::Drop(std::size_t group) {
  const std::size_t q = kept_.size();
  variances_[group] = 0;
  std::fill_n(with_weights_.begin() + static_cast<std::ptrdiff_t>(group * q), q,
              0.0);
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
