#include "sotto/journal/anchor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sotto/journal/file_journal.h"
#include "sotto/journal/journal_test_tools.h"

namespace sotto::testing {
namespace {

using Texts = std::vector<std::string>;

// A journal whose folders "j" and "a" were kept after each block: "j0", "a0"
// hold an empty one, "j1" and "a1" the claim, and so on.
class AnchorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto journal = folder_.Create();
    ASSERT_TRUE(journal);
    Keep(0);
    ASSERT_TRUE((*journal)->Claim("x").durable());
    Keep(1);
    for (int i = 2; i <= 5; ++i) {
      ASSERT_TRUE(AppendTexts(**journal, {std::to_string(i), "-"}).durable());
      Keep(i);
    }
  }
  void Keep(int i) {
    folder_.Copy("j", "j" + std::to_string(i));
    folder_.Copy("a", "a" + std::to_string(i));
  }
  Result<std::unique_ptr<FileJournal>> With(int journal, int anchor) {
    folder_.Copy("j" + std::to_string(journal), "j");
    folder_.Copy("a" + std::to_string(anchor), "a");
    return folder_.Open();
  }

  const JournalFolder folder_{true, 1 << 14};
};

TEST_F(AnchorTest, OnlyOneBlockOfDifferenceIsAccepted) {
  for (int journal = 0; journal <= 5; ++journal) {
    for (int anchor = 0; anchor <= 5; ++anchor) {
      const auto opened = With(journal, anchor);
      const int ahead = journal - anchor;
      ASSERT_EQ(opened.has_value(), -1 <= ahead && ahead <= 1)
          << journal << " " << anchor;
      if (!opened) {
        EXPECT_EQ(opened.error().code, ErrorCode::kCorruption);
        EXPECT_NE(opened.error().message.find("rolled back"),
                  std::string::npos);
        continue;
      }
      EXPECT_EQ((*opened)->recovery().completed, ahead == -1);
      EXPECT_EQ((*opened)->recovery().anchor_was_behind, ahead == 1);
      const int end = std::max(journal, anchor);
      EXPECT_EQ(ReadTexts(**opened)->size(),
                end < 2 ? 0u : 2u * static_cast<unsigned>(end - 1));
    }
  }
}

TEST_F(AnchorTest, AfterRecoveryBothAreLevel) {
  for (const auto& [journal, anchor] : {std::pair{4, 5}, {5, 4}, {5, 5}}) {
    ASSERT_TRUE(With(journal, anchor));
    const auto again = folder_.Open();
    ASSERT_TRUE(again);
    EXPECT_FALSE((*again)->recovery().completed);
    EXPECT_FALSE((*again)->recovery().anchor_was_behind);
    EXPECT_EQ(ReadTexts(**again)->size(), 8u);
  }
}

TEST_F(AnchorTest, AnotherLineageIsRefused) {
  const JournalFolder other(true);
  WriteBlocks(other, {{"a"}});
  for (const std::string& name : other.Files("a")) {
    folder_.scratch().Write(name, other.scratch().Read(name));
  }
  const auto opened = folder_.Open();
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("another journal"), std::string::npos);
}

TEST_F(AnchorTest, AForkIsRefused) {
  ASSERT_TRUE(With(4, 4));
  {
    const auto fork = folder_.Open();
    ASSERT_TRUE((*fork)->Claim("fork").durable());
  }
  folder_.Copy("a5", "a");
  EXPECT_FALSE(folder_.Open());
}

TEST_F(AnchorTest, ALostOrDamagedAnchorIsRefused) {
  std::filesystem::remove_all(folder_.scratch().path("a"));
  EXPECT_FALSE(folder_.Open());
  folder_.Copy("a5", "a");
  for (const std::string& name : folder_.Files("a")) {
    folder_.scratch().Write(name, "nonsense");
  }
  EXPECT_FALSE(folder_.Open());
}

TEST_F(AnchorTest, AJournalMustHaveBeenKeptWithItsAnchor) {
  folder_.Copy("a5", "a");
  std::filesystem::remove_all(folder_.scratch().path("j"));
  std::filesystem::create_directory(folder_.scratch().path("j"));
  EXPECT_FALSE(folder_.Open());
  EXPECT_FALSE(folder_.Create());
}

// The slot that is being written may be lost whole: the other is the one
// before.
TEST_F(AnchorTest, SlotsAlternate) {
  for (int i = 2; i <= 5; ++i) {
    const std::string folder = "a" + std::to_string(i);
    const auto names = folder_.Files(folder);
    ASSERT_EQ(names.size(), 2u);
    std::vector<std::uint64_t> tails;
    for (const std::string& name : names) {
      const auto slot = ReadAnchorSlot(folder_.scratch().Read(name));
      ASSERT_TRUE(slot);
      tails.push_back(slot->position.tail);
    }
    const std::uint64_t tail = 1 + 2 * static_cast<std::uint64_t>(i - 1);
    EXPECT_EQ(std::max(tails[0], tails[1]), tail);
    EXPECT_EQ(std::min(tails[0], tails[1]), i == 2 ? 1 : tail - 2);
  }
}

TEST_F(AnchorTest, EveryChangedByteOfASlotMakesItInvalid) {
  for (const std::string& name : folder_.Files("a5")) {
    const std::string whole = folder_.scratch().Read(name);
    const auto slot = ReadAnchorSlot(whole);
    ASSERT_TRUE(slot);
    const std::size_t size = EncodeAnchorSlot(*slot).size();
    for (std::size_t at = 0; at < size; ++at) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
      EXPECT_FALSE(ReadAnchorSlot(bytes)) << at;
      EXPECT_FALSE(ReadAnchorSlot(whole.substr(0, at))) << at;
    }
  }
}

// Both slots of every state: one damaged, the journal is accepted as far as
// the other allows.
TEST_F(AnchorTest, ADamagedNewestSlotFallsBackToTheOther) {
  for (const std::string& name : folder_.Files("a5")) {
    folder_.Copy("j5", "j");
    folder_.Copy("a5", "a");
    folder_.scratch().Write("a" + name.substr(2), "torn");
    const auto opened = folder_.Open();
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(ReadTexts(**opened)->size(), 8u);
  }
}

TEST_F(AnchorTest, AnAnchorsBlockMustBeSealedByTheKey) {
  folder_.Copy("j4", "j");
  for (const std::string& name : folder_.Files("a")) {
    auto slot = ReadAnchorSlot(folder_.scratch().Read(name));
    if (slot->position.tail != 9) continue;
    // A block that is valid without the key: CRCs and chain are right.
    const Lineage lineage = slot->lineage;
    const auto header = *ReadBlock(slot->block);
    const RecordView forged{RecordType::kRound, "forged"};
    const auto block = SealBlock(JournalKeys::Derive(KeyOfBytes(9), lineage),
                                 lineage, {header.first - 1, header.previous},
                                 header.term, {&forged, 1}, RandomNonces(1));
    folder_.scratch().Write(
        name, EncodeAnchorSlot({lineage, block.after, block.bytes}));
  }
  EXPECT_FALSE(folder_.Open());
}

}  // namespace
}  // namespace sotto::testing
