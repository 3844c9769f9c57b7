#include "sotto/service/quantile_served.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "sotto/service/host_set.h"
#include "sotto/service/host_test_tools.h"

namespace sotto {
namespace {

using testing::Ask;
using testing::Member;
using testing::TestService;
using Kind = HostReply::Kind;

constexpr int kNumbers = 5000;

std::string Configuration(const std::string& path,
                          const std::string& more = "") {
  return R"({"name":"q","model":"quantile","epsilon":1,"delta":1e-6,)"
         R"("horizon":40,"train":")" +
         path + "\"" + more + "}";
}

std::string WriteNumbers(const TestService& service) {
  std::string text;
  for (int i = 0; i < kNumbers; ++i) text += std::to_string(i) + ".5\n";
  service.scratch().Write("numbers", text);
  return service.scratch().path("numbers");
}

HostRequest Query(const std::string& x, const std::string& key = "") {
  return {.body = R"({"x":)" + x + "}", .idempotency_key = key};
}

TEST(QuantileServedTest, AnswersRanksAndTheSameAfterARestart) {
  TestService service;
  Host& host = service.Make(Configuration(WriteNumbers(service)));
  std::vector<std::string> replies;
  for (int i = 0; i < 10; ++i) {
    const int x = 450 * (i + 1);
    const HostReply reply = Ask(host, Query(std::to_string(x), "k"));
    ASSERT_EQ(reply.kind, Kind::kAnswered) << reply.body;
    EXPECT_LE(reply.body.size(), host.longest_body());
    const double error = std::stod(Member(reply, "error"));
    EXPECT_NEAR(std::stod(Member(reply, "prediction")), x, error);
    EXPECT_EQ(Member(reply, "ticket"), "");
    replies.push_back(reply.body);
  }
  // The numbers are in the journal: the file is needed no more.
  service.scratch().Write("numbers", "");
  for (const bool snapshot : {false, true}) {
    service.Stop();
    service.options().snapshot_at_end = snapshot;
    service.Start();
    Host& again = service.host("q");
    ASSERT_TRUE(again.condition().ready()) << again.condition().reason;
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(Ask(again, Query(std::to_string(450 * (i + 1)), "k")).body,
                replies[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(again.Status().Find("rounds")->Dump(), "10");
  }
  EXPECT_EQ(Ask(service.host("q"), Query("[7]")).kind, Kind::kAnswered);
}

TEST(QuantileServedTest, HaltsAfterItsQueriesAndRefusesOtherCalls) {
  TestService service;
  Host& host = service.Make(Configuration(WriteNumbers(service)));
  EXPECT_EQ(Member(Ask(host, Query("\"a\"")), "code"), "bad_row");
  EXPECT_EQ(Ask(host, testing::LabelFor("x", 1)).kind, Kind::kInvalid);
  const HostReply first = Ask(host, Query("7", "k"));
  for (int i = 1; i < 40; ++i) {
    EXPECT_EQ(Ask(host, Query(std::to_string(i))).kind, Kind::kAnswered);
  }
  EXPECT_EQ(Ask(host, Query("3")).kind, Kind::kHalted);
  // Who did not get an answer may ask for it afterwards.
  EXPECT_EQ(first.kind, Kind::kAnswered);
  EXPECT_EQ(Ask(host, Query("7", "k")).body, first.body);
  EXPECT_EQ(host.condition().state, Host::State::kHalted);
}

TEST(QuantileServedTest, BadConfigurationsAreRefused) {
  TestService service;
  const std::string path = WriteNumbers(service);
  for (const std::string& json :
       {Configuration(path + "-missing"), Configuration(path, R"(,"seed":1)"),
        Configuration(path, R"(,"schema":{"columns":[]})"),
        std::string(R"({"name":"q","model":"quantile","epsilon":1,)"
                    R"("delta":1e-6,"horizon":9})")}) {
    EXPECT_FALSE(service.set().Check(*Json::Parse(json))) << json;
  }
  EXPECT_TRUE(service.set().Check(*Json::Parse(Configuration(path))));
}

}  // namespace
}  // namespace sotto
