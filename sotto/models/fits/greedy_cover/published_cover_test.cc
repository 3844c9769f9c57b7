#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "sotto/models/batch/predicted_text.h"
#include "sotto/models/fits/greedy_cover/cover_columns.h"
#include "sotto/models/fits/greedy_cover/cover_model.h"
#include "sotto/models/fits/greedy_cover/greedy_cover_entry.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

// if color is red then yes / else if size >= 2 then no / else if big then yes.
CoverModel Model() {
  auto columns = CheckCoverColumns(
      {{.name = "color",
        .kind = FitColumn::Kind::kCategory,
        .values = {"red", "blue"},
        .other_unnamed = true},
       {.name = "size", .kind = FitColumn::Kind::kCuts, .cuts = {1, 2}},
       {.name = "big", .kind = FitColumn::Kind::kBoolean},
       {.name = "word", .kind = FitColumn::Kind::kHashed, .points = 4}});
  auto list = DecisionList::Create(
      *std::move(columns),
      {{.literals = {{{0, 0}, true}}, .label = true},
       {.literals = {{{1, 1}, true}}, .label = false},
       {.literals = {{{2, 0}, true}}, .label = true},
       {.literals = {{{3, 3}, true}, {{0, 1}, false}}, .label = true}},
      false);
  auto guarantee = Guarantee::Create(
      {.epsilon = 1, .delta = 1e-6, .protects = "a row of the table"});
  return {.list = *std::move(list),
          .labels = {.negative = "no", .positive = "yes"},
          .guarantee = *std::move(guarantee),
          .is_private = true,
          .parameters = Json::Object{{"rules", 4},
                                     {"literals", 2},
                                     {"penalty", 5},
                                     {"reward", 1},
                                     {"calibration", "practical"},
                                     {"rate", 0.01},
                                     {"bonus", 3.5},
                                     {"cap", 70},
                                     {"share_scale", 0.0}}};
}

const ModelFileFormat& PublishedCover() { return *GreedyCoverEntry().file; }

std::string Predicted(const TableSource& source, bool with_labels = false) {
  return PredictedText(PublishedCover(), Model().ToJson(), source, with_labels);
}

// The model with one number of its text replaced.
Result<std::string> ShownWith(const std::string& from, const std::string& to) {
  std::string text = Model().ToJson().Dump();
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  text.replace(place, from.size(), to);
  const auto json = Json::Parse(text);
  EXPECT_TRUE(json) << text;
  return PublishedCover().show(*json);
}

TEST(PublishedCoverTest, ShowsTheListAndItsPromise) {
  const auto text = PublishedCover().show(Model().ToJson());
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find("if color is red then yes\n"), std::string::npos);
  EXPECT_NE(text->find("Privacy: (1, 1e-6)"), std::string::npos);
}

TEST(PublishedCoverTest, APlaceOutsideOfItsColumnIsRefused) {
  for (const char* column : {"0", "1", "2", "3"}) {
    for (const char* place :
         {"4294967295", "-1", "4294967294", "4294967296", "2147483648", "4",
          "18446744073709551615", "1e300", "0.5", "null", "\"0\""}) {
      const std::string literal =
          std::string("{\"column\":") + column + ",\"place\":";
      for (const char* was : {"0", "1", "3"}) {
        const std::string from = literal + was + ",";
        if (Model().ToJson().Dump().find(from) == std::string::npos) continue;
        EXPECT_FALSE(ShownWith(from, literal + place + ","))
            << column << " " << place;
      }
    }
  }
  EXPECT_TRUE(ShownWith("\"place\":1,", "\"place\":0,"));
}

TEST(PublishedCoverTest, UnknownTypesVersionsAndFormatsAreRefused) {
  const auto message = [](const std::string& from, const std::string& to) {
    const auto shown = ShownWith(from, to);
    return shown ? std::string() : shown.error().message;
  };
  EXPECT_EQ(message("\"type\":\"number\"", "\"type\":\"colour\""),
            "at columns[1].type: expected category, hashed, boolean or number");
  EXPECT_EQ(message("\"version\":1", "\"version\":2"),
            "at version: expected a whole number from 0 to 1");
  EXPECT_EQ(message("\"version\":1", "\"version\":0"),
            "at version: expected 1");
  EXPECT_EQ(message("sotto decision list", "something"),
            "at format: expected sotto decision list");
  EXPECT_EQ(message("\"column\":0", "\"column\":4"),
            "a rule names a column that does not exist");
  EXPECT_NE(message("\"then\":1", "\"then\":2"), "");
  EXPECT_NE(message("\"cap\":70", "\"cap\":\"70\""), "");
  EXPECT_NE(message("\"rate\":0.01", "\"rate\":null"), "");
  EXPECT_NE(message("\"private\":true", "\"private\":1"), "");
  EXPECT_NE(message("\"cuts\":[1", "\"cuts\":[3"), "");
  EXPECT_NE(message("\"buckets\":4", "\"buckets\":-4"), "");
  EXPECT_NE(message("\"shares\":null",
                    "\"shares\":[{\"negative\":1,\"positive\":1}]"),
            "");
  EXPECT_NE(message("\"shares\":null", "\"shares\":7"), "");
}

TEST(PublishedCoverTest, SharesThatNoTableHasAreRefused) {
  std::string shares = "\"shares\":[";
  for (int i = 0; i < 5; ++i) {
    shares += std::string(i == 0 ? "" : ",") +
              "{\"negative\":9223372036854775807,\"positive\":1}";
  }
  EXPECT_FALSE(ShownWith("\"shares\":null", shares + "]"));
}

TEST(PublishedCoverTest, PredictsALineForEveryRow) {
  const testing::ScratchFolder folder;
  folder.Write("t.csv",
               "y,word,big,size,color\n"
               "yes,a,0,0,red\n"
               "yes,a,0,5,blue\n"
               "\n"
               "no,a,1,0,green\n");
  const std::string path = folder.path("t.csv");
  EXPECT_EQ(Predicted({.path = path}), "yes no ? yes");
  EXPECT_EQ(Predicted({.path = path}, true), "yes no! ? yes!");
}

TEST(PublishedCoverTest, ARowThatCannotBeUsedIsAnErrorOrAnEmptyLine) {
  const testing::ScratchFolder folder;
  folder.Write("t.csv", "word,big,size,color\na,0,0,red\na,0,x,red\n");
  const std::string path = folder.path("t.csv");
  EXPECT_EQ(Predicted({.path = path, .skip_bad = true}), "yes ?");
  EXPECT_NE(Predicted({.path = path}).find("line 3, column 'size'"),
            std::string::npos);
}

TEST(PublishedCoverTest, PredictsFromOtherFormatsWithNamesAndRefusesOthers) {
  const testing::ScratchFolder folder;
  folder.Write("t.jsonl",
               R"({"x":{"color":"red","size":0,"big":false,"word":"a"}})"
               "\n"
               R"({"x":{"color":"blue","size":5,"big":0,"word":"a"}})"
               "\n");
  EXPECT_EQ(Predicted({.path = folder.path("t.jsonl")}), "yes no");
  folder.Write("t.libsvm", "1 1:1\n");
  EXPECT_NE(Predicted({.path = folder.path("t.libsvm")}).find("use csv"),
            std::string::npos);
}

}  // namespace
}  // namespace sotto
