#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/json.h"
#include "sotto/base/label.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/noise_history.h"
#include "sotto/online/online_model.h"
#include "sotto/random/rng.h"

namespace sotto {

// Facts about a model that are known before any data.
struct ModelFacts {
  Guarantee guarantee;
  Json parameters = {};
  std::string summary = {};  // starts with the model's name
  std::vector<std::string> caveats = {};
  OnlineModel::Forecast forecast = {};
};

// Answer to one user.
struct ModelAnswer {
  Label prediction = {};
  std::optional<double> probability = {};
  bool paid = false;
};

// Answer to one user, and the state kept until the label arrives.
template <typename Round>
struct OpenedRound {
  ModelAnswer answer;
  Round round;
};

// Round state of models that learn nothing from labels.
struct NoRoundState {
  void Save(ByteWriter&) const {}
};

// An OnlineModel made from a Core, which holds the mechanism:
//
//   struct Core {
//     using Round = ...;     // kept until the label arrives; has Save
//     static constexpr std::size_t kBatch = ...;  // preferred_batch_size()
//     // A phase lasts from one release to the next. The round that starts a
//     // phase is then the paid one; otherwise ModelAnswer::paid decides.
//     static constexpr bool kReleasePerPhase = ...;
//
//     static Result<Core> Create(const ModelRequest&);
//     static Result<Core> Load(const ModelRequest&, ByteReader&);
//     std::uint64_t phase() const;
//     Result<OpenedRound<Round>> Open(FeatureView, std::string_view, Rng&);
//     Status PlayEmptyRound(Rng&);           // or void, as the next two
//     Status Close(Round, const Label&);
//     Status Save(ByteWriter&);
//     Result<Round> LoadRound(ByteReader&) const;
//
//     ModelFacts facts;
//   };
//
// Optional members: halted, users_in_one_phase, Train, VoteShare,
// preferred_batch_size (in place of kBatch), hypothesis together with
// PredictPublished, WriteRelease, and
//
//     // Open, then Close if there is a label, faster.
//     Result<ModelAnswer> Play(FeatureView, const std::optional<Label>&, Rng&);
//     // Plays rounds as OnlineModel::Play does, or none if the first has to be
//     // played alone.
//     Result<std::size_t> PlayBatch(std::span<Round>, NoiseHistory&);
//     // Play returns after a paid round: a reader of hypothesis() sees each.
//     static constexpr bool kStopsAtRelease = true;
//
// Guarantee: the mechanism's; the session keeps its preconditions.
// Threads:   not thread-safe.
template <typename Core>
class OnlineModelAdapter final : public OnlineModel {
 public:
  // As OnlineModelEntry::create and OnlineModelEntry::load.
  static Result<std::unique_ptr<OnlineModel>> Create(
      const ModelRequest& request) {
    return Wrap(Core::Create(request));
  }
  static Result<std::unique_ptr<OnlineModel>> Load(const ModelRequest& request,
                                                   ByteReader& reader) {
    return Wrap(Core::Load(request, reader));
  }
  static Result<std::unique_ptr<OnlineModel>> Wrap(Result<Core> core) {
    if (!core) return core.error();
    return std::unique_ptr<OnlineModel>(
        new OnlineModelAdapter(*std::move(core)));
  }

  const Guarantee& guarantee() const override { return core_.facts.guarantee; }
  Json parameters() const override { return core_.facts.parameters; }
  std::string Summary() const override { return core_.facts.summary; }
  std::vector<std::string> caveats() const override {
    return core_.facts.caveats;
  }
  Forecast forecast() const override { return core_.facts.forecast; }

  Status Train(const RoundSource& rows, Rng& rng) override {
    if constexpr (requires { core_.Train(rows, rng); }) {
      return core_.Train(rows, rng);
    } else {
      return OnlineModel::Train(rows, rng);
    }
  }

  bool halted() const override {
    if constexpr (requires { core_.halted(); }) return core_.halted();
    return false;
  }
  std::uint64_t phase() const override { return core_.phase(); }
  bool users_in_one_phase() const override {
    if constexpr (requires { core_.users_in_one_phase(); }) {
      return core_.users_in_one_phase();
    }
    return false;
  }

