#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "sotto/journal/block.h"
#include "sotto/journal/file_journal.h"
#include "sotto/journal/journal_test_tools.h"
#include "sotto/journal/segment.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::testing {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kFirst = "j/journal-0000000000000001";

// Offsets in a segment at which a block begins, and its end.
std::vector<std::uint64_t> Boundaries(const std::string& segment) {
  std::vector<std::uint64_t> offsets{kSegmentHeaderBytes};
  while (const auto block = ReadBlock(segment.substr(offsets.back()))) {
    offsets.push_back(offsets.back() + block->length);
  }
  return offsets;
}

// The records of a damaged journal, or nothing if it is refused.
struct Reopened {
  std::optional<Texts> texts;
  std::uint64_t torn_bytes = 0;
  std::string why;
};

Reopened Reopen(const JournalFolder& folder) {
  auto journal = folder.Open();
  if (!journal) return {.texts = {}, .why = journal.error().message};
  auto texts = ReadTexts(**journal);
  if (!texts) return {.texts = {}, .why = texts.error().message};
  return {*std::move(texts), (*journal)->recovery().torn_bytes, ""};
}

class JournalDamageTest : public ::testing::Test {
 protected:
  void SetUp() override { WriteBlocks(folder_, {{"a", "b"}, {"c"}, {"d"}}); }

  Reopened With(const std::string& bytes) {
    folder_.scratch().Write(kFirst, bytes);
    return Reopen(folder_);
  }

  const JournalFolder folder_{false, 1024};
  const Texts all_{"a", "b", "c", "d"};
  const Texts but_last_{"a", "b", "c"};
};

TEST_F(JournalDamageTest, AChangedByteIsRefusedUnlessItIsBehindTheLastBlock) {
  const std::string whole = folder_.scratch().Read(kFirst);
  const auto boundaries = Boundaries(whole);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      const Reopened reopened = With(bytes);
      if (at >= boundaries.back()) {
        EXPECT_EQ(reopened.texts, all_) << at;
        EXPECT_GT(reopened.torn_bytes, 0u) << at;
      } else {
        EXPECT_FALSE(reopened.texts) << at << ": " << reopened.texts->size();
        EXPECT_NE(reopened.why.find("offset"), std::string::npos)
            << reopened.why;
      }
    }
  }
}

TEST_F(JournalDamageTest, NoPartOfABlockEscapesItsCrcs) {
  const std::string whole = folder_.scratch().Read(kFirst);
  const auto boundaries = Boundaries(whole);
  const std::string block =
      whole.substr(boundaries[1], boundaries[2] - boundaries[1]);
  ASSERT_TRUE(ReadBlock(block));
  for (std::size_t at = 0; at < block.size(); ++at) {
    std::string bytes = block;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_FALSE(ReadBlock(bytes)) << at;
  }
}

TEST_F(JournalDamageTest, EveryPrefixIsATornWrite) {
  const std::string whole = folder_.scratch().Read(kFirst);
  const auto boundaries = Boundaries(whole);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    for (const bool zeros : {false, true}) {
      std::string bytes = whole.substr(0, size);
      if (zeros) bytes.resize(whole.size());
      const Reopened reopened = With(bytes);
      if (size < kSegmentHeaderBytes - 4 || (size < 88 && !zeros)) {
        EXPECT_FALSE(reopened.texts) << size;
        continue;
      }
      const auto blocks = static_cast<std::size_t>(
          std::ranges::upper_bound(boundaries,
                                   std::max(size, kSegmentHeaderBytes)) -
          boundaries.begin());
      const std::size_t records[] = {0, 0, 2, 3, 4};
      ASSERT_TRUE(reopened.texts) << size << ": " << reopened.why;
      ASSERT_LT(blocks - 1, std::size(records));
      EXPECT_EQ(*reopened.texts,
                Texts(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(
                                                       records[blocks - 1])))
          << size;
    }
  }
}

