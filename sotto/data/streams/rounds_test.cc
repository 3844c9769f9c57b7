// Every line is a round, whatever is on it.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/example_reader_test_file.h"

namespace sotto {
namespace {

using Params = ExampleReader::Params;

std::vector<Round> Rounds(const std::string& name, const std::string& text,
                          Params params = {}) {
  params.skip_bad = true;
  const ReadOutcome read = ReadAll(name, text, params);
  EXPECT_EQ(read.error, "");
  return read.rounds;
}

TEST(RoundsTest, ABlankLineIsAnAbsentRoundOfNobodyInEveryFormat) {
  const struct {
    const char* name;
    const char* text;
  } cases[] = {{"a.csv", "x,user,y\n1,ann,1\n\n \t \n2,bob,1\n\n"},
               {"a.libsvm", "1 1:1\n\n \t \n1 1:2\n\n"},
               {"a.vw", "1 | a\n\n \t \n1 | b\n\n"},
               {"a.jsonl", "{\"x\":1}\n\n \t \n{\"x\":2}\n\n"}};
  for (const auto& c : cases) {
    const auto rounds = Rounds(c.name, c.text);
    ASSERT_EQ(rounds.size(), 5U) << c.name;
    EXPECT_TRUE(rounds[0].present() && rounds[3].present()) << c.name;
    for (const std::size_t i : {1U, 2U, 4U}) {
      EXPECT_EQ(rounds[i], Absent()) << c.name;
    }
  }
}

TEST(RoundsTest, ACsvRowOfEmptyFieldsIsAnAbsentRoundOfItsUser) {
  const std::string text =
      "x,user,z,y\n,ann,,\n,,,\n \"\" , bob ,,\"\"\n,,,1\n,cat,\n";
  const std::vector<Round> expected = {Absent("ann"), Absent(), Absent("bob"),
                                       Unusable(), Unusable("cat")};
  EXPECT_EQ(Rounds("a.csv", text), expected);
  const Schema schema{
      {{"x", SchemaColumn::Type::kCategory, {"", "u"}, std::nullopt},
       {"z", SchemaColumn::Type::kNumber, {}, std::nullopt}},
      std::nullopt};
  EXPECT_EQ(Rounds("a.csv", text, {.encoding = {.schema = schema}}), expected);
}

TEST(RoundsTest, AJsonObjectWithoutFeaturesIsAnAbsentRoundOfItsUser) {
  EXPECT_EQ(Rounds("a.jsonl",
                   "{\"user\":\"ann\"}\n{}\n{\"more\":[1]}\n"
                   "{\"user\":\"bob\",\"y\":null}\n{\"user\":\"cat\",\"y\":1}"),
            (std::vector<Round>{Absent("ann"), Absent(), Absent(),
                                Absent("bob"), Unusable("cat")}));
}

TEST(RoundsTest, AVwTagWithoutABarIsAnAbsentRoundOfItsUser) {
  EXPECT_EQ(Rounds("a.vw", "'ann\n 'bob \nann\n1 'cat\n'dan 'eve\n"),
            (std::vector<Round>{Absent("ann"), Absent("bob"), Unusable(),
                                Unusable("cat"), Unusable("dan")}));
}

TEST(RoundsTest, ALibsvmLineWithNothingButACommentIsAnAbsentRound) {
  EXPECT_EQ(Rounds("a.libsvm", "# nobody\n1 # no features\n  #\n"),
            (std::vector<Round>{Absent(), Present({}, true), Absent()}));
}

TEST(RoundsTest, AnUnusableCsvRowKeepsItsUserWhateverIsWrong) {
  const std::string text =
      "a,user,b,y\n"
      "nan,ann,1,1\n"           // a value
      "1,bob,1,perhaps\n"       // the label
      "1,cat\n"                 // too few fields
      "1,dan,1,1,1\n"           // too many
      "1,eve,\"1,1\n"           // a quote not closed, behind the user
      "\"1,fay,1,1\n"           // before it
      "\"1\"1, \"g,h\" ,1,1\n"  // text after a quote
      "1,\"ivy,1,1\n"           // the user's own quote: unreadable
      "1\n";                    // no such field
  std::vector<Round> expected;
  for (const char* user :
       {"ann", "bob", "cat", "dan", "eve", "fay", "g,h", "", ""}) {
    expected.push_back(Unusable(user));
  }
  EXPECT_EQ(Rounds("a.csv", text), expected);
}

TEST(RoundsTest, AnUnusableVwRowKeepsItsUserWhateverIsWrong) {
  std::vector<Round> expected;
  for (const char* user : {"ann", "bob", "cat", "dan", ""}) {
    expected.push_back(Unusable(user));
  }
  EXPECT_EQ(Rounds("a.vw",
                   "7 'ann| a\n1 2 bob| a\n1 'cat| a:x\n9 1 1 'dan | a\n"
                   "7 | a\n"),
            expected);
}

TEST(RoundsTest, AnUnusableJsonRowKeepsItsUserWhereverItStands) {
  std::vector<Round> expected;
  for (const char* user : {"ann", "bob", "cat", "dan", ""}) {
    expected.push_back(Unusable(user));
  }
  EXPECT_EQ(Rounds("a.jsonl",
                   "{\"x\":[[1]],\"user\":\"ann\"}\n"
                   "{\"user\":\"bob\",\"y\":7,\"x\":1}\n"
                   "{\"y\":7,\"x\":1,\"user\":\"cat\"}\n"
                   "{\"user\":\"dan\",\"x\":[null]}\n"
                   "{\"user\":7,\"x\":1}\n"),
            expected);
}

TEST(RoundsTest, AReaderTellsNothingOfTheRoundBefore) {
  auto reader =
      ExampleReader::Open({.path = TestFile("a.csv", "x,user,y\n\n1,,\n")});
  ASSERT_TRUE(reader);
  Round round{.presence = Presence::kRefused,
              .x = {{7, 7}},
              .y = true,
              .user = "before",
              .prediction = true,
              .probability = 0.5,
              .paid = true,
              .phase = 3};
  ASSERT_TRUE(reader->Next(round));
  EXPECT_EQ(round, Absent());
  ASSERT_TRUE(reader->Next(round));
  EXPECT_EQ(round, Present({{0, 1}}, std::nullopt));
}

TEST(RoundsTest, AFirstRowThatLooksPackedIsARowUnlessTheNameSaysSo) {
  const std::string row = "\x1f\x8bgarbage\n";
  ExampleReader::Params skip;
  skip.skip_bad = true;
  EXPECT_EQ(ReadAll("a.libsvm", row + "1 1:2\n", skip).rounds.size(), 2U);
  EXPECT_EQ(ReadAll("a.jsonl", row + "{\"x\":[1]}\n", skip).rounds.size(), 2U);
  ExampleReader::Params headless = skip;
  headless.header = false;
  headless.columns = 2;
  headless.label = "c2";
  EXPECT_EQ(ReadAll("a.csv", row + "1,0\n", headless).rounds.size(), 2U);
  EXPECT_NE(ReadAll("a.libsvm.gz", row + "1 1:2\n", skip).error, "");
}

TEST(RoundsTest, AColumnThatMarksHonestRowsIsNoFeature) {
  const auto read = ReadAll("a.csv", "x,y,honest\n5,1,1\n6,0,0\n7,1,\n");
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.features - (1U << 18), 1U);
  EXPECT_EQ(read.rounds[0].honest, true);
  EXPECT_EQ(read.rounds[1].honest, false);
  EXPECT_FALSE(read.rounds[2].honest);
  ASSERT_EQ(read.rounds[0].x.size(), 1U);
}

}  // namespace
}  // namespace sotto
