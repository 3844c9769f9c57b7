#include "sotto/models/tide/tide_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sotto/base/int128.h"

namespace sotto {
namespace {

constexpr std::size_t kChunk = 256;
// Noise past this, which no sampler draws, is not remembered in full: the
// buffers stay below 2^(36 + 12 + 13) (tide.md, step 4).
constexpr std::int64_t kMaxNoise = std::int64_t{1} << 36;
constexpr std::int64_t kMaxState = std::int64_t{1} << 62;

}  // namespace

void TideGaussian::Show(std::span<std::int64_t> values, Rng& rng) const {
  const auto most = static_cast<std::int64_t>(std::ceil(sensitivity_));
  for (std::int64_t& value : values) value = rng.Private(name_, value, most);
}

void TideGaussian::Add(std::span<std::int64_t> values, Rng& rng) {
  std::array<std::int64_t, kChunk> noise;
  while (!values.empty()) {
    const auto chunk = values.first(std::min(values.size(), kChunk));
    sampler_.Fill(rng, std::span(noise).first(chunk.size()));
    if (rng.watched()) Show(chunk, rng);
    for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] += noise[i];
    values = values.subspan(chunk.size());
  }
}

TideNoise::TideNoise(TideFilter filter, std::size_t coordinates)
    : filter_(std::move(filter)),
      state_(2 * filter_.buffers.size() * coordinates, 0) {}

// F: the floor of the sum of w_i * state_i.
std::int64_t TideNoise::Filtered(const std::int64_t* state) const {
  Int128 sum = 0;
  for (std::size_t i = 0; i < filter_.buffers.size(); ++i) {
    sum += static_cast<Int128>(state[i]) * filter_.buffers[i].weight;
  }
  return static_cast<std::int64_t>(
      sum >> (TideFilter::kBits + TideFilter::kStateBits));
}

void TideNoise::Push(std::int64_t* state, std::int64_t noise) const {
  const std::int64_t input = std::clamp(noise, -kMaxNoise, kMaxNoise) *
                             (std::int64_t{1} << TideFilter::kStateBits);
  for (int set = 0; set < 2; ++set) {
    for (const TideFilter::Buffer& buffer : filter_.buffers) {
      const Int128 product = static_cast<Int128>(*state) * buffer.loss;
      *state += input - static_cast<std::int64_t>(product >> TideFilter::kBits);
      ++state;
    }
  }
}

void TideNoise::Forget() {
  const std::size_t buffers = filter_.buffers.size();
  for (std::size_t j = 0; j < state_.size(); j += 2 * buffers) {
    for (std::size_t i = 0; i < buffers; ++i) {
      state_[j + i] = std::exchange(state_[j + buffers + i], 0);
    }
  }
}

void TideNoise::Release(std::span<std::int64_t> values, TideNoiseSource& source,
                        Rng& rng) {
  const TideRange all = {0, values.size()};
  Release(values, {&all, 1}, source, rng);
}

void TideNoise::Release(std::span<std::int64_t> values,
                        std::span<const TideRange> ranges,
                        TideNoiseSource& source, Rng& rng) {
  if (steps_ > 0 && steps_ % filter_.epoch == 0) Forget();
  const std::size_t stride = 2 * filter_.buffers.size();
  for (const TideRange& range : ranges) {
    ReleaseRange(values.subspan(range.first, range.end - range.first),
                 state_.data() + range.first * stride, source, rng);
  }
  ++steps_;
}

void TideNoise::ReleaseRange(std::span<std::int64_t> values,
                             std::int64_t* state, TideNoiseSource& source,
                             Rng& rng) {
  const std::size_t stride = 2 * filter_.buffers.size();
  std::array<std::int64_t, kChunk> exact;
  while (!values.empty()) {
    const auto chunk = values.first(std::min(values.size(), kChunk));
    std::ranges::copy(chunk, exact.begin());
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      chunk[i] -= Filtered(state + i * stride);
    }
    source.Add(chunk, rng);
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      Push(state + i * stride, chunk[i] - exact[i]);
    }
    state += chunk.size() * stride;
    values = values.subspan(chunk.size());
  }
}

void TideNoise::Save(ByteWriter& writer) const {
  writer.Number(steps_);
  for (const std::int64_t value : state_) writer.Number(value);
}

Status TideNoise::Load(ByteReader& reader) {
  steps_ = reader.Number<std::uint64_t>();
  bool sane = true;
  for (std::int64_t& value : state_) {
    value = reader.Number<std::int64_t>();
    sane &= value >= -kMaxState && value <= kMaxState;
  }
  if (!sane || reader.failed()) {
    return Corruption("the noise of tide makes no sense");
  }
  return Ok();
}

}  // namespace sotto
