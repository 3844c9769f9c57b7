#include "sotto/accounting/fft.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

using Values = std::vector<std::complex<double>>;

Values Ramp(std::size_t size) {
  Values values(size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = std::complex<double>(static_cast<double>((i * 37) % 101) / 101,
                                     static_cast<double>((i * 61) % 89) / 89);
  }
  return values;
}

double SumOfModuli(const Values& values) {
  double sum = 0;
  for (const auto& value : values) sum += std::abs(value);
  return sum;
}

TEST(FourierTransformTest, EveryEntryIsWithinThePointwiseBound) {
  for (const std::size_t size : {4U, 8U, 64U, 128U}) {
    const Values input = Ramp(size);
    Values output = input;
    FourierTransform(size).Forward(output);
    const double bound = PointwiseFftError(size) * SumOfModuli(input);
    for (std::size_t k = 0; k < size; ++k) {
      std::complex<long double> exact = 0;
      for (std::size_t j = 0; j < size; ++j) {
        const long double angle = -2 * std::acos(-1.0L) *
                                  static_cast<long double>(j * k % size) /
                                  static_cast<long double>(size);
        exact += std::complex<long double>(input[j]) * std::polar(1.0L, angle);
      }
      const auto difference = exact - std::complex<long double>(output[k]);
      EXPECT_LE(std::abs(difference), bound) << size << " " << k;
    }
  }
}

TEST(FourierTransformTest, InverseUndoesForwardUpToTheSize) {
  const Values input = Ramp(1024);
  Values values = input;
  FourierTransform transform(1024);
  transform.Forward(values);
  transform.Inverse(values);
  for (std::size_t i = 0; i < input.size(); ++i) {
    EXPECT_LE(std::abs(values[i] / 1024.0 - input[i]), 1e-13);
  }
}

}  // namespace
}  // namespace sotto
