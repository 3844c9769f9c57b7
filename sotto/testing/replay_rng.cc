#include "sotto/testing/replay_rng.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sotto::testing {
namespace {

Key RoundKey(std::uint64_t seed, std::uint64_t round) {
  const std::array<std::byte, Key::kBytes> zeros{};
  return Key::FromBytes(zeros).Derive("test", "replay", {seed, round});
}

// Unsigned, since the gap of two extreme values does not fit a signed integer.
std::uint64_t Gap(std::int64_t x, std::int64_t y) {
  const auto ux = static_cast<std::uint64_t>(x);
  const auto uy = static_cast<std::uint64_t>(y);
  return x >= y ? ux - uy : uy - ux;
}

std::string Difference(const ReplayRng::Round& zero,
                       const ReplayRng::Round& one) {
  const std::size_t both = std::min(zero.sites.size(), one.sites.size());
  for (std::size_t i = 0; i < both; ++i) {
    const ReplayRng::Site& p = zero.sites[i];
    const ReplayRng::Site& q = one.sites[i];
    if (p.name != q.name || p.sensitivity != q.sensitivity) {
      return "noise is added to '" + p.name + "' and to '" + q.name + "'";
    }
    if (Gap(p.value, q.value) <= static_cast<std::uint64_t>(p.sensitivity)) {
      continue;
    }
    return "'" + p.name + "' is " + std::to_string(p.value) + " and " +
           std::to_string(q.value) + ", " + std::to_string(p.sensitivity) +
           " apart at most";
  }
  if (zero.sites.size() != one.sites.size()) {
    return "noise is added " + std::to_string(zero.sites.size()) + " and " +
           std::to_string(one.sites.size()) + " times";
  }
  return zero.next == one.next ? "" : "not as many words are drawn";
}

}  // namespace

ReplayRng::ReplayRng(std::uint64_t seed) : seed_(seed) {
  WatchedBy(this);
  rounds_.push_back({});
  stream_.emplace(RoundKey(seed_, 0));
}

ReplayRng::ReplayRng(std::uint64_t seed, const ReplayRng& earlier)
    : ReplayRng(seed) {
  earlier_ = &earlier;
}

void ReplayRng::BeginRound(std::uint64_t round, bool hidden) {
  End();
  rounds_.push_back({.round = round, .hidden = hidden});
  stream_.emplace(RoundKey(seed_, round));
  Preload({});  // nothing is left of the round before
}

void ReplayRng::End() { rounds_.back().next = Next(); }

void ReplayRng::Produce(std::span<std::uint64_t> words) {
  stream_->Fill(words);
}

std::int64_t ReplayRng::Observe(std::string_view site, std::int64_t value,
                                std::int64_t sensitivity) {
  Round& now = rounds_.back();
  now.sites.push_back({std::string(site), value, sensitivity});
  if (earlier_ == nullptr || now.hidden) return value;
  const std::size_t i = rounds_.size() - 1;
  if (i >= earlier_->rounds_.size()) return value;
  const Round& then = earlier_->rounds_[i];
  const std::size_t place = now.sites.size() - 1;
  if (place >= then.sites.size()) return value;
  return then.sites[place].value;
}

ReplayDifference FirstDifference(const ReplayRng& zero, const ReplayRng& one,
                                 std::uint64_t last) {
  const std::size_t both = std::min(zero.rounds().size(), one.rounds().size());
  for (std::size_t i = 0; i < both; ++i) {
    const ReplayRng::Round& p = zero.rounds()[i];
    const ReplayRng::Round& q = one.rounds()[i];
    if (p.round > last) break;
    if (p.hidden) continue;
    std::string what = Difference(p, q);
    if (!what.empty()) return {p.round, std::move(what)};
  }
  return {};
}

}  // namespace sotto::testing
