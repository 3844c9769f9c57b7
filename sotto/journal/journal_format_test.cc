#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "sotto/journal/block.h"
#include "sotto/journal/journal_keys.h"
#include "sotto/journal/journal_test_tools.h"
#include "sotto/journal/sealed_record.h"
#include "sotto/journal/segment.h"

namespace sotto::testing {
namespace {

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char byte : bytes) {
    hex += kDigits[static_cast<unsigned char>(byte) >> 4];
    hex += kDigits[static_cast<unsigned char>(byte) & 0xf];
  }
  return hex;
}

// The journal of the page's example: key file 01 02 .. 20, lineage 10 11 .. 1f,
// nonces of 24 equal bytes, a1 and a2.
struct Example {
  Lineage lineage;
  JournalKeys keys = JournalKeys::Derive(KeyOfBytes(1), lineage);
  Position before;
  SealedBlock block;

  Example() : lineage(MakeLineage()), before{0, GenesisHash(lineage)} {
    std::vector<std::uint8_t> nonces(kNonceBytes, 0xa1);
    nonces.resize(2 * kNonceBytes, 0xa2);
    const std::string claim("\1\0\0\0\0\0\0\0me", 10);
    const std::vector<RecordView> records{{RecordType::kClaim, claim},
                                          {RecordType::kRound, "hello"}};
    block = SealBlock(keys, lineage, before, 1, records, nonces);
  }
  static Lineage MakeLineage() {
    Lineage lineage;
    for (std::size_t i = 0; i < lineage.size(); ++i) {
      lineage[i] = static_cast<std::uint8_t>(0x10 + i);
    }
    return lineage;
  }
};

// The hex digits of the page's block of this name: lines "NAME:" then digits.
std::string PageHex(const std::string& name) {
  std::ifstream file(SOTTO_JOURNAL_PAGE);
  std::string line;
  while (std::getline(file, line) && line != name + ":") {
  }
  std::string hex;
  while (std::getline(file, line) && !line.empty() && line[0] != '`') {
    std::ranges::copy_if(line, std::back_inserter(hex),
                         [](char digit) { return digit != ' '; });
  }
  return hex;
}

TEST(JournalFormatTest, ThePagesExampleIsWhatIsWritten) {
  const Example example;
  const SegmentHeader header{example.lineage, 0, example.before};
  EXPECT_EQ(PageHex("segment"), Hex(EncodeSegmentHeader(header)));
  EXPECT_EQ(PageHex("block"), Hex(example.block.bytes));
  EXPECT_EQ(PageHex("head"), Hex(AsText(example.block.after.head)));
}

TEST(JournalFormatTest, ThePagesExampleIsAJournal) {
  const Example example;
  const JournalFolder folder;
  std::filesystem::create_directory(folder.scratch().path("j"));
  folder.scratch().Write(
      "j/journal-0000000000000001",
      EncodeSegmentHeader({example.lineage, 0, example.before}) +
          example.block.bytes);
  const auto journal = folder.Open();
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ((*journal)->position(), example.block.after);
  EXPECT_EQ((*journal)->term(), 2u);
  EXPECT_EQ(*ReadTexts(**journal), std::vector<std::string>{"hello"});
}

TEST(JournalFormatTest, ASealIsBoundToItsPlace) {
  const Example example;
  const std::string place =
      RecordPlace(example.lineage, 7, example.before.head);
  std::string sealed;
  Seal(example.keys.sealing, place, "text",
       std::span(example.before.head).first<kNonceBytes>(), sealed);
  std::string out = "a ";
  EXPECT_TRUE(Unseal(example.keys.sealing, place, sealed, out));
  EXPECT_EQ(out, "a text");
  Lineage other = example.lineage;
  other[0] ^= 1;
  ChainHash head = example.before.head;
  head[31] ^= 1;
  for (const std::string& wrong :
       {RecordPlace(other, 7, example.before.head),
        RecordPlace(example.lineage, 8, example.before.head),
        RecordPlace(example.lineage, 7, head)}) {
    EXPECT_FALSE(Unseal(example.keys.sealing, wrong, sealed, out));
  }
  EXPECT_FALSE(Unseal(example.keys.names, place, sealed, out));
  EXPECT_EQ(out, "a text");
}

TEST(JournalFormatTest, ANewTermNeedsItsClaim) {
  const Example example;
  const auto open = [&](const RecordView& record, std::uint64_t term,
                        std::uint64_t before) {
    const auto block = SealBlock(example.keys, example.lineage, example.before,
                                 term, {&record, 1}, RandomNonces(1));
    return OpenBlock({&example.keys, 1}, example.lineage, before,
                     *ReadBlock(block.bytes), block.bytes,
                     [](const JournalEntry&) { return Ok(); })
        .has_value();
  };
  const RecordView round{RecordType::kRound, "x"};
  const std::string two("\2\0\0\0\0\0\0\0", 8);
  const RecordView claim{RecordType::kClaim, two};
  EXPECT_TRUE(open(round, 1, 1));
  EXPECT_FALSE(open(round, 2, 1));
  EXPECT_TRUE(open(claim, 2, 1));
  EXPECT_FALSE(open(claim, 3, 1));
  EXPECT_FALSE(open({RecordType::kClaim, "short"}, 2, 1));
  EXPECT_FALSE(open({static_cast<RecordType>(10), "x"}, 1, 1));
}

TEST(JournalKeysTest, KeysDifferByPurposeLineageAndRoot) {
  const Example example;
  Lineage other = example.lineage;
  other[0] ^= 1;
  const std::vector<JournalKeys> all{
      example.keys, JournalKeys::Derive(KeyOfBytes(1), other),
      JournalKeys::Derive(KeyOfBytes(2), example.lineage)};
  std::set<std::string> seen;
  for (const JournalKeys& keys : all) {
    for (const Key* key :
         {&keys.names, &keys.noise, &keys.tickets, &keys.sealing}) {
      seen.insert(Hex(
          {reinterpret_cast<const char*>(key->bytes().data()), Key::kBytes}));
    }
    seen.insert(Hex(AsText(keys.sealing_id)));
  }
  EXPECT_EQ(seen.size(), 15u);
}

TEST(JournalKeysTest, AKeyFileIsTheOwnersAndNeverReplaced) {
  const ScratchFolder folder;
  const std::string path = folder.path("key");
  const auto made = CreateKeyFile(path);
  ASSERT_TRUE(made) << made.error().message;
  const auto read = ReadKeyFile(path);
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::ranges::equal(made->bytes(), read->bytes()));
  EXPECT_EQ(CreateKeyFile(path).error().code, ErrorCode::kFailedPrecondition);
  std::filesystem::permissions(path, std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(ReadKeyFile(path).error().code, ErrorCode::kFailedPrecondition);
}

TEST(JournalKeysTest, WhatIsNoKeyFileIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder.path("key");
  ASSERT_TRUE(CreateKeyFile(path));
  const std::string whole = folder.Read("key");
  EXPECT_FALSE(ReadKeyFile(folder.path("absent")));
  std::string wrong = whole;
  wrong[20] = 'x';
  for (const std::string& text : {std::string(), whole.substr(1), whole + "\n",
                                  whole.substr(0, 40), wrong}) {
    folder.Write("key", text);
    EXPECT_EQ(ReadKeyFile(path).error().code, ErrorCode::kCorruption);
  }
}

}  // namespace
}  // namespace sotto::testing
