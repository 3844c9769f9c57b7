#include "sotto/models/fits/greedy_cover/greedy_cover_entry.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/models/batch/predicted_text.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

using Said = std::vector<std::pair<std::string, std::string>>;

Settings ParseSettings(const Said& more = {}) {
  Settings settings(ConcatOptions({PrivacyOptions(), GreedyCoverEntry().options,
                                   GreedyCoverEntry().plan_options}));
  Said said = {{"epsilon", "8"}, {"delta", "1e-3"}, {"rules", "5"}};
  said.insert(said.end(), more.begin(), more.end());
  for (const auto& [name, text] : said) {
    const Status set = settings.Set(name, text);
    EXPECT_TRUE(set) << set.error().message;
  }
  return settings;
}

Key TestKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[3] = std::byte{7};
  return Key::FromBytes(bytes);
}

constexpr const char* kSchema =
    R"({"columns":[{"name":"c1","type":"boolean"},)"
    R"({"name":"c2","type":"boolean"}],)"
    R"("label":{"column":"c3","negative":"0","positive":"1"}})";

// The label is the first column.
std::string Rows(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const std::string x = i % 2 == 0 ? "1" : "0";
    text += x + "," + (i % 3 == 0 ? "1" : "0") + "," + x + "\n";
  }
  return text;
}

class GreedyCoverRowTest : public ::testing::Test {
 protected:
  GreedyCoverRowTest() { folder_.Write("s.json", kSchema); }
  TableSource Headerless(const std::string& name) const {
    return {.path = folder_.path(name),
            .header = false,
            .schema = folder_.path("s.json")};
  }
  static Result<FitResult> Fit(const Settings& settings,
                               const TableSource& source) {
    return GreedyCoverEntry().fit(settings, source, TestKey());
  }

  testing::ScratchFolder folder_;
};

TEST_F(GreedyCoverRowTest, FitsATableAndTheModelCanBeUsed) {
  folder_.Write("t.csv", Rows(600));
  const auto fitted = Fit(ParseSettings(), Headerless("t.csv"));
  ASSERT_TRUE(fitted) << fitted.error().message;
  EXPECT_EQ(fitted->rows, 600U);
  EXPECT_FALSE(fitted->text.empty());
  const auto json = Json::Parse(fitted->model.Dump());
  ASSERT_TRUE(json);
  const std::string text =
      PredictedText(*GreedyCoverEntry().file, *json,
                    {.path = folder_.path("t.csv"), .header = false});
  EXPECT_EQ(std::ranges::count(text, ' '), 599);
  EXPECT_LT(std::ranges::count(text, '!'), 60);
}

TEST_F(GreedyCoverRowTest, APipeIsReadOnceAndWhole) {
  folder_.Write("t.csv", "a,b,y\n" + Rows(500));
  const auto from_file = Fit(ParseSettings(), {.path = folder_.path("t.csv")});
  ASSERT_TRUE(from_file) << from_file.error().message;
  const std::string pipe = folder_.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << folder_.Read("t.csv"); });
  const auto from_pipe = Fit(ParseSettings(), {.path = pipe, .format = "csv"});
  writer.join();
  ASSERT_TRUE(from_pipe) << from_pipe.error().message;
  EXPECT_EQ(from_pipe->rows, 500U);
  EXPECT_EQ(from_pipe->model, from_file->model);
  EXPECT_EQ(from_pipe->notes.size(), 2U);
}

TEST_F(GreedyCoverRowTest, WhatARowHoldsChangesTheNumberOfRowsNever) {
  const std::string good = Rows(50);
  const std::vector<std::string> last = {"1,1,1\n",   "x,1,1\n",    "1,1\n",
                                         "1,1,1,1\n", "1,1,what\n", "\n",
                                         ",,\n",      "\"\n"};
  for (const std::string& row : last) {
    folder_.Write("t.csv", row + good);
    const auto fitted = Fit(ParseSettings(), Headerless("t.csv"));
    ASSERT_TRUE(fitted) << row << fitted.error().message;
    EXPECT_EQ(fitted->rows, 51U) << row;
  }
}

