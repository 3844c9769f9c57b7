#include "sotto/data/streams/example_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sotto/data/streams/example_reader_test_file.h"

namespace sotto {
namespace {

using Params = ExampleReader::Params;

TEST(ExampleReaderTest, ReadsCsvWithLabelAndUserInAnyColumn) {
  const auto read = ReadAll(
      "a.csv", "x1,y,user,x2\n0.5,1,ann,-2\n 1e3 , 0 ,, +7 \n3,,bob,4\n");
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.rounds.size(), 3U);
  EXPECT_EQ(read.rounds[0], Present({{0, 0.5}, {1, -2}}, true, "ann"));
  EXPECT_EQ(read.rounds[1], Present({{0, 1000}, {1, 7}}, false, ""));
  EXPECT_EQ(read.rounds[2], Present({{0, 3}, {1, 4}}, std::nullopt, "bob"));
  EXPECT_EQ(read.features, 2U + (1U << 18));
}

TEST(ExampleReaderTest, ByteOrderMarkCrlfAndNoLastNewlineAreFine) {
  const auto read = ReadAll("a.csv", "\xef\xbb\xbfx,y\r\n1,1\r\n\r\n2,0");
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.rounds.size(), 3U);
  EXPECT_EQ(read.rounds[1], Absent());
  EXPECT_EQ(read.rounds[2], Present({{0, 2}}, false, ""));
}

TEST(ExampleReaderTest, QuotedFieldsMayHoldCommasAndQuotes) {
  const auto read =
      ReadAll("a.csv", "\"a\",user,y\n \"1.5\" ,\"x, \"\"y\"\"\",\"1\"\n");
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.rounds.size(), 1U);
  EXPECT_EQ(read.rounds[0], Present({{0, 1.5}}, true, "x, \"y\""));
}

TEST(ExampleReaderTest, WithoutHeaderColumnsAreNumbered) {
  const auto read =
      ReadAll("a.csv", "0,5\n1,6\n",
              Params{.header = false, .columns = 2, .label = "c1"});
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.rounds.size(), 2U);
  EXPECT_EQ(read.rounds[0], Present({{0, 5}}, false, ""));
}

TEST(ExampleReaderTest, ValuesAreMovedIntoTheirRangeAndCountedButNotInBuckets) {
  const Params params{.limits = {.range = {{-1, 1}}}};
  const auto good = ReadAll("a.csv", "a,y,b\n-1,0,1\nred,1,0.5\n", params);
  EXPECT_EQ(good.error, "");
  EXPECT_EQ(good.clamped, 0U);
  const auto moved =
      ReadAll("a.csv", "a,y,b\n-1,0,1\n3,1,-1.5\nred red,1,0\n", params);
  EXPECT_EQ(moved.error, "");
  ASSERT_EQ(moved.rounds.size(), 3U);
  EXPECT_EQ(moved.rounds[1].x, (FeatureVector{{0, 1}, {1, -1}}));
  EXPECT_EQ(moved.clamped, 1U);  // one row
}

TEST(ExampleReaderTest, WhatIsNoPointOfAClassIsAFault) {
  const Params params{.limits = {.points = 4}};
  const auto good = ReadAll("a.csv", "x,y\n0,0\n3,1\n,\n", params);
  EXPECT_EQ(good.error, "");
  for (const char* value : {"4", "1.5", "-1"}) {
    const auto bad =
        ReadAll("a.csv", "x,y\n3,1\n" + std::string(value) + ",1\n", params);
    EXPECT_EQ(bad.rounds.size(), 1U);
    EXPECT_NE(bad.error.find("line 3, column 'x': " + std::string(value) +
                             ": expected a point of the class: a whole number "
                             "from 0 to 3"),
              std::string::npos)
        << bad.error;
  }
}

TEST(ExampleReaderTest, LabelsAreTheUsualOnesOrTheTwoThatWereNamed) {
  const auto usual = ReadAll("a.csv", "y\n0\n1\n-1\n+1\ntrue\nfalse\n1.0\n?\n");
  EXPECT_EQ(usual.error, "");
  std::vector<std::optional<Label>> labels;
  for (const Round& round : usual.rounds) labels.push_back(round.y);
  EXPECT_EQ(labels,
            (std::vector<std::optional<Label>>{false, true, false, true, true,
                                               false, true, std::nullopt}));
  const auto named = ReadAll("a.csv", "y,x\n<=50K,1\n>50K,2\n",
                             Params{.labels = std::pair("<=50K", ">50K")});
  ASSERT_EQ(named.rounds.size(), 2U);
  EXPECT_EQ(named.rounds[0].y, Label(false));
  EXPECT_EQ(named.rounds[1].y, Label(true));
}

TEST(ExampleReaderTest, StringsAreHashedByColumnAndValueBehindTheNumbers) {
  const auto read = ReadAll("a.csv", "a,b,y\nred,1,1\n2,red,0\nred,3,0\n",
                            Params{.encoding = {.hash_bits = 10}});
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.rounds.size(), 3U);
  EXPECT_EQ(read.features, 2U + 1024U);
  const Feature a_red = read.rounds[0].x[1];
  const Feature b_red = read.rounds[1].x[1];
  EXPECT_GE(a_red.index, 2U);
  EXPECT_LT(a_red.index, read.features);
  EXPECT_EQ(a_red.value, 1.0);
  EXPECT_NE(a_red.index, b_red.index);
  EXPECT_EQ(read.rounds[2].x, (FeatureVector{{1, 3}, a_red}));
}

