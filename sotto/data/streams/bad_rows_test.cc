#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/example_reader_test_file.h"

namespace sotto {
namespace {

using Params = ExampleReader::Params;

struct BadCase {
  const char* name;
  const char* text;
  const char* error;
  Params params = {};
};

TEST(BadRowsTest, ABadRowIsNamedByFileLineColumnAndWhatWasExpected) {
  const Schema schema{
      {{"a", SchemaColumn::Type::kCategory, {"u", "v"}, std::nullopt},
       {"b", SchemaColumn::Type::kNumber, {}, std::pair(0.0, 1.5)}},
      std::nullopt};
  const Params with_schema{.encoding = {.schema = schema}};
  const Params ten{.encoding = {.hash_bits = 0, .features = 10}};
  const Params few{.encoding = {.features = 10, .max_per_row = 2}};
  const BadCase cases[] = {
      {"a.csv", "x,z,y\n1,2,0\n1,0\n", "F, line 3: 2 fields: expected 3"},
      {"a.csv", "x,y\n1,2,0\n", "F, line 2: 3 fields: expected 2"},
      {"a.csv", "x,y\nNaN,0\n",
       "F, line 2, column 'x': 'NaN': expected a finite number"},
      {"a.csv", "x,y\n-inf,0\n",
       "F, line 2, column 'x': '-inf': expected a finite number"},
      {"a.csv", "x,y\n1e999,0\n",
       "F, line 2, column 'x': '1e999': expected a finite number"},
      {"a.csv", "x,y\n1,2\n",
       "F, line 2, column 'y': '2' is not a label: expected 0 or 1, -1 or +1, "
       "true or false"},
      {"a.csv", "x,y\n\"1,2\n",
       "F, line 2, column 'x': a quote that is not closed on this line"},
      {"a.csv",
       "x,y\nred,1\n",
       "F, line 2, column 'x': 'red': expected a number (strings need a schema "
       "or hash bits)",
       {.encoding = {.hash_bits = 0}}},
      {"a.csv", "a,b,y\nw,1,0\n",
       "F, line 2, column 'a': 'w': expected one of u, v", with_schema},
      {"a.csv", "a,b,y\nu,two,0\n",
       "F, line 2, column 'b': 'two': expected a finite number", with_schema},
      {"a.csv", "a,b,y\nu,x,0\n",
       "F, line 2, column 'b': 'x': expected a finite number", with_schema},
      {"a.csv", "a,b,y\nu,\"1,0\n",
       "F, line 2, column 'b': a quote that is not closed on this line",
       with_schema},
      {"a.libsvm", "1 1:2 11:1\n",
       "F, line 1, character 7: too many features: index 11, but 10 features "
       "were declared",
       ten},
      {"a.libsvm", "1 0:2\n",
       "F, line 1, character 3: index 0: libsvm indices count from 1"},
      {"a.libsvm", "1 2:2 1:1 2:3\n",
       "F, line 1, character 11: index 2 comes twice"},
      {"a.libsvm", "1 2:nan\n",
       "F, line 1, character 3: '2:nan': expected index:value, a finite "
       "number"},
      {"a.libsvm", "1 1:1 2:1 3:1\n",
       "F, line 1, character 11: too many features: more than 2 in one row",
       few},
      {"a.libsvm", "3 1:1\n",
       "F, line 1, character 1: '3' is not a label: expected 0 or 1, -1 or +1, "
       "true or false"},
      {"a.vw", "1 3:4\n",
       "F, line 1: no '|': expected label |namespace name:value ..."},
      {"a.vw", "1 | a:x\n",
       "F, line 1, character 5: 'x': expected a finite number"},
      {"a.vw", "1 | 12:1\n",
       "F, line 1, character 5: too many features: index 12, but indices below "
       "10 were declared",
       ten},
      {"a.vw", "1 | a b c\n",
       "F, line 1, character 9: too many features: more than 2 in one row",
       few},
      {"a.vw", "1 2.5 | a\n",
       "F, line 1: '2.5': importance other than 1 is not supported"},
      {"a.jsonl", "{\"x\": [1], \"y\": 1\n",
       "F, line 1: half of something: expected JSON"},
      {"a.jsonl", "{\"x\": [NaN]}\n",
       "F, line 1, \"x\", element 1: 'NaN': expected a finite number"},
      {"a.jsonl", "{\"y\": 1}\n",
       "F, line 1: no \"x\": expected features with a label"},
      {"a.jsonl", "{\"x\": [1], \"y\": 3}\n",
       "F, line 1, \"y\": '3' is not a label: expected 0 or 1, -1 or +1, "
       "true "
       "or false"},
      {"a.jsonl", "{\"x\": [1,2,3]}\n",
       "F, line 1, \"x\", element 3: too many features: expected at most 2 in "
       "one row",
       few},
      {"a.jsonl", "{\"x\": {\"a\": \"u\"}}\n",
       "F, line 1, \"x\", column 'b': missing: expected a value", with_schema},
      {"a.jsonl", "{\"x\": {\"a\": [1]}}\n",
       "F, line 1, \"x\", column 'a': a list: expected one value"},
  };
  for (const BadCase& bad : cases) {
    EXPECT_EQ(ReadAll(bad.name, bad.text, bad.params).error, bad.error)
        << bad.text;
  }
}

TEST(BadRowsTest, AFieldThatIsMissingIsAFaultAndNoFeature) {
  EXPECT_EQ(ReadAll("a.csv", "x,z,y\n1,,0\n").error,
            "F, line 2, column 'z': missing: expected a value");
  EXPECT_EQ(ReadAll("a.csv", "x,z,y\n1,\"\",0\n").error,
            "F, line 2, column 'z': missing: expected a value");
  EXPECT_EQ(ReadAll("a.jsonl", "{\"x\":{\"a\":\"\"}}\n").error,
            "F, line 1, \"x\", column 'a': missing: expected a value");
  EXPECT_EQ(ReadAll("a.vw", "1 | :2\n").error,
            "F, line 1, character 5: no name: expected name:value");
  const Schema schema{
      {{"x", SchemaColumn::Type::kCategory, {"", "u"}, std::nullopt},
       {"z", SchemaColumn::Type::kCategory, {"u"}, std::nullopt}},
      std::nullopt};
  const Params params{.encoding = {.schema = schema}};
  EXPECT_EQ(ReadAll("a.csv", "x,z,y\n,u,0\n", params).rounds,
            std::vector<Round>{Present({{0, 1}, {2, 1}}, false)});
  EXPECT_EQ(ReadAll("a.csv", "x,z,y\nu,,0\n", params).error,
            "F, line 2, column 'z': '': expected one of u");
}

TEST(BadRowsTest, WhereOnlyNumbersMakeSenseAStringIsAFault) {
  const Params params{.encoding = {.numbers_only = true}};
  const char* const expected = ": expected a number (strings need a schema)";
  for (const char* field : {"hello", "0.5x", "1,5", "-"}) {
    const std::string csv = std::string("x,y\n\"") + field + "\",1\n";
    EXPECT_EQ(ReadAll("a.csv", csv, params).error,
              std::string("F, line 2, column 'x': '") + field + "'" + expected);
    EXPECT_EQ(ReadAll("a.csv", csv).error, "");
    const std::string json = std::string("{\"x\":[\"") + field + "\"]}";
    EXPECT_EQ(
        ReadAll("a.jsonl", json, params).error,
        std::string("F, line 1, \"x\", element 1: '") + field + "'" + expected);
  }
  EXPECT_EQ(ReadAll("a.csv", "x,y\n", params).features, 1U);
}

TEST(BadRowsTest, WhereOnlyNumbersMakeSenseANameHasNoPlace) {
  const Params params{.encoding = {.numbers_only = true}};
  EXPECT_EQ(
      ReadAll("a.jsonl", R"({"x":{"age":2}})", params).error,
      "F, line 1, \"x\", column 'age': a name: expected numbers in a list "
      "(names need a schema)");
  EXPECT_EQ(ReadAll("a.jsonl", R"({"x":{"age":2}})").error, "");
  EXPECT_THAT(ReadAll("a.vw", "1 | price:2\n", params).error,
              testing::HasSubstr("price"));
}

TEST(BadRowsTest, WhatCannotBeOpenedIsNamedAtOnce) {
  EXPECT_EQ(ReadAll("a.csv", "").error, "F: empty: expected a header");
  EXPECT_EQ(ReadAll("a.csv", "a,b\n").error,
            "F: no column 'y' for the label; the columns are a, b");
  EXPECT_EQ(ReadAll("a.csv", "a,y\n", {.user = "who"}).error,
            "F: no column 'who' for the user; the columns are a, y");
  EXPECT_EQ(ReadAll("a.csv", "a,y\n", {.user = "y"}).error,
            "F: column 'y' cannot be both the label and the user");
  EXPECT_EQ(ReadAll("a.csv", "a,a,y\n").error,
            "F: line 1, field 2: a second column 'a'");
  EXPECT_EQ(ReadAll("a.dat", "").error,
            "F: cannot tell the format by the ending; give --format csv, "
            "libsvm, vw or jsonl");
  EXPECT_EQ(ReadAll("a.csv", "a,b,y\n", {.encoding = {.features = 1}}).error,
            "F: too many features: 2 columns, but 1 were declared");
  EXPECT_EQ(ReadAll("a.csv", "a,b\n", {.label_optional = true}).error, "");
  const auto missing = ExampleReader::Open({.path = "/nowhere/a.csv"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "cannot open /nowhere/a.csv: No such file or directory");
}

TEST(BadRowsTest, ABadRowIsAnUnusableRoundInItsPlaceAndIsCounted) {
  const auto read =
      ReadAll("a.csv", "x,y\n1,1\nnan,0\n2,0\n3\n4,maybe\n5,1\n\n6,7\n",
              {.skip_bad = true});
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.rounds, (std::vector<Round>{
                             Present({{0, 1}}, true), Unusable(),
                             Present({{0, 2}}, false), Unusable(), Unusable(),
                             Present({{0, 5}}, true), Absent(), Unusable()}));
  EXPECT_EQ(read.skipped,
            "4 bad rows: 1 wrong fields, 1 not finite, 2 unknown label");
}

TEST(BadRowsTest, ReadingMayGoOnAfterABadRow) {
  auto reader = ExampleReader::Open(
      {.path = TestFile("a.csv", "x,user,y\nnan,ann,0\n2,bob,1\n")});
  ASSERT_TRUE(reader);
  Round round;
  EXPECT_FALSE(reader->Next(round));
  EXPECT_EQ(round, Unusable("ann"));
  EXPECT_TRUE(reader->can_go_on());
  const auto more = reader->Next(round);
  ASSERT_TRUE(more && *more);
  EXPECT_EQ(round.x, (FeatureVector{{0, 2}}));
  EXPECT_EQ(reader->line_number(), 3U);
}

TEST(BadRowsTest, ALineBeyondTheLimitIsABadRowLikeAnyOther) {
  Params params{.skip_bad = true};
  params.input.max_line = std::size_t{1} << 20;
  const std::string text =
      "x,y\n1,1\n" + std::string(1'200'000, '1') + ",1\n2,0\n";
  const auto read = ReadAll("a.csv", text, params);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.rounds,
            (std::vector<Round>{Present({{0, 1}}, true), Unusable(),
                                Present({{0, 2}}, false)}));
  params.skip_bad = false;
  EXPECT_EQ(ReadAll("a.csv", text, params).error,
            "F, line 3: the line is longer than 1 MiB");
  EXPECT_EQ(ReadAll("a.csv", std::string(1'200'000, 'x'), params).error,
            "F: line 1: the line is longer than 1 MiB");
}

}  // namespace
}  // namespace sotto
