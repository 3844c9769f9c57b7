#include "sotto/service/engine/engine_roster.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sotto/journal/postgres/postgres_catalogue.h"
#include "sotto/journal/postgres/postgres_journal.h"
#include "sotto/journal/postgres/postgres_test_tools.h"

namespace sotto::testing {
namespace {

using Turn = EngineRoster::Turn;

void WaitUntil(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!holds() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(holds());
}

std::vector<EngineRoll::Process> Processes(int count) {
  std::vector<EngineRoll::Process> all;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    all.push_back({"p" + number, "10.0.0." + number + ":80"});
  }
  return all;
}

// The process that comes first for a model.
std::string FindFirst(const std::string& model,
                      const std::vector<EngineRoll::Process>& all) {
  for (const auto& one : all) {
    if (RankFor(model, one.address, all) == 0) return one.holder;
  }
  return "";
}

TEST(RankFor, EveryModelHasOneOrderAndALossMovesOnlyTheModelsOfTheLost) {
  const auto all = Processes(5);
  auto rest = all;
  rest.pop_back();
  std::map<std::string, int> shares;
  for (int i = 0; i < 500; ++i) {
    const std::string model = "model-" + std::to_string(i);
    std::vector<bool> taken(all.size());
    for (const auto& one : all) taken[RankFor(model, one.address, all)] = true;
    EXPECT_EQ(std::ranges::count(taken, true), 5);
    const std::string first = FindFirst(model, all);
    ++shares[first];
    if (first != all.back().holder) {
      EXPECT_EQ(FindFirst(model, rest), first);
    }
  }
  // 100 each; five standard deviations are 45.
  for (const auto& [holder, share] : shares) {
    EXPECT_NEAR(share, 100, 45) << holder;
  }
}

class EngineRosterTest : public ::testing::Test {
 protected:
  std::unique_ptr<EngineRoster> Join(const std::string& holder) {
    return std::make_unique<EngineRoster>(
        EngineRosterOptions{.url = server_.url(),
                            .holder = holder,
                            .address = holder,
                            .every = std::chrono::milliseconds(50),
                            .settled = std::chrono::milliseconds(200)});
  }
  // The next test starts with an empty database.
  void TearDown() override {
    auto session = server_.Connect();
    ASSERT_TRUE(RemoveModel(*session, model_.options().lineage));
  }
  PostgresServer& server_ = PostgresServer::Shared();
  StoredModel model_;
};

TEST_F(EngineRosterTest, AFreeModelIsTakenByTheFirstInItsOrder) {
  auto a = Join("a");
  auto b = Join("b");
  { const auto wrote = model_.Claimed(); }
  WaitUntil([&] {
    return a->FindTurn(model_.name()) == Turn::kTake ||
           b->FindTurn(model_.name()) == Turn::kTake;
  });
  const std::vector<EngineRoll::Process> both = {{"a", "a"}, {"b", "b"}};
  const bool a_first = RankFor(model_.name(), "a", both) == 0;
  // The first one is gone: the other one takes the model after a while.
  (a_first ? a : b).reset();
  auto& other = a_first ? b : a;
  WaitUntil([&] { return other->FindTurn(model_.name()) == Turn::kTake; });
}

TEST_F(EngineRosterTest, AModelIsLetGoOnceForAProcessThatComesFirst) {
  const std::vector<EngineRoll::Process> both = {{"a", "a"}, {"b", "b"}};
  const bool a_first = RankFor(model_.name(), "a", both) == 0;
  const std::string first = a_first ? "a" : "b";
  const std::string last = a_first ? "b" : "a";
  auto writer = Join(last);
  model_.options().holder = model_.options().address = last;
  const auto journal = model_.Claimed();
  WaitUntil([&] {
    const auto known = writer->FindWriter(model_.name());
    return known && known->locked && known->holder == last;
  });
  EXPECT_FALSE(writer->ShouldYield(model_.name()));
  auto joined = Join(first);
  bool yields = false;
  WaitUntil([&] { return yields |= writer->ShouldYield(model_.name()); });
  // It did not take the model.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(writer->ShouldYield(model_.name()));
  EXPECT_FALSE(joined->ShouldYield(model_.name()));
}

TEST_F(EngineRosterTest, AWriterThatLivesIsLeftAloneAndOneThatHangsIsNot) {
  auto mine = Join("a");
  model_.options().holder = "b";
  model_.options().address = "b";
  auto hung = std::make_unique<EngineRoster>(
      EngineRosterOptions{.url = server_.url(), .holder = "b", .address = "b"});
  const auto writer = model_.Claimed();
  WaitUntil([&] {
    const auto known = mine->FindWriter(model_.name());
    return known && known->locked && known->alive;
  });
  EXPECT_EQ(mine->FindWriter(model_.name())->address, "b");
  EXPECT_EQ(mine->FindTurn(model_.name()), Turn::kWait);
  hung.reset();  // its session with the lock stays
  WaitUntil([&] { return mine->FindTurn(model_.name()) == Turn::kForce; });
  // The one that takes over holds its own lock.
  const auto next = model_.Claimed();
  ASSERT_TRUE(next);
  WaitUntil([&] { return mine->FindWriter(model_.name())->term == 2; });
  EXPECT_TRUE(mine->FindWriter(model_.name())->locked);
  EXPECT_FALSE(AppendTexts(*writer, {"late"}).durable());
}

TEST_F(EngineRosterTest, ADatabaseThatStopsLeavesWhatIsKnown) {
  auto roster = Join("a");
  { const auto wrote = model_.Claimed(); }
  WaitUntil([&] { return roster->FindWriter(model_.name()).has_value(); });
  server_.Stop("immediate");
  EXPECT_TRUE(roster->known());
  EXPECT_TRUE(roster->FindWriter(model_.name()));
  // A model may have been made since.
  WaitUntil([&] { return !roster->Lacks("other"); });
  server_.Start();
  WaitUntil([&] { return roster->Lacks("other"); });
  WaitUntil([&] { return roster->FindTurn(model_.name()) == Turn::kTake; });
}

TEST_F(EngineRosterTest, AModelIsMissingIfADatabaseInUseSaysSo) {
  EngineRoster front({.url = server_.url()});
  // No process writes: this server may have been replaced.
  WaitUntil([&] { return front.known() && !front.Lacks("other"); });
  auto writer = Join("a");
  WaitUntil([&] { return front.Lacks("other"); });
  EXPECT_FALSE(front.Lacks(model_.name()));
  writer.reset();
  WaitUntil([&] { return !front.Lacks("other"); });
}

TEST_F(EngineRosterTest, AFrontReadsTheRollAndNoBlock) {
  auto owner = server_.Connect();
  static_cast<void>(
      owner->Execute("CREATE ROLE entrance LOGIN IN ROLE sotto_front"));
  auto session = server_.Connect("entrance");
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_TRUE(ReadRoll(*session));
  EXPECT_FALSE(RenewProcess(*session, "w", "w"));
  EXPECT_EQ(session->Execute("SELECT * FROM sotto.journal").state, "42501");
}

}  // namespace
}  // namespace sotto::testing
