// A service whose wall clock is set forward and back: deadlines, tickets and
// groups of the clock `slots` do not depend on it.

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <string>

#include "sotto/service/serve/service_test_tools.h"

namespace {
std::atomic<long> shift = 0;  // seconds
}  // namespace

// Takes the place of the C library's function in this program.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long failed = ::syscall(SYS_clock_gettime, clock, time);
  if (failed == 0 && clock == CLOCK_REALTIME) time->tv_sec += shift;
  return static_cast<int>(failed);
}

namespace sotto {
namespace {

using testing::FindTicket;
using testing::Post;
using testing::ServedWorld;

Json Model(const char* name, const char* clock) {
  const Json column = Json::Object{
      {"name", "a"}, {"type", "number"}, {"range", Json::Array{0, 1}}};
  return Json::Object{
      {"name", name},
      {"model", "tide"},
      {"epsilon", 1},
      {"delta", 1e-6},
      {"horizon", 1000},
      {"anyway", true},
      {"clock", clock},
      {"schema", Json::Object{{"columns", Json::Array{column}}}}};
}

TEST(ClockTest, JumpsOfTheWallClockStopNothing) {
  ServedWorld service({Model("m", "arrivals"), Model("g", "slots:8/0.05")});
  const auto before = std::chrono::system_clock::now();
  constexpr long kDay = 86'400;
  for (const long to : {0L, kDay, 0L, -kDay, -3650 * kDay, 3650 * kDay, 0L}) {
    shift = to;
    const auto moved = std::chrono::system_clock::now() - before;
    ASSERT_LT(std::chrono::abs(moved - std::chrono::seconds(to)),
              std::chrono::hours(1));  // the clock is the one that is set
    for (const char* model : {"m", "g"}) {
      const std::string answer =
          service.Ask(Post("predict", R"({"x":[0.5]})", "", model));
      ASSERT_EQ(http::ReadStatus(answer), 200) << model << " " << to << answer;
      const std::string label =
          R"({"ticket":")" + FindTicket(answer) + R"(","y":1})";
      for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(
            http::ReadStatus(service.Ask(Post("labels", label, "", model))),
            202)
            << model << " " << to;
      }
    }
    EXPECT_EQ(http::ReadStatus(service.AskOperator("/readyz")), 200) << to;
  }
  shift = 0;
}

}  // namespace
}  // namespace sotto
