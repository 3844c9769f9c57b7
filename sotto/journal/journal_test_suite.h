#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sotto/journal/journal.h"
#include "sotto/journal/journal_test_tools.h"

namespace sotto::testing {

// One store that can hold a journal, empty at first.
class JournalStore {
 public:
  virtual ~JournalStore() = default;
  virtual Result<std::unique_ptr<Journal>> Create() = 0;
  // Becomes the writer: where the store can depose one, it does.
  virtual Result<std::unique_ptr<Journal>> Open() = 0;
};

struct JournalStoreFactory {
  std::string name;
  std::function<std::unique_ptr<JournalStore>()> make;
};

// Tests that every implementation of Journal must pass:
//   INSTANTIATE_TEST_SUITE_P(Files, JournalConformanceTest,
//                            ::testing::Values(factory), FactoryName);
class JournalConformanceTest
    : public ::testing::TestWithParam<JournalStoreFactory> {
 protected:
  std::unique_ptr<Journal> Create() { return Must(store_->Create()); }
  std::unique_ptr<Journal> Open() { return Must(store_->Open()); }
  std::unique_ptr<Journal> Claimed() {
    auto journal = Create();
    EXPECT_TRUE(journal->Claim("first").durable());
    return journal;
  }
  std::vector<std::string> Texts(Journal& journal, std::uint64_t after = 0) {
    const auto texts = ReadTexts(journal, after);
    EXPECT_TRUE(texts) << texts.error().message;
    return texts ? *texts : std::vector<std::string>{};
  }

  std::unique_ptr<JournalStore> store_ = GetParam().make();

 private:
  static std::unique_ptr<Journal> Must(
      Result<std::unique_ptr<Journal>> journal) {
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? *std::move(journal) : nullptr;
  }
};

inline std::string FactoryName(
    const ::testing::TestParamInfo<JournalStoreFactory>& info) {
  return info.param.name;
}

TEST_P(JournalConformanceTest, ANewJournalIsEmpty) {
  const auto journal = Create();
  EXPECT_EQ(journal->position().tail, 0u);
  EXPECT_EQ(journal->first(), 1u);
  EXPECT_EQ(journal->term(), 1u);
  EXPECT_EQ(Texts(*journal).size(), 0u);
  EXPECT_FALSE(*journal->ReadSnapshot());
}

TEST_P(JournalConformanceTest, AppendedRecordsAreReadInOrder) {
  const auto journal = Claimed();
  EXPECT_TRUE(AppendTexts(*journal, {"a", "b"}).durable());
  EXPECT_TRUE(AppendTexts(*journal, {"", std::string(5000, 'x')}).durable());
  EXPECT_EQ(Texts(*journal),
            (std::vector<std::string>{"a", "b", "", std::string(5000, 'x')}));
  EXPECT_EQ(Texts(*journal, 3),
            (std::vector<std::string>{"", std::string(5000, 'x')}));
  EXPECT_EQ(journal->position().tail, 5u);
}

TEST_P(JournalConformanceTest, EveryTypeComesBackAsItWas) {
  auto journal = Claimed();
  std::vector<RecordView> records;
  for (int type = 1; type <= 9; ++type) {
    if (type != static_cast<int>(RecordType::kClaim)) {
      records.push_back({static_cast<RecordType>(type), "payload"});
    }
  }
  ASSERT_TRUE(journal->Append(records).durable());
  std::size_t seen = 0;
  const Status read = journal->Read(1, [&](const JournalEntry& entry) {
    EXPECT_EQ(entry.record.type, records[seen].type);
    EXPECT_EQ(entry.index, 2 + seen);
    ++seen;
    return Ok();
  });
  EXPECT_TRUE(read);
  EXPECT_EQ(seen, records.size());
}

TEST_P(JournalConformanceTest, AnotherWriterReadsTheSameAndHasAGreaterTerm) {
  auto journal = Claimed();
  ASSERT_TRUE(AppendTexts(*journal, {"a"}).durable());
  const Position end = journal->position();
  const Lineage lineage = journal->lineage();
  journal.reset();
  journal = Open();
  EXPECT_EQ(journal->position(), end);
  EXPECT_EQ(journal->lineage(), lineage);
  EXPECT_EQ(journal->term(), 2u);
  EXPECT_TRUE(journal->Claim("second").durable());
  EXPECT_TRUE(AppendTexts(*journal, {"b"}).durable());
  EXPECT_EQ(Texts(*journal), (std::vector<std::string>{"a", "b"}));
}

TEST_P(JournalConformanceTest, AWriterClaimsBeforeItAppends) {
  const auto journal = Create();
  const auto result = AppendTexts(*journal, {"a"});
  EXPECT_EQ(result.outcome, Durability::kFailed);
  EXPECT_EQ(journal->position().tail, 0u);
}

TEST_P(JournalConformanceTest, NothingIsAcceptedAfterAFailure) {
  auto journal = Claimed();
  EXPECT_EQ(journal->Append({}).outcome, Durability::kFailed);
  EXPECT_EQ(AppendTexts(*journal, {"a"}).outcome, Durability::kFailed);
  journal.reset();
  journal = Open();
  EXPECT_EQ(Texts(*journal).size(), 0u);
}

TEST_P(JournalConformanceTest, ARecordThatIsTooLongIsNotAppended) {
  auto journal = Claimed();
  const std::string longest(Journal::kMostPayloadBytes, 'x');
  EXPECT_TRUE(AppendTexts(*journal, {longest}).durable());
  EXPECT_EQ(AppendTexts(*journal, {longest + "x"}).outcome,
            Durability::kFailed);
  EXPECT_EQ(journal->position().tail, 2u);
}

TEST_P(JournalConformanceTest, ContainsItsPositionsOnly) {
  const auto journal = Claimed();
  std::vector<Position> positions;
  for (const char* text : {"a", "b", "c"}) {
    positions.push_back(AppendTexts(*journal, {text}).intended);
  }
  EXPECT_EQ(positions.back(), journal->position());
  for (const Position& position : positions) {
    EXPECT_TRUE(*journal->Contains(position));
    Position other = position;
    other.head[7] ^= 1;
    EXPECT_FALSE(*journal->Contains(other));
    other = position;
    other.tail += 3;
    EXPECT_FALSE(*journal->Contains(other));
  }
}

TEST_P(JournalConformanceTest, AVisitorMayStop) {
  const auto journal = Claimed();
  ASSERT_TRUE(AppendTexts(*journal, {"a", "b"}).durable());
  std::size_t seen = 0;
  const Status read = journal->Read(0, [&](const JournalEntry&) -> Status {
    ++seen;
    return Unavailable("enough");
  });
  EXPECT_FALSE(read);
  EXPECT_EQ(seen, 1u);
}

TEST_P(JournalConformanceTest, ASnapshotIsReadBackWithWhatFollows) {
  auto journal = Claimed();
  ASSERT_TRUE(AppendTexts(*journal, {"a", "b"}).durable());
  const Position stands_on = journal->position();
  const std::string state(3'000'000, 's');
  ASSERT_TRUE(journal->WriteSnapshot(state));
  ASSERT_TRUE(AppendTexts(*journal, {"c"}).durable());
  journal.reset();
  journal = Open();
  const auto snapshot = journal->ReadSnapshot();
  ASSERT_TRUE(snapshot && *snapshot);
  EXPECT_EQ((*snapshot)->position, stands_on);
  EXPECT_TRUE((*snapshot)->state == state);
  EXPECT_EQ(Texts(*journal, stands_on.tail), std::vector<std::string>{"c"});
}

TEST_P(JournalConformanceTest, PruneKeepsWhatTheSnapshotNeeds) {
  auto journal = Claimed();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(AppendTexts(*journal, {"old", "old"}).durable());
    ASSERT_TRUE(journal->WriteSnapshot("state " + std::to_string(round)));
  }
  const Position stands_on = journal->position();
  ASSERT_TRUE(AppendTexts(*journal, {"new"}).durable());
  ASSERT_TRUE(journal->Prune());
  EXPECT_EQ(journal->first(), stands_on.tail + 1);
  EXPECT_FALSE(ReadTexts(*journal));
  journal.reset();
  journal = Open();
  EXPECT_EQ((*journal->ReadSnapshot())->state, "state 2");
  EXPECT_EQ(Texts(*journal, stands_on.tail), std::vector<std::string>{"new"});
  EXPECT_EQ(journal->term(), 2u);
}

TEST_P(JournalConformanceTest, PruningEverythingKeepsTermAndChain) {
  auto journal = Claimed();
  ASSERT_TRUE(AppendTexts(*journal, {"old"}).durable());
  ASSERT_TRUE(journal->WriteSnapshot("state"));
  ASSERT_TRUE(journal->Prune());
  const Position end = journal->position();
  journal.reset();
  journal = Open();
  EXPECT_EQ(journal->position(), end);
  EXPECT_EQ(journal->term(), 2u);
  EXPECT_TRUE(journal->Claim("second").durable());
  EXPECT_TRUE(AppendTexts(*journal, {"new"}).durable());
}

TEST_P(JournalConformanceTest, PruneWithoutASnapshotDeletesNothing) {
  const auto journal = Claimed();
  ASSERT_TRUE(AppendTexts(*journal, {"a"}).durable());
  EXPECT_TRUE(journal->Prune());
  EXPECT_EQ(Texts(*journal), std::vector<std::string>{"a"});
}

}  // namespace sotto::testing
