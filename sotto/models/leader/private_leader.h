#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/models/fits/fit_batch.h"
#include "sotto/models/fits/fit_columns.h"
#include "sotto/models/fits/fit_hypothesis.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/models/leader/drift_watch.h"
#include "sotto/models/leader/leader_epochs.h"
#include "sotto/random/rng.h"

namespace sotto {

// Any private batch learner made an online one: the stream is cut into growing
// epochs, and every user is answered by the hypothesis that was fitted, once
// and privately, on the epoch before.
//
//   auto leader = PrivateLeader::Create({.fit = fit, .columns = columns});
//   if (!leader) return leader.error();
//   auto round = leader->Open(x, rng);        // round.prediction
//   leader->Close(std::move(round), y);
//
// Every labelled row is in one batch and every batch is fitted once, so nothing
// composes, over any number of epochs. Mistake bounds hold for streams that
// stay as they are, or move slowly; not for adversarial ones.
//
// Guarantee: the fit's, for all hypotheses and so for all other users' answers;
//            features, label and the time of the label are protected; every
//            other round chosen adaptively. The times of rounds are public.
// Proof:     leader.md.
// Threads:   not thread-safe.
class PrivateLeader {
 public:
  struct Params {
    std::shared_ptr<const PrivateFit> fit = nullptr;
    FitColumns columns;
    FitBudget budget = {};     // what `fit` was made for
    LeaderEpochs epochs = {};  // chosen
    // Epsilon of a user for the watch over mistakes; 0: there is none, and
    // epochs end by the clock alone.
    double drift_epsilon = 0;
    // Rounds of a block of the watch: labels that come later do not count.
    std::uint64_t drift_block = 32;
  };

  // A round that waits for its label.
  struct Round {
    bool prediction = false;
    std::uint64_t epoch = 0;  // in which it was opened
    std::uint64_t block = 0;  // of the watch, likewise
    bool held_out = false;    // FitBatch::HeldOut
    std::vector<std::uint32_t> codes = {};

    void Save(ByteWriter& writer) const;
    // Fails with kCorruption.
    static Result<Round> Load(const FitColumns& columns, ByteReader& reader);
  };

  // Fails with kInvalidArgument unless the first epoch is in [1, 2^32] and they
  // grow by 1 to 16.
  static Result<PrivateLeader> Create(Params params);
  // Two copies would fit the same batch twice.
  PrivateLeader(PrivateLeader&&) = default;
  PrivateLeader& operator=(PrivateLeader&&) = default;
  PrivateLeader(const PrivateLeader&) = delete;
  PrivateLeader& operator=(const PrivateLeader&) = delete;

  // Plays one round. First the clock advances, and the hypothesis may change.
  Round Open(FeatureView x, Rng& rng);
  // An empty round.
  void PlayEmptyRound(Rng& rng);
  // The row goes into the batch of now, or, if the fit says so, nowhere unless
  // that is the batch of its round.
  void Close(const Round& round, bool y);
  // Open, and Close at once if there is a label, faster.
  bool Play(FeatureView x, const bool* y, Rng& rng);

  const FitHypothesis& hypothesis() const { return hypothesis_; }
  // Fits so far.
  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t length() const { return length_; }  // of the epoch
  const FitColumns& columns() const { return params_.columns; }
  const PrivateFit& fit() const { return *params_.fit; }
  const LeaderEpochs& epochs() const { return params_.epochs; }
  const DriftWatch* watch() const { return watch_ ? &*watch_ : nullptr; }
  const Guarantee& guarantee() const { return guarantee_; }

  // The state holds rows. A resumed run is bit-equal. Loading one state twice
  // and continuing both fits the open batch twice.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption.
  static Result<PrivateLeader> Load(Params params, ByteReader& reader);

 private:
  PrivateLeader(Params params, std::optional<DriftWatch> watch,
                Guarantee guarantee);

  void Advance(Rng& rng);
  void EndByClock(Rng& rng);
  void EndByWatch(Rng& rng);
  void BeginEpoch(std::uint64_t length);
  void NoteBlock();
  bool LoadWatch(ByteReader& reader);
  // Blocks whose rows are enough for a fit after the watch has ended an epoch.
  std::uint64_t fresh_blocks() const;

  Params params_;
  Guarantee guarantee_;
  FitHypothesis hypothesis_;         // public
  std::uint64_t epoch_ = 0;          // public
  std::uint64_t length_;             // public
  std::uint64_t ticks_ = 0;          // of the epoch: public
  std::uint64_t clock_ = 0;          // public
  std::optional<DriftWatch> watch_;  // parts of it secret
  bool begun_ = false;               // public
  FitBatch batch_;                   // secret
  // How many rows there were when each of the last blocks began: secret.
  std::vector<std::uint64_t> marks_;
  std::vector<std::uint32_t> codes_;  // scratch
};

}  // namespace sotto
