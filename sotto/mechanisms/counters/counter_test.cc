#include "sotto/mechanisms/counters/counter.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Mechanism = Counter::Mechanism;

Counter Make(double delta, std::uint64_t horizon, std::uint64_t events) {
  return *Counter::Create({.epsilon = 1,
                           .delta = delta,
                           .horizon = horizon,
                           .expected_events = events});
}

TEST(CounterTest, AutoPicksTheLeastProvedError) {
  EXPECT_EQ(Make(0, 1'000'000, 0).mechanism(), Mechanism::kTree);
  EXPECT_EQ(Make(1e-6, 1'000'000, 0).mechanism(), Mechanism::kSquareRoot);
  EXPECT_EQ(Make(1e-6, 1'000'000, 1000).mechanism(), Mechanism::kSparse);
  EXPECT_EQ(Make(1e-6, 1'000'000, 10'000).mechanism(), Mechanism::kSquareRoot);
  EXPECT_EQ(Make(0, 1'000'000, 10'000).mechanism(), Mechanism::kSparse);
  EXPECT_EQ(Make(0, 0, 0).mechanism(), Mechanism::kTree);
}

TEST(CounterTest, SaysWhatItExpects) {
  EXPECT_EQ(Make(1e-6, 1'000'000, 0).Describe(),
            "square-root: every estimate within 124 of the true count, with "
            "probability 95%, over all 1000000 steps");
  const std::string sparse = Make(0, 1'000'000, 1000).Describe();
  EXPECT_NE(sparse.find("if there are at most 1000 events"), std::string::npos);
  const std::string open = Make(0, 0, 0).Describe();
  EXPECT_NE(open.find("tree (doubling)"), std::string::npos);
  EXPECT_NE(open.find("if that number was fixed before"), std::string::npos);
}

TEST(CounterTest, ChargesDeltaOnlyWhereTheMechanismSpendsIt) {
  EXPECT_EQ(Make(1e-6, 10'000, 0).guarantee().delta(), 1e-6);
  EXPECT_LT(Make(0, 10'000, 0).guarantee().delta(), 1e-15);
}

TEST(CounterTest, RefusesAMechanismThatLacksWhatItNeeds) {
  auto code = [](Counter::Params params) {
    return Counter::Create(params).error().code;
  };
  EXPECT_EQ(
      code({.epsilon = 1, .horizon = 10, .mechanism = Mechanism::kSquareRoot}),
      ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      code({.epsilon = 1, .horizon = 10, .mechanism = Mechanism::kSparse}),
      ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.epsilon = 0, .horizon = 10}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.epsilon = 1, .delta = -1, .horizon = 10}),
            ErrorCode::kInvalidArgument);
}

TEST(CounterTest, EveryMechanismResumesAndKnowsItsOwnState) {
  const std::vector<Counter::Params> all = {
      {.epsilon = 1, .horizon = 500, .mechanism = Mechanism::kTree},
      {.epsilon = 1,
       .delta = 1e-6,
       .horizon = 500,
       .mechanism = Mechanism::kSquareRoot},
      {.epsilon = 1,
       .horizon = 500,
       .expected_events = 20,
       .mechanism = Mechanism::kSparse},
      {.epsilon = 1}};
  std::string previous;
  for (const Counter::Params& params : all) {
    Counter whole = *Counter::Create(params);
    testing::SeededRng rng(4);
    for (int t = 0; t < 100; ++t) ASSERT_TRUE(whole.Add(1, rng));
    ByteWriter writer;
    whole.Save(writer);
    ByteReader reader(writer.bytes());
    auto loaded = Counter::Load(params, reader);
    ASSERT_TRUE(loaded && reader.Finish());
    testing::SeededRng one(9);
    testing::SeededRng two(9);
    for (int t = 0; t < 100; ++t) {
      ASSERT_EQ(*whole.Add(1, one), *loaded->Add(1, two));
    }
    EXPECT_EQ(loaded->steps(), 200U);
    ByteReader others(previous);
    EXPECT_EQ(Counter::Load(params, others).error().code,
              ErrorCode::kCorruption);
    previous = writer.bytes();
  }
}

TEST(CounterTest, AStateIsRefusedUnderAnyOtherParameter) {
  const std::vector<Counter::Params> all = {
      {.epsilon = 2, .horizon = 5000, .mechanism = Mechanism::kTree},
      {.epsilon = 2,
       .delta = 1e-6,
       .horizon = 500,
       .mechanism = Mechanism::kSquareRoot},
      {.epsilon = 2,
       .horizon = 500,
       .expected_events = 20,
       .mechanism = Mechanism::kSparse},
      {.epsilon = 2}};
  for (const Counter::Params& params : all) {
    ByteWriter writer;
    Counter::Create(params)->Save(writer);
    for (const double epsilon : {1.999, 0.01}) {
      Counter::Params other = params;
      other.epsilon = epsilon;
      ByteReader reader(writer.bytes());
      EXPECT_EQ(Counter::Load(other, reader).error().code,
                ErrorCode::kCorruption);
    }
    Counter::Params other = params;
    other.delta = 1e-7;
    ByteReader reader(writer.bytes());
    EXPECT_EQ(Counter::Load(other, reader).error().code,
              ErrorCode::kCorruption);
  }
}

TEST(CounterTest, NeverSpendsMoreThanTheDeltaAskedFor) {
  const std::vector<std::pair<double, double>> asked = {
      {1, 1e-23}, {12, 1e-18}, {16, 1e-12}};
  for (const auto& [epsilon, delta] : asked) {
    const auto counter = Counter::Create({.epsilon = epsilon,
                                          .delta = delta,
                                          .horizon = 1'000'000,
                                          .expected_events = 1000});
    ASSERT_TRUE(counter);
    EXPECT_LE(counter->guarantee().delta(), delta);
  }
  auto code = [](Counter::Params params) {
    return Counter::Create(params).error().code;
  };
  EXPECT_EQ(code({.epsilon = 1, .delta = 1e-30, .horizon = 1'000'000}),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.epsilon = 1,
                  .delta = 1e-30,
                  .horizon = 1'000'000,
                  .expected_events = 1000}),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.epsilon = 1, .delta = 1e-30}), ErrorCode::kInvalidArgument);
  // The tree's samplers lack less than 1.5e-17 here, the sparse ones 3.5e-17.
  const auto tree = Counter::Create({.epsilon = 16,
                                     .delta = 2e-17,
                                     .horizon = 1'000'000,
                                     .expected_events = 1000});
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->mechanism(), Mechanism::kTree);
}

TEST(CounterTest, MechanismsHaveNames) {
  for (const Mechanism m : {Mechanism::kAuto, Mechanism::kTree,
                            Mechanism::kSquareRoot, Mechanism::kSparse}) {
    EXPECT_EQ(*ParseCounterMechanism(ToString(m)), m);
  }
  EXPECT_EQ(*ParseCounterMechanism("sqrt"), Mechanism::kSquareRoot);
  EXPECT_FALSE(ParseCounterMechanism("forest"));
}

}  // namespace
}  // namespace sotto