// A journal with a record of every type, in blocks of one, two and five.
class EveryTypeDamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto journal = folder_.Create();
    ASSERT_TRUE(journal) << journal.error().message;
    ASSERT_TRUE((*journal)->Claim("test").durable());
    using enum RecordType;
    const std::vector<std::vector<RecordType>> blocks = {
        {kTrain}, {kModel, kRound}, {kLabel, kAdd, kKey, kSnapshot, kRollback}};
    for (const auto& types : blocks) {
      std::vector<RecordView> records;
      for (const RecordType type : types) {
        all_.push_back(std::string(3 * static_cast<std::size_t>(type), 'p'));
      }
      for (std::size_t i = 0; i < types.size(); ++i) {
        records.push_back({types[i], all_[all_.size() - types.size() + i]});
      }
      ASSERT_TRUE((*journal)->Append(records).durable());
    }
    journal->reset();
    folder_.Copy("a", "good-a");
    folder_.Copy("j", "good-j");
  }

  // True if a journal with these bytes opens. Then it has all records.
  bool OpensWith(const std::string& bytes) {
    folder_.scratch().Write(kFirst, bytes);
    const Reopened reopened = Reopen(folder_);
    why_ = reopened.why;
    EXPECT_TRUE(!reopened.texts || *reopened.texts == all_);
    folder_.Copy("good-a", "a");
    folder_.Copy("good-j", "j");
    return reopened.texts.has_value();
  }

  const JournalFolder folder_{true, 4096};
  Texts all_{};
  std::string why_{};  // the last one was refused
};

// The anchor has the last block: if it is damaged it is completed from there.
TEST_F(EveryTypeDamageTest, NoChangedByteIsAcceptedSilently) {
  const std::string whole = folder_.scratch().Read(kFirst);
  const auto boundaries = Boundaries(whole);
  // All eight bits in long runs.
  const int step = std::getenv("SOTTO_EVERY_BYTE") != nullptr ? 1 : 8;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = static_cast<int>(at) % step; bit < 8; bit += step) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      EXPECT_EQ(OpensWith(bytes), at >= boundaries[boundaries.size() - 2])
          << at << " " << why_;
    }
  }
}

TEST_F(EveryTypeDamageTest, NoCutIsAcceptedSilently) {
  const std::string whole = folder_.scratch().Read(kFirst);
  const auto boundaries = Boundaries(whole);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(OpensWith(whole.substr(0, size)),
              size >= boundaries[boundaries.size() - 2])
        << size << " " << why_;
  }
}

TEST_F(JournalDamageTest, ALostBlockInTheMiddleIsAGap) {
  const std::string whole = folder_.scratch().Read(kFirst);
  const auto boundaries = Boundaries(whole);
  for (std::size_t block = 0; block + 2 < boundaries.size(); ++block) {
    std::string bytes = whole;
    for (std::uint64_t at = boundaries[block]; at < boundaries[block + 1];
         ++at) {
      bytes[at] = '\0';
    }
    const Reopened reopened = With(bytes);
    EXPECT_FALSE(reopened.texts) << block;
    EXPECT_NE(reopened.why.find("valid records follow"), std::string::npos)
        << reopened.why;
  }
}

TEST_F(JournalDamageTest, AJournalContinuesBehindATornBlock) {
  const std::string whole = folder_.scratch().Read(kFirst);
  const auto boundaries = Boundaries(whole);
  std::string bytes = whole;
  const std::uint64_t last = boundaries[boundaries.size() - 2];
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(last + 100),
            bytes.end(), '\0');
  folder_.scratch().Write(kFirst, bytes);
  {
    const auto journal = folder_.Open();
    ASSERT_TRUE(journal);
    // Bytes of a random nonce before the cut may be zero, too.
    EXPECT_LE((*journal)->recovery().torn_bytes, 100u);
    EXPECT_GT((*journal)->recovery().torn_bytes, kBlockHeaderBytes - 4);
    ASSERT_TRUE((*journal)->Claim("x").durable());
    ASSERT_TRUE(AppendTexts(**journal, {"new"}).durable());
  }
  EXPECT_EQ(Reopen(folder_).texts, (Texts{"a", "b", "c", "new"}));
}

TEST_F(JournalDamageTest, BlocksInAnotherOrderAreRefused) {
  const std::string whole = folder_.scratch().Read(kFirst);
  const auto at = Boundaries(whole);
  const auto block = [&](std::size_t i) {
    return whole.substr(at[i], at[i + 1] - at[i]);
  };
  const auto zeros = [&](std::string bytes) {
    bytes.resize(whole.size());
    return bytes;
  };
  const std::string start = whole.substr(0, at[1]);
  EXPECT_FALSE(With(zeros(start + block(2) + block(1) + block(3))).texts);
  EXPECT_FALSE(With(zeros(start + block(1) + block(1))).texts);
  EXPECT_FALSE(With(zeros(start + block(1) + block(3))).texts);
  EXPECT_EQ(With(zeros(start + block(1) + block(2))).texts, but_last_);
}

