#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/audit/counts.h"
#include "sotto/audit/transcript_features.h"

namespace sotto {

// A set of transcripts that is likelier in one world, chosen on the first half
// of the games.
struct AuditEvent {
  TranscriptFeatures::Reading reading = TranscriptFeatures::kPattern;
  bool likelier = false;   // the world in which it is likelier
  std::vector<bool> bins;  // of the reading
  double promise = 0;      // what the first half made of it
};

// An event as it was counted on the second half.
struct AuditFinding {
  AuditEvent event;
  std::uint64_t hits = 0;    // in the likelier world
  std::uint64_t others = 0;  // in the other
  std::uint64_t games = 0;   // per world, in this half
  double epsilon = 0;        // lower bounds at the confidence asked for
  double delta = 0;          // at the claimed epsilon
};

// Confidence of a bound. The error probability is divided by `share`, for this
// case and look, and by the number of events.
struct AuditConfidence {
  double alpha = 1e-3;
  std::uint64_t share = 1;
};

// Chooses the best event of each reading for the claim's delta by its estimate
// on the first half, and returns the kEvents best. Does not use the second
// half.
//
// Threads: pure functions.
inline constexpr std::size_t kAuditEvents = 4;
std::vector<AuditEvent> ChooseEvents(const Counts& counts, double delta,
                                     const AuditConfidence& confidence);

// Counts events on the second half, all bounds of one call holding together
// with probability 1 - alpha / share. The one with the largest bound on epsilon
// comes first. Proof: audit.md, steps 1 to 3.
std::vector<AuditFinding> CountEvents(const Counts& counts,
                                      const std::vector<AuditEvent>& events,
                                      const ApproximateDp& claim,
                                      const AuditConfidence& confidence);

}  // namespace sotto