TEST(ExampleReaderTest, ASchemaGivesEveryValueItsPlace) {
  const auto schema = Schema::Parse(
      R"({"label": {"column": "edible", "negative": "n", "positive": "y"},
          "columns": [{"name": "color", "type": "category",
                       "values": ["red", "green"]},
                      {"name": "age", "type": "number", "range": [0, 50]},
                      {"name": "wild", "type": "boolean"}]})",
      "s.json");
  ASSERT_TRUE(schema);
  const std::string csv =
      "age,edible,noise,color,wild\n25,y,zz,green,true\n0,n,,red,0\n";
  const auto read = ReadAll("a.csv", csv, {.encoding = {.schema = *schema}});
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.features, 4U);
  ASSERT_EQ(read.rounds.size(), 2U);
  EXPECT_EQ(read.rounds[0], Present({{1, 1}, {2, 0.5}, {3, 1}}, true, ""));
  EXPECT_EQ(read.rounds[1], Present({{0, 1}, {2, 0}, {3, 0}}, false, ""));
  const auto raw = ReadAll(
      "a.csv", csv, {.encoding = {.schema = *schema, .raw_numbers = true}});
  EXPECT_EQ(raw.rounds[0].x[1].value, 25);
  const auto jsonl = ReadAll(
      "a.jsonl",
      R"({"x": {"wild": true, "other": 1, "color": "green", "age": 25}, "y": "y"})"
      "\n"
      R"({"x": ["red", 0, false], "y": "n"})",
      {.encoding = {.schema = *schema}});
  EXPECT_EQ(jsonl.error, "");
  EXPECT_EQ(jsonl.rounds, read.rounds);
}

TEST(ExampleReaderTest, ReadsLibsvm) {
  const auto read = ReadAll(
      "a.libsvm", "+1 1:0.5 3:-2 # note\n-1\t2:1\n\n# all comment\n5:1 2:3\n");
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.rounds.size(), 5U);
  EXPECT_EQ(read.rounds[0], Present({{0, 0.5}, {2, -2}}, true, ""));
  EXPECT_EQ(read.rounds[1], Present({{1, 1}}, false, ""));
  EXPECT_EQ(read.rounds[2], Absent());
  EXPECT_EQ(read.rounds[3], Absent());
  EXPECT_EQ(read.rounds[4], Present({{1, 3}, {4, 1}}, std::nullopt, ""));
  EXPECT_EQ(read.features, 1U << 18);
}

TEST(ExampleReaderTest, ReadsVwWithIndicesNamesSpacesScalesAndTags) {
  const auto read = ReadAll("a.vw",
                            "1 'ann|  7:0.5 3 9:-1\n"
                            "-1 1 bob|:2 3:4\n"
                            "|  1\n"
                            "1 |s price:2 |t price:3 |s:10 price:1\n",
                            {.encoding = {.hash_bits = 8, .features = 10}});
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.rounds.size(), 4U);
  EXPECT_EQ(read.rounds[0], Present({{3, 1}, {7, 0.5}, {9, -1}}, true, "ann"));
  EXPECT_EQ(read.rounds[1], Present({{3, 8}}, false, "bob"));
  EXPECT_EQ(read.rounds[2], Present({{1, 1}}, std::nullopt, ""));
  ASSERT_EQ(read.rounds[3].x.size(), 2U);  // s^price and t^price
  EXPECT_EQ(read.rounds[3].x[0].value + read.rounds[3].x[1].value, 15);
  EXPECT_GE(read.rounds[3].x[0].index, 10U);
  EXPECT_EQ(read.features, 10U + 256U);
}

TEST(ExampleReaderTest, ReadsJsonLinesWithListsNamesAndSingleNumbers) {
  const auto read = ReadAll(
      "a.jsonl",
      R"({"y": true, "x": [0.5, 2, false], "user": "u1", "more": {"x": [1]}})"
      "\n"
      R"({"x": {"age": 31, "color": "red"}, "y": null})"
      "\n"
      R"({"x": 0.25, "y": -1})"
      "\n",
      {.encoding = {.hash_bits = 12, .features = 5}});
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.rounds.size(), 3U);
  EXPECT_EQ(read.rounds[0], Present({{0, 0.5}, {1, 2}, {2, 0}}, true, "u1"));
  EXPECT_EQ(read.rounds[1].x.size(), 2U);
  EXPECT_FALSE(read.rounds[1].y);
  EXPECT_EQ(read.rounds[2], Present({{0, 0.25}}, false, ""));
}

// Saved models depend on it.
TEST(ExampleReaderTest, TheBucketsOfNamesAreFixedForEver) {
  const auto encoding = Encoding::Create({.hash_bits = 18}, 0);
  ASSERT_TRUE(encoding);
  EXPECT_EQ(encoding->Bucket("a"), 239535U);
  EXPECT_EQ(encoding->Bucket("color", "red"), 254767U);
  EXPECT_EQ(encoding->Bucket("a name of more than sixteen bytes"), 154332U);
  EXPECT_EQ(encoding->Bucket("color", "red"), encoding->Bucket("color=red"));
  const std::string longer(300, 'x');
  EXPECT_EQ(encoding->Bucket(longer, "v"), encoding->Bucket(longer + "=v"));
}

TEST(ExampleReaderTest, NamesHashAlikeInVwAndJsonLines) {
  const EncodingParams encoding{.hash_bits = 16, .features = 0};
  const auto vw =
      ReadAll("a.vw", "1 | age:31 color=red\n", {.encoding = encoding});
  const auto jsonl =
      ReadAll("a.jsonl", R"({"x": {"age": 31, "color": "red"}, "y": 1})",
              {.encoding = encoding});
  ASSERT_EQ(vw.rounds.size(), 1U);
  EXPECT_EQ(vw.rounds, jsonl.rounds);
}

}  // namespace
}  // namespace sotto
