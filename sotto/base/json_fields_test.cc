#include "sotto/base/json_fields.h"

#include <gtest/gtest.h>

#include <string>

namespace sotto {
namespace {

Json Parsed(const std::string& text) {
  auto json = Json::Parse(text);
  EXPECT_TRUE(json);
  return json ? *std::move(json) : Json();
}

TEST(JsonFieldsTest, ReadsWhatIsThere) {
  const Json json =
      Parsed(R"({"n":7,"x":0.5,"t":"a","f":true,"o":{"m":-3},"l":[{"k":1}],)"
             R"("r":[1,2.5],"s":["u"],"z":null})");
  std::string fault;
  const JsonFields fields(json, fault);
  EXPECT_EQ(fields.Natural("n", 7), 7U);
  EXPECT_EQ(fields.GetDouble("x"), 0.5);
  EXPECT_EQ(fields.Text("t"), "a");
  EXPECT_TRUE(fields.Flag("f"));
  EXPECT_EQ(fields.Object("o").Integer("m"), -3);
  EXPECT_EQ(fields.Array("l")[0].Natural("k", 9), 1U);
  EXPECT_EQ(fields.Reals("r"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(fields.Texts("s"), std::vector<std::string>{"u"});
  EXPECT_FALSE(fields.Has("z"));
  EXPECT_FALSE(fields.Has("none"));
  EXPECT_EQ(fault, "");
}

TEST(JsonFieldsTest, TheFirstFaultIsRememberedWithItsPlace) {
  const Json json = Parsed(R"({"l":[{"k":1},{"k":4294967295}],"t":3})");
  std::string fault;
  const JsonFields fields(json, fault);
  for (const JsonFields& element : fields.Array("l")) element.Natural("k", 9);
  fields.Text("t");
  EXPECT_EQ(fault, "at l[1].k: expected a whole number from 0 to 9");
}

TEST(JsonFieldsTest, WhatIsMissingOrOfAnotherTypeIsAFault) {
  const Json json = Parsed(R"({"a":"x","n":-1,"big":1e300,"l":[1]})");
  const auto fault_of = [&](auto read) {
    std::string fault;
    read(JsonFields(json, fault));
    return fault;
  };
  EXPECT_NE(fault_of([](auto f) { f.GetDouble("none"); }), "");
  EXPECT_NE(fault_of([](auto f) { f.GetDouble("a"); }), "");
  EXPECT_NE(fault_of([](auto f) { f.Natural("n", 5); }), "");
  EXPECT_NE(fault_of([](auto f) { f.Integer("big"); }), "");
  EXPECT_NE(fault_of([](auto f) { f.Flag("a"); }), "");
  EXPECT_NE(fault_of([](auto f) { f.Array("l"); }), "");
  EXPECT_NE(fault_of([](auto f) { f.Texts("l"); }), "");
  EXPECT_NE(fault_of([](auto f) { f.Object("a").GetDouble("x"); }), "");
}

}  // namespace
}  // namespace sotto
