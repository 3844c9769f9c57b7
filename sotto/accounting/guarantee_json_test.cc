#include "sotto/accounting/guarantee_json.h"

#include <gtest/gtest.h>

#include <vector>

#include "sotto/accounting/delta_schedule_json.h"

namespace sotto {
namespace {

Guarantee::Params Dp() {
  return {.relation = Relation::kAddRemove,
          .epsilon = 1,
          .delta = 1e-6,
          .rounds_per_user = 2,
          .protects = "a row",
          .in_rounds = true};
}

Guarantee Everlasting(DeltaSchedule schedule) {
  Guarantee::Params params = Dp();
  params.notion = Notion::kEverlasting;
  params.delta = 0;
  params.schedule = std::move(schedule);
  return *Guarantee::Create(std::move(params));
}

TEST(GuaranteeJsonTest, HasAllMembersOfAGuarantee) {
  EXPECT_EQ(ToJson(*Guarantee::Create(Dp())).Dump(),
            R"({"notion":"dp","relation":"add-remove","unit":"round",)"
            R"("epsilon":1.0,"delta":1e-06,"adversary":"adaptive",)"
            R"("rounds_per_user":2,"protects":"a row","text":")"
            "(1, 1e-6)-differential privacy for one user with at most 2 "
            "rounds, against an adaptive adversary who sees everything "
            "released; neighbours: the user's rounds present, or left empty "
            R"(in their places; protected: a row."})");
}

TEST(GuaranteeJsonTest, CarriesTheDeltaSchedule) {
  const Json json = ToJson(Everlasting(*DeltaSchedule::InverseSquare(1e-6)));
  ASSERT_NE(json.Find("delta_schedule"), nullptr);
  EXPECT_EQ(json.Find("delta_schedule")->Dump(),
            R"({"kind":"inverse-square","total":1e-06})");
  EXPECT_EQ(json.Find("delta")->number(), 1e-6);
}

TEST(GuaranteeJsonTest, IsReadBackAsItWasWritten) {
  Guarantee::Params record = Dp();
  record.in_rounds = false;
  record.relation = Relation::kReplace;
  const std::vector<Guarantee> all = {
      *Guarantee::Create(Dp()),
      *Guarantee::Create(record),
      Everlasting(*DeltaSchedule::InverseSquare(1e-6)),
      Everlasting(*DeltaSchedule::Constant(1e-9, 1000)),
      Everlasting(*DeltaSchedule::Phases(1e-6, {10, 20, 7})),
      Everlasting(*DeltaSchedule::Table({1e-7, 0, 1e-8})),
      Everlasting(*DeltaSchedule::InverseSquare(1e-6)->ScaledBy(2.5))};
  for (const Guarantee& guarantee : all) {
    const std::string text = ToJson(guarantee).Dump();
    const auto read = GuaranteeFromJson(*Json::Parse(text));
    ASSERT_TRUE(read) << text << read.error().message;
    EXPECT_EQ(*read, guarantee) << text;
  }
}

TEST(GuaranteeJsonTest, WithoutItsUnitADpGuaranteeIsOfRecords) {
  Json json = ToJson(*Guarantee::Create(Dp()));
  Json old = Json::Object();
  for (const auto& [name, value] : *json.object()) {
    if (name != "unit" && name != "text") old[name] = value;
  }
  EXPECT_FALSE(GuaranteeFromJson(old)->in_rounds());
}

TEST(GuaranteeJsonTest, NamesTheMemberThatIsWrong) {
  const Json good = ToJson(Everlasting(*DeltaSchedule::InverseSquare(1e-6)));
  for (const auto& [name, value] : *good.object()) {
    if (name == "text") continue;
    Json bad = good;
    bad[name] = Json::Array{};
    const auto read = GuaranteeFromJson(bad);
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().message,
              "guarantee: no '" + name + "', or not one that is known here");
  }
  EXPECT_FALSE(GuaranteeFromJson(Json()));
  EXPECT_FALSE(GuaranteeFromJson(Json::Array{}));
}

TEST(GuaranteeJsonTest, RefusesSchedulesThatAreNone) {
  for (const char* text :
       {R"({})", R"({"kind":"linear"})", R"({"kind":"inverse-square"})",
        R"({"kind":"inverse-square","total":2})",
        R"({"kind":"inverse-square","total":1e-6,"factor":0.5})",
        R"({"kind":"inverse-square","total":1e-6,"factor":"2"})",
        R"({"kind":"phases","total":1e-6,"lengths":[1,-1]})",
        R"({"kind":"constant","delta":1e-6})", R"({"kind":"table"})"}) {
    EXPECT_FALSE(DeltaScheduleJson::Read(*Json::Parse(text))) << text;
  }
}

}  // namespace
}  // namespace sotto
