#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/mechanisms/selection/sparse_sample.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/models/papers/teacher_lists.h"
#include "sotto/random/loss_weights.h"

namespace sotto {

// The private empirical risk minimiser of the Littlestone paper. Teachers have
// the rows of one chunk each, narrow the class down to functions that are
// hardly wrong on them, and list the essential hypotheses of what is left; in
// one stage after the other, until enough of them agree, a hypothesis is drawn
// by how many lists it is on.
//
//   auto erm = LittlestoneErm::Create(params);
//   FitHypothesis h = (*erm)->Fit(batch, rng);
//
// For an explicit class the exponential mechanism (FiniteFit) needs fewer rows,
// as plans say; with as many teachers as rows this is the same mechanism.
//
// Paper:     [Littlestone] Theorem 3, with the corrections of docs/papers.md.
// Guarantee: epsilon() and delta() for the rows of one batch.
// Proof:     littlestone_erm.md.
// Threads:   immutable; calls may run at the same time.
class LittlestoneErm final : public PrivateFit {
 public:
  using Chunk = TeacherRows;
  static constexpr int kStageDivisor = 2;
  static constexpr std::uint64_t kMaxTeachers = std::uint64_t{1} << 20;

  struct Params {
    std::shared_ptr<const FiniteClass> functions = nullptr;
    int dimension = 0;           // d: at least the class's
    std::uint64_t teachers = 1;  // k
    std::uint64_t p = 1;         // stage j = 1, 2, ... has 2^j p
    std::uint64_t stages = 1;
    // Stage j keeps functions wrong on at most a share of tolerance
    // (1 - 1/(2d))^j of a chunk's rows.
    double tolerance = 0;
    std::size_t list_size = 1;
    TeacherLists::Form form = TeacherLists::Form::kExact;
    // Cost of one row. With one stage there is nothing to test.
    std::int64_t threshold = 0;  // teachers that must agree
    double test_epsilon = 0;
    ApproximateDp sample = {};
    // If positive, what is published is a function of the class.
    double proper_epsilon = 0;
    FitBudget budget = {};
  };

  // Fails with kInvalidArgument on parameters out of range, with
  // kBudgetExhausted if they cost more than the budget.
  static Result<std::unique_ptr<LittlestoneErm>> Create(Params params);

  FitHypothesis Fit(const FitBatch& batch, Rng& rng) const override;
  // Majority vote of the functions; if it must be proper, a function near it.
  FitHypothesis First() const override;

  Spend spend() const override { return spend_; }
  bool takes_late_labels() const override { return false; }
  double ExpectedError(double rows) const override;
  // For tables of which a function of the class is right.
  double RowsFor(double error, double failure) const override;
  bool proves_rows() const override;
  Json parameters() const override;
  std::string Summary() const override;

  const Params& params() const { return params_; }
  const SparseSample& sample() const { return sample_; }
  // The functions that a teacher keeps in a stage.
  FiniteClass::Set Kept(const Chunk& chunk, std::uint64_t stage) const;
  std::uint64_t PAt(std::uint64_t stage) const;

 private:
  LittlestoneErm(Params params, Spend spend, SparseSample sample,
                 std::optional<LossWeights> proper);

  TeacherLists::Labels Majority() const;
  std::vector<Chunk> Deal(const FitBatch& batch, Rng& rng) const;
  std::optional<TeacherLists::Labels> Agree(const std::vector<Chunk>& chunks,
                                            Rng& rng) const;
  TeacherLists::Labels MakeProper(TeacherLists::Labels labels,
                                  const FitBatch& batch, Rng& rng) const;

  Params params_;
  Spend spend_;
  SparseSample sample_;
  std::optional<LossWeights> proper_;
};

}  // namespace sotto