// A journal of several segments, with a large last block.
class JournalTailTest : public ::testing::Test {
 protected:
  void Prepare(bool anchored) {
    folder_.emplace(anchored, 6000);
    std::vector<Texts> blocks(30, Texts{std::string(50, 'x')});
    blocks.push_back(Texts(40, std::string(60, 'y')));
    WriteBlocks(*folder_, blocks);
    names_ = folder_->Files("j");
    ASSERT_GT(names_.size(), 1u);
    whole_ = folder_->scratch().Read(names_.back());
    boundaries_ = Boundaries(whole_);
    ASSERT_GT(boundaries_.size(), 1u);
  }
  std::uint64_t last_block() const {
    return boundaries_[boundaries_.size() - 2];
  }
  // Zeroes a random set of sectors of the last block, maybe from a byte on.
  std::string Torn(Rng& rng) const {
    std::string bytes = whole_;
    const std::uint64_t from = last_block();
    const std::uint64_t end = boundaries_.back();
    const std::uint64_t cut =
        rng.Next() % 2 == 0 ? end : from + rng.Next() % (end - from);
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(cut), bytes.end(),
              '\0');
    bool lost = cut < end;
    for (std::uint64_t at = from; at < end;) {
      const std::uint64_t next = std::min(end, (at / 512 + 1) * 512);
      const bool last_chance = next == end && !lost;
      if (last_chance || rng.Next() % 3 == 0) {
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                  bytes.begin() + static_cast<std::ptrdiff_t>(next), '\0');
        lost = true;
      }
      at = next;
    }
    return bytes;
  }
  std::string Flipped(Rng& rng) const {
    std::string bytes = whole_;
    const std::uint64_t from = last_block();
    const std::uint64_t at = from + rng.Next() % (boundaries_.back() - from);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (rng.Next() % 8)));
    return bytes;
  }

  std::optional<JournalFolder> folder_;
  Texts names_;
  std::string whole_;
  std::vector<std::uint64_t> boundaries_;
};

TEST_F(JournalTailTest, TornEndsAreLeftOutAndFlippedOnesRefused) {
  Prepare(/*anchored=*/false);
  SeededRng rng(3);
  int torn = 0;
  for (int i = 0; i < 500; ++i) {
    folder_->scratch().Write(names_.back(), Torn(rng));
    const Reopened reopened = Reopen(*folder_);
    ASSERT_TRUE(reopened.texts) << i << ": " << reopened.why;
    EXPECT_EQ(reopened.texts->size(), 30u);
    torn += reopened.torn_bytes > 0 ? 1 : 0;
  }
  EXPECT_GT(torn, 400);
  for (int i = 0; i < 500; ++i) {
    folder_->scratch().Write(names_.back(), Flipped(rng));
    EXPECT_FALSE(Reopen(*folder_).texts) << i;
  }
}

TEST_F(JournalTailTest, WithAnAnchorTheLastBlockIsCompleted) {
  Prepare(/*anchored=*/true);
  SeededRng rng(4);
  for (int i = 0; i < 200; ++i) {
    folder_->scratch().Write(names_.back(),
                             i % 2 == 0 ? Torn(rng) : Flipped(rng));
    const auto journal = folder_->Open();
    ASSERT_TRUE(journal) << i << ": " << journal.error().message;
    EXPECT_TRUE((*journal)->recovery().completed);
    EXPECT_EQ(ReadTexts(**journal)->size(), 70u);
  }
  EXPECT_EQ(folder_->scratch().Read(names_.back()), whole_);
}

TEST(SnapshotDamageTest, AChangedByteIsRefused) {
  const JournalFolder folder;
  WriteBlocks(folder, {{"a"}});
  {
    const auto journal = folder.Open();
    ASSERT_TRUE((*journal)->Claim("x").durable());
    ASSERT_TRUE((*journal)->WriteSnapshot("the state"));
  }
  const std::string name = "j/snapshot-0000000000000003";
  const std::string whole = folder.scratch().Read(name);
  const auto refused = [&](const std::string& bytes) {
    folder.scratch().Write(name, bytes);
    const auto journal = folder.Open();
    return !journal || !(*journal)->ReadSnapshot();
  };
  EXPECT_FALSE(refused(whole));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x04);
    EXPECT_TRUE(refused(bytes)) << at;
    EXPECT_TRUE(refused(whole.substr(0, at))) << at;
  }
  EXPECT_TRUE(refused(whole + "x"));
}

}  // namespace
}  // namespace sotto::testing
