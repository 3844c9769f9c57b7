#include "sotto/journal/postgres/postgres_journal.h"

#include <gtest/gtest.h>

#include <string>

#include "sotto/journal/journal_test_suite.h"
#include "sotto/journal/journal_test_tools.h"
#include "sotto/journal/postgres/postgres_catalogue.h"
#include "sotto/journal/postgres/postgres_test_tools.h"

namespace sotto::testing {
namespace {

class PostgresStore final : public JournalStore {
 public:
  Result<std::unique_ptr<Journal>> Create() override { return Open(); }
  Result<std::unique_ptr<Journal>> Open() override {
    SOTTO_TRY_ASSIGN(auto journal, PostgresJournal::Open(model_.options()));
    return std::unique_ptr<Journal>(std::move(journal));
  }

 private:
  StoredModel model_;
};

INSTANTIATE_TEST_SUITE_P(Postgres, JournalConformanceTest,
                         ::testing::Values(JournalStoreFactory{
                             "Postgres",
                             [] { return std::make_unique<PostgresStore>(); }}),
                         FactoryName);

TEST(PostgresJournal, ADeposedWriterAppendsNothing) {
  StoredModel model;
  auto first = model.Claimed();
  ASSERT_TRUE(AppendTexts(*first, {"a"}).durable());
  auto second = model.Claimed();
  ASSERT_TRUE(second);
  const AppendResult late = AppendTexts(*first, {"late"});
  EXPECT_EQ(late.outcome, Durability::kFailed);
  EXPECT_NE(late.why.find("took this journal over"), std::string::npos);
  EXPECT_FALSE(first->WriteSnapshot("late"));
  EXPECT_TRUE(AppendTexts(*second, {"b"}).durable());
  EXPECT_EQ(*ReadTexts(*second), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(*second->ReadSnapshot());
}

TEST(PostgresJournal, ADeposedWriterThatNeverSpokeAppendsNothing) {
  StoredModel model;
  auto first = model.OpenWriter();
  auto second = model.OpenWriter();
  EXPECT_EQ(first->Claim("first").outcome, Durability::kFailed);
  EXPECT_TRUE(second->Claim("second").durable());
}

TEST(PostgresJournal, ALiveWriterIsLeftAloneUnlessToldToTakeOver) {
  StoredModel model;
  model.options().take_over = false;
  auto first = model.Claimed();
  const auto second = PostgresJournal::Open(model.options());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(AppendTexts(*first, {"a"}).durable());
  first.reset();
  // The server notices the end of a session a moment later.
  auto third = PostgresJournal::Open(model.options());
  for (int wait = 0; wait < 500 && !third; ++wait) {
    ::usleep(10'000);
    third = PostgresJournal::Open(model.options());
  }
  EXPECT_TRUE(third) << third.error().message;
}

TEST(PostgresJournal, ADamagedBlockIsRefused) {
  StoredModel model;
  model.WriteBlocks({{"a"}, {"b"}, {"c"}});
  model.Change(
      "UPDATE sotto.journal SET block = set_byte(block, 90,"
      " get_byte(block, 90) # 1) WHERE last = 3 AND ");
  auto journal = model.OpenWriter();
  EXPECT_EQ(ReadTexts(*journal).error().code, ErrorCode::kCorruption);
}

TEST(PostgresJournal, AMissingBlockIsRefused) {
  for (const std::uint64_t gone : {2, 3}) {
    StoredModel model;
    model.WriteBlocks({{"a"}, {"b"}, {"c"}});
    model.Change("DELETE FROM sotto.journal WHERE last = " +
                 std::to_string(gone) + " AND ");
    auto journal = model.OpenWriter();
    EXPECT_EQ(ReadTexts(*journal).error().code, ErrorCode::kCorruption);
  }
  StoredModel model;
  model.WriteBlocks({{"a"}, {"b"}, {"c"}});
  for (const char* const gone : {"last = 4", "last = 1"}) {
    model.Change("DELETE FROM sotto.journal WHERE " + std::string(gone) +
                 " AND ");
    const auto journal = PostgresJournal::Open(model.options());
    ASSERT_FALSE(journal);
    EXPECT_EQ(journal.error().code, ErrorCode::kCorruption);
  }
}

TEST(PostgresJournal, ARestoredDatabaseIsBehindItsAnchor) {
  StoredModel model(true);
  model.WriteBlocks({{"a"}, {"b"}});
  const std::string before = model.Save();
  {
    auto journal = model.Claimed();
    ASSERT_TRUE(AppendTexts(*journal, {"c"}).durable());
  }
  model.Restore(before);
  const auto journal = PostgresJournal::Open(model.options());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, ErrorCode::kCorruption);
  EXPECT_NE(journal.error().message.find("rolled back"), std::string::npos);
}

TEST(PostgresJournal, AnAnchorMayBeBehindByWhatOtherHostsWrote) {
  StoredModel model(true);
  model.WriteBlocks({{"a"}});
  const std::string anchor = std::exchange(model.options().anchor, "");
  model.WriteBlocks({{"b"}, {"c"}, {"d"}});
  model.options().anchor = anchor;
  EXPECT_TRUE(model.OpenWriter());
}

TEST(PostgresJournal, AForkedJournalDoesNotFitTheAnchor) {
  StoredModel model(true);
  model.WriteBlocks({{"a"}});
  const std::string before = model.Save();
  model.WriteBlocks({{"b"}});
  model.Restore(before);
  const std::string anchor = std::exchange(model.options().anchor, "");
  model.WriteBlocks({{"x"}, {"y"}, {"z"}});
  model.options().anchor = anchor;
  const auto journal = PostgresJournal::Open(model.options());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, ErrorCode::kCorruption);
}

TEST(PostgresJournal, AnotherKeyIsRefused) {
  StoredModel model;
  model.WriteBlocks({{"a"}});
  model.options().roots = {KeyOfBytes(9)};
  const auto journal = PostgresJournal::Open(model.options());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, ErrorCode::kFailedPrecondition);
}

TEST(PostgresJournal, TheServicesRoleAppendsAndDeletesNothing) {
  StoredModel model;
  auto& server = PostgresServer::Shared();
  auto owner = server.Connect();
  ASSERT_TRUE(owner);
  // Absent or left by another test.
  static_cast<void>(
      owner->Execute("CREATE ROLE shop LOGIN IN ROLE sotto_service"));
  model.options().url = server.url("shop");
  auto journal = model.Claimed();
  ASSERT_TRUE(AppendTexts(*journal, {"a"}).durable());
  ASSERT_TRUE(journal->WriteSnapshot("state"));
  ASSERT_TRUE(journal->Prune());  // leaves it to the other role
  EXPECT_EQ(journal->first(), 1u);
  auto session = server.Connect("shop");
  ASSERT_TRUE(session);
  for (const char* const statement :
       {"DELETE FROM sotto.journal", "UPDATE sotto.journal SET term = 0",
        "TRUNCATE sotto.snapshot", "DELETE FROM sotto.writer",
        "UPDATE sotto.model SET file = ''"}) {
    EXPECT_EQ(session->Execute(statement).state, "42501") << statement;
  }
  const auto pruned = PruneBelowSnapshot(*owner, model.options().lineage,
                                         model.options().roots);
  ASSERT_TRUE(pruned) << pruned.error().message;
  EXPECT_EQ(*pruned, 2u);
  EXPECT_EQ(model.Claimed()->first(), 3u);
}

TEST(PostgresJournal, AnEmptyDatabaseSaysHowToMakeTheSchema) {
  auto& server = PostgresServer::Shared();
  server.Do("CREATE DATABASE empty");
  StoredModel model;
  model.options().url = server.url() + "&dbname=empty";
  const auto journal = PostgresJournal::Open(model.options());
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("sotto engine init"),
            std::string::npos);
}

TEST(EngineSchema, IsMadeOnce) {
  auto session = PostgresServer::Shared().Connect();
  ASSERT_TRUE(session);
  EXPECT_TRUE(CreateEngineSchema(*session));
  EXPECT_TRUE(CheckEngineSchema(*session));
}

TEST(PostgresCatalogue, ListsModelsAndRefusesANameTwice) {
  StoredModel model;
  model.WriteBlocks({{"a"}});
  auto session = PostgresServer::Shared().Connect();
  ASSERT_TRUE(session);
  const auto again = AddModel(*session, model.name(), "{}");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kFailedPrecondition);
  const auto models = ListModels(*session);
  ASSERT_TRUE(models);
  const auto found =
      std::ranges::find(*models, model.name(), &CataloguedModel::name);
  ASSERT_NE(found, models->end());
  EXPECT_EQ(found->lineage, model.options().lineage);
  EXPECT_EQ(found->tail, 2u);
  EXPECT_EQ(found->term, 1u);
  EXPECT_EQ(found->holder, "test");
  EXPECT_GE(found->seconds_since_renewed, 0);
}

}  // namespace
}  // namespace sotto::testing
