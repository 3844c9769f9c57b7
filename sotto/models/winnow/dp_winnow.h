#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/models/winnow/winnow_hypothesis.h"
#include "sotto/models/winnow/winnow_round.h"
#include "sotto/random/exponential_selection.h"
#include "sotto/random/rng.h"

namespace sotto {

// DP-Winnow as published, for comparison: the hypothesis is a sample of
// features, drawn in proportion to Winnow's secret weights. PrivateWinnow makes
// fewer mistakes for all but dense examples of 10^5 features and more.
//
//   auto winnow = DpWinnow::Create({.epsilon = 1, .delta = 1e-6,
//                                   .features = 100, .margin = 0.5,
//                                   .horizon = 300'000,
//                                   .form = DpWinnow::Form::kBatch});
//   if (!winnow) return winnow.error();
//   auto round = winnow->Open(x, rng);
//   if (round) winnow->Close(*std::move(round), y);
//
// Paper:     [Winnow] Algorithm 3.
// Guarantee: (epsilon, delta)-DP of all hypotheses and their times, one round
//            replaced (or absent), every other chosen adaptively. As with
//            PrivateWinnow, a round's own prediction is for its own user only.
// Proof:     dp_winnow.md.
// Threads:   not thread-safe.
class DpWinnow {
 public:
  enum class Form {
    kPaper,  // one cached mistake an update, the paper's constants corrected
    kBatch,  // the mean of a batch, charged by concentrated privacy
  };
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint32_t features = 0;  // values are clipped to [-1, 1]
    bool signs = true;
    double margin = 0;          // rho
    std::uint64_t horizon = 0;  // T
    double failure = 0.05;      // beta
    Form form = Form::kPaper;
  };
  // Constants of the form.
  struct Constants {
    double confidence = 0.5;     // c, of the proof alone
    std::int64_t samples = 0;    // m
    std::int64_t updates = 0;    // K
    std::int64_t batch = 1;      // B
    double learning_rate = 0;    // eta
    double stopper_epsilon = 0;  // of each test
    std::int64_t limit = 0;      // L
    // Bound, with probability 1 - 2 failure, if every round is closed before
    // the next is opened.
    double mistakes = 0;
  };

  using Round = WinnowRound;

  // Fails with kInvalidArgument unless epsilon is in (0, 16], delta in
  // [1e-12, 1/2], features in [1, 2^23], margin in [2^-8, 1], horizon in
  // [1, 2^40], failure in [1e-9, 1); with kNotConverged where no constants fit.
  static Result<DpWinnow> Create(const Params& params);
  DpWinnow(DpWinnow&&) = default;
  DpWinnow& operator=(DpWinnow&&) = default;
  DpWinnow(const DpWinnow&) = delete;
  DpWinnow& operator=(const DpWinnow&) = delete;

  // All as PrivateWinnow.
  Result<Round> Open(FeatureView x, Rng& rng);
  void PlayEmptyRound(Rng& rng);
  // Only the first `batch` mistakes since the last update teach. Judged by the
  // hypothesis of now.
  void Close(Round round, bool y);

  const WinnowHypothesis& hypothesis() const { return hypothesis_; }
  std::int64_t updates() const { return updates_; }
  const Constants& constants() const { return constants_; }
  const Guarantee& guarantee() const { return guarantee_; }

  // As PrivateWinnow: one state loaded twice spends the guarantee twice.
  void Save(ByteWriter& writer) const;
  static Result<DpWinnow> Load(const Params& params, ByteReader& reader);

 private:
  DpWinnow(const Params& params, const Constants& constants, Stopper stopper,
           ExponentialSelection selection, Guarantee guarantee);

  Status Check(FeatureView x) const;
  void Update(Rng& rng);
  void PublishCounts();

  Params params_;
  Constants constants_;
  Stopper fresh_stopper_;
  Stopper stopper_;
  ExponentialSelection selection_;
  Guarantee guarantee_;
  WinnowHypothesis hypothesis_;
  std::vector<std::int64_t> taught_;  // sums of all updates: private
  std::vector<std::int64_t> batch_;   // the sum of the cache: private
  std::vector<std::int64_t> counts_;  // the last sample: public
  std::int64_t cached_ = 0;
  std::uint32_t waiting_ = 0;
  std::int64_t updates_ = 0;
};

// The constants alone, before anything is allocated.
Result<DpWinnow::Constants> ChooseDpWinnow(const DpWinnow::Params& params);

}  // namespace sotto
