#include "sotto/models/tide/tide_frame.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sotto/models/tide/tide_calibration.h"

namespace sotto {
namespace {

constexpr double kMargin = 1e-9;
// Relative margin of a length: above what doubles lose in 2^21 means and 2^16
// entries (tide.md, step 3), far below what matters.
constexpr double kLengthMargin = 1e-7;

// The whole multiple of 2^-kBits below, towards zero.
double Dyadic(double value) {
  return std::ldexp(std::trunc(std::ldexp(value, TideFrame::kBits)),
                    -TideFrame::kBits);
}

std::int64_t Units(double dyadic) {
  return static_cast<std::int64_t>(std::ldexp(dyadic, TideFrame::kBits));
}

}  // namespace

TideFrame::TideFrame(const TideEncoding& encoding)
    : encoding_(encoding), means_(encoding.coordinates(), 0.0) {
  std::vector<double> shares;
  for (const TideGroup& group : encoding_.groups()) {
    shares.push_back(group.share);
  }
  SetShares(shares);
}

void TideFrame::SetShares(std::span<const double> shares) {
  assert(shares.size() == encoding_.groups().size());
  shares_.assign(shares.begin(), shares.end());
  scales_.clear();
  for (const double share : shares_) {
    scales_.push_back(Dyadic(std::sqrt(share) * (1 - kMargin)));
  }
  Measure();
}

void TideFrame::DropPair(std::size_t group) {
  encoding_.DropPair(group);
  shares_[group] = 0;
  scales_[group] = 0;
}

void TideFrame::SetMeans(std::span<const double> means) {
  assert(means.size() == means_.size());
  for (const TideGroup& group : encoding_.groups()) {
    double squares = 0;
    for (std::uint32_t j = group.first; j < group.first + group.size; ++j) {
      means_[j] = std::clamp(means[j], -1.0, 1.0);
      squares += means_[j] * means_[j];
    }
    const double shrink =
        squares > 1 - kMargin ? (1 - kMargin) / std::sqrt(squares) : 1;
    for (std::uint32_t j = group.first; j < group.first + group.size; ++j) {
      means_[j] = Dyadic(means_[j] * shrink);
    }
  }
  Measure();
}

void TideFrame::Measure() {
  middle_ = kTideBias * kTideBias;
  for (std::size_t g = 0; g < scales_.size(); ++g) {
    const TideGroup& group = encoding_.groups()[g];
    double squares = 0;
    for (std::uint32_t j = group.first; j < group.first + group.size; ++j) {
      squares += means_[j] * means_[j];
    }
    middle_ += scales_[g] * scales_[g] * squares;
  }
}

double TideFrame::InverseLength(std::span<const TideFeature> row) const {
  double squares = middle_;
  for (const TideFeature& f : row) {
    const double scale = scales_[f.group];
    squares += scale * scale * f.value * (f.value - 2 * means_[f.index]);
  }
  // At least the constant's, which doubles could lose for want of bits.
  squares = std::max(squares, kTideBias * kTideBias);
  return (1 - kLengthMargin) / std::sqrt(squares);
}

std::int64_t TideFrame::ScaleUnits(std::size_t group) const {
  return Units(scales_[group]);
}

std::int64_t TideFrame::MeanUnits(std::size_t coordinate) const {
  return Units(means_[coordinate]);
}

void TideFrame::Save(ByteWriter& writer) const {
  for (const double share : shares_) writer.Real(share);
  for (const double mean : means_) writer.Real(mean);
}

Status TideFrame::Load(ByteReader& reader) {
  std::vector<double> shares(shares_.size());
  double sum = 0;
  bool sane = true;
  for (double& share : shares) {
    share = reader.Real();
    sane = sane && share >= 0 && share <= 1;
    sum += share;
  }
  for (double& mean : means_) {
    mean = reader.Real();
    sane = sane && mean >= -1 && mean <= 1 && Dyadic(mean) == mean;
  }
  if (!sane || !(sum <= 1 + kMargin) || reader.failed()) {
    return Corruption("the frame of tide makes no sense");
  }
  SetShares(shares);
  for (std::size_t g = 0; g < shares_.size(); ++g) {
    const bool pair = encoding_.groups()[g].kind == TideGroup::Kind::kPair;
    if (pair && shares_[g] == 0) DropPair(g);
  }
  return Ok();
}

}  // namespace sotto
