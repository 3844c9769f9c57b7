#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sotto/data/streams/example_reader_test_file.h"
#include "sotto/data/streams/public_inputs.h"

namespace sotto {
namespace {

// Features: red 0, green 1, other 2, missing 3; age 4, its mark 5; wild 6, its
// mark 7; plain 8.
Schema Table() {
  return *Schema::Parse(
      R"({"columns": [
           {"name": "color", "type": "category", "values": ["red", "green"],
            "missing": true, "other": true},
           {"name": "age", "type": "number", "range": [0, 50],
            "missing": true},
           {"name": "wild", "type": "boolean", "missing": true},
           {"name": "plain", "type": "number", "range": [0, 1]}]})",
      "s.json");
}

TEST(MissingValuesTest, EachHasItsOwnFeature) {
  const auto read = ReadAll("a.csv",
                            "color,age,wild,plain,y\n"
                            "green,25,1,1,1\n"
                            "mauve,,,0,1\n"
                            "?,NA,nan,0,0\n"
                            ",N/A,null,0,0\n",
                            {.encoding = {.schema = Table()}});
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.features, 9U);
  ASSERT_EQ(read.rounds.size(), 4U);
  EXPECT_EQ(read.rounds[0].x,
            (FeatureVector{{1, 1}, {4, 0.5}, {5, 0}, {6, 1}, {7, 0}, {8, 1}}));
  EXPECT_EQ(read.rounds[1].x, (FeatureVector{{2, 1}, {5, 1}, {7, 1}, {8, 0}}));
  EXPECT_EQ(read.rounds[2].x, (FeatureVector{{3, 1}, {5, 1}, {7, 1}, {8, 0}}));
  EXPECT_EQ(read.rounds[3].x, read.rounds[2].x);
}

TEST(MissingValuesTest, JsonHasThemAsNullOrNotAtAll) {
  const auto csv =
      ReadAll("a.csv", "color,age,wild,plain,y\n,,,0,1\nmauve,7,0,0,1\n",
              {.encoding = {.schema = Table()}});
  const auto jsonl =
      ReadAll("a.jsonl",
              R"({"x":{"color":null,"wild":null,"plain":0},"y":1})"
              "\n"
              R"({"x":{"wild":0,"age":7,"color":"mauve","plain":0},"y":1})"
              "\n"
              R"({"x":["mauve",7,false,0],"y":1})",
              {.encoding = {.schema = Table()}});
  EXPECT_EQ(jsonl.error, "");
  ASSERT_EQ(jsonl.rounds.size(), 3U);
  EXPECT_EQ(jsonl.rounds[0], csv.rounds[0]);
  EXPECT_EQ(jsonl.rounds[1], csv.rounds[1]);
  EXPECT_EQ(jsonl.rounds[2], csv.rounds[1]);
}

TEST(MissingValuesTest, ColumnsThatDoNotSaySoRefuseThem) {
  for (const char* row : {"red,1,1,,1", "red,old,1,0,1", "red,1,7,0,1"}) {
    const auto read =
        ReadAll("a.csv", "color,age,wild,plain,y\n" + std::string(row) + "\n",
                {.encoding = {.schema = Table()}, .skip_bad = true});
    EXPECT_EQ(read.rounds, std::vector<Round>{Unusable()}) << row;
  }
  const auto jsonl =
      ReadAll("a.jsonl", R"({"x":{"color":"red","age":1,"wild":1},"y":1})",
              {.encoding = {.schema = Table()}});
  EXPECT_NE(jsonl.error.find("column 'plain': missing"), std::string::npos)
      << jsonl.error;
}

TEST(MissingValuesTest, AListedValueIsAValue) {
  const auto schema = Schema::Parse(
      R"({"columns":[{"name":"c","type":"category","values":["a","?"],)"
      R"("missing":true}]})",
      "s.json");
  const auto read =
      ReadAll("a.csv", "c,y\n?,1\nNA,1\n", {.encoding = {.schema = *schema}});
  EXPECT_EQ(read.rounds[0].x, (FeatureVector{{1, 1}}));
  EXPECT_EQ(read.rounds[1].x, (FeatureVector{{2, 1}}));
}

TEST(MissingValuesTest, ASchemaIsWrittenAsItWasRead) {
  const std::string columns =
      R"([{"name":"c","type":"category","values":["a"],"missing":true,)"
      R"("other":true},{"name":"n","type":"number","range":[0.0,1.0],)"
      R"("missing":true},{"name":"b","type":"boolean"}])";
  const auto schema = Schema::Parse(R"({"columns":)" + columns + "}", "s");
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->ColumnsJson().Dump(), columns);
  const auto encoding = Encoding::Create({.schema = *schema}, 0);
  EXPECT_EQ(FeatureNames(*encoding),
            (std::vector<std::string>{"c=a", "c=(other)", "c=(missing)", "n",
                                      "n (missing)", "b"}));
}

TEST(MissingValuesTest, WhatMayBeMissingIsPartOfTheFingerprint) {
  const auto print = [](const std::string& facts) {
    const auto schema = Schema::Parse(
        R"({"columns":[{"name":"b","type":"category","values":["x"])" + facts +
            "}]}",
        "s");
    return InputFingerprint(*Encoding::Create({.schema = *schema}, 0), "y", {});
  };
  EXPECT_NE(print(""), print(R"(,"missing":true)"));
  EXPECT_NE(print(R"(,"other":true)"), print(R"(,"missing":true)"));
  EXPECT_EQ(print(""), print(R"(,"missing":false,"other":false)"));
}

}  // namespace
}  // namespace sotto
