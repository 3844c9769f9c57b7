#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/learners/ensembles/copies.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/ensembles/worker_pool.h"
#include "sotto/learners/learner.h"

namespace sotto {

// k copies of any learner, divided among threads. Each thread owns a range of
// copies and takes each of them through the whole batch in order; the votes are
// summed at the end. So a batch costs one synchronisation, and the result does
// not depend on the number of threads.
//
//   ThreadedEnsemble<AnyLearner> ensemble(learner, 4096, 8);
//   auto played = ensemble.Play(steps, votes);
//
// Proof: ensembles.md, "Threaded". Threads: not thread-safe; its own threads
// ask different copies at the same time.
template <SavableLearner L>
class ThreadedEnsemble final : public Ensemble {
 public:
  // Requires copies >= 1, threads >= 1.
  ThreadedEnsemble(const L& fresh, std::int64_t copies, std::size_t threads)
      : copies_(FreshCopies(fresh, copies)),
        pool_(std::min(threads, copies_.size())),
        votes_(pool_.parts()) {}

  std::int64_t copies() const override {
    return static_cast<std::int64_t>(copies_.size());
  }
  Result<std::int64_t> Votes(FeatureView x) override {
    const std::array<Step, 1> step = {Step{.x = x}};
    std::array<std::int64_t, 1> votes{};
    PlayAll(step, votes);
    return votes[0];
  }
  Status Update(std::int64_t copy, FeatureView x, bool y) override {
    copies_[static_cast<std::size_t>(copy)].Update(x, y);
    return Ok();
  }
  Status Play(std::span<const Step> steps,
              std::span<std::int64_t> votes) override {
    PlayAll(steps, votes);
    return Ok();
  }
  std::size_t preferred_batch_size() const override { return 256; }

  Status Save(ByteWriter& out) override {
    SaveCopies<L>(copies_, out);
    return Ok();
  }
  Status Load(ByteReader& in) override { return LoadCopies<L>(copies_, in); }

 private:
  void PlayAll(std::span<const Step> steps, std::span<std::int64_t> votes) {
    pool_.Run([&](std::size_t part) {
      votes_[part].assign(steps.size(), 0);
      PlayPart(part, steps, votes_[part]);
    });
    std::fill(votes.begin(), votes.end(), 0);
    for (const auto& partial : votes_) {
      for (std::size_t i = 0; i < votes.size(); ++i) votes[i] += partial[i];
    }
  }
  void PlayPart(std::size_t part, std::span<const Step> steps,
                std::span<std::int64_t> votes) {
    const std::size_t parts = pool_.parts();
    const std::size_t end = copies_.size() * (part + 1) / parts;
    for (std::size_t c = copies_.size() * part / parts; c < end; ++c) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        votes[i] += copies_[c].Predict(step.x) ? 1 : 0;
        if (step.copy == static_cast<std::int64_t>(c)) {
          copies_[c].Update(step.x, step.y);
        }
      }
    }
  }

  std::vector<L> copies_;
  WorkerPool pool_;
  std::vector<std::vector<std::int64_t>> votes_;  // Votes of each part.
};

}  // namespace sotto
