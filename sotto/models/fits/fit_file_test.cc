#include "sotto/models/fits/fit_file.h"

#include <gtest/gtest.h>

#include <vector>

#include "sotto/base/bytes.h"

namespace sotto {
namespace {

FitFile Example() {
  FitFile file{
      .fit = "tree",
      .columns = FitColumns({{.name = "unused"},
                             {.name = "age", .feature = 1, .high = 100},
                             {.name = "colour",
                              .kind = FitColumn::Kind::kCategory,
                              .feature = 2,
                              .values = {"red", "blue"}}}),
      .labels = {.column = "income", .negative = "low", .positive = "high"}};
  file.hypothesis = FitHypothesis(std::vector<FitTest>{
      {.column = 1, .code = 1U << 30, .yes = 1, .no = 2},
      {.kind = Split::Kind::kEquals, .column = 2, .code = 1},
      {.kind = Split::Kind::kEquals,
       .column = 2,
       .code = 0,
       .yes = FitTest::kNegative,
       .no = FitTest::kPositive}});
  return file;
}

TEST(FitFileTest, IsReadBackAsItWasWritten) {
  const FitFile file = Example();
  const Json json = file.ToJson();
  const auto parsed = Json::Parse(json.Dump());
  ASSERT_TRUE(parsed);
  const auto again = FitFile::FromJson(*parsed);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->ToJson(), json);
  EXPECT_EQ(again->columns.size(), 2U);
  EXPECT_EQ(again->labels.positive, "high");
  for (const std::uint32_t age : {0U, (1U << 30) - 1, 1U << 30, ~0U}) {
    for (const std::uint32_t colour : {0U, 1U, 2U}) {
      EXPECT_EQ(file.hypothesis.Predict(std::vector{5U, age, colour}),
                again->hypothesis.Predict(std::vector{age, colour}));
    }
  }
}

TEST(FitFileTest, ReadsLikeATreeOrAList) {
  EXPECT_EQ(Example().Text(),
            "if age >= 25:\n"
            "  if colour is blue: high\n"
            "  else: low\n"
            "else:\n"
            "  if colour is red: low\n"
            "  else: high\n");
  FitFile list = Example();
  list.hypothesis = FitHypothesis(std::vector<FitTest>{
      {.column = 1, .code = 1U << 30, .yes = 1, .no = 2},
      {.kind = Split::Kind::kEquals,
       .column = 2,
       .code = 1,
       .yes = 2,
       .no = FitTest::kNegative},
      {.kind = Split::Kind::kEquals, .column = 2, .code = 0}});
  EXPECT_EQ(list.Text(),
            "if age >= 25 and colour is not blue then low\n"
            "else if colour is red then high\n"
            "else low\n");
  list.hypothesis = FitHypothesis::Constant(true);
  EXPECT_EQ(list.Text(), "always high\n");
}

TEST(FitFileTest, TablesAreReadBackToo) {
  FitFile file{
      .fit = "finite",
      .columns = FitColumns(
          {{.name = "x", .kind = FitColumn::Kind::kPoint, .points = 5}}),
      .hypothesis = FitHypothesis::Table({false, true, true, false, true})};
  EXPECT_EQ(file.Text(), "1 on the points 1 to 2, 4, elsewhere 0\n");
  const auto again = FitFile::FromJson(file.ToJson());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->hypothesis, file.hypothesis);
}

TEST(FitFileTest, DamagedFilesAreRefused) {
  const std::string good = Example().ToJson().Dump();
  const std::vector<std::pair<std::string, std::string>> damages = {
      {"\"test\":1", "\"test\":0"},  // back to the first question
      {"\"test\":2", "\"test\":9"},
      {"\"blue\",", "\"grey\","},
      {"\"cell\":1073741824", "\"cell\":-1"},
      {"[0,100]", "[100,0]"},
      {"\"negative\":\"low\"", "\"negative\":\"high\""},
      {"\"hypothesis\"", "\"guess\""}};
  for (const auto& [from, to] : damages) {
    std::string bad = good;
    const auto place = bad.find(from);
    if (place == std::string::npos) continue;
    bad.replace(place, from.size(), to);
    const auto json = Json::Parse(bad);
    ASSERT_TRUE(json) << bad;
    EXPECT_FALSE(FitFile::FromJson(*json)) << bad;
  }
}

TEST(FitFileTest, AFileSaysItsVersionAndOthersAreRefused) {
  Json json = Example().ToJson();
  ASSERT_NE(json.Find("version"), nullptr);
  EXPECT_EQ(json.Find("version")->natural(), 1U);
  for (const Json& other : {Json(0), Json(2), Json(99), Json("1"), Json()}) {
    json["version"] = other;
    const auto refused = FitFile::FromJson(json);
    ASSERT_FALSE(refused) << other.Dump();
    EXPECT_EQ(refused.error().message,
              "version " + other.Dump() + ", this program reads version 1");
  }
  // Files of earlier programs have none.
  std::string old = Example().ToJson().Dump();
  const std::string member = "\"version\":1,";
  ASSERT_NE(old.find(member), std::string::npos);
  old.erase(old.find(member), member.size());
  EXPECT_TRUE(FitFile::FromJson(*Json::Parse(old)));
}

TEST(FitHypothesisTest, StatesAreReadBackAndChecked) {
  const FitFile file = Example();
  ByteWriter writer;
  file.hypothesis.Save(writer);
  ByteReader reader(writer.bytes());
  const auto again = FitHypothesis::Load(file.columns, reader);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, file.hypothesis);
  // For columns it does not fit.
  ByteReader other(writer.bytes());
  EXPECT_FALSE(FitHypothesis::Load(FitColumns({{.name = "x"}}), other));
}

TEST(FitColumnsTest, NumbersFallIntoCellsOfTheirRange) {
  const FitColumns columns({{.name = "age", .low = -50, .high = 50}});
  std::vector<std::uint32_t> codes(1);
  const std::vector<std::pair<double, std::uint32_t>> cases = {
      {-50, 0},  {-51, 0},     {0, 1U << 31},
      {50, ~0U}, {1e300, ~0U}, {25, 3U << 30}};
  for (const auto& [value, code] : cases) {
    columns.Encode(FeatureVector{{0, value}}, codes);
    EXPECT_EQ(codes[0], code) << value;
  }
  EXPECT_TRUE(ParseFitRange("-1,2.5"));
  for (const char* bad : {"", "1", "2,1", "1,1", "a,b", "1,inf"}) {
    EXPECT_FALSE(ParseFitRange(bad)) << bad;
  }
}

}  // namespace
}  // namespace sotto