TEST_F(GreedyCoverRowTest, UnderAddRemoveAnUnusableRowIsLeftOut) {
  folder_.Write("t.csv", "x,1,1\n\n" + Rows(50));
  const auto fitted =
      Fit(ParseSettings({{"relation", "add-remove"}}), Headerless("t.csv"));
  ASSERT_TRUE(fitted);
  EXPECT_EQ(fitted->rows, 50U);
  EXPECT_EQ(fitted->use.skipped.total(), 1U);
}

TEST_F(GreedyCoverRowTest, ABadRowIsNamed) {
  folder_.Write("t.csv", "1,1,1\nx,1,1\n");
  const auto fitted = Fit(ParseSettings(), Headerless("t.csv"));
  ASSERT_TRUE(fitted) << fitted.error().message;
  const auto checked =
      GreedyCoverEntry().check(ParseSettings(), Headerless("t.csv"));
  ASSERT_TRUE(checked) << checked.error().message;
  for (const TableUse& use : {fitted->use, *checked}) {
    EXPECT_EQ(use.skipped.total(), 1U);
    ASSERT_EQ(use.first.size(), 1U);
    EXPECT_NE(use.first[0].find("line 2, column 'c1'"), std::string::npos)
        << use.first[0];
  }
}

TEST_F(GreedyCoverRowTest, TheNumberOfColumnsNeverComesFromARow) {
  folder_.Write("t.csv", Rows(10));
  const TableSource unknown{.path = folder_.path("t.csv"), .header = false};
  EXPECT_FALSE(Fit(ParseSettings(), unknown));
  TableSource said = unknown;
  said.columns = 3;
  said.label = "c3";
  EXPECT_TRUE(Fit(ParseSettings(), said));
}

TEST_F(GreedyCoverRowTest, ASeedIsSaidInTheModel) {
  folder_.Write("t.csv", Rows(10));
  OptionTable table = ParseSettings().table();
  table.push_back({.name = "seed", .type = OptionType::kWhole});
  Settings settings(table);
  ASSERT_TRUE(settings.Set("epsilon", "1"));
  ASSERT_TRUE(settings.Set("delta", "1e-6"));
  const auto without = Fit(settings, Headerless("t.csv"));
  ASSERT_TRUE(without);
  EXPECT_TRUE(*without->model.Find("private")->boolean());
  ASSERT_TRUE(settings.Set("seed", "3"));
  const auto with = Fit(settings, Headerless("t.csv"));
  ASSERT_TRUE(with);
  EXPECT_FALSE(*with->model.Find("private")->boolean());
}

TEST_F(GreedyCoverRowTest, APlanSaysHowManyRowsAreNeeded) {
  const auto plan = GreedyCoverEntry().plan(ParseSettings());
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->verdict);
  EXPECT_GT(*plan->samples_required, 100);
  const auto many = GreedyCoverEntry().plan(ParseSettings({{"rows", "1e9"}}));
  ASSERT_TRUE(many);
  EXPECT_EQ(many->verdict, Verdict::kComfortable);
  const auto schema = GreedyCoverEntry().plan(
      ParseSettings({{"schema", folder_.path("s.json")}}));
  ASSERT_TRUE(schema);
  EXPECT_LT(*schema->samples_required, *plan->samples_required);
}

TEST_F(GreedyCoverRowTest, OptionsThatContradictEachOtherAreRefused) {
  EXPECT_FALSE(GreedyCoverEntry().plan(ParseSettings({{"reward", "2.x"}})));
  EXPECT_FALSE(
      GreedyCoverEntry().plan(ParseSettings({{"reward", "0"}, {"cap", "3"}})));
  EXPECT_FALSE(
      GreedyCoverEntry().plan(ParseSettings({{"bonus", "3"}, {"cap", "3"}})));
}

}  // namespace
}  // namespace sotto
