// Every field of a saved state, for every model of the registry: a state that
// is loaded is written again byte for byte, and continues as if it had never
// been saved, before, in and after releases. A field that is lost, or read and
// forgotten, changes the one or the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/models/registry/registry.h"
#include "sotto/models/registry/replay_worlds_test_tools.h"
#include "sotto/online/session.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

Key StateKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[3] = std::byte{5};
  return Key::FromBytes(bytes);
}

// Users come twice, some rows are bad, some rounds empty.
Round StateRound(const OnlineModelEntry& entry, std::size_t i) {
  Round round;
  round.x = StreamRow(entry, i);
  round.y = Label((round.x[0].value > 0) != (i % 9 == 4));
  if (i % 3 == 0) round.user = "user" + std::to_string(i / 6);
  if (i % 11 == 7) round = {.presence = Presence::kAbsent};
  if (i % 13 == 8) round = {.presence = Presence::kUnusable};
  return round;
}

std::string Bytes(Session& session) {
  ByteWriter writer;
  EXPECT_TRUE(session.Save(writer));
  return std::move(writer).bytes();
}

// How a session is used: options, and whether labels come by tickets.
struct Use {
  std::vector<std::pair<std::string, std::string>> options;
  bool tickets = false;
};

// Sessions of one use, all from the same beginning.
class Sessions {
 public:
  explicit Sessions(const OnlineModelEntry& entry) : entry_(entry) {}

  // False if the model refuses these options.
  bool Make(const Use& use) {
    settings_.emplace(MakeBusyExample(entry_));
    for (const auto& [name, text] : use.options) {
      EXPECT_TRUE(settings_->Set(name, text)) << name;
    }
    auto made = Session::Create(entry_, *settings_, TestInputs(entry_),
                                StateKey(), true);
    if (!made) return false;
    if (entry_.needs_training_set) {
      EXPECT_TRUE((*made)->Train(TrainingSet(Change::kNone)));
    }
    fresh_ = Bytes(**made);
    return true;
  }
  std::unique_ptr<Session> Load(const std::string& state) const {
    auto loaded = Session::Load(entry_, *settings_, TestInputs(entry_), state);
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    return loaded ? *std::move(loaded) : nullptr;
  }
  const std::string& fresh() const { return fresh_; }

 private:
  const OnlineModelEntry& entry_;
  std::optional<Settings> settings_;
  std::string fresh_;
};

// One of two sessions that are given the same; what was answered is appended.
class Player {
 public:
  Player(std::unique_ptr<Session> session, bool tickets)
      : session_(std::move(session)), tickets_(tickets) {}

  Session& session() { return *session_; }
  void Replace(std::unique_ptr<Session> session) {
    session_ = std::move(session);
  }
  const std::string& shown() const { return shown_; }

  void Play(Round round, std::size_t i) {
    if (!tickets_) {
      EXPECT_TRUE(session_->Play(std::span(&round, 1)));
      Show(round);
      return;
    }
    const std::optional<Label> y = round.y;
    const auto ticket = session_->Open(round);
    ASSERT_TRUE(ticket);
    Show(round);
    if (*ticket && y) waiting_.push_back({**ticket, *y});
    // Labels come late, in another order, and twice.
    if (i % 4 == 3 && waiting_.size() > 3) {
      const auto [known, label] = waiting_[waiting_.size() / 2];
      EXPECT_TRUE(session_->Close(known, label));
      if (i % 8 == 7) waiting_.erase(waiting_.begin());
    }
  }

 private:
  void Show(const Round& round) {
    shown_ += round.prediction ? std::to_string(round.prediction->number())
                               : std::string("-");
    shown_ += ' ';
    shown_ += std::to_string(session_->phase());
    shown_ += session_->halted() ? " halted\n" : "\n";
  }

  std::unique_ptr<Session> session_;
  bool tickets_;
  std::string shown_;
  std::vector<std::pair<std::string, Label>> waiting_;
};

