#include "sotto/models/tide/tide_start.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/models/tide/tide_calibration.h"

namespace sotto {
namespace {

constexpr std::int64_t kMaxSum = std::int64_t{1} << 62;

std::vector<double> InReals(std::span<const std::int64_t> values, int bits,
                            std::size_t size) {
  std::vector<double> reals(size, 0.0);
  std::ranges::transform(values, reals.begin(), [bits](std::int64_t value) {
    return std::ldexp(static_cast<double>(value), -bits);
  });
  return reals;
}

std::size_t Centred(const TideEncoding& encoding) {
  for (const TideGroup& group : encoding.groups()) {
    if (group.kind == TideGroup::Kind::kPair) return group.first;
  }
  return encoding.coordinates();
}

}  // namespace

TideStart::TideStart(const TideFrame& frame, std::uint32_t outputs, int bits,
                     bool gaps)
    : outputs_(outputs),
      bits_(bits),
      centred_(Centred(frame.encoding())),
      counts_(gaps ? 2 : 1, 0) {
  for (std::size_t g = 0; g < frame.encoding().groups().size(); ++g) {
    units_.push_back(std::ldexp(frame.scale(g), bits));
  }
  sums_.resize(centred_, 0);
  gradients_.resize(std::size_t{frame.encoding().coordinates()} * outputs, 0);
}

// Towards zero, as everywhere.
void TideStart::AddRow(std::span<const TideFeature> row) {
  for (const TideFeature& f : row) {
    if (f.index >= centred_) continue;
    sums_[f.index] += static_cast<std::int64_t>(f.value * units_[f.group]);
  }
}

void TideStart::AddLabel(std::span<const TideFeature> row,
                         std::span<const double> errors) {
  const double bias = std::ldexp(kTideBias, bits_);
  counts_[0] += static_cast<std::int64_t>(std::ldexp(kTideStartCount, bits_));
  for (std::size_t c = 0; c < outputs_; ++c) {
    gradients_[c] += static_cast<std::int64_t>(errors[c] * bias);
  }
  for (const TideFeature& f : row) {
    const double value = f.value * units_[f.group];
    std::int64_t* sums = &gradients_[std::size_t{f.index} * outputs_];
    for (std::size_t c = 0; c < outputs_; ++c) {
      sums[c] += static_cast<std::int64_t>(errors[c] * value);
    }
  }
}

// A distance of kTideMostSpread or more has length kTideSpreadWeight.
void TideStart::AddGap(double gap) {
  const double share = std::clamp(gap / kTideMostSpread, 0.0, 1.0);
  counts_[1] +=
      static_cast<std::int64_t>(share * std::ldexp(kTideSpreadWeight, bits_));
}

TideStart::Released TideStart::Release(TideNoiseSource& source, Rng& rng) {
  source.Add(sums_, rng);
  source.Add(gradients_, rng);
  source.Add(counts_, rng);
  Released released{InReals(sums_, bits_, gradients_.size() / outputs_),
                    InReals(gradients_, bits_, gradients_.size())};
  const auto count = [&](std::size_t i, double weight) {
    return std::ldexp(static_cast<double>(counts_[i]), -bits_) / weight;
  };
  released.labels = count(0, kTideStartCount);
  if (counts_.size() > 1) {
    released.gaps = count(1, kTideSpreadWeight) * kTideMostSpread;
  }
  sums_ = {};
  gradients_ = {};
  counts_ = {};
  return released;
}

void TideStart::Save(ByteWriter& writer) const {
  for (const std::int64_t sum : sums_) writer.Number(sum);
  for (const std::int64_t sum : gradients_) writer.Number(sum);
  for (const std::int64_t sum : counts_) writer.Number(sum);
}

Status TideStart::Load(ByteReader& reader) {
  bool sane = true;
  const auto read = [&](std::int64_t& value) {
    value = reader.Number<std::int64_t>();
    sane = sane && value >= -kMaxSum && value <= kMaxSum;
  };
  std::ranges::for_each(sums_, read);
  std::ranges::for_each(gradients_, read);
  std::ranges::for_each(counts_, read);
  if (!sane || reader.failed()) {
    return Corruption("the start of tide makes no sense");
  }
  return Ok();
}

}  // namespace sotto
