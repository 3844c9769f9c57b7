#include "sotto/audit/evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "sotto/audit/statistics/confidence.h"

namespace sotto {
namespace {

// About the normal quantile of a small alpha.
double Quantile(double alpha) { return std::sqrt(-2 * std::log(2 * alpha)); }

struct Candidate {
  double promise = 0;
  std::vector<bool> bins;
};

// Adds bins in the given order and keeps the best set.
void TryPrefixes(std::span<const std::size_t> order,
                 std::span<const std::uint64_t> likely,
                 std::span<const std::uint64_t> other, double games,
                 double delta, double z, Candidate& best) {
  double hits = 0;
  double others = 0;
  double promise = 0;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    hits += static_cast<double>(likely[order[i]]);
    others += static_cast<double>(other[order[i]]);
    const double now = RoughEpsilon(hits, others, games, delta, z);
    if (now > promise) {
      promise = now;
      taken = i + 1;
    }
  }
  if (promise <= best.promise) return;
  best.promise = promise;
  best.bins.assign(likely.size(), false);
  for (std::size_t i = 0; i < taken; ++i) best.bins[order[i]] = true;
}

// The bins by likelihood ratio, estimated from a few games.
std::vector<std::size_t> ByRatio(std::span<const std::uint64_t> likely,
                                 std::span<const std::uint64_t> other) {
  std::vector<std::size_t> order;
  for (std::size_t bin = 0; bin < likely.size(); ++bin) {
    if (likely[bin] + other[bin] > 0) order.push_back(bin);
  }
  const auto ratio = [&](std::size_t bin) {
    return (static_cast<double>(likely[bin]) + 1) /
           (static_cast<double>(other[bin]) + 1);
  };
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::size_t a, std::size_t b) { return ratio(a) > ratio(b); });
  return order;
}

Candidate BestSet(const Counts& counts, TranscriptFeatures::Reading reading,
                  bool world, double delta, double z) {
  const auto likely = counts.Of(reading, Part::kChoose, world);
  const auto other = counts.Of(reading, Part::kChoose, !world);
  const auto games = static_cast<double>(counts.games(Part::kChoose, world));
  Candidate best;
  TryPrefixes(ByRatio(counts.Of(reading, Part::kOrder, world),
                      counts.Of(reading, Part::kOrder, !world)),
              likely, other, games, delta, z, best);
  if (!TranscriptFeatures::Ordered(reading)) return best;
  std::vector<std::size_t> order(likely.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  TryPrefixes(order, likely, other, games, delta, z, best);
  std::reverse(order.begin(), order.end());
  TryPrefixes(order, likely, other, games, delta, z, best);
  return best;
}

std::uint64_t Hits(std::span<const std::uint64_t> counts,
                   const std::vector<bool>& bins) {
  std::uint64_t hits = 0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (bins[bin]) hits += counts[bin];
  }
  return hits;
}

}  // namespace

std::vector<AuditEvent> ChooseEvents(const Counts& counts, double delta,
                                     const AuditConfidence& confidence) {
  if (counts.games(Part::kChoose, false) == 0) return {};
  const double z =
      Quantile(confidence.alpha / (2 * static_cast<double>(kAuditEvents) *
                                   static_cast<double>(confidence.share)));
  std::vector<AuditEvent> events;
  for (std::uint8_t r = 0; r < TranscriptFeatures::kCount; ++r) {
    for (const bool world : {false, true}) {
      const auto reading = static_cast<TranscriptFeatures::Reading>(r);
      Candidate best = BestSet(counts, reading, world, delta, z);
      if (best.bins.empty()) continue;
      // Prefer an event with a text description among equally good ones.
      if (reading == TranscriptFeatures::kClassifier) best.promise *= 0.99;
      events.push_back({reading, world, std::move(best.bins), best.promise});
    }
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const AuditEvent& a, const AuditEvent& b) {
                     return a.promise > b.promise;
                   });
  if (events.size() > kAuditEvents) events.resize(kAuditEvents);
  return events;
}

std::vector<AuditFinding> CountEvents(const Counts& counts,
                                      const std::vector<AuditEvent>& events,
                                      const ApproximateDp& claim,
                                      const AuditConfidence& confidence) {
  std::vector<AuditFinding> findings;
  const double alpha =
      confidence.alpha / (static_cast<double>(kAuditEvents) *
                          static_cast<double>(confidence.share));
  for (const AuditEvent& event : events) {
    AuditFinding found{.event = event};
    found.games = std::min(counts.games(Part::kCount, false),
                           counts.games(Part::kCount, true));
    if (found.games == 0) continue;
    found.hits = Hits(counts.Of(event.reading, Part::kCount, event.likelier),
                      event.bins);
    found.others = Hits(counts.Of(event.reading, Part::kCount, !event.likelier),
                        event.bins);
    found.epsilon = EpsilonLowerBound(found.hits, found.others, found.games,
                                      claim.delta, alpha);
    found.delta = DeltaLowerBound(found.hits, found.others, found.games,
                                  claim.epsilon, alpha);
    findings.push_back(std::move(found));
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const AuditFinding& a, const AuditFinding& b) {
                     return a.epsilon > b.epsilon;
                   });
  return findings;
}

}  // namespace sotto
