#include "bench/baselines/prefix_noise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace sotto::bench {

double Normal(Rng& rng) {
  const auto uniform = [&] {
    return (static_cast<double>(rng.Next() >> 11) + 0.5) * 0x1p-53;
  };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

TreeNoise::TreeNoise(std::size_t coordinates, std::uint64_t steps)
    : values_(coordinates) {
  const auto levels = static_cast<std::size_t>(
      std::bit_width(std::max<std::uint64_t>(1, steps)));
  variances_.push_back(1);
  while (variances_.size() < levels) {
    variances_.push_back(1 / (1 + 1 / (2 * variances_.back())));
  }
  reach_ = std::sqrt(static_cast<double>(levels));
}

void TreeNoise::Merge(Rng& rng) {
  const std::vector<double> right = std::move(nodes_.back().noise);
  nodes_.pop_back();
  Node& node = nodes_.back();
  const auto below = static_cast<std::size_t>(node.level++);
  const double own = variances_[below + 1];  // precision 1 of all there is
  for (std::size_t j = 0; j < right.size(); ++j) {
    const double children = node.noise[j] + right[j];
    node.noise[j] = own * Normal(rng) + (1 - own) * children;
  }
}

void TreeNoise::Next(Rng& rng) {
  Node leaf{0, std::vector<double>(values_.size())};
  for (double& noise : leaf.noise) noise = Normal(rng);
  nodes_.push_back(std::move(leaf));
  while (nodes_.size() > 1 &&
         nodes_[nodes_.size() - 2].level == nodes_.back().level) {
    Merge(rng);
  }
  std::ranges::fill(values_, 0.0);
  for (const Node& node : nodes_) {
    for (std::size_t j = 0; j < values_.size(); ++j) {
      values_[j] += node.noise[j];
    }
  }
}

SquareRootNoise::SquareRootNoise(std::size_t coordinates, std::uint64_t steps)
    : values_(coordinates) {
  const std::uint64_t horizon = std::max<std::uint64_t>(2, steps);
  const auto filter = SquareRootFilter::Best(horizon);
  for (const SquareRootFilter::Buffer& b : filter.buffers) {
    buffers_.push_back({1 - std::ldexp(static_cast<double>(b.loss), -64),
                        std::ldexp(static_cast<double>(b.weight), -32)});
  }
  states_.assign(coordinates * buffers_.size(), 0);
  double squares = 1;  // of the filter's coefficients
  std::vector<double> powers(buffers_.size(), 1);
  for (std::uint64_t t = 1; t < horizon; ++t) {
    double coefficient = 0;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      coefficient += buffers_[i].weight * powers[i];
      powers[i] *= buffers_[i].keep;
    }
    squares += coefficient * coefficient;
  }
  reach_ = std::sqrt(squares);
}

// The release is the filtered steps with fresh noise; undoing the filter
// gives each step with correlated noise, which is then summed.
void SquareRootNoise::Next(Rng& rng) {
  for (std::size_t j = 0; j < values_.size(); ++j) {
    double* state = &states_[j * buffers_.size()];
    double noise = Normal(rng);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      noise -= buffers_[i].weight * state[i];
    }
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      state[i] = buffers_[i].keep * state[i] + noise;
    }
    values_[j] += noise;
  }
}

}  // namespace sotto::bench
