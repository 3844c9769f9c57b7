#include "sotto/base/settings.h"

#include <gtest/gtest.h>

#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

OptionTable Table() {
  return {{.name = "epsilon",
           .type = OptionType::kReal,
           .help = "the privacy parameter",
           .above = true,
           .required = true},
          {.name = "horizon", .type = OptionType::kWhole, .high = 1e18},
          {.name = "copies", .type = OptionType::kWhole, .low = 1},
          {.name = "share", .type = OptionType::kReal, .high = 1},
          {.name = "relation",
           .fallback = "replace",
           .words = {"replace", "add-remove"}},
          {.name = "clip", .type = OptionType::kFlag},
          {.name = "command"},
          {.name = "save", .kept = false}};
}

std::string Refusal(std::string_view name, std::string_view text) {
  Settings settings(Table());
  const Status set = settings.Set(name, text);
  return set ? "" : set.error().message;
}

TEST(SettingsTest, WhatIsNotSaidHasItsFallbackOrIsAbsent) {
  const Settings settings(Table());
  EXPECT_EQ(settings.Text("relation"), "replace");
  EXPECT_FALSE(settings.Has("copies"));
  EXPECT_EQ(settings.GetOptionalInt("copies"), std::nullopt);
  EXPECT_FALSE(settings.Flag("clip"));
  EXPECT_FALSE(settings.SetByUser("relation"));
}

TEST(SettingsTest, WholeNumbersMayBeWrittenWithAnExponent) {
  Settings settings(Table());
  ASSERT_TRUE(settings.Set("horizon", "2.5e6"));
  EXPECT_EQ(settings.GetInt("horizon"), 2'500'000U);
  EXPECT_NE(Refusal("horizon", "1.5"), "");
  EXPECT_NE(Refusal("horizon", "-1"), "");
  EXPECT_NE(Refusal("horizon", "99999999999999999999"), "");
  EXPECT_NE(Refusal("horizon", "2e18"), "");
}

TEST(SettingsTest, RealNumbersMayBeFractions) {
  Settings settings(Table());
  ASSERT_TRUE(settings.Set("share", "2/3"));
  EXPECT_DOUBLE_EQ(settings.GetDouble("share"), 2.0 / 3);
}

TEST(SettingsTest, NotANumberIsInNoRange) {
  for (const char* text : {"nan", "inf", "-inf", "1e999", "", "x", "0.5x"}) {
    EXPECT_NE(Refusal("share", text), "") << text;
  }
  EXPECT_NE(Refusal("share", "1.5"), "");
  EXPECT_NE(Refusal("epsilon", "0"), "");
}

TEST(SettingsTest, AWordThatIsNoOptionIsRefusedWithTheNearest) {
  EXPECT_NE(Refusal("epsilom", "1").find("Did you mean --epsilon?"),
            std::string::npos);
  EXPECT_EQ(Refusal("zzzzzzzz", "1").find("is it"), std::string::npos);
  EXPECT_NE(Refusal("relation", "both").find("replace, add-remove"),
            std::string::npos);
}

TEST(SettingsTest, RequiredOptionsAreNamed) {
  Settings settings(Table());
  const Status missing = settings.CheckRequired();
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("--epsilon"), std::string::npos);
  ASSERT_TRUE(settings.Set("epsilon", "1"));
  EXPECT_TRUE(settings.CheckRequired());
}

TEST(SettingsTest, AStateGivesBackWhatItKeptAndContradictsTheRest) {
  Settings saved(Table());
  ASSERT_TRUE(saved.Set("epsilon", "0.3"));
  ASSERT_TRUE(saved.Set("horizon", "1e6"));
  ASSERT_TRUE(saved.Set("clip", "true"));
  ASSERT_TRUE(saved.Set("save", "a.state"));
  const auto kept = Json::Parse(saved.ToSavedJson().Dump());
  ASSERT_TRUE(kept);

  Settings resumed(Table());
  ASSERT_TRUE(resumed.Adopt(*kept));
  EXPECT_EQ(resumed.GetDouble("epsilon"), 0.3);
  EXPECT_EQ(resumed.GetInt("horizon"), 1'000'000U);
  EXPECT_TRUE(resumed.Flag("clip"));
  EXPECT_FALSE(resumed.Has("save"));
  EXPECT_FALSE(resumed.SetByUser("epsilon"));

  Settings same(Table());
  ASSERT_TRUE(same.Set("horizon", "1000000"));
  EXPECT_TRUE(same.Adopt(*kept));
  Settings other(Table());
  ASSERT_TRUE(other.Set("horizon", "7"));
  EXPECT_EQ(other.Adopt(*kept).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Settings(Table()).Adopt(Json::Object{}).error().code,
            ErrorCode::kCorruption);
}

TEST(SettingsTest, ATextThatIsNotUtf8DoesNotContradictItselfInAState) {
  Settings saved(Table());
  ASSERT_TRUE(saved.Set("command", "run caf\xe9"));
  const auto kept = Json::Parse(saved.ToSavedJson().Dump());
  ASSERT_TRUE(kept);
  Settings same(Table());
  ASSERT_TRUE(same.Set("command", "run caf\xe9"));
  EXPECT_TRUE(same.Adopt(*kept));
  EXPECT_EQ(same.Text("command"), "run caf\xe9");
  Settings other(Table());
  ASSERT_TRUE(other.Set("command", "run cafe"));
  EXPECT_FALSE(other.Adopt(*kept));
}

TEST(SettingsTest, SharedTablesHaveNoNameTwice) {
  const OptionTable all = ConcatOptions({PrivacyOptions(), StreamOptions()});
  EXPECT_NE(FindOption(all, "epsilon"), nullptr);
  EXPECT_EQ(FindOption(all, "no-such"), nullptr);
}

}  // namespace
}  // namespace sotto
