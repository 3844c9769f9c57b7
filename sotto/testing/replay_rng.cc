#include "sotto/testing/replay_rng.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "sotto/base/int128.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/random/internal/geometric_digits.h"
#include "sotto/random/loss_weights.h"

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

// The difference allowed to a number, without overflow.
std::uint64_t Allowed(std::int64_t sensitivity, std::uint64_t steps) {
  constexpr auto kAny = std::numeric_limits<std::int64_t>::max();
  const auto one = static_cast<std::uint64_t>(sensitivity);
  return sensitivity > kAny / static_cast<std::int64_t>(steps) ? kAny
                                                               : one * steps;
}

// The sites of a round whose noisy numbers others may see.
std::vector<ReplayRng::Site> SeenSites(const ReplayRng::Round& round) {
  std::vector<ReplayRng::Site> seen;
  std::ranges::copy_if(round.sites, std::back_inserter(seen),
                       [](const ReplayRng::Site& site) { return !site.own; });
  return seen;
}

std::string Difference(const ReplayRng::Round& zero,
                       const ReplayRng::Round& one, std::uint64_t steps) {
  const auto here = SeenSites(zero);
  const auto there = SeenSites(one);
  const std::size_t both = std::min(here.size(), there.size());
  for (std::size_t i = 0; i < both; ++i) {
    const ReplayRng::Site& p = here[i];
    const ReplayRng::Site& q = there[i];
    if (p.name != q.name || p.sensitivity != q.sensitivity) {
      return "noise is added to '" + p.name + "' and to '" + q.name + "'";
    }
    if (Gap(p.value, q.value) <= Allowed(p.sensitivity, steps)) continue;
    return "'" + p.name + "' is " + std::to_string(p.value) + " and " +
           std::to_string(q.value) + ", " +
           std::to_string(Allowed(p.sensitivity, steps)) + " apart at most";
  }
  if (here.size() != there.size()) {
    return "noise is added " + std::to_string(here.size()) + " and " +
           std::to_string(there.size()) + " times";
  }
  if (zero.hidden) return "";  // the words of its own answer are its own
  return zero.next == one.next ? "" : "not as many words are drawn";
}

long double AsReal(Uint128 x) {
  return std::ldexp(static_cast<long double>(High64(x)), 64) +
         static_cast<long double>(Low64(x));
}

// Digits of a geometric variable: the second probability of the lowest digit is
// e^-rate times the first.
double ReadRate(const internal::GeometricDigits& digits) {
  const auto thresholds = digits.digits().front().table.thresholds();
  const long double first = AsReal(thresholds[0]);
  const long double second =
      (thresholds.size() > 1 ? AsReal(thresholds[1]) : std::ldexp(1.0L, 128)) -
      first;
  return static_cast<double>(-std::log(second / first));
}

bool HasSign(const internal::GeometricDigits& digits) {
  const auto& top = digits.digits().back();
  const std::size_t values = top.table.thresholds().size() + 1;
  return values != std::size_t{1} << (digits.bits() - top.shift);
}

// Zero is counted half in the magnitudes of a level; both halves are 0.
double ReadVariance(const FixedWorkGaussian::Level& level) {
  const auto thresholds = level.magnitude.thresholds();
  long double variance = 0;
  for (std::size_t j = 1; j <= thresholds.size(); ++j) {
    const long double below = AsReal(thresholds[j - 1]);
    const long double up_to =
        j < thresholds.size() ? AsReal(thresholds[j]) : std::ldexp(1.0L, 128);
    const auto value = static_cast<long double>(j);
    variance += std::ldexp(up_to - below, -128) * value * value;
  }
  const auto step = static_cast<long double>(level.step);
  return static_cast<double>(variance * step * step);
}

double ReadRate(const LossWeights& weights) {
  return static_cast<double>(std::log(AsReal(weights(0)) / AsReal(weights(1))));
}

// Rows that only one of both has, each counted as often as it is there.
std::size_t RowsApart(const std::vector<std::string>& zero,
                      const std::vector<std::string>& one) {
  std::vector<std::string> apart;
  std::ranges::set_symmetric_difference(zero, one, std::back_inserter(apart));
  return apart.size();
}

// Calls visit(zero's round, one's round) for rounds up to `last`.
template <typename Visit>
void ForEachRound(const ReplayRng& zero, const ReplayRng& one,
                  std::uint64_t last, const Visit& visit) {
  const std::size_t both = std::min(zero.rounds().size(), one.rounds().size());
  for (std::size_t i = 0; i < both; ++i) {
    const ReplayRng::Round& p = zero.rounds()[i];
    if (p.round > last) return;
    visit(p, one.rounds()[i]);
  }
}

}  // namespace

