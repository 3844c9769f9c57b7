// Tests of --compare for every online model, by its entry of the registry
// alone: a new model joins by being listed.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/models/registry/every_model_test_tools.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/comparison.h"
#include "sotto/online/session.h"

namespace sotto {
namespace {

constexpr std::size_t kRounds = 1200;
constexpr std::size_t kTrainingRows = 300;

Key TestKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = std::byte{17};
  return Key::FromBytes(bytes);
}

// The label is 1 where the first feature is 1. Functions of a class have points
// that are not negative.
std::vector<Round> Stream(const OnlineModelEntry& entry, std::size_t size) {
  const double low = entry.name == "littlestone" ? 0 : -1;
  std::vector<Round> rounds;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t mixed = (i + 1) * 2654435761U;
    Round round;
    round.x = {{0, mixed >> 9 & 1 ? 1.0 : low},
               {1, mixed >> 11 & 1 ? 1.0 : -1.0},
               {2, mixed >> 13 & 1 ? 1.0 : -1.0}};
    round.y = Label(round.x[0].value > 0);
    if (i % 11 == 0) round.presence = Presence::kAbsent;
    rounds.push_back(std::move(round));
  }
  return rounds;
}

RoundSource TrainingSet(const OnlineModelEntry& entry) {
  return [rounds = Stream(entry, kTrainingRows),
          next = std::size_t{0}](Round& round) mutable -> Result<bool> {
    if (next == rounds.size()) return false;
    round = rounds[next++];
    return true;
  };
}

Settings CompareSettings(const OnlineModelEntry& entry, bool compare) {
  Settings settings = MakeExample(entry);
  if (compare) {
    EXPECT_TRUE(settings.Set("compare", "true"));
  }
  return settings;
}

std::unique_ptr<Session> Make(const OnlineModelEntry& entry, bool compare) {
  auto made = Session::Create(entry, CompareSettings(entry, compare),
                              TestInputs(entry), TestKey());
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  if (!made) return nullptr;
  if (entry.needs_training_set) {
    EXPECT_TRUE((*made)->Train(TrainingSet(entry)));
  }
  return *std::move(made);
}

std::unique_ptr<Session> Reload(Session& session) {
  ByteWriter writer;
  EXPECT_TRUE(session.Save(writer));
  auto loaded = Session::Load(session.entry(), session.settings(),
                              session.inputs(), writer.bytes());
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
  return loaded ? *std::move(loaded) : nullptr;
}

class CompareTest : public ::testing::TestWithParam<const OnlineModelEntry*> {
 protected:
  const OnlineModelEntry& entry() const { return *GetParam(); }

  void ExpectASavedRunToCountOn(Session& fresh) const;
  void ExpectTicketsToTeach(Session& fresh) const;
};

TEST_P(CompareTest, TheLearnerWithoutPrivacyLearnsAndChangesNoAnswer) {
  auto compared = Make(entry(), true);
  auto alone = Make(entry(), false);
  ASSERT_TRUE(compared && alone);
  std::vector<Round> rounds = Stream(entry(), kRounds);
  std::vector<Round> same = rounds;
  ASSERT_TRUE(compared->Play(rounds));
  ASSERT_TRUE(alone->Play(same));
  EXPECT_EQ(rounds, same);
  EXPECT_EQ(compared->stats(), alone->stats());
  ASSERT_NE(compared->comparison(), nullptr);
  EXPECT_EQ(alone->comparison(), nullptr);
  // A constant is wrong in every second round.
  EXPECT_GT(compared->stats().now.labelled, kRounds / 2);
  EXPECT_LT(compared->comparison()->mistakes(), kRounds / 8);
}

// A resumed run counts as one that was never stopped.
void CompareTest::ExpectASavedRunToCountOn(Session& fresh) const {
  auto whole = Reload(fresh);
  auto cut = Reload(fresh);
  ASSERT_TRUE(whole && cut);
  // Some labels are wrong, so that there is something to count.
  std::vector<Round> rounds = Stream(entry(), kRounds);
  for (std::size_t i = 5; i < kRounds; i += 7) {
    if (rounds[i].y) rounds[i].y = Label(!rounds[i].y->positive());
  }
  std::vector<Round> parts = rounds;
  ASSERT_TRUE(whole->Play(rounds));
  for (const std::size_t stop : {std::size_t{400}, std::size_t{801}}) {
    const std::size_t done = cut->rounds();
    ASSERT_TRUE(cut->Play(std::span(parts).subspan(done, stop - done)));
    cut = Reload(*cut);
    ASSERT_NE(cut, nullptr);
  }
  ASSERT_TRUE(cut->Play(std::span(parts).subspan(cut->rounds())));
  EXPECT_GT(whole->comparison()->mistakes(), 0U);
  EXPECT_EQ(cut->comparison()->mistakes(), whole->comparison()->mistakes());
}

void CompareTest::ExpectTicketsToTeach(Session& fresh) const {
  auto session = Reload(fresh);
  ASSERT_NE(session, nullptr);
  for (Round& round : Stream(entry(), kRounds)) {
    const std::optional<Label> y = round.y;
    const auto ticket = session->Open(round);
    ASSERT_TRUE(ticket);
    if (!*ticket || !y) continue;
    ASSERT_TRUE(session->Close(**ticket, *y));
  }
  EXPECT_GT(session->stats().now.labelled, kRounds / 2);
  EXPECT_LT(session->comparison()->mistakes(), kRounds / 8);
}

TEST_P(CompareTest, ItIsSavedAndTakesLabelsByTicket) {
  // Planning takes longer than loading.
  auto fresh = Make(entry(), true);
  ASSERT_NE(fresh, nullptr);
  ExpectASavedRunToCountOn(*fresh);
  ExpectTicketsToTeach(*fresh);
}

std::string Name(const ::testing::TestParamInfo<const OnlineModelEntry*>& at) {
  return std::string(at.param->name);
}
INSTANTIATE_TEST_SUITE_P(Registry, CompareTest,
                         ::testing::ValuesIn(OnlineModels()), Name);

}  // namespace
}  // namespace sotto
