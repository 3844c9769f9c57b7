#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/models/winnow/winnow_bound.h"
#include "sotto/models/winnow/winnow_hypothesis.h"
#include "sotto/models/winnow/winnow_noise.h"
#include "sotto/models/winnow/winnow_round.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/random/rng.h"

namespace sotto {

// An online learner of halfspaces that publishes its hypothesis: everybody may
// see the weights, indefinitely, with differential privacy for every example.
//
//   auto winnow = PrivateWinnow::Create({.epsilon = 1, .delta = 1e-6,
//                                        .features = 100, .margin = 0.5,
//                                        .horizon = 300'000});
//   if (!winnow) return winnow.error();
//   auto round = winnow->Open(x, rng);       // round->prediction
//   if (round) winnow->Close(*std::move(round), y);
//
// Examples that the published weights get wrong, or right without confidence,
// are added up. A Stopper reports when there are enough; then their sum is
// released with Gaussian noise, the sum is emptied, and the weights are
// multiplied by e^(learning rate * noisy sum). For sparse examples only what
// stands out of the noise is released (max_nonzeros). An example is in one sum
// only, so the noise does not grow with the number of releases, and there is no
// limit to them.
//
// Paper:     [Winnow] Algorithm 3, with another release: dp_winnow.h has the
//            published form.
// Guarantee: (epsilon, delta)-DP of all hypotheses and their times, one
//            round's features and label replaced (or absent), every other
//            round chosen adaptively. The predictions of all other rounds
//            follow from them. A round's own prediction, and its own error, go
//            to its own user only (challenge-dp): that is up to the caller. Not
//            protected: the time at which a label comes.
// Proof:     private_winnow.md.
// Threads:   not thread-safe.
class PrivateWinnow {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    Relation relation = Relation::kReplace;  // or kAddRemove
    std::uint64_t rounds_per_user = 1;
    std::uint32_t features = 0;  // d; values are clipped to [-1, 1]
    bool signs = true;           // weights of both signs: (x, -x) inside
    bool bias = false;           // one more feature, always 1
    // R, public: longer examples are scaled down. 0: the longest there can be,
    // sqrt(d). For sparse examples the root of the number of non-zeros.
    double max_norm = 0;
    // Public: no example has more non-zeros (the bias is one); further ones are
    // left out, of the prediction too. Above 0, only the features of a batch
    // that stand out of the noise are released: far cheaper, and better, for
    // many features.
    std::uint32_t max_nonzeros = 0;
    double margin = 0;          // rho, of the best weights with |v|_1 = 1
    std::uint64_t horizon = 0;  // T, for utility only
    double failure = 0.05;      // beta, of the mistake bound
    WinnowAim aim = WinnowAim::kPractical;
    double confidence = -1;       // c in [0, 1); -1 chooses
    std::int64_t batch = 0;       // the Stopper's limit; 0 chooses
    double learning_rate = 0;     // eta; 0 chooses
    std::uint32_t published = 0;  // weights kept, the largest; 0: all
  };

  using Round = WinnowRound;  // holds the user's features

  // Fails where CalibrateWinnowNoise does, and with kInvalidArgument unless
  // margin is in [2^-10, 1], horizon is positive, failure in [1e-9, 1),
  // confidence -1 or in [0, 1), batch in [0, 2^40], and learning_rate in
  // [0, 2^10].
  static Result<PrivateWinnow> Create(const Params& params);
  // Another one with the same parameters and no data, without calibrating
  // again.
  PrivateWinnow Restarted() const;
  // Two copies would release the same batch twice.
  PrivateWinnow(PrivateWinnow&&) = default;
  PrivateWinnow& operator=(PrivateWinnow&&) = default;
  PrivateWinnow(const PrivateWinnow&) = delete;
  PrivateWinnow& operator=(const PrivateWinnow&) = delete;

  // Plays one round. First the clock advances, and the hypothesis may change.
  // Then fails with kInvalidArgument, which only the user sees, unless the
  // features are sorted, below `features` and finite.
  Result<Round> Open(FeatureView x, Rng& rng);
  // Plays an empty round: only the clock advances.
  void PlayEmptyRound(Rng& rng);
  // Judged by the hypothesis of now. Changes nothing if the round was moved
  // from or names features that this object does not have.
  void Close(Round round, bool y);

  const WinnowHypothesis& hypothesis() const { return hypothesis_; }
  std::uint64_t batches() const { return batches_; }  // released so far
  const Guarantee& guarantee() const { return guarantee_; }

  // Parameters chosen by Create, and their proved bounds. Independent of data.
  const WinnowNoise& noise() const { return noise_; }
  const WinnowSetting& setting() const { return setting_; }
  const WinnowStep& step() const { return step_; }
  WinnowBound Bound() const { return BoundWinnow(setting_, step_); }

  // The state holds private sums. A resumed run is bit-equal. Loading one state
  // twice and continuing both releases the open batch twice, and owes its users
  // the guarantee of both.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, with kFailedPrecondition if the state belongs to
  // other parameters, with kCorruption if it makes no sense.
  static Result<PrivateWinnow> Load(const Params& params, ByteReader& reader);

 private:
  PrivateWinnow(const Params& params, const WinnowNoise& noise,
                const WinnowSetting& setting, const WinnowStep& step,
                Stopper stopper, FixedWorkGaussian sampler,
                Guarantee guarantee);

  Status Check(FeatureView x) const;
  FeatureView Kept(FeatureView x) const;
  double LengthFactor(double norm_squared) const;
  std::int64_t MostInBatch() const;
  double ScaledScore(FeatureView x) const;
  void AddToBatch(FeatureView x, bool y);
  void Release(Rng& rng);
  void ReleaseAll(Rng& rng);
  void ReleaseTouched(Rng& rng);
  void Publish();
  bool MarkTouched();

  Params params_;
  WinnowNoise noise_;
  WinnowSetting setting_;
  WinnowStep step_;
  Stopper fresh_stopper_;  // as at the beginning of every batch
  Stopper stopper_;
  FixedWorkGaussian sampler_;
  Guarantee guarantee_;
  WinnowHypothesis hypothesis_;
  std::vector<std::int64_t> released_;  // noisy sums: public
  std::vector<std::int64_t> batch_;     // exact sum: private
  // Coordinates of the batch's examples: private. Only kept where there is a
  // threshold.
  std::vector<std::uint32_t> touched_;
  std::vector<bool> is_touched_;
  std::vector<std::uint32_t> active_;  // features with an exponent: public
  std::uint32_t waiting_ = 0;          // in batch_, not yet counted
  std::uint64_t batches_ = 0;
  std::vector<std::int64_t> scratch_;  // one example, in units
};

}  // namespace sotto
