#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/ensembles/linear_kernel.h"
#include "sotto/learners/ensembles/linear_rounds.h"
#include "sotto/learners/linear_learner.h"

namespace sotto {

// Which linear learner the copies are.
using LinearRule = std::variant<PerceptronRule, LogisticRule>;

// k perceptrons or k logistic regressions. The votes of a batch of rounds are
// one matrix product; then only the copies taught inside the batch vote again.
//
//   auto ensemble = LinearEnsemble::Create(
//       {.rule = LogisticRule{.rate = 0.1}, .dimension = 100, .copies = 8192});
//   auto played = ensemble->Play(steps, votes);  //
//   ensemble->preferred_batch_size() each
//
// Every second copy has default label 0 (copies.h): untaught, half of them vote
// 1. Equals the loop over LinearLearner copies bit for bit in the weights and
// vote for vote, on every machine with the same exp (perceptrons: on every
// machine), with every kernel and number of threads. Features from `dimension`
// on are ignored, as the learners do.
//
// Proof: linear_ensemble.md.
// Threads: not thread-safe; Play starts and joins `threads` threads.
class LinearEnsemble final : public Ensemble {
 public:
  struct Params {
    LinearRule rule = {};
    std::uint32_t dimension = 0;  // d, without the bias
    std::int64_t copies = 0;      // k
    // The weights take 8 (d + 1) bytes a copy, of whole blocks of 24 copies.
    std::uint64_t max_bytes = std::uint64_t{4} << 30;
    int threads = 1;
    LinearPath path = BestLinearPath();
  };

  // Fails with kInvalidArgument if there are no copies or features, if the
  // weights would exceed max_bytes, if the rate is not a positive number, or if
  // the machine does not support the path.
  static Result<LinearEnsemble> Create(const Params& params);

  std::int64_t copies() const override { return params_.copies; }
  Result<std::int64_t> Votes(FeatureView x) override;
  Status Update(std::int64_t copy, FeatureView x, bool y) override;
  Status Play(std::span<const Step> steps,
              std::span<std::int64_t> votes) override;
  // In a batch of B rounds, votes cost about k B and corrections up to B^2, so
  // short batches are faster for few copies.
  std::size_t preferred_batch_size() const override;
  Status Save(ByteWriter& out) override;
  Status Load(ByteReader& in) override;

  // The weight of one coordinate of one copy; the bias is coordinate
  // `dimension`. Requires 0 <= copy < copies() and coordinate <= dimension.
  double weight(std::int64_t copy, std::uint32_t coordinate) const {
    return ComputeWeights(copy)[coordinate * kCopyLanes];
  }

 private:
  struct Batch {
    std::span<const Step> steps;
    std::span<std::int64_t> votes;
  };
  struct PendingUpdate {
    std::uint32_t next;  // the next lesson of the same copy
    bool stale;          // the copy changed since the batch began
  };

  explicit LinearEnsemble(const Params& params);

  std::size_t PlayBatch(std::span<const Step> steps,
                        std::span<std::int64_t> votes);
  void FindNextLessons(std::span<const Step> steps);
  void VoteAll(std::span<std::int64_t> votes);
  void VoteBlocks(std::size_t begin, std::size_t end,
                  std::span<std::int64_t> votes);
  void Revote(std::int64_t copy, const Batch& batch, std::size_t begin,
              std::size_t end);
  void VoteCopy(std::int64_t copy, const Batch& batch, std::size_t begin,
                std::size_t end);
  double Score(std::int64_t copy, FeatureView x) const;
  bool TeachOne(std::int64_t copy, FeatureView x, bool y);
  bool IsFinite(std::int64_t copy) const;
  // The weight of coordinate i is at [i * kCopyLanes].
  const double* ComputeWeights(std::int64_t copy) const;
  double* ComputeWeights(std::int64_t copy);

  Params params_;
  std::size_t rows_;    // d + 1
  std::size_t blocks_;  // of kCopyLanes copies
  LinearKernel kernel_;
  AlignedDoubles weights_;  // [block][row][copy]
  // Copies with a weight that overflowed: for them a zero is not neutral (step
  // 3 of the proof), so they are summed over listed features only.
  std::vector<std::int64_t> not_finite_;

  // The batch being played.
  LinearRounds rounds_;
  std::vector<std::uint32_t> masks_;    // [block][round]: who voted 1
  std::vector<PendingUpdate> lessons_;  // one per step
  std::vector<std::uint32_t> next_of_copy_;
  std::vector<std::uint8_t> copy_votes_;
  std::vector<std::uint8_t> tile_votes_;
};

}  // namespace sotto
