#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_filter.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/random/rng.h"

namespace sotto {

// Coordinates [first, end).
struct TideRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

// Adds noise to private integers: the one place where Tide does so.
class TideNoiseSource {
 public:
  virtual ~TideNoiseSource() = default;
  virtual void Add(std::span<std::int64_t> values, Rng& rng) = 0;
};

// Discrete Gaussian noise: what is used. Others are for tests.
class TideGaussian final : public TideNoiseSource {
 public:
  // `name` and `sensitivity` are for replays (Rng::Private): the values of one
  // user, over all calls, differ by no more in the Euclidean norm.
  TideGaussian(FixedWorkGaussian sampler, std::string_view name,
               double sensitivity)
      : sampler_(std::move(sampler)), name_(name), sensitivity_(sensitivity) {}
  void Add(std::span<std::int64_t> values, Rng& rng) override;

 private:
  void Show(std::span<std::int64_t> values, Rng& rng) const;

  FixedWorkGaussian sampler_;
  std::string_view name_;
  double sensitivity_;
};

// Releases integer vectors, one a step, with noise that is correlated over the
// steps so that sums of releases are hardly noisier than one of them. The
// release of step k is G_k = g_k + n_k with
//
//   n_k = z_k - F(n_1, ..., n_(k-1)),  z_k fresh Gaussian noise,
//
// F the filter's coefficients c_1, c_2, ... applied to the noise before, in
// integers. n is secret: it is the release minus the data.
//
//   TideNoise noise(filter, coordinates);
//   noise.Release(gradient, source, rng);   // gradient is now the release
//
// Proof:   tide.md, steps 4 to 6.
// Threads: not thread-safe.
class TideNoise {
 public:
  TideNoise(TideFilter filter, std::size_t coordinates);

  // Replaces g_k by G_k. Requires |g_k| <= 2^40 in every coordinate.
  void Release(std::span<std::int64_t> values, TideNoiseSource& source,
               Rng& rng);
  // Releases these coordinates alone. A coordinate that is left out once must
  // be left out of all steps after it.
  void Release(std::span<std::int64_t> values,
               std::span<const TideRange> ranges, TideNoiseSource& source,
               Rng& rng);

  std::uint64_t steps() const { return steps_; }

  // Secret: the noise reveals the data.
  void Save(ByteWriter& writer) const;
  // Fails with kCorruption. For a noise with the same filter and size.
  Status Load(ByteReader& reader);

 private:
  void ReleaseRange(std::span<std::int64_t> values, std::int64_t* state,
                    TideNoiseSource& source, Rng& rng);
  std::int64_t Filtered(const std::int64_t* state) const;
  void Push(std::int64_t* state, std::int64_t noise) const;
  void Forget();

  TideFilter filter_;
  // For every coordinate: the buffers of the noise of this epoch and the last,
  // then those of this epoch alone.
  std::vector<std::int64_t> state_;
  std::uint64_t steps_ = 0;
};

}  // namespace sotto
