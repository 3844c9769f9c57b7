#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_filter.h"
#include "sotto/models/tide/tide_frame.h"

namespace sotto {

// Which groups matter, by what was released: a group whose weights are larger
// than noise alone would make them is given a larger share.
//
//   TideRelevance relevance(filter, groups, step_deviation);
//   relevance.Begin(start_deviations);       // of each group's weights
//   relevance.Step(frame, rate);             // beside every step
//   auto evidence = relevance.Evidence(frame, weights, outputs);
//   auto shares = TideRelevance::Shares(frame.shares(), first, evidence);
//
// The noise in the weights is followed, exactly but for the forgetting at the
// end of an epoch, which hardly shows: a covariance of the filter's buffers
// and, for each group, with its weights. It depends on the public frames and
// rates alone.
//
// Proof:   tide.md, step 8: post-processing.
// Threads: not thread-safe.
class TideRelevance {
 public:
  TideRelevance(const TideFilter& filter, std::size_t groups,
                double step_deviation);

  void Begin(std::span<const double> deviations);
  void Step(const TideFrame& frame, double rate);

  // How far each group's weights are above their noise; 0 for pairs, which
  // TidePairs judges.
  std::vector<double> Evidence(const TideFrame& frame,
                               std::span<const double> weights,
                               std::uint32_t outputs) const;
  // The next shares, between those of now and a mixture of the first ones and
  // the evidence. A first share of 0 stays.
  static std::vector<double> Shares(std::span<const double> now,
                                    std::span<const double> first,
                                    std::span<const double> evidence);
  // Variance of a row's score beyond its noise; pairs aside.
  double Signal(const TideFrame& frame, std::span<const double> weights,
                std::uint32_t outputs) const;
  // No noise is followed for this group any more.
  void Drop(std::size_t group);
  // Variance of the noise in each weight of a group.
  double variance(std::size_t group) const { return variances_[group]; }
  // By how much scores are too large for probabilities: the mean of a logistic
  // function over normal noise of the variance that a row's score has.
  double Temper() const;

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  double fresh_;                        // variance of one step's noise
  std::vector<double> kept_;            // of each buffer: 1 - mu
  std::vector<double> filter_weights_;  // of each buffer: w
  std::vector<double> buffers_;         // covariance
  std::vector<double> with_weights_;    // covariance of buffers and weights
  std::vector<double> variances_;       // of weights, by group
};

}  // namespace sotto
