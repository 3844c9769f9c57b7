#include "sotto/data/streams/schema.h"

#include <gtest/gtest.h>

#include <string>

namespace sotto {
namespace {

std::string GetError(const std::string& text) {
  const auto schema = Schema::Parse(text, "s.json");
  return schema ? "" : schema.error().message;
}

TEST(SchemaTest, GivesColumnsTypesValuesRangesAndTheLabel) {
  const auto schema = Schema::Parse(
      R"({"label": {"column": "c1", "negative": "e", "positive": "p"},
          "columns": [{"name": "c2", "type": "category", "values": ["b", "?"]},
                      {"name": "age", "type": "number", "range": [0, 120]},
                      {"name": "w", "type": "number"},
                      {"name": "old", "type": "boolean"}]})",
      "s.json");
  ASSERT_TRUE(schema) << schema.error().message;
  ASSERT_EQ(schema->columns.size(), 4U);
  EXPECT_EQ(schema->columns[0].values, (std::vector<std::string>{"b", "?"}));
  EXPECT_EQ(schema->columns[1].type, SchemaColumn::Type::kNumber);
  EXPECT_EQ(schema->columns[1].range, std::pair(0.0, 120.0));
  EXPECT_FALSE(schema->columns[2].range);
  EXPECT_EQ(schema->columns[3].type, SchemaColumn::Type::kBoolean);
  ASSERT_TRUE(schema->label);
  EXPECT_EQ(schema->label->type, (LabelType{.names = {"e", "p"}}));
  EXPECT_EQ(schema->Find("w"), 2U);
  EXPECT_FALSE(schema->Find("c1"));
}

TEST(SchemaTest, AnErrorNamesTheFileThePathAndWhatWasExpected) {
  EXPECT_EQ(GetError(R"([1])"),
            "s.json: top level: expected an object, found [1]");
  EXPECT_EQ(GetError(R"({"columns": []})"),
            "s.json: columns: expected a list of at least one column, "
            "found []");
  EXPECT_EQ(GetError(R"({"columns": [{"name": "a", "type": "text"}]})"),
            "s.json: columns[0].type, of column 'a': expected \"category\", "
            "\"number\" or \"boolean\", found \"text\"");
  EXPECT_EQ(GetError(R"({"columns": [{"name": "a", "type": "category",
                                     "values": ["x", 3]}]})"),
            "s.json: columns[0].values[1], of column 'a': expected a string, "
            "found 3");
  EXPECT_EQ(
      GetError(R"({"columns": [{"name": "a", "type": "number",
                                     "range": [2, 1]}]})"),
      "s.json: columns[0].range, of column 'a': expected [low, high], two "
      "finite numbers, low < high, found [2,1]");
}

TEST(SchemaTest, RefusesWhatWouldBeAmbiguousOrIgnored) {
  EXPECT_NE(GetError("{"), "");
  EXPECT_NE(GetError(R"({"columns": [{"name": "a", "type": "category"}]})"),
            "");
  for (const char* column :
       {R"({"name": "a", "type": "category", "values": ["x", "x"]})",
        R"({"name": "a", "type": "number", "values": ["x"]})",
        R"({"name": "a", "type": "boolean", "range": [0, 1]})",
        R"({"name": "a", "type": "number", "rnage": [0, 1]})",
        R"({"name": "", "type": "number"})", R"({"type": "number"})"}) {
    EXPECT_NE(GetError(std::string(R"({"columns": [)") + column + "]}"), "")
        << column;
  }
  const std::string a = R"({"name": "a", "type": "number"})";
  EXPECT_EQ(GetError("{\"columns\": [" + a + "]}"), "");
  EXPECT_NE(GetError("{\"columns\": [" + a + "," + a + "]}"), "");
  EXPECT_NE(GetError(R"({"label": {"column": "a", "negative": "0",
                        "positive": "1"}, "columns": [)" +
                     a + "]}"),
            "");
}

std::string WithLabel(const std::string& label) {
  return R"({"label": {"column": "l", )" + label +
         R"(}, "columns": [{"name": "a", "type": "number"}]})";
}

TEST(SchemaTest, ALabelIsOneOfTwoOneOfManyOrANumberInARange) {
  const auto classes =
      Schema::Parse(WithLabel(R"("classes": ["a", "b", "c"])"), "s.json");
  ASSERT_TRUE(classes) << classes.error().message;
  EXPECT_EQ(classes->label->type, (LabelType{.kind = LabelType::Kind::kClasses,
                                             .names = {"a", "b", "c"}}));
  const auto number =
      Schema::Parse(WithLabel(R"("range": [-1.5, 2])"), "s.json");
  ASSERT_TRUE(number) << number.error().message;
  EXPECT_EQ(
      number->label->type,
      (LabelType{.kind = LabelType::Kind::kNumber, .low = -1.5, .high = 2}));
}

TEST(SchemaTest, ALabelOfTwoTypesOrOfNoneIsRefused) {
  for (const char* label :
       {R"("classes": ["a"])", R"("classes": ["a", "a"])",
        R"("classes": ["a", ""])", R"("classes": [1, 2])", R"("range": [1, 1])",
        R"("range": [0, 1], "classes": ["a", "b"])",
        R"("negative": "0", "positive": "1", "range": [0, 1])",
        R"("negative": "0")", R"("x": 1)"}) {
    EXPECT_NE(GetError(WithLabel(label)), "") << label;
  }
}

TEST(SchemaTest, TheEmptyStringMayBeAValueOfACategory) {
  EXPECT_EQ(GetError(R"({"columns": [{"name": "a", "type": "category",
                                     "values": ["", "x"]}]})"),
            "");
}

TEST(SchemaTest, DeepNestingAndKeysThatComeTwiceAreErrors) {
  EXPECT_NE(GetError(std::string(200'000, '[')), "");
  EXPECT_NE(GetError(R"({"columns": [{"name": "a", "type": "number"}],
                        "columns": [{"name": "b", "type": "number"}]})"),
            "");
}

TEST(SchemaTest, WhatCannotBeReadIsAnErrorThatNamesIt) {
  const auto folder = Schema::FromFile("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "/: cannot read the input: Is a directory");
  const auto endless = Schema::FromFile("/dev/zero");
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().message,
            "/dev/zero: expected a schema of at most 64 MiB");
}

TEST(SchemaTest, AMissingFileIsAnErrorThatNamesIt) {
  const auto schema = Schema::FromFile("/nowhere/s.json");
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().message,
            "cannot open /nowhere/s.json: No such file or directory");
}

}  // namespace
}  // namespace sotto
