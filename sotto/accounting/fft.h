#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace sotto {

// The discrete Fourier transform of a power-of-two size, in place and without
// scaling, with an error bound that holds entry by entry.
//
//   FourierTransform transform(values.size());
//   transform.Forward(values);
//   transform.Inverse(values);  // now size * the old values
//
// Guarantee: every computed entry is within PointwiseFftError(size) * sum |x_j|
//            of the exact one.
// Proof:     fft.md, next to this file.
// Threads:   not thread-safe; PointwiseFftError is a pure function.
class FourierTransform {
 public:
  // Requires: size is a power of two.
  explicit FourierTransform(std::size_t size);
  ~FourierTransform();
  FourierTransform(const FourierTransform&) = delete;
  FourierTransform& operator=(const FourierTransform&) = delete;

  // Requires: values.size() is the size.
  void Forward(std::vector<std::complex<double>>& values);
  void Inverse(std::vector<std::complex<double>>& values);

 private:
  struct Plan;
  void Run(std::vector<std::complex<double>>& values, bool inverse);

  std::unique_ptr<Plan> plan_;
  std::vector<std::complex<double>> buffer_;
};

double PointwiseFftError(std::size_t size);

}  // namespace sotto
