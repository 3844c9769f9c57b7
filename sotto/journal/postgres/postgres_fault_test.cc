#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "sotto/journal/journal_test_tools.h"
#include "sotto/journal/postgres/postgres_journal.h"
#include "sotto/journal/postgres/postgres_test_tools.h"

namespace sotto::testing {
namespace {

using std::chrono::milliseconds;

// A server that waits for a standby that does not exist.
class NoStandbyTest : public ::testing::Test {
 protected:
  void WaitForStandby(const std::string& names) {
    server_.Configure("synchronous_standby_names = '" + names + "'\n");
    server_.Reload();
    auto session = server_.Connect();
    ASSERT_TRUE(session);
    for (int wait = 0; wait < 1000; ++wait) {
      const auto rows =
          session->Query("SELECT current_setting('synchronous_standby_names')");
      if (rows && (*rows)[0][0] == names) return;
      ::usleep(10'000);
    }
    FAIL() << "the server did not take the setting";
  }
  void TearDown() override { WaitForStandby(""); }

  PostgresServer& server_ = PostgresServer::Shared();
};

TEST_F(NoStandbyTest, AnAppendThatNoStandbyAcknowledgesIsUnknown) {
  StoredModel model;
  auto journal = model.Claimed();
  ASSERT_TRUE(AppendTexts(*journal, {"a"}).durable());
  model.options().deadline = milliseconds(500);
  journal = model.Claimed();
  WaitForStandby("gone");
  const AppendResult result = AppendTexts(*journal, {"b"});
  EXPECT_EQ(result.outcome, Durability::kUnknown);
  EXPECT_EQ(AppendTexts(*journal, {"c"}).outcome, Durability::kFailed);
  // No process becomes the writer before a standby has what was read.
  EXPECT_FALSE(PostgresJournal::Open(model.options()));
  WaitForStandby("");
  model.options().deadline = milliseconds(20'000);
  journal = model.OpenWriter();
  // It was committed here all the same.
  EXPECT_TRUE(*journal->Contains(result.intended));
}

TEST_F(NoStandbyTest, ACancelledWaitIsUnknownAlthoughTheServerReportsSuccess) {
  StoredModel model;
  auto journal = model.Claimed();
  WaitForStandby("gone");
  std::atomic<bool> done = false;
  std::thread cancel([&] {
    auto session = server_.Connect();
    while (session && !done) {
      static_cast<void>(
          session->Execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
                           " WHERE wait_event = 'SyncRep'"));
      ::usleep(20'000);
    }
  });
  const AppendResult result = AppendTexts(*journal, {"b"});
  done = true;
  cancel.join();
  EXPECT_EQ(result.outcome, Durability::kUnknown);
  EXPECT_NE(result.why.find("remarked"), std::string::npos) << result.why;
}

// Kills the server while a writer appends, again and again: what was durable is
// there, and so is what Contains says of an unknown block.
TEST(PostgresFaults, NothingAcknowledgedIsLostByAServerThatDies) {
  PostgresServer& server = PostgresServer::Shared();
  StoredModel model;
  std::vector<std::string> expected;
  int number = 0;
  for (int kill = 0; kill < 5; ++kill) {
    auto journal = model.Claimed();
    ASSERT_TRUE(journal);
    std::thread killer([&] {
      ::usleep(100'000);
      server.Stop("immediate");
    });
    AppendResult result;
    std::string text;
    do {
      text = std::to_string(++number);
      result = AppendTexts(*journal, {text});
      if (result.durable()) expected.push_back(text);
    } while (result.durable());
    killer.join();
    server.Start();
    journal = model.OpenWriter();
    ASSERT_TRUE(journal);
    if (result.outcome == Durability::kUnknown &&
        *journal->Contains(result.intended)) {
      expected.push_back(text);
    }
    EXPECT_EQ(*ReadTexts(*journal), expected);
  }
  EXPECT_GT(expected.size(), 5u);
}

// Writers that depose each other: an append counts once or not at all, in the
// order of the chain.
TEST(PostgresFaults, WritersThatDeposeEachOtherNeverBothAppend) {
  StoredModel model;
  constexpr int kWriters = 3;
  std::vector<std::vector<std::string>> durable(kWriters);
  std::vector<int> unknown(kWriters);
  const auto end = std::chrono::steady_clock::now() + milliseconds(1500);
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      int number = 0;
      const auto self = static_cast<std::size_t>(writer);
      while (std::chrono::steady_clock::now() < end) {
        auto journal = PostgresJournal::Open(model.options());
        if (!journal || !(*journal)->Claim("w").durable()) continue;
        while (std::chrono::steady_clock::now() < end) {
          const std::string text =
              std::to_string(writer) + ":" + std::to_string(++number);
          const auto result = AppendTexts(**journal, {text});
          unknown[self] += result.outcome == Durability::kUnknown;
          if (!result.durable()) break;
          durable[self].push_back(text);
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const auto texts = ReadTexts(*model.OpenWriter());
  ASSERT_TRUE(texts) << texts.error().message;
  std::size_t all = 0;
  for (std::size_t writer = 0; writer < durable.size(); ++writer) {
    std::vector<std::string> mine;
    const std::string prefix = std::to_string(writer) + ":";
    for (const std::string& text : *texts) {
      if (text.starts_with(prefix)) mine.push_back(text);
    }
    EXPECT_EQ(unknown[writer], 0);
    EXPECT_EQ(mine, durable[writer]);
    all += mine.size();
  }
  EXPECT_EQ(all, texts->size());
  EXPECT_GT(all, 0u);
}

// As one that is stopped, or cut off, while it writes a snapshot.
TEST(PostgresFaults, AWriterThatHangsInATransactionIsDeposedAllTheSame) {
  StoredModel model;
  auto hung = PostgresServer::Shared().Connect();
  ASSERT_TRUE(hung);
  ASSERT_TRUE(hung->Query("BEGIN"));
  ASSERT_TRUE(hung->Query("SELECT 1 FROM sotto.writer FOR SHARE"));
  model.options().deadline = std::chrono::seconds(20);
  EXPECT_TRUE(model.Claimed());
  EXPECT_FALSE(hung->Query("COMMIT"));
}

TEST(PostgresConnection, RefusesAServerThatWouldLoseWhatItAcknowledged) {
  PostgresServer& server = PostgresServer::Shared();
  server.Configure("fsync = off\n");
  server.Stop("fast");
  server.Start();
  const auto session = server.Connect();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, ErrorCode::kFailedPrecondition);
  server.Configure("fsync = on\n");
  server.Stop("fast");
  server.Start();
  EXPECT_TRUE(server.Connect());
}

TEST(PostgresConnection, SaysWhyNobodyAnswers) {
  const auto session = PostgresConnection::Open(
      "postgresql:///none?host=/nowhere", milliseconds(2000));
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, ErrorCode::kUnavailable);
}

TEST(PostgresConnection, ARefusalNamesItsStateAndTheSessionGoesOn) {
  auto session = PostgresServer::Shared().Connect();
  ASSERT_TRUE(session);
  const SqlAnswer refused = session->Execute("SELECT 1 / 0");
  EXPECT_EQ(refused.outcome, SqlAnswer::Outcome::kRefused);
  EXPECT_EQ(refused.state, "22012");
  EXPECT_TRUE(session->Execute("SELECT 1").done());
  const SqlAnswer remarked =
      session->Execute("DO $$ BEGIN RAISE WARNING 'careful'; END $$");
  EXPECT_EQ(remarked.outcome, SqlAnswer::Outcome::kUnknown);
  EXPECT_EQ(session->Execute("SELECT 1").outcome, SqlAnswer::Outcome::kUnknown);
}

}  // namespace
}  // namespace sotto::testing
