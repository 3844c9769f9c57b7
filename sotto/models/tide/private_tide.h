#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_batch.h"
#include "sotto/models/tide/tide_calibration.h"
#include "sotto/models/tide/tide_encoding.h"
#include "sotto/models/tide/tide_frame.h"
#include "sotto/models/tide/tide_hypothesis.h"
#include "sotto/models/tide/tide_level.h"
#include "sotto/models/tide/tide_noise.h"
#include "sotto/models/tide/tide_pairs.h"
#include "sotto/models/tide/tide_relevance.h"
#include "sotto/models/tide/tide_round.h"
#include "sotto/models/tide/tide_start.h"
#include "sotto/random/rng.h"

namespace sotto {

// Online logistic regression over the columns of a table, with published
// weights: the model for tables as people have them. One pass, one release a
// batch, no tuning, no horizon.
//
//   auto tide = PrivateTide::Create({.epsilon = 1, .delta = 1e-6,
//                                    .encoding = {.schema = &schema}});
//   if (!tide) return tide.error();
//   auto round = tide->Open(x, rng);          // round->answer.prediction
//   if (round) tide->Close(*std::move(round), y);
//
// The first rows give means and first weights, in one noisy release; if labels
// are numbers, the rows before them tell where these lie. From then
// on every batch of rounds gives one noisy gradient, with noise that is
// correlated over the batches, and one step. A row is in one batch only, so the
// noise does not grow with the number of releases, and there is no limit to
// them. How much a column counts follows from the weights released.
//
// Paper:     Kairouz et al. 2021 (DP-FTRL), with the exponential buffers of
//            McMahan et al. 2024; the frame, the start and the shares are ours.
// Guarantee: (epsilon, delta)-DP of all releases, hence of all weights and of
//            all other users' predictions, if the rounds of one user (at most
//            rounds_per_user) hold other features, other labels, labels at
//            other times, or nothing; every other round chosen adaptively. A
//            round's own prediction goes to its own user only: that is up to
//            the caller. The times of rounds are public.
// Proof:     tide.md.
// Threads:   not thread-safe.
class PrivateTide {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    Relation relation = Relation::kReplace;  // or kAddRemove
    std::uint64_t rounds_per_user = 1;
    // The schema is read by Create only.
    TideEncoding::Params encoding = {};
    LabelType label = {};
    double clip = 0;  // C; 0: 1/2, or 1/16 for numbers
    TideSchedule schedule = {};
  };

  using Round = TideRound;

  // Fails where TideEncoding, ChooseTideSchedule and CalibrateTide do.
  static Result<PrivateTide> Create(const Params& params);
  // Noise of the three releases.
  struct Sources {
    std::unique_ptr<TideNoiseSource> level = {};
    std::unique_ptr<TideNoiseSource> start = {};
    std::unique_ptr<TideNoiseSource> step = {};
  };
  // For tests of the sensitivity: with other noise. The guarantee is then void.
  static Result<PrivateTide> CreateWithNoise(const Params& params,
                                             Sources sources);
  // Two copies would release the same batch twice.
  PrivateTide(PrivateTide&&) = default;
  PrivateTide& operator=(PrivateTide&&) = default;
  PrivateTide(const PrivateTide&) = delete;
  PrivateTide& operator=(const PrivateTide&) = delete;

  // Plays one round. First the clock advances, and the weights may change. Then
  // fails with kInvalidArgument, which only the user sees, if a feature is not
  // finite or indices do not rise; the round was then an empty one.
  Result<Round> Open(FeatureView x, Rng& rng);
  // An empty round.
  void PlayEmptyRound(Rng& rng);
  // Judged by the weights of now. Changes nothing if the round was moved from,
  // was one of the first and comes after their release, or the label is not of
  // the model's type.
  void Close(Round round, const Label& y);
  // Open, and Close at once if there is a label, faster.
  Result<TideAnswer> Play(FeatureView x, const std::optional<Label>& y,
                          Rng& rng);

  const TideHypothesis& hypothesis() const { return hypothesis_; }
  std::uint64_t steps() const { return noise_.steps(); }  // released so far
  const Guarantee& guarantee() const { return guarantee_; }

  // Parameters that were chosen, all before any data.
  const TideSchedule& schedule() const { return schedule_; }
  const TideCalibration& calibration() const { return calibration_; }
  const TidePrivacy& privacy() const { return privacy_; }
  const TideFilter& filter() const { return filter_; }
  // Deviation of the fresh noise of one step, in units of a row's error.
  double StepDeviation() const;

  // The state holds private sums. A resumed run is bit-equal. Loading one state
  // twice and continuing both releases the open batch twice, and owes its users
  // the guarantee of both.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, with kFailedPrecondition if the state belongs to
  // other parameters, with kCorruption if it makes no sense.
  static Result<PrivateTide> Load(const Params& params, ByteReader& reader);

 private:
  PrivateTide(const Params& params, const TideEncoding& encoding,
              TidePrivacy privacy, TideSchedule schedule, TideFilter filter,
              TideCalibration calibration, Guarantee guarantee);

  void Advance(Rng& rng);
  TidePart part() const;
  std::size_t weight_count() const { return gradient_.size() - 1; }
  std::uint64_t first_rows() const {
    return schedule_.level_rows + schedule_.start_rows;
  }
  void Begin(std::span<const TideFeature> row);
  void Teach(std::span<const TideFeature> row, double inverse_length,
             const Label& y);
  void TeachStart(std::span<const TideFeature> row, const Label& y);
  void ReleaseLevel(Rng& rng);
  void ReleaseStart(Rng& rng);
  bool HasLabels(const TideStart::Released& released) const;
  void SetFirstNumbers(const TideStart::Released& released);
  void SetFirstMeans(const TideStart::Released& released);
  void SetFirstWeights(const TideStart::Released& released);
  void ReleaseBatch(Rng& rng);
  void CountLabels();
  void StepBack(double rate);
  void UpdateShares();
  void DropPair(std::size_t group);
  void FindRanges();
  void WriteIdentity(ByteWriter& writer) const;

  LabelType label_;
  TidePrivacy privacy_;
  TideSchedule schedule_;
  TideFilter filter_;
  TideCalibration calibration_;
  Guarantee guarantee_;
  Sources sources_;

  TideHypothesis hypothesis_;       // the frame, and averaged weights: public
  TideWeights weights_;             // of the last step: public
  TideRelevance relevance_;         // public
  TidePairs pairs_;                 // public
  std::vector<TideRange> ranges_;   // weights that are released: public
  double next_shares_;              // round of the next update: public
  double pace_ = 1;                 // of the steps: public
  double labels_ = 0;               // that came in batches, about: public
  bool open_ = true;                // weights are used in answers: public
  std::uint64_t ticks_ = 0;         // public
  TideLevel level_;                 // secret
  std::optional<TideStart> start_;  // secret
  TideBatch batch_;                 // secret
  TideNoise noise_;                 // secret
  std::vector<std::int64_t> gradient_;  // scratch; the last counts labels
  std::vector<double> scores_;          // scratch
  std::vector<double> errors_;          // scratch
  std::vector<TideFeature> row_;        // scratch
};

}  // namespace sotto
