#include "sotto/audit/play.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "sotto/base/threads.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/random/key.h"

namespace sotto {
namespace {

// Audits are experiments on synthetic data: their noise may be public.
Key BlockKey(const PlayPlan& plan, std::string_view stage, std::uint64_t part,
             bool world, std::uint64_t block) {
  const std::array<std::byte, Key::kBytes> zeros{};
  return Key::FromBytes(zeros).Derive(
      "audit-v1", stage,
      {plan.seed, std::string_view(plan.name), std::uint64_t{plan.variant},
       part, std::uint64_t{world ? 1u : 0u}, block});
}

// One block of one part in one world.
struct Block {
  Part part = Part::kOrder;
  bool world = false;
  std::uint64_t number = 0;
};

class Workers {
 public:
  Workers(const GamePair& audit_case, const TranscriptFeatures& readings,
          const PlayPlan& plan)
      : case_(audit_case), readings_(readings), plan_(plan) {
    const std::uint64_t first = plan.from / PlayPlan::kBlock;
    const std::uint64_t end =
        (plan.to + PlayPlan::kBlock - 1) / PlayPlan::kBlock;
    for (std::uint64_t b = first; b < end; ++b) {
      if (b % plan.shards != plan.shard) continue;
      const Part choosing = b % 2 == 0 ? Part::kOrder : Part::kChoose;
      for (const bool world : {false, true}) {
        blocks_.push_back({choosing, world, b});
        blocks_.push_back({Part::kCount, world, b});
      }
    }
  }

  Status Run(Counts& counts) {
    OnThreads(plan_.threads, [this, &counts](std::size_t) { Work(counts); });
    if (failed_at_) return failure_;
    return Ok();
  }

 private:
  void Work(Counts& counts) {
    Counts mine;
    View view;
    for (;;) {
      const std::size_t i = next_.fetch_add(1);
      if (i >= blocks_.size() || stopped_.load()) break;
      if (Status played = PlayBlock(blocks_[i], mine, view); !played) {
        const std::scoped_lock lock(mutex_);
        stopped_ = true;
        if (!failed_at_ || i < *failed_at_) {
          failed_at_ = i;
          failure_ = played.error();
        }
      }
    }
    const std::scoped_lock lock(mutex_);
    counts.Add(mine);
  }

  Status PlayBlock(const Block& block, Counts& counts, View& view) {
    ChaChaRng rng(BlockKey(plan_, "game",
                           static_cast<std::uint64_t>(block.part), block.world,
                           block.number));
    const std::uint64_t begin = block.number * PlayPlan::kBlock;
    const std::uint64_t end = std::min(begin + PlayPlan::kBlock, plan_.to);
    for (std::uint64_t game = begin; game < end; ++game) {
      Status played = case_.Play(plan_.variant, block.world, rng, view);
      if (!played) return played;
      counts.Add(block.part, block.world, readings_.Of(view));
    }
    if (plan_.progress) plan_.progress(end - begin);
    return Ok();
  }

  const GamePair& case_;
  const TranscriptFeatures& readings_;
  const PlayPlan& plan_;
  std::vector<Block> blocks_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::optional<std::size_t> failed_at_;
  Error failure_ = {};
};

}  // namespace

Status PlayGamePair(const GamePair& audit_case,
                    const TranscriptFeatures& readings, const PlayPlan& plan,
                    Counts& counts) {
  return Workers(audit_case, readings, plan).Run(counts);
}

Result<std::vector<View>> SampleViews(const GamePair& audit_case,
                                      const PlayPlan& plan, bool world,
                                      std::uint64_t games) {
  ChaChaRng rng(BlockKey(plan, "sample", 0, world, 0));
  std::vector<View> views(games);
  for (View& view : views) {
    SOTTO_TRY(audit_case.Play(plan.variant, world, rng, view));
  }
  return views;
}

}  // namespace sotto
