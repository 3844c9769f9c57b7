#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_encoding.h"

namespace sotto {

// The public frame in which rows are measured: how much every group counts and
// where the middle of every coordinate is. A row phi becomes
//
//   (b, s_g (phi_g - mu_g) for every group g), divided by its length.
//
// Scales and means are dyadic, so that integers can be moved into the frame
// exactly.
//
// Proof:   tide.md, step 3.
// Threads: const calls may run at the same time.
class TideFrame {
 public:
  static constexpr int kBits = 30;

  // The shares that the encoding starts with, and all means 0.
  explicit TideFrame(const TideEncoding& encoding);

  // Requires one share a group, none negative, at most 1 in all.
  void SetShares(std::span<const double> shares);
  // A pair that no longer counts, permanently: its share is 0.
  void DropPair(std::size_t group);
  // Requires one mean a coordinate. Moves each into [-1, 1] and every group to
  // length 1 at most.
  void SetMeans(std::span<const double> means);

  // One over the row's length before it is divided, and a little less.
  double InverseLength(std::span<const TideFeature> row) const;

  std::span<const double> shares() const { return shares_; }
  double scale(std::size_t group) const { return scales_[group]; }
  double mean(std::size_t coordinate) const { return means_[coordinate]; }
  std::span<const double> means() const { return means_; }
  // In units of 2^-kBits.
  std::int64_t ScaleUnits(std::size_t group) const;
  std::int64_t MeanUnits(std::size_t coordinate) const;
  const TideEncoding& encoding() const { return encoding_; }

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  void Measure();

  TideEncoding encoding_;
  std::vector<double> shares_;
  std::vector<double> scales_;  // s_g, whole multiples of 2^-kBits
  std::vector<double> means_;   // mu_j, whole multiples of 2^-kBits
  double middle_ = 0;           // the squared length of a row that is 0
};

}  // namespace sotto