  Result<OpenResult> Open(FeatureView x, std::string_view user,
                          Rng& rng) override {
    const std::uint64_t before = core_.phase();
    SOTTO_TRY_ASSIGN(auto opened, core_.Open(x, user, rng));
    return OpenResult{
        .prediction = opened.answer.prediction,
        .probability = opened.answer.probability,
        .paid = IsPaid(before, opened.answer.paid),
        .open = std::make_unique<PendingRound>(std::move(opened.round))};
  }
  Result<bool> PlayEmptyRound(Rng& rng) override {
    const std::uint64_t before = core_.phase();
    SOTTO_TRY(Call([&] { return core_.PlayEmptyRound(rng); }));
    return IsPaid(before, false);
  }
  Status Close(std::unique_ptr<OpenRound> open, const Label& y) override {
    return CloseRound(std::move(static_cast<PendingRound&>(*open).round), y);
  }

  Result<std::size_t> Play(std::span<Round> rounds,
                           NoiseHistory& history) override {
    if constexpr (requires { core_.PlayBatch(rounds, history); }) {
      SOTTO_TRY_ASSIGN(const auto played, core_.PlayBatch(rounds, history));
      if (played > 0) return played;
      rounds = rounds.first(1);
    }
    return PlayInTurn(rounds, history);
  }
  std::size_t preferred_batch_size() const override {
    if constexpr (requires { core_.preferred_batch_size(); }) {
      return core_.preferred_batch_size();
    } else {
      return Core::kBatch;
    }
  }

  std::optional<Json> hypothesis() const override {
    if constexpr (requires { core_.hypothesis(); }) return core_.hypothesis();
    return std::nullopt;
  }
  void WriteRelease(ByteWriter& writer) const override {
    if constexpr (requires { core_.WriteRelease(writer); }) {
      core_.WriteRelease(writer);
    } else {
      OnlineModel::WriteRelease(writer);
    }
  }
  std::optional<PublicAnswer> PredictPublished(FeatureView x) const override {
    if constexpr (requires { core_.hypothesis(); }) {
      const ModelAnswer answer = core_.PredictPublished(x);
      return PublicAnswer{answer.prediction, answer.probability};
    }
    return std::nullopt;
  }
  std::optional<double> VoteShare(FeatureView x) override {
    if constexpr (requires { core_.VoteShare(x); }) return core_.VoteShare(x);
    return std::nullopt;
  }

  Status Save(ByteWriter& writer) override {
    return Call([&] { return core_.Save(writer); });
  }
  Result<std::unique_ptr<OpenRound>> LoadRound(ByteReader& reader) override {
    SOTTO_TRY_ASSIGN(auto round, core_.LoadRound(reader));
    return std::unique_ptr<OpenRound>(
        std::make_unique<PendingRound>(std::move(round)));
  }

 private:
  struct PendingRound final : OpenRound {
    explicit PendingRound(typename Core::Round kept) : round(std::move(kept)) {}
    void Save(ByteWriter& writer) const override { round.Save(writer); }

    typename Core::Round round;
  };

  explicit OnlineModelAdapter(Core core) : core_(std::move(core)) {}

  // Status of a call that may have none.
  template <typename Function>
  static Status Call(Function function) {
    if constexpr (std::is_void_v<decltype(function())>) {
      function();
      return Ok();
    } else {
      return function();
    }
  }
  Status CloseRound(typename Core::Round round, const Label& y) {
    return Call([&] { return core_.Close(std::move(round), y); });
  }
  bool IsPaid(std::uint64_t before, bool paid) const {
    if constexpr (Core::kReleasePerPhase) return core_.phase() != before;
    return paid;
  }
  static constexpr bool StopsAtRelease() {
    if constexpr (requires { Core::kStopsAtRelease; }) {
      return Core::kStopsAtRelease;
    }
    return false;
  }

  Result<ModelAnswer> PlayOne(const Round& round, Rng& rng) {
    if constexpr (requires { core_.Play(round.x, round.y, rng); }) {
      return core_.Play(round.x, round.y, rng);
    } else {
      SOTTO_TRY_ASSIGN(auto opened, core_.Open(round.x, round.user, rng));
      if (round.y && !halted()) {
        SOTTO_TRY(CloseRound(std::move(opened.round), *round.y));
      }
      return opened.answer;
    }
  }
  Result<std::size_t> PlayInTurn(std::span<Round> rounds,
                                 NoiseHistory& history) {
    std::size_t played = 0;
    for (Round& round : rounds) {
      if (halted()) break;
      round.phase = core_.phase();
      SOTTO_TRY_ASSIGN(const auto answer, PlayOne(round, history.Begin(round)));
      if (round.y) history.AddLabel(history.rounds(), *round.y);
      round.prediction = answer.prediction;
      round.probability = answer.probability;
      round.paid = IsPaid(round.phase, answer.paid);
      ++played;
      if (StopsAtRelease() && round.paid) break;
    }
    return played;
  }

  Core core_;
};

}  // namespace sotto
