#include "sotto/data/schemas/schema_scaffold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "sotto/data/schemas/schema_text.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;

std::string Error(const Result<Schema>& schema) {
  return schema ? "" : schema.error().message;
}

TEST(SchemaFactsTest, SaysRangesValuesAndKinds) {
  const auto facts =
      ParseFacts("age=0..120;job=clerk|nurse;smoker=boolean;t=number;z=-2..-1");
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->size(), 5U);
  EXPECT_EQ((*facts)[0].range, std::pair(0.0, 120.0));
  EXPECT_EQ((*facts)[1].values, (std::vector<std::string>{"clerk", "nurse"}));
  EXPECT_EQ((*facts)[2].type, SchemaColumn::Type::kBoolean);
  EXPECT_FALSE((*facts)[3].range);
  EXPECT_EQ((*facts)[4].range, std::pair(-2.0, -1.0));
}

TEST(SchemaFactsTest, SaysWhatIsWrong) {
  for (const char* bad : {"age", "=3", "age=5..2", "age=1..x", "job=a|a"}) {
    const auto facts = ParseFacts(bad);
    ASSERT_FALSE(facts) << bad;
    EXPECT_THAT(facts.error().message, HasSubstr("expected")) << bad;
  }
}

TEST(ScaffoldTest, OfAHeaderIsASchemaThatCanBeRead) {
  const auto facts = ParseFacts("age=0..120;job=clerk|nurse");
  const auto schema =
      Scaffold({"age", "job", "hours", "y"}, {.columns = *facts});
  ASSERT_TRUE(schema) << Error(schema);
  const std::string text = SchemaText(*schema);
  EXPECT_EQ(text,
            "{\"columns\":[\n"
            "  {\"name\":\"age\",\"type\":\"number\",\"range\":[0.0,120.0],"
            "\"missing\":true},\n"
            "  {\"name\":\"job\",\"type\":\"category\",\"values\":[\"clerk\","
            "\"nurse\"],\"missing\":true,\"other\":true},\n"
            "  {\"name\":\"hours\",\"type\":\"number\",\"missing\":true}],\n"
            " \"label\":{\"column\":\"y\",\"negative\":\"0\",\"positive\":"
            "\"1\"}}\n");
  EXPECT_TRUE(Schema::Parse(text, "text"));
  const auto lines = Explain(*schema);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[2], HasSubstr("without a range"));
}

TEST(ScaffoldTest, AFactMustBeAboutAColumn) {
  const auto facts = ParseFacts("height=0..3");
  EXPECT_THAT(Error(Scaffold({"age", "y"}, {.columns = *facts})),
              HasSubstr("'height'"));
  EXPECT_THAT(Error(Scaffold({"age"}, {.label = "z"})), HasSubstr("'z'"));
  EXPECT_THAT(Error(Scaffold({"y"}, {})), HasSubstr("beside the label"));
}

class SampleTest : public ::testing::Test {
 protected:
  Result<Schema> Of(const std::string& text, const SchemaFacts& facts) {
    std::ofstream(path_) << text;
    auto table = TableReader::Open({.path = path_, .input = {}});
    if (!table) return table.error();
    return ScaffoldFromSample(*table, facts);
  }
  void TearDown() override { std::remove(path_.c_str()); }

  std::string path_ =
      (std::filesystem::temp_directory_path() /
       (std::string("sotto_sample_") +
        ::testing::UnitTest::GetInstance()->current_test_info()->name() +
        ".csv"))
          .string();
};

TEST_F(SampleTest, TakesTypesValuesAndRanges) {
  const auto schema =
      Of("a,b,c,y\n1,red,0,no\n-3.5,blue,1,yes\n\n2,red,1,no\n,?,NA,no\n", {});
  ASSERT_TRUE(schema) << Error(schema);
  ASSERT_EQ(schema->fields(), 3U);
  EXPECT_EQ(schema->columns[0].range, std::pair(-3.5, 2.0));
  const SchemaColumn& colour = schema->columns[2];  // behind the mark of a
  EXPECT_EQ(
      std::vector<std::string>(colour.listed().begin(), colour.listed().end()),
      (std::vector<std::string>{"blue", "red"}));
  EXPECT_EQ(schema->columns[3].type, SchemaColumn::Type::kBoolean);
  EXPECT_EQ(schema->label->type.names, (std::vector<std::string>{"no", "yes"}));
}

TEST_F(SampleTest, FactsComeFirst) {
  const auto facts = ParseFacts("a=0..10");
  const auto schema =
      Of("a,y\n1,0\n2,1\n3,2\n", {.columns = *facts, .label = "y"});
  ASSERT_TRUE(schema) << Error(schema);
  EXPECT_EQ(schema->columns[0].range, std::pair(0.0, 10.0));
  EXPECT_EQ(schema->label->type.kind, LabelType::Kind::kClasses);
}

TEST_F(SampleTest, ALabelOfManyNumbersIsANumber) {
  std::string text = "a,y\n";
  for (int i = 0; i < 30; ++i) text += "1," + std::to_string(i) + "\n";
  const auto schema = Of(text, {});
  ASSERT_TRUE(schema) << Error(schema);
  EXPECT_EQ(schema->label->type.kind, LabelType::Kind::kNumber);
  EXPECT_EQ(schema->label->type.high, 29);
}

TEST_F(SampleTest, ALabelThatNeverChangesIsRefused) {
  EXPECT_THAT(Error(Of("a,y\n1,1\n2,1\n", {})), HasSubstr("label"));
}

}  // namespace
}  // namespace sotto
