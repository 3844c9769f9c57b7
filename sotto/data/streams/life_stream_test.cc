#include "sotto/data/streams/life_stream.h"

#include <gtest/gtest.h>

#include <string>

#include "sotto/data/streams/schema.h"

namespace sotto {
namespace {

std::string Rows(const LifeStream::Params& params, int rows) {
  auto life = LifeStream::Create(params);
  std::string text;
  for (int i = 0; i < rows; ++i) life->AppendRow(text);
  return text;
}

int Count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

TEST(LifeStreamTest, TheSameSeedGivesTheSameBytes) {
  EXPECT_EQ(Rows({.seed = 7, .missing = 0.1}, 2),
            "34,49470,40,0,engineer,north,laptop,0,yes\n"
            "46,5035,3,6,none,west,laptop,0,no\n");
  EXPECT_NE(Rows({.seed = 8}, 2), Rows({.seed = 7}, 2));
}

TEST(LifeStreamTest, BothLabelsAreFrequentAndMissingOnesAreEmpty) {
  const std::string rows = Rows({.missing = 0.25}, 4000);
  EXPECT_GT(Count(rows, ",yes\n"), 700);
  EXPECT_GT(Count(rows, ",no\n"), 700);
  EXPECT_NEAR(Count(rows, ",\n"), 1000, 200);
}

TEST(LifeStreamTest, ASeasonChangesLabelsAndNothingElse) {
  const std::string still = Rows({.season = 0}, 3000);
  const std::string moving = Rows({.season = 1000}, 3000);
  EXPECT_EQ(still.substr(0, still.find('\n')),
            moving.substr(0, moving.find('\n')));
  EXPECT_NE(still, moving);
}

TEST(LifeStreamTest, ItsSchemaIsOne) {
  const auto schema = Schema::Parse(LifeStream::Schema(), "life");
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->columns.size() + 1,
            static_cast<std::size_t>(Count(LifeStream::Header(), ",")) + 1);
}

TEST(LifeStreamTest, SharesAreShares) {
  EXPECT_FALSE(LifeStream::Create({.noise = 2}));
  EXPECT_FALSE(LifeStream::Create({.missing = -1}));
}

}  // namespace
}  // namespace sotto
