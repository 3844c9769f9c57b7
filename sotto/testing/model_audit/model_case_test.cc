#include "sotto/testing/model_audit/model_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "sotto/testing/model_audit/model_rows.h"

namespace sotto {
namespace {

// A row that no other file knows.
ModelSubject NewModel() {
  return {
      .command = "run",
      .name = "newcomer",
      .example = "--epsilon 1 --horizon 10",
      .options =
          {{.name = "epsilon", .type = OptionType::kReal},
           {.name = "loud", .type = OptionType::kFlag},
           {.name = "mood", .fallback = "calm", .words = {"calm", "wild"}},
           {.name = "size", .type = OptionType::kWhole, .low = 2, .high = 9},
           {.name = "share",
            .type = OptionType::kReal,
            .high = 1,
            .above = true}},
      .labels = {LabelType::Kind::kTwo, LabelType::Kind::kNumber},
      .needs_training_set = true};
}

std::set<std::string> Names(const ModelCasePlan& plan) {
  const std::vector<ModelSubject> subjects = {NewModel()};
  std::set<std::string> names;
  for (const ModelCase& made : ModelCases(subjects, plan)) {
    names.insert(made.Name());
  }
  return names;
}

TEST(ModelCaseTest, ANewRowIsThereInEveryFormatAndWithEveryKindOfLabel) {
  const auto names = Names({.options = 0, .pairs = 0});
  for (const char* name :
       {"run newcomer, csv", "run newcomer, live",
        "run newcomer, libsvm without names", "run newcomer, vw",
        "run newcomer, jsonl", "run newcomer, csv.gz without names",
        "run newcomer, csv without a header", "run newcomer, csv, numbers",
        "run newcomer, vw, a row of its labelled set"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(ModelCaseTest, EveryOptionIsTriedAtValuesOfItsRangeAndNotAtItsFallback) {
  std::set<std::string> tried;
  const std::vector<ModelSubject> subjects = {NewModel()};
  for (const ModelCase& made : ModelCases(subjects, {.pairs = 0})) {
    for (const auto& [name, value] : made.options) {
      tried.insert(name + "=" + value);
    }
  }
  EXPECT_EQ(tried, (std::set<std::string>{"loud=", "mood=wild", "share=0.25",
                                          "share=0.5", "size=2", "size=3"}));
}

TEST(ModelCaseTest, AnOtherSeedMakesOtherPairs) {
  const auto one = Names({.seed = 1, .options = 0, .pairs = 3});
  EXPECT_EQ(one, Names({.seed = 1, .options = 0, .pairs = 3}));
  EXPECT_NE(one, Names({.seed = 2, .options = 0, .pairs = 3}));
}

TEST(ModelCaseTest, OtherTextsAreTriedAtTheWordsOfTheirHelp) {
  const auto values = ValuesToTry(
      {.name = "class", .help = "points:N, intervals:N (or a FILE)"});
  EXPECT_TRUE(std::ranges::count(values, "points:4") == 1);
  EXPECT_TRUE(std::ranges::count(values, "FILE") == 0);
}

TEST(ModelRowsTest, TheSameRowsInEveryFormat) {
  const auto stream = [](const ModelFormat& format) {
    return ModelStream(format, ModelColumns::kSigns, LabelType::Kind::kTwo, 1);
  };
  const auto csv = stream({.format = "csv"});
  ASSERT_EQ(csv.rows.size(), kModelRows);
  EXPECT_EQ(csv.header.front(), "a,b,c,user,y");
  const auto bare = stream({.format = "csv", .header = false});
  EXPECT_EQ(bare.label, "c5");
  EXPECT_EQ(bare.Text().find("c5"), std::string::npos);
  const auto vw = stream({.format = "vw"});
  EXPECT_EQ(vw.rows[kProtectedRow].starts_with("1 "),
            csv.rows[kProtectedRow].ends_with(",1"));
}

}  // namespace
}  // namespace sotto
