#include "sotto/data/streams/live_lines.h"

#include <gtest/gtest.h>

#include <string>

#include "sotto/data/streams/example_reader_test_file.h"

namespace sotto {
namespace {

struct Outcome {
  bool good = false;
  LiveLine line;
  RowError fault;
};

Outcome Parse(const std::string& text,
              const ExampleReader::Params& params = {}) {
  auto lines = LiveLines::Create(params);
  EXPECT_TRUE(lines);
  Outcome outcome;
  outcome.good = lines->Parse(text, outcome.line, outcome.fault);
  return outcome;
}

TEST(LiveLinesTest, AQuestionHasAnIdFeaturesAndAUser) {
  const Outcome asked = Parse(R"({"id":"a","x":[0.5,2],"user":"u1"})");
  ASSERT_TRUE(asked.good);
  EXPECT_EQ(asked.line.id, "\"a\"");
  EXPECT_FALSE(asked.line.label);
  EXPECT_EQ(asked.line.round, Present({{0, 0.5}, {1, 2}}, std::nullopt, "u1"));
}

TEST(LiveLinesTest, AnIdIsKeptAsItWasGiven) {
  EXPECT_EQ(Parse(R"({"x":1,"id": 007e })").line.id, "");
  EXPECT_EQ(Parse(R"({"x":1,"id": 7.50 })").line.id, "7.50");
  EXPECT_EQ(Parse(R"({"x":1,"id":"\u00e9\"" })").line.id, R"("\u00e9\"")");
  EXPECT_EQ(Parse(R"({"x":1})").line.id, "");
  EXPECT_FALSE(Parse(R"({"x":1,"id":[1]})").good);
  EXPECT_FALSE(Parse(R"({"x":1,"id":true})").good);
}

TEST(LiveLinesTest, ALabelComesWithATicket) {
  const Outcome prediction = Parse(R"({"ticket":"t-1","y":1})");
  ASSERT_TRUE(prediction.good) << prediction.fault.message;
  EXPECT_TRUE(prediction.line.label);
  EXPECT_EQ(prediction.line.ticket, "t-1");
  EXPECT_EQ(prediction.line.round.y, Label(true));
  EXPECT_TRUE(prediction.line.round.x.empty());
}

TEST(LiveLinesTest, LabelsAreOfTheStreamsType) {
  const LabelType classes{.kind = LabelType::Kind::kClasses,
                          .names = {"a", "b", "c"}};
  const ExampleReader::Params params{
      .encoding = {.schema =
                       Schema{{{"x", SchemaColumn::Type::kNumber, {}, {}}},
                              SchemaLabel{"y", classes}}}};
  EXPECT_EQ(Parse(R"({"ticket":"t","y":"c"})", params).line.round.y,
            Label::OfClass(2));
  const Outcome unknown = Parse(R"({"ticket":"t","y":"d"})", params);
  EXPECT_FALSE(unknown.good);
  EXPECT_EQ(unknown.line.ticket, "t");
  const auto lines = LiveLines::Create(params);
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->label_type(), classes);
  EXPECT_EQ(lines->FeatureNames(), std::vector<std::string>{"x"});
}

TEST(LiveLinesTest, ALineWithoutFeaturesIsAnAbsentRound) {
  for (const char* text : {"", " ", "{}", R"({"id":1})"}) {
    const Outcome outcome = Parse(text);
    EXPECT_TRUE(outcome.good) << text;
    EXPECT_EQ(outcome.line.round, Absent()) << text;
  }
  EXPECT_EQ(Parse(R"({"user":"ann","id":"b"})").line.round, Absent("ann"));
}

TEST(LiveLinesTest, ABadLineSaysWhyAndKeepsWhatCanBeRead) {
  const Outcome bad = Parse(R"({"x":[1,[2]],"id":"a","user":"ann"})");
  EXPECT_FALSE(bad.good);
  EXPECT_FALSE(bad.line.label);
  EXPECT_EQ(bad.fault.message, "a list: expected one value");
  EXPECT_EQ(bad.line.id, "\"a\"");
  EXPECT_EQ(bad.line.round, Unusable("ann"));
  const Outcome broken = Parse(R"({"id":"a","x":)");
  EXPECT_FALSE(broken.good);
  EXPECT_EQ(broken.line.round, Unusable());
}

TEST(LiveLinesTest, AnIdIsLimitedAndALongerOneIsNotSentBack) {
  const auto with_id = [](std::size_t bytes) {
    return Parse(R"({"id":")" + std::string(bytes - 2, 'i') +
                 R"(","x":[0.5],"user":"ann"})");
  };
  const Outcome longest = with_id(JsonlRows::kMaxIdBytes);
  EXPECT_TRUE(longest.good);
  EXPECT_EQ(longest.line.id.size(), JsonlRows::kMaxIdBytes);
  const Outcome longer = with_id(JsonlRows::kMaxIdBytes + 1);
  EXPECT_FALSE(longer.good);
  EXPECT_EQ(longer.line.id, "");
  EXPECT_EQ(longer.fault.ReplyText(),
            "\"id\": expected an id of at most 1024 bytes, got a longer one");
  EXPECT_EQ(longer.line.round, Unusable("ann"));
}

TEST(LiveLinesTest, ATicketNeedsALabelAndNothingElse) {
  EXPECT_EQ(Parse(R"({"ticket":"t"})").fault.Text("1"),
            "1, \"y\": missing: expected a label");
  EXPECT_EQ(Parse(R"({"ticket":"t","y":null})").fault.Text("1"),
            "1, \"y\": missing: expected a label");
  EXPECT_EQ(Parse(R"({"ticket":"","y":1})").fault.Text("1"),
            "1, \"ticket\": empty: expected a ticket");
  EXPECT_EQ(Parse(R"({"ticket":7,"y":1})").fault.Text("1"),
            "1, \"ticket\": a number: expected a string");
  EXPECT_EQ(Parse(R"({"ticket":"t","x":1,"y":1})").fault.Text("1"),
            "1: both \"x\" and \"ticket\": expected one of them");
}

TEST(LiveLinesTest, RowsAreReadAsInAStream) {
  const ExampleReader::Params params{.labels = std::pair("no", "yes"),
                                     .encoding = {.hash_bits = 10},
                                     .limits = {.range = {{-1, 1}}}};
  const std::string row = R"({"x":{"a":0.5,"b":"red"},"y":"yes"})";
  const ReadOutcome read = ReadAll("a.jsonl", row, params);
  EXPECT_EQ(Parse(row, params).line.round, read.rounds.at(0));
  EXPECT_EQ(Parse(R"({"x":[2]})", params).line.round.x,
            (FeatureVector{{0, 1}}));
  const ExampleReader::Params points{.limits = {.points = 2}};
  EXPECT_TRUE(Parse(R"({"x":[1]})", points).good);
  EXPECT_FALSE(Parse(R"({"x":[2]})", points).good);
  const auto lines = LiveLines::Create(params);
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->input_fingerprint(), read.print);
}

}  // namespace
}  // namespace sotto
