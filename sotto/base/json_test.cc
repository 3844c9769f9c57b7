#include "sotto/base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sotto {
namespace {

TEST(JsonTest, MembersKeepTheirOrder) {
  Json json = Json::Object{{"z", 1}, {"a", Json::Array{true, "x", Json()}}};
  json["m"] = 0.5;
  EXPECT_EQ(json.Dump(), R"({"z":1,"a":[true,"x",null],"m":0.5})");
}

TEST(JsonTest, NothingStandsBehindAZeroByte) {
  EXPECT_TRUE(Json::Parse("{}"));
  EXPECT_FALSE(Json::Parse(std::string_view("{}\0", 3)));
  EXPECT_FALSE(Json::Parse(std::string_view("{}\0{\"user\":\"a\"}", 15)));
}

TEST(JsonTest, WhatWasDumpedParsesToTheSame) {
  const Json json =
      Json::Object{{"whole", -3},
                   {"large", std::numeric_limits<std::uint64_t>::max()},
                   {"real", 1.0},
                   {"tiny", 4.9e-324},
                   {"text", "a\"b\\c\n\x01\u00e9"},
                   {"nothing", std::optional<double>()},
                   {"list", Json::Array{1, Json::Object{}}}};
  const auto read = Json::Parse(json.Dump());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, json);
}

TEST(JsonTest, NumbersAreGivenInTheTypeThatHoldsThem) {
  EXPECT_EQ(Json(7).natural(), 7U);
  EXPECT_EQ(Json(-7).natural(), std::nullopt);
  EXPECT_EQ(Json(0.5).integer(), std::nullopt);
  EXPECT_EQ(Json(std::uint64_t{7}), Json(7));
  EXPECT_EQ(Json(7).number(), 7.0);
  EXPECT_EQ(Json("7").number(), std::nullopt);
}

TEST(JsonTest, NumbersThatAreNotFiniteAreNull) {
  EXPECT_EQ(Json(std::nan("")).Dump(), "null");
  EXPECT_EQ(Json(HUGE_VAL).Dump(), "null");
}

TEST(JsonTest, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(Json("a\xff"
                 "b")
                .Dump(),
            "\"a\xef\xbf\xbd"
            "b\"");
  EXPECT_EQ(Json("\xed\xa0\x80").Dump().find('\xed'), std::string::npos);
  EXPECT_EQ(Json("\u00e9\U0001F600").Dump(), "\"\u00e9\U0001F600\"");
}

TEST(JsonTest, ANameThatOccursTwiceIsAnError) {
  const auto read = Json::Parse(R"({"a":1,"b":{"a":2},"a":3})");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("'a' twice"), std::string::npos);
}

TEST(JsonTest, DeepNestingIsAnErrorAndNotAnOverflow) {
  EXPECT_FALSE(Json::Parse(std::string(200'000, '[')));
  const std::string deep(Json::kMaxDepth, '[');
  const std::string shut(Json::kMaxDepth, ']');
  EXPECT_TRUE(Json::Parse(deep + shut));
  EXPECT_FALSE(Json::Parse("[" + deep + shut + "]"));
}

TEST(JsonTest, WhatIsNotJsonIsRefusedWithItsPlace) {
  for (const char* text : {"", "{", "{\"a\":}", "nul", "[1,]", "1 2", "\xff"}) {
    const auto read = Json::Parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("at byte"), std::string::npos);
  }
  EXPECT_FALSE(Json::Parse("1e999"));
}

}  // namespace
}  // namespace sotto
