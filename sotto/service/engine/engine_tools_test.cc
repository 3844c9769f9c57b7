#include "sotto/service/engine/engine_tools.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sotto/journal/postgres/postgres_test_server.h"
#include "sotto/service/host_test_tools.h"

namespace sotto::testing {
namespace {

class EngineToolsTest : public ::testing::Test {
 protected:
  ServiceFolder folder(const std::string& name = "s") const {
    return ServiceFolder::At(service_.scratch().path(name));
  }
  void Play(Host& host, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const std::string user = "u" + std::to_string(++users_);
      const HostReply reply = Ask(host, Predict(user, 0.3, user));
      replies_.push_back(reply.body);
      ASSERT_EQ(Ask(host, LabelFor(Member(reply, "ticket"), round % 2)).kind,
                HostReply::Kind::kTaken);
    }
  }
  void Move() {
    const auto moved = MoveToEngine(server_.url(), folder());
    ASSERT_TRUE(moved) << moved.error().message;
    EXPECT_EQ(moved->Find("moved")->Dump(), R"(["m"])");
  }

  PostgresServer& server_ = PostgresServer::Shared();
  TestService service_;
  std::vector<std::string> replies_;
  int users_ = 0;
};

TEST_F(EngineToolsTest, AModelThatMovesThereAndBackAnswersAsOneThatStayed) {
  ASSERT_TRUE(service_.set().Create(*Json::Parse(kTide)));
  Play(*service_.set().Find("m"), 20);
  service_.Stop();
  std::filesystem::copy(service_.scratch().path("s"),
                        service_.scratch().path("stayed"),
                        std::filesystem::copy_options::recursive);

  Move();
  EXPECT_FALSE(std::filesystem::exists(folder().model("m")));
  const auto shown = ShowEngine(server_.url());
  ASSERT_TRUE(shown) << shown.error().message;
  const Json& model = shown->Find("models")->array()->front();
  EXPECT_EQ(*model.Find("name")->text(), "m");
  EXPECT_EQ(model.Find("records")->Dump(), model.Find("snapshot")->Dump());

  const auto back = MoveToFolder(server_.url(), folder(), "m");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(ShowEngine(server_.url())->Find("models")->array()->empty());

  service_.Start();
  Host* const moved = service_.set().Find("m");
  ASSERT_EQ(moved->condition().state, Host::State::kReady)
      << moved->condition().reason;
  // A repeated question gets the bytes of its first answer.
  EXPECT_EQ(Ask(*moved, Predict("u1", 0.3, "u1")).body, replies_[0]);
  users_ = 20;
  Play(*moved, 10);
  const std::vector<std::string> after = replies_;
  service_.Stop();

  TestService stayed;
  stayed.Stop();
  stayed.options().folder = service_.scratch().path("stayed");
  stayed.Start();
  users_ = 20;
  replies_.resize(20);
  Play(*stayed.set().Find("m"), 10);
  for (std::size_t i = 20; i < after.size(); ++i) {
    EXPECT_EQ(Json::Parse(after[i])->Find("prediction")->Dump(),
              Json::Parse(replies_[i])->Find("prediction")->Dump());
  }
}

TEST_F(EngineToolsTest, AModelMovesAsOftenAsItsOperatorLikes) {
  ASSERT_TRUE(service_.set().Create(*Json::Parse(kTide)));
  for (int turn = 0; turn < 3; ++turn) {
    Play(*service_.set().Find("m"), 2);
    service_.Stop();
    Move();
    const auto back = MoveToFolder(server_.url(), folder(), "m");
    ASSERT_TRUE(back) << back.error().message;
    service_.Start();
    ASSERT_EQ(service_.set().Find("m")->condition().state, Host::State::kReady);
  }
  EXPECT_EQ(Ask(*service_.set().Find("m"), Predict("u1", 0.3, "u1")).body,
            replies_[0]);
}

TEST_F(EngineToolsTest, AnInterruptedMoveIsCompleted) {
  ASSERT_TRUE(service_.set().Create(*Json::Parse(kTide)));
  Play(*service_.set().Find("m"), 3);
  service_.Stop();
  Move();
  // As if the last step of the move had not been made.
  std::filesystem::create_directories(folder().folder + "/moving");
  std::filesystem::rename(folder().folder + "/moved/m",
                          folder().folder + "/moving/m");
  Move();
  EXPECT_TRUE(std::filesystem::exists(folder().folder + "/moved/m"));
  ASSERT_TRUE(MoveToFolder(server_.url(), folder(), "m"));
  std::filesystem::rename(folder().model("m"), folder().folder + "/moving/m");
  const auto again = MoveToFolder(server_.url(), folder(), "m");
  ASSERT_TRUE(again) << again.error().message;
  service_.Start();
  EXPECT_EQ(service_.set().Find("m")->condition().state, Host::State::kReady);
}

TEST_F(EngineToolsTest, AModelThatIsThereUnderItsNameIsNotReplaced) {
  ASSERT_TRUE(service_.set().Create(*Json::Parse(kTide)));
  service_.Stop();
  Move();
  TestService other;
  ASSERT_TRUE(other.set().Create(*Json::Parse(kTide)));
  other.Stop();
  const auto moved =
      MoveToEngine(server_.url(), ServiceFolder::At(other.path("")));
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kFailedPrecondition);
  ASSERT_TRUE(MoveToFolder(server_.url(), folder(), "m"));
}

TEST_F(EngineToolsTest, PruningNeedsTheKeyAndARoleThatMayDelete) {
  ASSERT_TRUE(service_.set().Create(*Json::Parse(kTide)));
  service_.Stop();
  Move();
  EXPECT_FALSE(PruneEngine(server_.url(), folder("none")));
  const auto pruned = PruneEngine(server_.url(), folder());
  ASSERT_TRUE(pruned) << pruned.error().message;
  ASSERT_TRUE(MoveToFolder(server_.url(), folder(), "m"));
}

}  // namespace
}  // namespace sotto::testing
