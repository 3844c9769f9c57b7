#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/json.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/online/noise_history.h"
#include "sotto/random/rng.h"

namespace sotto {

// Per-round state a model keeps until the label arrives.
class OpenRound {
 public:
  virtual ~OpenRound() = default;
  virtual void Save(ByteWriter& writer) const = 0;
};

// Rounds one after the other: the next one into `round`, or false at the end.
using RoundSource = std::function<Result<bool>(Round& round)>;

// A private online model: answers users one at a time and learns from the
// labels they send back. Models are made by their entries in the registry
// (model_entry.h) and driven by a Session, which keeps the users' ledger, the
// noise, the tickets and the counts.
//
// Every Open and every PlayEmptyRound is one round of the public clock, and
// both must look alike to all but the round's own user. A call may fail only
// as a program outside this process does (which can depend on data, and is
// trusted not to); afterwards the model is not to be used.
//
// Threads: not thread-safe.
class OnlineModel {
 public:
  virtual ~OnlineModel() = default;

  // For the model's part of the budget. Known before any data.
  virtual const Guarantee& guarantee() const = 0;
  // The chosen parameters: as JSON for reports, and as a line for people, the
  // model's name first.
  virtual Json parameters() const = 0;
  virtual std::string Summary() const = 0;
  // Sentences that belong under the guarantee: assumptions, what is published.
  virtual std::vector<std::string> caveats() const { return {}; }
  // The plan's forecast when the model was made. A saved state keeps it.
  struct Forecast {
    std::optional<double> expected = {};  // mistakes over the horizon
    // With probability 95 %, or as the parameters say under "failure".
    std::optional<double> bound = {};
    std::string verdict = {};

    void Save(ByteWriter& writer) const;
    // The caller asks the reader whether it failed.
    static Forecast Load(ByteReader& reader);
    friend bool operator==(const Forecast&, const Forecast&) = default;
  };
  virtual Forecast forecast() const { return {}; }

  // Reads the training set that a model starts from, if its entry has
  // needs_training_set: once, before the first round. Every row is one place of
  // the set, also one that is not present or has no label. Fails as `rows`
  // does, and then the model is not to be used.
  virtual Status Train(const RoundSource& rows, Rng& rng);

  // Public at any time. A model that has halted is not called again. The phase
  // of a round is the one before it is opened or played as empty.
  virtual bool halted() const { return false; }
  virtual std::uint64_t phase() const = 0;
  // All rounds of a user must lie in one phase.
  virtual bool users_in_one_phase() const { return false; }

  struct OpenResult {
    Label prediction;
    std::optional<double> probability = {};
    bool paid = false;
    std::unique_ptr<OpenRound> open;
  };
  // Answers a user who is admitted, with features that are sorted, finite and
  // below the number the model was made for.
  virtual Result<OpenResult> Open(FeatureView x, std::string_view user,
                                  Rng& rng) = 0;
  // An empty round. Returns whether it was paid for, as OpenResult::paid.
  virtual Result<bool> PlayEmptyRound(Rng& rng) = 0;
  // The label of a round, of the type the model was made for. A round may stay
  // open indefinitely.
  virtual Status Close(std::unique_ptr<OpenRound> open, const Label& y) = 0;

  // Plays rounds that are present, of users of one round each, whose labels
  // come before the next round or never. Has the same distribution as Open and
  // Close in turn; every round is begun with history.Begin and its label is
  // passed to history.AddLabel. Fills in their answers. Returns the number of
  // rounds played: at least one, and fewer than all only where that saves work.
  // Requires rounds.size() >= 1.
  virtual Result<std::size_t> Play(std::span<Round> rounds,
                                   NoiseHistory& history);
  // Batch size at which Play is fastest.
  virtual std::size_t preferred_batch_size() const { return 1; }

  // The publishable part of what was learned, or nothing if there is none. A
  // model that publishes does not halt: its last hypothesis stays.
  virtual std::optional<Json> hypothesis() const { return std::nullopt; }
  // Bytes that tell one hypothesis from the next, and nothing if there is none.
  // Public as the hypothesis is; cheaper, because every replay compares them.
  virtual void WriteRelease(ByteWriter& writer) const;
  struct PublicAnswer {
    Label prediction;
    std::optional<double> probability = {};
  };
  // The answer of hypothesis() to a row, and of nothing else that depends on
  // data: it costs no budget and changes nothing. Absent if the model publishes
  // nothing. `x` as in Open.
  virtual std::optional<PublicAnswer> PredictPublished(FeatureView) const {
    return std::nullopt;
  }
  // The operator's own view: which share of the votes says 1, if there are
  // votes. Changes nothing.
  virtual std::optional<double> VoteShare(FeatureView) { return std::nullopt; }

  // Fails as a program outside this process does.
  virtual Status Save(ByteWriter& writer) = 0;
  // Reads back the bytes of OpenRound::Save. Fails with kCorruption.
  virtual Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader& reader) = 0;
};

}  // namespace sotto
