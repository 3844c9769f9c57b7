#include "sotto/frontend/line_mechanisms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/group_privacy.h"
#include "sotto/frontend/line_options.h"

namespace sotto {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

Settings Make(const OptionTable& table, const Words& words) {
  Settings settings(table);
  for (const auto& [name, text] : words) {
    const Status set = settings.Set(name, text);
    EXPECT_TRUE(set) << (set ? "" : set.error().message);
  }
  return settings;
}

// A share is rounded down.
void ExpectShare(double share, double exact) {
  EXPECT_LE(share, exact);
  EXPECT_GT(share, exact * (1 - 1e-12));
}

Settings Count(std::string_view rounds) {
  return Make(CountOptions(), {{"epsilon", "1"},
                               {"delta", "1e-6"},
                               {"horizon", "100"},
                               {"mechanism", "tree"},
                               {"rounds-per-user", std::string(rounds)}});
}

TEST(LineMechanismsTest, ACountGivesEachRecordOfAUserItsShare) {
  const auto one = CounterParams(Count("1"));
  const auto four = CounterParams(Count("4"));
  ASSERT_TRUE(one && four);
  EXPECT_EQ(one->epsilon, 1);
  ExpectShare(four->epsilon, 0.25);
  EXPECT_LT(four->delta, one->delta / 4);
  EXPECT_LE(ForGroup(ApproximateDp{four->epsilon, four->delta}, 4).delta, 1e-6);
  EXPECT_EQ(four->horizon, 100U);
}

TEST(LineMechanismsTest, AMonitorGivesEachRecordOfAUserItsShare) {
  const Words words = {{"epsilon", "1"},
                       {"threshold", "50"},
                       {"horizon", "100"},
                       {"rounds-per-user", "4"}};
  const auto params = MonitorParams(Make(MonitorOptions(), words));
  ASSERT_TRUE(params);
  ExpectShare(params->epsilon, 0.25);
  EXPECT_EQ(params->threshold, 50);
  EXPECT_EQ(params->horizon, 100U);
}

TEST(LineMechanismsTest, ARankThatIsReplacedLeavesAndComes) {
  Words words = {{"epsilon", "1"},
                 {"delta", "1e-6"},
                 {"horizon", "100"},
                 {"rounds-per-user", "2"}};
  const auto replace = QuantileParams(Make(QuantileOptions(), words));
  words.emplace_back("relation", "add-remove");
  const auto removed = QuantileParams(Make(QuantileOptions(), words));
  ASSERT_TRUE(replace && removed);
  ExpectShare(removed->epsilon, 0.5);
  ExpectShare(replace->epsilon, 0.25);
}

// The statement for a user is what was asked for, not the record's.
TEST(LineMechanismsTest, TheUsersPromiseIsWhatWasAskedFor) {
  for (const std::string_view rounds : {"1", "3"}) {
    const Settings settings = Count(rounds);
    const auto params = CounterParams(settings);
    ASSERT_TRUE(params);
    const auto counter = Counter::Create(*params);
    ASSERT_TRUE(counter);
    const auto promise = UserPromise(settings, counter->guarantee());
    ASSERT_TRUE(promise);
    EXPECT_LE(promise->epsilon(), 1);
    EXPECT_GE(promise->epsilon(), 0.999);
    EXPECT_EQ(std::to_string(promise->rounds_per_user()), rounds);
    EXPECT_LE(Total(promise->spend()).epsilon, promise->epsilon());
    EXPECT_GE(Total(promise->spend()).epsilon, 0.999);
  }
}

TEST(LineMechanismsTest, ACounterThatWasNotToldOfTheRoundsIsRefused) {
  const auto params = CounterParams(Count("1"));
  ASSERT_TRUE(params);
  const auto counter = Counter::Create(*params);
  ASSERT_TRUE(counter);
  const auto promise = UserPromise(Count("3"), counter->guarantee());
  ASSERT_FALSE(promise);
  EXPECT_EQ(promise.error().code, ErrorCode::kBudgetExhausted);
}

// Every option of a line command, off its default, changes the parameters, the
// promise or the key of the noise, or is about files and output.
TEST(LineMechanismsTest, EveryOptionChangesSomething) {
  const std::vector<std::string_view> output = {
      "json", "quiet", "save", "load", "save-every", "progress", "budget"};
  const Words words = {{"epsilon", "1"}, {"horizon", "100"}};
  for (const Option& option : CountOptions()) {
    if (!option.kept ||
        std::ranges::find(output, option.name) != output.end()) {
      continue;
    }
    const Settings base = Make(CountOptions(), words);
    Settings off = base;
    const bool set = off.Set(std::string(option.name), "7").has_value() ||
                     off.Set(std::string(option.name), "0.125").has_value() ||
                     off.Set(std::string(option.name), "tree").has_value();
    ASSERT_TRUE(set) << option.name;
    const auto before = CounterParams(base);
    const auto after = CounterParams(off);
    ASSERT_TRUE(before) << before.error().message;
    ASSERT_TRUE(after) << after.error().message;
    const bool changed = before->epsilon != after->epsilon ||
                         before->delta != after->delta ||
                         before->horizon != after->horizon ||
                         before->expected_events != after->expected_events ||
                         before->mechanism != after->mechanism;
    const bool other_key = !std::ranges::equal(
        LineKey(base, kCountKind)->bytes(), LineKey(off, kCountKind)->bytes());
    EXPECT_TRUE(changed || (option.name == "seed" && other_key))
        << option.name << " is read and dropped";
  }
}

}  // namespace
}  // namespace sotto
