#include "sotto/service/slot_clock.h"

#include <gtest/gtest.h>

#include "sotto/base/json.h"
#include "sotto/models/registry/registry.h"
#include "sotto/service/served_model.h"

namespace sotto {
namespace {

TEST(SlotClockTest, TextsAreRead) {
  EXPECT_FALSE(*SlotClock::Parse("arrivals"));
  const SlotClock second = **SlotClock::Parse("slots:64");
  EXPECT_EQ(second.rounds, 64U);
  EXPECT_EQ(second.seconds, 1);
  const SlotClock tenth = **SlotClock::Parse("slots:4096/0.1");
  EXPECT_EQ(tenth.seconds, 0.1);
  EXPECT_EQ(**SlotClock::Parse(tenth.ToText()), tenth);
}

TEST(SlotClockTest, OtherTextsAreRefused) {
  for (const char* text :
       {"", "slots", "slots:", "slots:0", "slots:4097", "slots:-1", "slots:1.5",
        "slots:8/", "slots:8/0", "slots:8/21", "slots:8/x", "SLOTS:8"}) {
    const auto clock = SlotClock::Parse(text);
    ASSERT_FALSE(clock) << text;
    EXPECT_NE(clock.error().message.find("slots:ROUNDS/SECONDS"),
              std::string::npos);
  }
}

TEST(SlotClockTest, GroupsEndAtWholeMultiples) {
  const SlotClock clock{.rounds = 1, .seconds = 0.5};
  using Time = SlotClock::Time;
  using std::chrono::milliseconds;
  EXPECT_EQ(clock.NextEnd(Time(milliseconds(0))), Time(milliseconds(500)));
  EXPECT_EQ(clock.NextEnd(Time(milliseconds(499))), Time(milliseconds(500)));
  EXPECT_EQ(clock.NextEnd(Time(milliseconds(500))), Time(milliseconds(1000)));
}

TEST(SlotClockTest, AClockThatIsSetBackMakesNoGroupLonger) {
  const SlotClock clock{.rounds = 1, .seconds = 2};
  using Time = SlotClock::Time;
  using std::chrono::seconds;
  const Time end = clock.NextEnd(Time(seconds(101)));
  EXPECT_EQ(end, Time(seconds(102)));
  for (const int now : {100, 101, 102, 103, 500}) {
    EXPECT_EQ(clock.KeepEnd(end, Time(seconds(now))), end) << now;
  }
  EXPECT_EQ(clock.KeepEnd(end, Time(seconds(99))), Time(seconds(100)));
  EXPECT_EQ(clock.KeepEnd(end, Time(seconds(7))), Time(seconds(8)));
}

std::string CheckClock(const std::string& model, const std::string& more) {
  const auto json = Json::Parse(R"({"model":")" + model +
                                R"(","epsilon":1,"delta":1e-6,"horizon":1000,)"
                                R"("anyway":true,"clock":"slots:8")" +
                                more + "}");
  const auto configuration = ModelConfiguration::Parse(*json);
  if (!configuration) return configuration.error().message;
  const auto checked = ServedModel::Check(*configuration);
  return checked ? checked->protects() : checked.error().message;
}

TEST(SlotClockTest, ModelsThatCannotHaveItRefuseWithTheReason) {
  const std::string schema =
      R"(,"schema":{"columns":[{"name":"a","type":"number","range":[0,1]}]})";
  for (const char* model : {"tide", "leader"}) {
    const std::string said = CheckClock(model, schema);
    EXPECT_NE(said.find("whether a user came at all"), std::string::npos)
        << said;
  }
  for (const OnlineModelEntry* entry : OnlineModels()) {
    if (entry->covers_absence) continue;
    const std::string said = CheckClock(std::string(entry->name), schema);
    EXPECT_NE(said.find("is not available for"), std::string::npos) << said;
  }
  EXPECT_NE(CheckClock("count", "").find("is not available for count"),
            std::string::npos);
  EXPECT_NE(CheckClock("tide", R"(,"ticket-rounds":7)").find("at least 8"),
            std::string::npos);
}

}  // namespace
}  // namespace sotto
