#include "sotto/data/streams/columns.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/example_reader_test_file.h"

namespace sotto {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kAsk =
    "without a header the number of columns must be known before any row is "
    "read: give it (--columns N), or a schema that names all of c1, c2, ..., "
    "the label included";

TEST(ColumnsTest, TheNumberIsWhatIsSaidOrWhatTheNamesSayWithoutAGap) {
  const auto said = HeaderlessColumns(3, {"c9"});
  ASSERT_TRUE(said);
  EXPECT_EQ(*said, (Names{"c1", "c2", "c3"}));
  const auto named = HeaderlessColumns({}, {"c3", "c1", "c2"});
  ASSERT_TRUE(named);
  EXPECT_EQ(*named, (Names{"c1", "c2", "c3"}));
  for (const Names& names :
       {Names{}, Names{"c1", "c3"}, Names{"c0", "c1"}, Names{"c1", "x"},
        Names{"c1", "c02"}, Names{"c2", "c3"}}) {
    const auto refused = HeaderlessColumns({}, names);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, kAsk);
  }
  EXPECT_FALSE(HeaderlessColumns(0, {"c1"}));
}

TEST(ColumnsTest, TheFirstRowDoesNotDecideHowManyColumnsThereAre) {
  const ExampleReader::Params params{
      .header = false, .columns = 2, .label = "c1", .skip_bad = true};
  const auto read = ReadAll("a.csv", "0,5,9\n1,6\n", params);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.rounds,
            (std::vector<Round>{Unusable(), Present({{0, 6}}, true)}));
  EXPECT_EQ(ReadAll("a.csv", "0,5\n", {.header = false}).error,
            std::string("F: ") + kAsk);
}

TEST(ColumnsTest, ASchemaThatNamesAllColumnsSaysHowManyThereAre) {
  const Schema schema{{{"c2", SchemaColumn::Type::kNumber, {}, std::nullopt},
                       {"c3", SchemaColumn::Type::kNumber, {}, std::nullopt}},
                      SchemaLabel{"c1", {.names = {"e", "p"}}}};
  const auto read = ReadAll(
      "a.csv", "p,1,2\ne,3\n",
      {.header = false, .encoding = {.schema = schema}, .skip_bad = true});
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.rounds,
            (std::vector<Round>{Present({{0, 1}, {1, 2}}, true), Unusable()}));
}

}  // namespace
}  // namespace sotto