void ReplayRng::Note(std::string kind, double scale, std::size_t draws) {
  std::vector<Drawn>& drawn = rounds_.back().drawn;
  if (!drawn.empty() && drawn.back().kind == kind &&
      drawn.back().scale == scale) {
    drawn.back().draws += draws;
    return;
  }
  drawn.push_back({std::move(kind), scale, draws});
}

void ReplayRng::OnDraw(const internal::GeometricDigits& digits,
                       std::size_t draws) {
  Note(HasSign(digits) ? "laplace" : "geometric", 1 / ReadRate(digits), draws);
}

void ReplayRng::OnDraw(const FixedWorkGaussian& gaussian, std::size_t draws) {
  double variance = 0;
  for (const auto& level : gaussian.levels()) variance += ReadVariance(level);
  Note("gaussian", std::sqrt(variance), draws);
}

void ReplayRng::OnSelection(const Rational& rate, std::size_t) {
  Note("selection", 1 / rate.ToDoubleUp(), 1);
}

void ReplayRng::OnSelection(const LossWeights& weights, std::size_t) {
  Note("selection", 1 / ReadRate(weights), 1);
}

void ReplayRng::OnRows(std::vector<std::string> rows,
                       const LossWeights& weights, std::uint64_t units) {
  std::ranges::sort(rows);
  rounds_.back().looked.push_back(
      {std::move(rows), ReadRate(weights) * static_cast<double>(units)});
  Note("selection", 1 / ReadRate(weights), 1);
}

ReplayRng::ReplayRng(std::uint64_t seed) : seed_(seed) {
  WatchedBy(this);
  rounds_.push_back({});
  stream_.emplace(RoundKey(seed_, 0));
}

ReplayRng::ReplayRng(std::uint64_t seed, const ReplayRng& earlier)
    : ReplayRng(seed) {
  earlier_ = &earlier;
  own_sites_ = earlier.own_sites_;
}

void ReplayRng::HideOnly(std::set<std::string, std::less<>> sites) {
  own_sites_ = std::move(sites);
}

void ReplayRng::BeginRound(std::uint64_t round, bool hidden) {
  End();
  rounds_.push_back({.round = round,
                     .hidden = hidden,
                     .rows_seen = !hidden || !own_sites_.empty()});
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
  const bool own =
      now.hidden && (own_sites_.empty() || own_sites_.contains(site));
  now.sites.push_back({std::string(site), value, sensitivity, own});
  if (earlier_ == nullptr || own) return value;
  const std::size_t i = rounds_.size() - 1;
  if (i >= earlier_->rounds_.size()) return value;
  const Round& then = earlier_->rounds_[i];
  if (!now.hidden) {
    const std::size_t place = now.sites.size() - 1;
    return place < then.sites.size() ? then.sites[place].value : value;
  }
  const std::size_t place = SeenSites(now).size() - 1;
  const auto seen = SeenSites(then);
  return place < seen.size() ? seen[place].value : value;
}

ReplayDifference FirstDifference(const ReplayRng& zero, const ReplayRng& one,
                                 std::uint64_t last, std::uint64_t steps) {
  const std::size_t both = std::min(zero.rounds().size(), one.rounds().size());
  for (std::size_t i = 0; i < both; ++i) {
    const ReplayRng::Round& p = zero.rounds()[i];
    const ReplayRng::Round& q = one.rounds()[i];
    if (p.round > last) break;
    std::string what = Difference(p, q, steps);
    if (!what.empty()) return {p.round, std::move(what)};
  }
  return {};
}

std::map<std::string, SiteReach> Reach(const ReplayRng& zero,
                                       const ReplayRng& one,
                                       std::uint64_t last) {
  std::map<std::string, SiteReach> reach;
  ForEachRound(zero, one, last, [&](const auto& p, const auto& q) {
    const auto here = SeenSites(p);
    const auto there = SeenSites(q);
    const std::size_t both = std::min(here.size(), there.size());
    for (std::size_t i = 0; i < both; ++i) {
      SiteReach& site = reach[here[i].name];
      const auto gap = static_cast<double>(Gap(here[i].value, there[i].value));
      site.largest = std::max(site.largest, gap);
      site.euclidean = std::hypot(site.euclidean, gap);
      site.declared = here[i].sensitivity;
    }
  });
  return reach;
}

double RowLoss(const ReplayRng& zero, const ReplayRng& one,
               std::uint64_t last) {
  double loss = 0;
  ForEachRound(zero, one, last, [&](const auto& p, const auto& q) {
    if (!p.rows_seen) return;
    const std::size_t both = std::min(p.looked.size(), q.looked.size());
    for (std::size_t i = 0; i < both; ++i) {
      loss += p.looked[i].nats * static_cast<double>(RowsApart(
                                     p.looked[i].rows, q.looked[i].rows));
    }
  });
  return loss;
}

}  // namespace sotto::testing
