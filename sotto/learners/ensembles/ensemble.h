#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"

namespace sotto {

// k copies of one learner that vote. Every implementation equals the plain loop
// over k independent copies, vote for vote.
//
//   auto ensemble = ...;
//   auto votes = ensemble->Votes(x);            // how many copies say 1
//   auto taught = ensemble->Update(17, x, y);   // copy 17 alone learns
//
// Copies share nothing that depends on data: that is a precondition of every
// proof that counts these votes. Only ensembles outside this process can fail.
// Their failure can depend on data, so it is part of the signatures.
//
// Threads: not thread-safe; an ensemble may start its own threads.
class Ensemble {
 public:
  // One round for Play: features, and the copy that learns the label after the
  // vote; kNobody if none does.
  struct Step {
    static constexpr std::int64_t kNobody = -1;
    FeatureView x;
    std::int64_t copy = kNobody;
    bool y = false;
  };

  virtual ~Ensemble() = default;

  virtual std::int64_t copies() const = 0;
  // Changes nothing.
  virtual Result<std::int64_t> Votes(FeatureView x) = 0;
  // Requires 0 <= copy < copies().
  virtual Status Update(std::int64_t copy, FeatureView x, bool y) = 0;
  // For each step in order: votes[i] = Votes(x), then Update if there is a
  // copy. Implementations may compute this in another way, with the same
  // result. Requires votes.size() == steps.size().
  virtual Status Play(std::span<const Step> steps,
                      std::span<std::int64_t> votes);
  // For each step in order: Update if there is a copy.
  virtual Status Teach(std::span<const Step> steps);
  // Batch size at which Play is fastest; 1 if it is a plain loop.
  virtual std::size_t preferred_batch_size() const { return 1; }

  virtual Status Save(ByteWriter& out) = 0;
  // Loads into a fresh ensemble of the same learner and number of copies. After
  // a failure (kCorruption) the ensemble must not be used.
  virtual Status Load(ByteReader& in) = 0;
};

// Makes the untaught ensemble of a generation, with a number of copies.
// Generations are numbered from 0; two never share anything that depends on
// data.
using EnsembleFactory = std::function<Result<std::unique_ptr<Ensemble>>(
    std::uint64_t generation, std::int64_t copies)>;

}  // namespace sotto
