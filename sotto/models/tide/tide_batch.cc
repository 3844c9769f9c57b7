#include "sotto/models/tide/tide_batch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/models/tide/tide_calibration.h"

namespace sotto {
namespace {

// Maximum of 2^55 rows (tide.md, step 3).
constexpr Int128 kMaxSum = Int128{1} << 95;

void AddTo(Int128& sum, double value) {
  sum += static_cast<std::int64_t>(value);  // towards zero
}

// scale * (sum - total * mean), the factors in units of 2^-kBits and in
// [0, 2^kBits], to the nearest unit that is 2^fine_bits times coarser. The
// product has more than 128 bits, so its low 32 are taken off on the way:
// floors of floors are exact.
std::int64_t Centred(std::int64_t scale, Int128 sum, Int128 total,
                     std::int64_t mean, int fine_bits) {
  constexpr int kBits = TideFrame::kBits;
  constexpr int kLow = 32;
  const Int128 centred = (sum * (Int128{1} << kBits)) - total * mean;
  const int drop = 2 * kBits + fine_bits;
  const Int128 half = Int128{1} << (drop - 1);
  const Int128 low = centred & ((Int128{1} << kLow) - 1);
  const Int128 high = (centred >> kLow) * scale;
  const Int128 rounded =
      (high + ((low * scale + half) >> kLow)) >> (drop - kLow);
  constexpr Int128 kMost = TideBatch::kMaxGradient;
  return static_cast<std::int64_t>(std::clamp(rounded, -kMost, kMost));
}

}  // namespace

void TideBatch::Add(std::span<const TideFeature> row,
                    std::span<const double> errors, double scale) {
  for (std::size_t c = 0; c < outputs_; ++c) {
    AddTo(totals_[c], errors[c] * scale);
  }
  for (const TideFeature& f : row) {
    Int128* sums = &sums_[std::size_t{f.index} * outputs_];
    const double factor = f.value * scale;
    for (std::size_t c = 0; c < outputs_; ++c) {
      AddTo(sums[c], errors[c] * factor);
    }
  }
}

void TideBatch::Take(const TideFrame& frame, int fine_bits,
                     std::span<std::int64_t> gradient) {
  const auto bias =
      static_cast<std::int64_t>(std::ldexp(kTideBias, TideFrame::kBits));
  for (std::size_t c = 0; c < outputs_; ++c) {
    gradient[c] = Centred(bias, totals_[c], 0, 0, fine_bits);
  }
  const auto groups = frame.encoding().groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::int64_t scale = frame.ScaleUnits(g);
    const std::size_t end = std::size_t{groups[g].first} + groups[g].size;
    if (scale == 0) {  // dropped: nothing of it is released
      std::fill(gradient.begin() +
                    static_cast<std::ptrdiff_t>(groups[g].first * outputs_),
                gradient.begin() + static_cast<std::ptrdiff_t>(end * outputs_),
                0);
      continue;
    }
    for (std::size_t j = groups[g].first; j < end; ++j) {
      const std::int64_t mean = frame.MeanUnits(j);
      for (std::size_t c = 0; c < outputs_; ++c) {
        const std::size_t at = j * outputs_ + c;
        gradient[at] = Centred(scale, sums_[at], totals_[c], mean, fine_bits);
      }
    }
  }
  std::ranges::fill(sums_, Int128{0});
  std::ranges::fill(totals_, Int128{0});
}

std::int64_t TideBatch::TakeLabels() {
  constexpr Int128 kMost = kMaxGradient;
  return static_cast<std::int64_t>(
      std::clamp(std::exchange(labels_, 0), -kMost, kMost));
}

void TideBatch::Save(ByteWriter& writer) const {
  for (const Int128 sum : sums_) writer.Number(sum);
  for (const Int128 total : totals_) writer.Number(total);
  writer.Number(labels_);
}

Status TideBatch::Load(ByteReader& reader) {
  bool sane = true;
  const auto read = [&](Int128& value) {
    value = reader.Number<Int128>();
    sane = sane && value >= -kMaxSum && value <= kMaxSum;
  };
  std::ranges::for_each(sums_, read);
  std::ranges::for_each(totals_, read);
  read(labels_);
  if (!sane || reader.failed()) {
    return Corruption("the batch of tide makes no sense");
  }
  return Ok();
}

}  // namespace sotto
