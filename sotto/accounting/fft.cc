#include "sotto/accounting/fft.h"

#include <bit>
#include <cassert>
#include <kissfft/kissfft.hh>

namespace sotto {
namespace {

// fft.md, steps 1 and 2, in units of 2^-53.
constexpr double kTwiddleError = 21;
constexpr double kButterflyError = 5;

}  // namespace

// The library's header stays out of ours.
struct FourierTransform::Plan {
  kissfft<double> transform;
};

FourierTransform::FourierTransform(std::size_t size)
    : plan_(new Plan{kissfft<double>(size, false)}), buffer_(size) {
  assert(std::has_single_bit(size));
}

FourierTransform::~FourierTransform() = default;

void FourierTransform::Forward(std::vector<std::complex<double>>& values) {
  Run(values, false);
}

void FourierTransform::Inverse(std::vector<std::complex<double>>& values) {
  Run(values, true);
}

void FourierTransform::Run(std::vector<std::complex<double>>& values,
                           bool inverse) {
  assert(values.size() == buffer_.size());
  // One table of twiddles serves both: the inverse is the forward transform
  // between two conjugations, and those are exact.
  if (inverse) {
    for (auto& value : values) value = std::conj(value);
  }
  plan_->transform.transform(values.data(), buffer_.data());
  values.swap(buffer_);
  if (inverse) {
    for (auto& value : values) value = std::conj(value);
  }
}

double PointwiseFftError(std::size_t size) {
  // log2(size) + 1: one stage to spare.
  const auto stages = static_cast<double>(std::bit_width(size));
  return stages * (kTwiddleError + kButterflyError) * 0x1p-53 * (1 + 0x1p-30);
}

}  // namespace sotto
