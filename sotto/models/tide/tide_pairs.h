#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_frame.h"
#include "sotto/models/tide/tide_relevance.h"

namespace sotto {

// Which pairs of columns are worth their noise, by the weights released.
//
//   TidePairs pairs(frame.encoding(), 6000);
//   auto evidence = relevance.Evidence(frame, weights, outputs);
//   auto dropped =
//       pairs.Judge(rounds, frame, weights, outputs, relevance, evidence);
//   for (std::size_t g : dropped) frame.DropPair(g);
//   pairs.FirstShares(frame);
//
// The weights of a pair are a table over two columns. What its rows and its
// columns explain belongs to the columns themselves; the rest is what the pair
// adds, and stands out from its noise or does not. Pairs that stand out least
// are dropped, half of them whenever the clock has doubled, until four are
// left. All pairs together have a share that follows their part in all
// evidence, up and down, and is never below a small one.
//
// Proof:   tide.md, steps 5 and 8: post-processing, and fewer coordinates.
// Threads: not thread-safe.
class TidePairs {
 public:
  static constexpr std::size_t kLeastPairs = 4;

  // `halving` is the round of the first one.
  TidePairs(const TideEncoding& encoding, double halving);

  // Judges all pairs that are left. `evidence` has that of columns, and gets
  // that of pairs. Returns the pairs to drop now.
  std::vector<std::size_t> Judge(std::uint64_t rounds, const TideFrame& frame,
                                 std::span<const double> weights,
                                 std::uint32_t outputs,
                                 const TideRelevance& relevance,
                                 std::span<double> evidence);
  // Shares that groups would have at the start, if the pairs that are left had
  // the share that pairs have now.
  std::vector<double> FirstShares(const TideFrame& frame) const;

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  struct Finding {
    double deviations = 0;  // above the noise
    double excess = 0;      // variance of the score beyond it
  };
  static Finding Examine(const TideFrame& frame, std::size_t group,
                         std::span<const double> weights, std::uint32_t outputs,
                         double variance);

  void FollowEvidence(std::uint64_t rounds, double part);
  std::vector<std::size_t> ChooseDropped(
      std::uint64_t rounds, std::vector<std::pair<double, std::size_t>> ranks);

  double first_share_ = 0;  // of all pairs together
  double share_;            // the same now
  double first_halving_;    // round
  double next_halving_;     // round
};

}  // namespace sotto