// Plays two sessions, one of them saved and loaded after some rounds. False if
// the model refuses the options.
bool CheckUse(const OnlineModelEntry& entry, const Use& use, std::size_t rounds,
              bool (*saved_after)(std::size_t)) {
  Sessions sessions(entry);
  if (!sessions.Make(use)) return false;
  Player whole(sessions.Load(sessions.fresh()), use.tickets);
  Player parts(sessions.Load(sessions.fresh()), use.tickets);
  EXPECT_EQ(Bytes(whole.session()), sessions.fresh());
  for (std::size_t i = 0; i < rounds && !whole.session().halted(); ++i) {
    whole.Play(StateRound(entry, i), i);
    parts.Play(StateRound(entry, i), i);
    if (!saved_after(i)) continue;
    const std::string state = Bytes(parts.session());
    EXPECT_EQ(state, Bytes(whole.session())) << "after round " << i;
    parts.Replace(sessions.Load(state));
    EXPECT_EQ(Bytes(parts.session()), state) << "loaded after round " << i;
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_EQ(whole.shown(), parts.shown());
  EXPECT_EQ(Bytes(whole.session()), Bytes(parts.session()));
  return true;
}

class EveryStateTest
    : public ::testing::TestWithParam<const OnlineModelEntry*> {
 protected:
  const OnlineModelEntry& entry() const { return *GetParam(); }
};

// The noise of a training set is that of its own key: no other use of the
// session's key draws the same words.
TEST_P(EveryStateTest, ATrainingSetHasAKeyOfItsOwn) {
  if (!entry().needs_training_set) return;
  Sessions sessions(entry());
  ASSERT_TRUE(sessions.Make({}));
  const std::string& fresh = sessions.fresh();
  const auto trained_with = [&](const char* use) {
    const InputSpec inputs = TestInputs(entry());
    const Settings settings = MakeBusyExample(entry());
    auto model = entry().create(
        {settings,
         inputs,
         {settings.GetDouble("epsilon"), settings.GetDouble("delta")}});
    EXPECT_TRUE(model);
    ChaChaRng rng(StateKey().Derive(use, entry().name, {}));
    EXPECT_TRUE((*model)->Train(TrainingSet(Change::kNone), rng));
    ByteWriter writer;
    EXPECT_TRUE((*model)->Save(writer));
    return std::move(writer).bytes();
  };
  EXPECT_NE(fresh.find(trained_with("train-v1")), std::string::npos);
  EXPECT_EQ(fresh.find(trained_with("noise-v1")), std::string::npos);
}

// Some models plan again when they are loaded: not after every round.
bool SavedAfter(std::size_t i) {
  return i < 3 || i % 7 == 2 || i % 16 == 0 || (i >= 24 && i <= 26);
}

TEST_P(EveryStateTest, IsWrittenAgainByteForByteAndGoesOnTheSame) {
  const std::vector<Use> uses = {
      {.options = {{"label-delay", "3"}, {"rounds-per-user", "2"}}},
      {.options = {{"rounds-per-user", "2"}}, .tickets = true},
      {.options = {{"public", "true"}, {"delta", "1e-6"}}},
      {.options = {{"relation", "add-remove"}, {"compare", "true"}}}};
  std::size_t made = 0;
  for (const Use& use : uses) {
    made += CheckUse(entry(), use, 66, SavedAfter) ? 1 : 0;
  }
  EXPECT_GE(made, 2U);
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryStateTest, ::testing::ValuesIn(OnlineModels()),
    [](const ::testing::TestParamInfo<const OnlineModelEntry*>& entry) {
      return std::string(entry.param->name);
    });

// A model with options that add fields to its state.
struct OptionUse {
  std::string name;
  const OnlineModelEntry* entry = nullptr;
  Use use;
};

using Said = std::vector<std::pair<std::string, std::string>>;

// Options that need others, and budgets for which the papers' numbers can be
// run.
const std::vector<std::pair<std::string, Said>>& CombinedOptions() {
  static const std::vector<std::pair<std::string, Said>> kAll = {
      {"leader",
       {{"epsilon", "16"},
        {"drift", "auto"},
        {"learner", "auto"},
        {"first-epoch", "64"}}},
      {"points",
       {{"epsilon", "16"}, {"delta", "1e-2"}, {"calibration", "paper"}}},
      {"rectangles",
       {{"epsilon", "16"}, {"delta", "1e-2"}, {"calibration", "paper"}}},
      {"littlestone",
       {{"epsilon", "16"}, {"delta", "1e-2"}, {"calibration", "paper"}}},
      {"pop",
       {{"epsilon", "16"},
        {"delta", "0.1"},
        {"variant", "paper"},
        {"horizon", "500"},
        {"reports", "60"},
        {"mistake-bound", "1"},
        {"agnostic", "400"}}}};
  return kAll;
}

std::vector<OptionUse> OptionUses() {
  std::vector<OptionUse> all;
  for (const OnlineModelEntry* entry : OnlineModels()) {
    for (const auto& [model, options] : CombinedOptions()) {
      if (model != entry->name) continue;
      for (const bool tickets : {false, true}) {
        all.push_back({model + (tickets ? "_combined_ticketed" : "_combined"),
                       entry,
                       {options, tickets}});
      }
    }
    for (const auto& [name, text] :
         OptionsOffDefault(*entry, MakeBusyExample(*entry))) {
      std::string named = std::string(entry->name) + "_" + name;
      std::ranges::replace(named, '-', '_');
      all.push_back({named, entry, {{{name, text}}, all.size() % 2 == 0}});
    }
  }
  return all;
}

class OptionStateTest : public ::testing::TestWithParam<OptionUse> {};

bool SavedNowAndThen(std::size_t i) { return i % 29 == 4 || i == 70; }

// An option may be refused beside the example's others, those of
// CombinedOptions may not.
TEST_P(OptionStateTest, GoesOnTheSame) {
  const OptionUse& one = GetParam();
  const bool made = CheckUse(*one.entry, one.use, 140, SavedNowAndThen);
  EXPECT_TRUE(made || one.use.options.size() == 1);
}

INSTANTIATE_TEST_SUITE_P(All, OptionStateTest,
                         ::testing::ValuesIn(OptionUses()),
                         [](const ::testing::TestParamInfo<OptionUse>& one) {
                           return one.param.name;
                         });

}  // namespace
}  // namespace sotto
