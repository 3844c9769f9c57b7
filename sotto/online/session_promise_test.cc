#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sotto/online/session.h"
#include "sotto/online/session_test_model.h"
#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

using testing::RecordedCalls;
using testing::RecordingEntry;

Key TestKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  return Key::FromBytes(bytes);
}

class SessionPromiseTest : public ::testing::Test {
 protected:
  SessionPromiseTest() : settings_(Session::Options(RecordingEntry())) {
    RecordedCalls() = &calls_;
    EXPECT_TRUE(settings_.Set("epsilon", "1"));
    EXPECT_TRUE(settings_.Set("delta", "1e-6"));
  }
  Result<std::unique_ptr<Session>> Make(const OnlineModelEntry& entry) {
    return Session::Create(entry, settings_, {.features = 3, .print = "p"},
                           TestKey());
  }

  std::vector<std::string> calls_;
  Settings settings_;
};

// A model that makes its own promise.
class PromisingModel : public testing::RecordingModel {
 public:
  PromisingModel(std::vector<std::string>* calls, const Settings& settings,
                 Guarantee::Params promise)
      : RecordingModel(calls, settings),
        promise_(*Guarantee::Create(std::move(promise))) {}
  const Guarantee& guarantee() const override { return promise_; }

 private:
  Guarantee promise_;
};

OnlineModelEntry Promising(Guarantee::Params promise) {
  promise.epsilon = 0.5;
  promise.protects = "everything";
  OnlineModelEntry entry = RecordingEntry();
  entry.create =
      [promise](
          const ModelRequest& request) -> Result<std::unique_ptr<OnlineModel>> {
    return std::unique_ptr<OnlineModel>(std::make_unique<PromisingModel>(
        RecordedCalls(), request.settings, promise));
  };
  return entry;
}

TEST_F(SessionPromiseTest, APromiseForFewerRoundsIsRefused) {
  const auto one = Promising({.notion = Notion::kChallengeDp, .protects = ""});
  EXPECT_TRUE(Make(one));
  ASSERT_TRUE(settings_.Set("rounds-per-user", "5"));
  const auto refused = Make(one);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
  EXPECT_TRUE(Make(Promising(
      {.notion = Notion::kChallengeDp, .rounds_per_user = 5, .protects = ""})));
  EXPECT_TRUE(Make(Promising(
      {.notion = Notion::kChallengeDp, .rounds_per_user = 6, .protects = ""})));
  EXPECT_FALSE(Make(Promising(
      {.notion = Notion::kChallengeDp, .rounds_per_user = 4, .protects = ""})));
}

TEST_F(SessionPromiseTest, APromiseForAnotherRelationIsRefused) {
  for (const Relation relation :
       {Relation::kReplace, Relation::kAddRemove, Relation::kChangeByOne}) {
    const auto entry = Promising(
        {.notion = Notion::kChallengeDp, .relation = relation, .protects = ""});
    for (const char* asked : {"replace", "add-remove"}) {
      ASSERT_TRUE(settings_.Set("relation", asked));
      EXPECT_EQ(Make(entry).has_value(), ToString(relation) == asked) << asked;
    }
  }
}

TEST_F(SessionPromiseTest, APromiseAboutATableIsRefused) {
  EXPECT_FALSE(Make(Promising({.notion = Notion::kDp, .protects = ""})));
  EXPECT_TRUE(Make(
      Promising({.notion = Notion::kDp, .protects = "", .in_rounds = true})));
}

TEST_F(SessionPromiseTest, SettingsWithoutATableAreRefused) {
  const OnlineModelEntry& entry = RecordingEntry();
  settings_ = Settings(ConcatOptions({PrivacyOptions(), entry.options}));
  ASSERT_TRUE(settings_.Set("epsilon", "1"));
  const auto refused = Make(entry);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("Session::Options"),
            std::string::npos);
}

TEST_F(SessionPromiseTest, ANameThatIsTooLongMakesABadRow) {
  auto session = Make(RecordingEntry());
  ASSERT_TRUE(session);
  const auto play = [&](std::size_t length) {
    Round round{.x = {{0, 1}}, .user = std::string(length, 'n')};
    EXPECT_TRUE((*session)->Play(std::span(&round, 1)));
    return round.presence;
  };
  EXPECT_EQ(play(kMaxUserBytes), Presence::kPresent);
  EXPECT_EQ(play(kMaxUserBytes), Presence::kRefused);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(play(kMaxUserBytes + 1), Presence::kUnusable);
  }
}

TEST_F(SessionPromiseTest, AnOlderStateIsRefusedInASentence) {
  auto session = Make(RecordingEntry());
  ASSERT_TRUE(session);
  ByteWriter writer;
  ASSERT_TRUE((*session)->Save(writer));
  std::string state = writer.bytes();
  EXPECT_TRUE(Session::ReadHead(state));
  state[0] = 1;
  const auto head = Session::ReadHead(state);
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(head.error().message.find("layout 1"), std::string::npos);
  const auto loaded = Session::Load(RecordingEntry(), settings_,
                                    {.features = 3, .print = "p"}, state);
  EXPECT_FALSE(loaded);
}

TEST(SettingsDeathTest, AnOptionThatIsInNoTableEndsTheProgram) {
  const Settings settings(PrivacyOptions());
  EXPECT_DEATH(static_cast<void>(settings.GetInt("label-delay")),
               "no option 'label-delay'");
}

}  // namespace
}  // namespace sotto
