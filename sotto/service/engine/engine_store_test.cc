#include "sotto/service/engine/engine_store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "sotto/journal/postgres/postgres_catalogue.h"
#include "sotto/journal/postgres/postgres_journal.h"
#include "sotto/journal/postgres/postgres_test_server.h"
#include "sotto/service/engine/engine_tools.h"
#include "sotto/service/host_test_tools.h"
#include "sotto/service/model_folder.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto::testing {
namespace {

using Kind = HostReply::Kind;
using State = Host::State;

// One process of a service, with its own folder and a copy of the key.
class Process {
 public:
  Process(const ScratchFolder& scratch, const std::string& name,
          const PostgresServer& server)
      : options_{.folder = scratch.path(name),
                 .key = scratch.path("key"),
                 .snapshot_at_end = false} {
    options_.store = [this, url = server.url()](std::vector<Key> roots) {
      return MakeEngineStore({.url = url,
                              .folder = folder(),
                              .roots = std::move(roots),
                              .holder = "test",
                              .address = ""});
    };
  }

  ServiceFolder folder() const {
    return ServiceFolder::At(options_.folder, "", options_.key);
  }
  HostSetOptions& options() { return options_; }
  void Start() {
    auto opened = HostSet::Open(options_);
    ASSERT_TRUE(opened) << opened.error().message;
    set_ = *std::move(opened);
  }
  void Stop() { set_.reset(); }
  HostSet& set() { return *set_; }
  // The host of the model, once it is in the state.
  Host& WaitFor(State state, const std::string& name = "m") {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < end) {
      Host* const host = set_->Find(name);
      if (host != nullptr && host->condition().state == state) return *host;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "not in that state: "
                  << set_->Find(name)->condition().reason;
    return *set_->Find(name);
  }

 private:
  HostSetOptions options_;
  std::unique_ptr<HostSet> set_;
};

class EngineStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    first_.Start();
    const auto made = first_.set().Create(*Json::Parse(kTide));
    ASSERT_TRUE(made) << made.error().message;
  }
  // The next test starts with an empty database.
  void TearDown() override {
    first_.Stop();
    second_.Stop();
    auto session = server_.Connect();
    const auto models = ListModels(*session);
    ASSERT_TRUE(models);
    for (const CataloguedModel& model : *models) {
      ASSERT_TRUE(RemoveModel(*session, model.lineage));
    }
  }
  CataloguedModel Stored() const {
    auto session = server_.Connect();
    return *FindModel(*session, "m");
  }

  PostgresServer& server_ = PostgresServer::Shared();
  ScratchFolder scratch_;
  Process first_{scratch_, "first", server_};
  Process second_{scratch_, "second", server_};
};

TEST_F(EngineStoreTest, AnotherProcessContinuesWhereTheFirstEnded) {
  Host& host = first_.WaitFor(State::kReady);
  const HostReply reply = Ask(host, Predict("u1", 0.3, "k1"));
  ASSERT_EQ(reply.kind, Kind::kAnswered);
  second_.Start();
  Host& waiting = second_.WaitFor(State::kStarting);
  while (waiting.condition().reason.empty()) std::this_thread::yield();
  EXPECT_NE(waiting.condition().reason.find("another process"),
            std::string::npos);
  EXPECT_EQ(Ask(waiting, Predict("u2", 0.3)).kind, Kind::kUnavailable);

  first_.Stop();
  Host& taken = second_.WaitFor(State::kReady);
  EXPECT_EQ(Ask(taken, Predict("u1", 0.3, "k1")).body, reply.body);
  EXPECT_EQ(Ask(taken, LabelFor(Member(reply, "ticket"), 1)).kind,
            Kind::kTaken);
  // The ledger came along: u1 has used its round.
  EXPECT_NE(Ask(taken, Predict("u1", 0.3, "k2")).body, reply.body);
  EXPECT_EQ(Stored().term, 2u);
}

