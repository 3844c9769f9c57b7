#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/models/registry/every_model_test_tools.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"
#include "sotto/testing/replay_rng.h"

// Neighbouring worlds of any online model, played on one tape of noise.

namespace sotto {

enum class Change { kNone, kReplaced, kAbsent, kUnlabelled };

// How a world is played.
struct PlayedAs {
  std::vector<std::size_t> rounds = {30};  // of the protected user
  Change change = Change::kNone;
  std::size_t label_delay = 0;  // rounds until each label comes
  std::size_t save_at = 0;      // saved and loaded before this round; 0: never
  std::size_t length = 120;
  // From this round on labels are the other way round.
  std::size_t drift_at = static_cast<std::size_t>(-1);
};

// Public view of a round: everything but the protected user's answer.
struct SeenRound {
  std::uint64_t phase = 0;
  bool halted = false;
  std::string prediction;  // to others, and published
  friend bool operator==(const SeenRound&, const SeenRound&) = default;
};

// The example with short batches and epochs, so that few rounds bring releases.
inline Settings MakeBusyExample(const OnlineModelEntry& entry) {
  Settings settings = MakeExample(entry);
  const std::vector<std::pair<std::string, std::string>> busy = {
      {"start-rows", "25"},
      {"batch", "5"},
      {"memory", "4"},
      {"first-epoch", "16"}};
  for (const auto& [name, text] : busy) {
    if (FindOption(entry.options, name) == nullptr) continue;
    EXPECT_TRUE(settings.Set(name, text)) << name;
  }
  return settings;
}

// Few different rows, so that the same point comes again. Models that start
// from a training set are asked near the edge of it, too.
inline FeatureVector StreamRow(const OnlineModelEntry& entry, std::size_t i) {
  FeatureVector x;
  for (std::uint32_t j = 0; j < kTestFeatures; ++j) {
    x.push_back({j, (i * 2654435761U >> (7 + j)) % 2 == 0 ? 1. : -1.});
    if (entry.needs_training_set && i % 3 != 0) x.back().value = 0.9;
  }
  return x;
}

// A training set in which one row, `changed`, is the outermost, or is not.
inline RoundSource TrainingSet(Change change, std::size_t changed = 77,
                               std::size_t rows = 3000) {
  return [=, next = std::size_t{0}](Round& round) mutable -> Result<bool> {
    if (next == rows) return false;
    round = Round{};
    const bool own = next == changed;
    for (std::uint32_t j = 0; j < kTestFeatures; ++j) {
      const auto step = static_cast<double>((next * 7 + j * 3) % 15);
      round.x.push_back({j, own ? 1.0 : (step - 7) / 10});
    }
    round.y = Label(round.x[0].value > -0.3);
    if (own && change == Change::kReplaced) {
      for (Feature& feature : round.x) feature.value = -1;
      round.y = Label(false);
    }
    if (own && change == Change::kUnlabelled) round.y.reset();
    if (own && change == Change::kAbsent) {
      round = {.presence = Presence::kAbsent};
    }
    ++next;
    return true;
  };
}

// Plays one world of a model that was created or loaded.
class ReplayWorld {
 public:
  ReplayWorld(const OnlineModelEntry& entry, const ModelRequest& request,
              std::unique_ptr<OnlineModel> model, PlayedAs as)
      : entry_(entry),
        request_(request),
        model_(std::move(model)),
        as_(std::move(as)) {}

  // Only the answer of a protected round is hidden: what is released in it is
  // compared as elsewhere.
  std::vector<SeenRound> Play(testing::ReplayRng& rng) {
    rng.HideOnly({"votes", "boundary count", "gate count", "challenge query"});
    std::vector<SeenRound> all;
    for (std::size_t i = 0; i < as_.length && !model_->halted(); ++i) {
      if (as_.save_at != 0 && i == as_.save_at) Reload();
      rng.BeginRound(i + 1, IsOwn(i));
      all.push_back(PlayRound(i, rng));
    }
    rng.End();
    return all;
  }

 private:
  struct Waiting {
    std::size_t due;
    bool y;
    std::unique_ptr<OpenRound> open;
  };

  bool IsOwn(std::size_t i) const {
    return std::ranges::find(as_.rounds, i) != as_.rounds.end();
  }

  SeenRound PlayRound(std::size_t i, Rng& rng) {
    const bool own = IsOwn(i);
    // The same row in all rounds of the user, so that effects add up.
    FeatureVector x = StreamRow(entry_, own ? as_.rounds.front() : i);
    bool y = (x[0].value > 0) != (i >= as_.drift_at);
    if (own && as_.change == Change::kReplaced) {
      for (Feature& feature : x) feature.value = -feature.value;
      y = !y;
    }
    SeenRound shown;
    if (own && as_.change == Change::kAbsent) {
      EXPECT_TRUE(model_->PlayEmptyRound(rng));
    } else {
      Ask(i, x, y, rng, shown);
    }
    Teach(i);
    if (const auto published = model_->hypothesis()) {
      shown.prediction += published->Dump();
    }
    shown.phase = model_->phase();
    shown.halted = model_->halted();
    return shown;
  }

