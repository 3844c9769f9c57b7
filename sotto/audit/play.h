#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sotto/audit/counts.h"
#include "sotto/audit/game_pair.h"
#include "sotto/audit/games/view.h"
#include "sotto/audit/transcript_features.h"
#include "sotto/base/result.h"

namespace sotto {

// The games of a case to play. Every block of games has its own stream, derived
// from the seed and the block, so that the counts do not depend on threads,
// shards or order.
//
// Threads: pure functions; they use the given number of threads.
struct PlayPlan {
  std::uint64_t seed = 1;
  std::string name;  // of the case; part of the streams
  std::size_t variant = 0;
  std::uint64_t from = 0;   // games of each half and world, from
  std::uint64_t to = 0;     // to this one, exclusive; see kBlock
  std::uint64_t shard = 0;  // of `shards`: every shards-th block
  std::uint64_t shards = 1;
  unsigned threads = 1;
  std::function<void(std::uint64_t games)> progress = {};  // from any thread

  // `from` and `to` are cut to multiples of it, except that the last block may
  // be shorter.
  static constexpr std::uint64_t kBlock = 64;
};

// Adds the games of the plan to `counts`. Fails as the case does; the error of
// the first block that failed.
Status PlayGamePair(const GamePair& audit_case,
                    const TranscriptFeatures& readings, const PlayPlan& plan,
                    Counts& counts);

// `games` transcripts of one world, from streams with no other use.
Result<std::vector<View>> SampleViews(const GamePair& audit_case,
                                      const PlayPlan& plan, bool world,
                                      std::uint64_t games);

}  // namespace sotto
