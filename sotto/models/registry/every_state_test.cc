// Every field of a saved state, for every model of the registry: a state that
// is loaded is written again byte for byte, and continues as if it had never
// been saved, before, in and after releases. A field that is lost, or read and
// forgotten, changes the one or the other.
#include <gtest/gtest.h>

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

class EveryStateTest
    : public ::testing::TestWithParam<const OnlineModelEntry*> {
 protected:
  const OnlineModelEntry& entry() const { return *GetParam(); }

  // A session, and false if the model refuses these options.
  bool Make(const Use& use) {
    settings_.emplace(MakeBusyExample(entry()));
    for (const auto& [name, text] : use.options) {
      EXPECT_TRUE(settings_->Set(name, text)) << name;
    }
    auto made = Session::Create(entry(), *settings_, TestInputs(entry()),
                                StateKey(), true);
    if (!made) return false;
    if (entry().needs_training_set) {
      EXPECT_TRUE((*made)->Train(TrainingSet(Change::kNone)));
    }
    fresh_ = Bytes(**made);
    return true;
  }
  std::unique_ptr<Session> Load(const std::string& state) const {
    auto loaded =
        Session::Load(entry(), *settings_, TestInputs(entry()), state);
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    return loaded ? *std::move(loaded) : nullptr;
  }
  const std::string& fresh() const { return fresh_; }

 private:
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

// The noise of a training set is that of its own key: no other use of the
// session's key draws the same words.
TEST_P(EveryStateTest, ATrainingSetHasAKeyOfItsOwn) {
  if (!entry().needs_training_set) return;
  ASSERT_TRUE(Make({}));
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
  EXPECT_NE(fresh().find(trained_with("train-v1")), std::string::npos);
  EXPECT_EQ(fresh().find(trained_with("noise-v1")), std::string::npos);
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
    if (!Make(use)) continue;
    ++made;
    Player whole(Load(fresh()), use.tickets);
    Player parts(Load(fresh()), use.tickets);
    ASSERT_EQ(Bytes(whole.session()), fresh());
    for (std::size_t i = 0; i < 66 && !whole.session().halted(); ++i) {
      whole.Play(StateRound(entry(), i), i);
      parts.Play(StateRound(entry(), i), i);
      if (!SavedAfter(i)) continue;
      const std::string state = Bytes(parts.session());
      ASSERT_EQ(state, Bytes(whole.session())) << "after round " << i;
      parts.Replace(Load(state));
      ASSERT_EQ(Bytes(parts.session()), state) << "loaded after round " << i;
    }
    EXPECT_EQ(whole.shown(), parts.shown());
  }
  EXPECT_GE(made, 2U);
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryStateTest, ::testing::ValuesIn(OnlineModels()),
    [](const ::testing::TestParamInfo<const OnlineModelEntry*>& entry) {
      return std::string(entry.param->name);
    });

}  // namespace
}  // namespace sotto