  void Ask(std::size_t i, const FeatureVector& x, bool y, Rng& rng,
           SeenRound& shown) {
    const bool own = IsOwn(i);
    const std::string user = own ? "protected" : "user" + std::to_string(i);
    auto opened = model_->Open(x, user, rng);
    ASSERT_TRUE(opened);
    if (!own) shown.prediction = std::to_string(opened->prediction.number());
    if (own && as_.change == Change::kUnlabelled) return;
    if (opened->open == nullptr) return;
    waiting_.push_back({i + as_.label_delay, y, std::move(opened->open)});
  }

  void Teach(std::size_t now) {
    while (!waiting_.empty() && waiting_.front().due <= now) {
      Waiting first = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
      if (model_->halted()) continue;
      EXPECT_TRUE(model_->Close(std::move(first.open), Label(first.y)));
    }
  }

  // Everything goes through bytes, open rounds too.
  void Reload() {
    ByteWriter writer;
    ASSERT_TRUE(model_->Save(writer));
    ByteReader reader(writer.bytes());
    auto loaded = entry_.load(request_, reader);
    ASSERT_TRUE(loaded) << loaded.error().message;
    for (Waiting& round : waiting_) {
      ByteWriter bytes;
      round.open->Save(bytes);
      ByteReader back(bytes.bytes());
      auto open = (*loaded)->LoadRound(back);
      ASSERT_TRUE(open);
      round.open = *std::move(open);
    }
    model_ = *std::move(loaded);
  }

  const OnlineModelEntry& entry_;
  ModelRequest request_;
  std::unique_ptr<OnlineModel> model_;
  PlayedAs as_;
  std::vector<Waiting> waiting_;
};

// Settings for which a model can be made, and a state of it to begin from:
// planning takes time.
class ReplayModel {
 public:
  ReplayModel(const OnlineModelEntry& entry, Settings settings)
      : entry_(entry), settings_(std::move(settings)) {
    inputs_ = TestInputs(entry);
    inputs_.label = {};
    auto made = entry_.create(request());
    if (!made) {
      refused_ = made.error().message;
      return;
    }
    guarantee_ = (*made)->guarantee();
    if (entry_.needs_training_set) {
      testing::ReplayRng rng(2);
      EXPECT_TRUE((*made)->Train(TrainingSet(Change::kNone), rng));
    }
    ByteWriter state;
    EXPECT_TRUE((*made)->Save(state));
    state_ = state.bytes();
  }

  // Why no model could be made; empty if one was.
  const std::string& refused() const { return refused_; }
  const Guarantee& guarantee() const { return *guarantee_; }
  const Settings& settings() const { return settings_; }

  std::vector<SeenRound> Play(const PlayedAs& as,
                              testing::ReplayRng& rng) const {
    ByteReader reader(state_);
    auto model = entry_.load(request(), reader);
    EXPECT_TRUE(model) << (model ? "" : model.error().message);
    if (!model) return {};
    return ReplayWorld(entry_, request(), *std::move(model), as).Play(rng);
  }
  // The same after a training set of which a row is changed; the training is
  // round 0.
  std::vector<SeenRound> TrainAndPlay(Change change, const PlayedAs& as,
                                      testing::ReplayRng& rng) const {
    auto model = entry_.create(request());
    EXPECT_TRUE(model && (*model)->Train(TrainingSet(change), rng));
    if (!model) return {};
    return ReplayWorld(entry_, request(), *std::move(model), as).Play(rng);
  }

 private:
  ModelRequest request() const {
    return {settings_,
            inputs_,
            {settings_.GetDouble("epsilon"), settings_.GetDouble("delta")}};
  }

  const OnlineModelEntry& entry_;
  Settings settings_;
  InputSpec inputs_;
  std::optional<Guarantee> guarantee_;
  std::string refused_;
  std::string state_;
};

// A value of an option that is not its default and that the settings accept;
// empty if none is found.
inline std::string OffDefault(const Settings& settings, const Option& option) {
  if (option.type == OptionType::kFlag) return "true";
  std::vector<std::string> tries(option.words.begin(), option.words.end());
  if (option.words.empty()) {
    tries = {"2",        "3",    "7",        "40",           "0.25",
             "0.5",      "1e-3", "0.01",     "128",          "stump",
             "logistic", "0,2",  "points:8", "thresholds:15"};
  }
  // The noise of a tiny gap or of tiny phases takes half a minute to find.
  if (option.name == "gap" || option.name == "phase-rounds") tries = {"500"};
  const std::string now = settings.Has(option.name)
                              ? settings.Text(option.name)
                              : std::string(option.fallback);
  for (const std::string& text : tries) {
    if (text == now || text == option.fallback) continue;
    Settings attempt = settings;
    if (attempt.Set(std::string(option.name), text)) return text;
  }
  return "";
}

// The options of a model that change more than size or speed, with their other
// values.
inline std::vector<std::pair<std::string, std::string>> OptionsOffDefault(
    const OnlineModelEntry& entry, const Settings& settings) {
  std::vector<std::pair<std::string, std::string>> off;
  for (const Option& option : entry.options) {
    if (option.name == "features" || option.name == "threads") continue;
    const std::string text = OffDefault(settings, option);
    if (!text.empty()) off.emplace_back(option.name, text);
  }
  return off;
}

}  // namespace sotto