TEST_F(EngineStoreTest, AWriterThatWasTakenOverShowsNothingAndStartsAgain) {
  Host& host = first_.WaitFor(State::kReady);
  const HostReply before = Ask(host, Predict("u1", 0.3, "k1"));
  const auto key = ReadKeyFile(scratch_.path("key"));
  ASSERT_TRUE(key);
  auto usurper = PostgresJournal::Open({.url = server_.url(),
                                        .lineage = Stored().lineage,
                                        .roots = {*key},
                                        .take_over = true});
  ASSERT_TRUE(usurper) << usurper.error().message;
  EXPECT_EQ(Ask(host, Predict("u2", 0.3, "k2")).kind, Kind::kUnknown);
  usurper->reset();
  Host& again = first_.WaitFor(State::kReady);
  EXPECT_EQ(Ask(again, Predict("u1", 0.3, "k1")).body, before.body);
  EXPECT_EQ(Ask(again, Predict("u2", 0.3, "k2")).kind, Kind::kAnswered);
}

TEST_F(EngineStoreTest, ADatabaseThatDiesLosesNothingAcknowledged) {
  std::vector<std::string> bodies;
  for (int kill = 0; kill < 3; ++kill) {
    Host& host = first_.WaitFor(State::kReady);
    std::thread killer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      server_.Stop("immediate");
    });
    while (true) {
      const std::string user = "u" + std::to_string(bodies.size());
      const HostReply reply = Ask(host, Predict(user, 0.4, user));
      if (reply.kind != Kind::kAnswered) break;
      bodies.push_back(reply.body);
    }
    killer.join();
    server_.Start();
  }
  Host& host = first_.WaitFor(State::kReady);
  ASSERT_FALSE(bodies.empty());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string user = "u" + std::to_string(i);
    EXPECT_EQ(Ask(host, Predict(user, 0.4, user)).body, bodies[i]);
  }
}

TEST_F(EngineStoreTest, AModelMadeByOneProcessReachesTheOther) {
  second_.Start();
  std::string other = kTide;
  other.replace(other.find("\"m\""), 3, "\"n\"");
  ASSERT_TRUE(second_.set().Create(*Json::Parse(other)));
  first_.WaitFor(State::kStarting, "n");
  EXPECT_FALSE(first_.set().Create(*Json::Parse(other)));
}

// Also where it is in the database already.
TEST_F(EngineStoreTest, AModelThatHidesWhoCameIsRefused) {
  Json slots = *Json::Parse(kTide);
  slots["name"] = "hidden";
  slots["clock"] = "slots:8";
  const auto made = first_.set().Create(slots);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("--engine"), std::string::npos);
  auto session = server_.Connect();
  const auto configuration = ModelConfiguration::Parse(slots);
  ASSERT_TRUE(configuration) << configuration.error().message;
  ASSERT_TRUE(
      AddModel(*session, "hidden", EncodeModelFile({*configuration, 1, 1e-6})));
  first_.WaitFor(State::kFrozen, "hidden");
}

TEST_F(EngineStoreTest, AProcessWithoutTheKeyDoesNotStart) {
  second_.options().key = scratch_.path("another-key");
  const auto opened = HostSet::Open(second_.options());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("Copy"), std::string::npos);
}

TEST_F(EngineStoreTest, ARestoredDatabaseFreezesTheModelUntilItIsRetired) {
  Host& host = first_.WaitFor(State::kReady);
  const std::string tail = std::to_string(Stored().tail);
  auto session = server_.Connect();
  const auto writer =
      session->Query("SELECT encode(head, 'hex') FROM sotto.writer");
  ASSERT_EQ(Ask(host, Predict("u1", 0.3)).kind, Kind::kAnswered);
  first_.Stop();
  server_.Do("UPDATE sotto.writer SET tail = " + tail + ", head = '\\x" +
             (*writer)[0][0] + "'");
  server_.Do("DELETE FROM sotto.journal WHERE last > " + tail);
  first_.Start();
  Host& frozen = first_.WaitFor(State::kFrozen);
  EXPECT_NE(frozen.condition().reason.find("rolled back"), std::string::npos);
  // Moving it away does not hide it.
  EXPECT_FALSE(MoveToFolder(server_.url(), first_.folder(), "m"));
  first_.Stop();
  ASSERT_TRUE(DeclareEngineRollback(server_.url(), "m"));
  first_.Start();
  Host& fresh = first_.WaitFor(State::kReady);
  EXPECT_EQ(Ask(fresh, Predict("u1", 0.3)).kind, Kind::kAnswered);
}

}  // namespace
}  // namespace sotto::testing
