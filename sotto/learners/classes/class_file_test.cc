#include "sotto/learners/classes/class_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "sotto/learners/classes/classes_test_tools.h"

namespace sotto {
namespace {

void ExpectSame(const FiniteClass& a, const FiniteClass& b) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.points(), b.points());
  for (std::size_t x = 0; x < a.points(); ++x) EXPECT_EQ(a.Ones(x), b.Ones(x));
}

TEST(ClassFileTest, ReadsBackWhatItWroteCompactly) {
  ClassRng rng(1);
  for (const std::size_t functions : {1, 63, 64, 65, 200}) {
    const FiniteClass written = RandomClass(functions, 9, rng);
    const auto read = ParseCompactClass(CompactClass(written));
    ASSERT_TRUE(read);
    ExpectSame(*read, written);
  }
}

TEST(ClassFileTest, TakesARepeatedFunctionOnce) {
  // Three functions on one point: 1, 0, 1.
  std::string bytes = CompactClass(*FiniteClass::Parse("0\n1\n"));
  bytes[8] = 3;
  bytes[24] = 5;
  const auto read = ParseCompactClass(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 2);
}

TEST(ClassFileTest, RefusesBytesThatAreNoClass) {
  const std::string good = CompactClass(*FiniteClass::Parse("01\n10\n"));
  ASSERT_TRUE(ParseCompactClass(good));
  for (const std::string& bad :
       {std::string(), good.substr(0, 20), good.substr(0, good.size() - 1),
        good + "x", "X" + good.substr(1)}) {
    EXPECT_FALSE(ParseCompactClass(bad));
  }
  std::string huge = good;
  huge[15] = 1;  // 2^56 functions
  EXPECT_FALSE(ParseCompactClass(huge));
}

TEST(ClassFileTest, NamesTheFileAndThePlace) {
  const std::string path = ::testing::TempDir() + "class_file_test.txt";
  std::ofstream(path) << "0101\n01z1\n";
  const auto bad = ReadClassFile(path);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, path + ", line 2, column 3: expected 0 or 1");
  std::ofstream(path) << "0101\n1101\n";
  const auto text = ReadClass(path);
  ASSERT_TRUE(text);
  std::ofstream(path, std::ios::binary) << CompactClass(*text);
  const auto compact = ReadClass(path);
  ASSERT_TRUE(compact);
  ExpectSame(*text, *compact);
  EXPECT_EQ(ReadClass("thresholds:9")->size(), 10);
  const auto none = ReadClass("/no/such/file");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("thresholds:N"), std::string::npos);
  EXPECT_FALSE(ReadClassFile(::testing::TempDir()));
  EXPECT_EQ(ReadClass(::testing::TempDir()).error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace sotto
