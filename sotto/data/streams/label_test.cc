#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/example_reader_test_file.h"

namespace sotto {
namespace {

using Params = ExampleReader::Params;
using Labels = std::vector<std::optional<Label>>;

Schema SchemaFor(LabelType label) {
  return {{{"x", SchemaColumn::Type::kNumber, {}, std::nullopt}},
          SchemaLabel{"y", std::move(label)}};
}

const LabelType kClasses{.kind = LabelType::Kind::kClasses,
                         .names = {"cat", "dog", "3"}};
const LabelType kNumber{
    .kind = LabelType::Kind::kNumber, .low = -1, .high = 2.5};

Labels GetLabels(const ReadOutcome& read) {
  Labels labels;
  for (const Round& round : read.rounds) labels.push_back(round.y);
  return labels;
}

// The same labels as the rows of each format that can have a schema.
std::vector<ReadOutcome> InEveryFormat(const std::vector<std::string>& labels,
                                       Params params) {
  std::string csv = "x,y\n";
  std::string jsonl;
  for (const std::string& label : labels) {
    const bool bare =
        label.find_first_not_of("+-.0123456789") == std::string::npos;
    csv += "1," + label + "\n";
    jsonl += "{\"x\":{\"x\":1},\"y\":" +
             (bare && !label.starts_with('+') && !label.empty()
                  ? label
                  : "\"" + label + "\"") +
             "}\n";
  }
  return {ReadAll("a.csv", csv, params), ReadAll("a.jsonl", jsonl, params)};
}

TEST(LabelTest, OneOfManyIsReadByItsName) {
  for (const auto& read :
       InEveryFormat({"dog", "3", "", "cat", "?"},
                     {.encoding = {.schema = SchemaFor(kClasses)}})) {
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(GetLabels(read),
              (Labels{Label::OfClass(1), Label::OfClass(2), std::nullopt,
                      Label::OfClass(0), std::nullopt}));
  }
}

TEST(LabelTest, AnUnknownClassIsAFault) {
  for (const auto& read : InEveryFormat(
           {"cow"},
           {.encoding = {.schema = SchemaFor(kClasses)}, .skip_bad = true})) {
    EXPECT_EQ(read.rounds, std::vector<Round>{Unusable()});
    EXPECT_EQ(read.skipped, "1 bad row: 1 unknown label");
  }
  const auto csv = ReadAll("a.csv", "x,y\n1,cow\n",
                           {.encoding = {.schema = SchemaFor(kClasses)}});
  EXPECT_EQ(csv.error,
            "F, line 2, column 'y': 'cow' is not a label: expected one of cat, "
            "dog, 3");
}

TEST(LabelTest, LenientlyAnUnknownLabelIsCountedAndMissing) {
  for (const auto& read : InEveryFormat(
           {"cow", "dog", ""}, {.label_reading = LabelReading::kLenient,
                               .encoding = {.schema = SchemaFor(kClasses)}})) {
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(GetLabels(read),
              (Labels{std::nullopt, Label::OfClass(1), std::nullopt}));
    EXPECT_EQ(read.unknown_labels, 1U);
    EXPECT_EQ(read.skipped, "");
  }
}

TEST(LabelTest, ANumberIsReadAsItIs) {
  for (const auto& read :
       InEveryFormat({"-1", "2.5", "0.125", ""},
                     {.encoding = {.schema = SchemaFor(kNumber)}})) {
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(GetLabels(read),
              (Labels{Label::OfNumber(-1), Label::OfNumber(2.5),
                      Label::OfNumber(0.125), std::nullopt}));
  }
}

TEST(LabelTest, ANumberOutsideItsRangeIsMovedToTheNearerEndAndCounted) {
  for (const bool clamp : {false, true}) {
    for (const auto& read : InEveryFormat(
             {"-1.5", "3", "2"},
             {.encoding = {.schema = SchemaFor(kNumber), .clamp = clamp}})) {
      EXPECT_EQ(read.error, "");
      EXPECT_EQ(GetLabels(read),
                (Labels{Label::OfNumber(-1), Label::OfNumber(2.5),
                        Label::OfNumber(2)}));
      EXPECT_EQ(read.clamped, 2U);
    }
  }
  for (const auto& read :
       InEveryFormat({"abc", "nan"},
                     {.encoding = {.schema = SchemaFor(kNumber), .clamp = true},
                     .skip_bad = true})) {
    EXPECT_EQ(read.skipped, "2 bad rows: 1 not finite, 1 unknown label");
  }
}

TEST(LabelTest, NamesZeroAndOneMeanWhatTheyMeanWithoutASchema) {
  for (const auto& read : InEveryFormat(
           {"0", "1", "+1", "-1", "true", "1.0"},
           {.encoding = {.schema = SchemaFor({.names = {"0", "1"}})}})) {
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(GetLabels(read), (Labels{false, true, true, false, true, true}));
  }
}

TEST(LabelTest, TheTypeIsKnownBeforeAnyRow) {
  const std::string path = TestFile("a.csv", "x,y,z\n");
  const auto type_of = [&](Params params) {
    params.path = path;
    const auto reader = ExampleReader::Open(params);
    EXPECT_TRUE(reader);
    return reader ? reader->label_type() : LabelType{};
  };
  EXPECT_EQ(type_of({}), LabelType{});
  EXPECT_EQ(type_of({.labels = std::pair("a", "b")}),
            (LabelType{.names = {"a", "b"}}));
  EXPECT_EQ(type_of({.encoding = {.schema = SchemaFor(kClasses)}}), kClasses);
  EXPECT_EQ(type_of({.encoding = {.schema = SchemaFor(kNumber)}}), kNumber);
  // The schema speaks of y.
  EXPECT_EQ(type_of({.label = "z", .encoding = {.schema = SchemaFor(kNumber)}}),
            LabelType{});
}

TEST(LabelTest, WordsHaveNoControlCharacters) {
  EXPECT_TRUE(ParseLabelWords("no,yes"));
  EXPECT_TRUE(ParseLabelWords("n\xc3\xa9,yes"));
  for (const char* words : {"a\nb,c", "c,a\nb", "a\x1b[31m,c", "a,b\r"}) {
    const auto refused = ParseLabelWords(words);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("without control characters"),
              std::string::npos);
  }
}

TEST(LabelTest, TwoWordsForALabelThatIsNotOfTwoAreRefused) {
  const Params params{.labels = std::pair("a", "b"),
                      .encoding = {.schema = SchemaFor(kNumber)}};
  EXPECT_EQ(ReadAll("a.csv", "x,y\n", params).error,
            "F: two labels are named, but in the schema the label 'y' is not "
            "one of two");
  EXPECT_EQ(ReadAll("a.csv", "x,y\n", {.labels = std::pair("a", "a")}).error,
            "F: the two labels must differ, not both be 'a'");
}

}  // namespace
}  // namespace sotto
