#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/journal/journal_test_tools.h"
#include "sotto/journal/postgres/postgres_catalogue.h"
#include "sotto/journal/postgres/postgres_journal.h"
#include "sotto/journal/postgres/postgres_test_server.h"
#include "sotto/journal/sealed_record.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto::testing {

// A new model in the shared server's database. Writers take over by force
// unless a test says otherwise.
class StoredModel {
 public:
  explicit StoredModel(bool anchored = false,
                       PostgresServer& server = PostgresServer::Shared())
      : server_(server) {
    static int number = 0;
    name_ = "model-" + std::to_string(++number);
    auto session = server_.Connect();
    EXPECT_TRUE(session) << session.error().message;
    const auto lineage = AddModel(*session, name_, "{}");
    EXPECT_TRUE(lineage) << lineage.error().message;
    options_ = {.url = server_.url(),
                .lineage = *lineage,
                .anchor = anchored ? folder_.path("anchor") : "",
                .roots = {KeyOfBytes(1)},
                .holder = "test",
                .address = "",
                .take_over = true};
  }

  const std::string& name() const { return name_; }
  PostgresJournalOptions& options() { return options_; }

  std::unique_ptr<PostgresJournal> OpenWriter() const {
    auto journal = PostgresJournal::Open(options_);
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? *std::move(journal) : nullptr;
  }
  std::unique_ptr<PostgresJournal> Claimed() const {
    auto journal = OpenWriter();
    if (journal) {
      EXPECT_TRUE(journal->Claim("test").durable());
    }
    return journal;
  }
  void WriteBlocks(const std::vector<std::vector<std::string>>& blocks) const {
    auto journal = Claimed();
    ASSERT_TRUE(journal);
    for (const auto& block : blocks) {
      ASSERT_TRUE(AppendTexts(*journal, block).durable());
    }
  }

  // Runs a statement that ends in "AND " on the rows of this journal.
  void Change(const std::string& statement) const {
    server_.Do(statement + "lineage = " + lineage_text());
  }
  // The writer's row, to be restored; blocks behind it are deleted then.
  std::string Save() const {
    auto session = server_.Connect();
    const auto rows = session->Query(
        ("SELECT format('term = %s, tail = %s, head = ''\\x%s''', term, tail,"
         " encode(head, 'hex')), tail FROM sotto.writer WHERE lineage = " +
         lineage_text())
            .c_str());
    EXPECT_TRUE(rows);
    saved_tail_ = ReadSqlNumber((*rows)[0][1]);
    return (*rows)[0][0];
  }
  void Restore(const std::string& writer) const {
    Change("UPDATE sotto.writer SET " + writer + " WHERE true AND ");
    Change("DELETE FROM sotto.journal WHERE last > " +
           std::to_string(saved_tail_) + " AND ");
  }

 private:
  std::string lineage_text() const {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string text = "'\\x";
    for (const std::uint8_t byte : options_.lineage) {
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    }
    return text + "'";
  }

  PostgresServer& server_;
  ScratchFolder folder_;
  std::string name_;
  PostgresJournalOptions options_;
  mutable std::uint64_t saved_tail_ = 0;
};

}  // namespace sotto::testing
