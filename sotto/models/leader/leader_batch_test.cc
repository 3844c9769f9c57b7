// Which rows a leader hands to its fit, and how many places.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/models/leader/leader_test_spy.h"
#include "sotto/models/leader/private_leader.h"
#include "sotto/testing/saved_states.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

// Held out is one round in four by the public clock, which runs in empty rounds
// and in rounds whose label comes later or never; no label moves it.
TEST(LeaderBatchTest, OneRoundInFourIsHeldOutByTheClock) {
  auto fit = std::make_shared<SpyFit>(true);
  auto leader = PrivateLeader::Create({.fit = fit,
                                       .columns = OneCategory(),
                                       .budget = {.user = {1, 0}},
                                       .epochs = {.first = 24, .growth = 1}});
  ASSERT_TRUE(leader);
  testing::SeededRng rng(1);
  std::vector<std::vector<std::size_t>> held_out(3);
  std::size_t row = 0;
  for (std::uint64_t clock = 1; clock <= 73; ++clock) {
    const std::size_t epoch = (clock - 1) / 24;
    if ((clock - 1) % 24 == 0) row = 0;
    const bool y = clock % 2 == 0;
    if (clock % 5 == 0) {
      leader->PlayEmptyRound(rng);
    } else if (clock % 7 == 0) {
      leader->Play(kRed, nullptr, rng);
    } else {
      if (clock % 3 == 0) {
        leader->Play(kRed, &y, rng);
      } else {
        leader->Close(leader->Open(kRed, rng), y);
      }
      if (epoch < 3 && clock % 4 == 3) held_out[epoch].push_back(row);
      ++row;
    }
  }
  ASSERT_EQ(fit->batches(), 3U);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    EXPECT_FALSE(held_out[epoch].empty());
    EXPECT_EQ(fit->HeldOut(epoch), held_out[epoch]) << epoch;
  }
}

// A round that waits for its label is what it was after a restart: the watch
// counts its mistake, and the batch gets its row.
TEST(LeaderBatchTest, AnOpenRoundIsTheSameAfterASave) {
  for (const bool prediction : {false, true}) {
    const PrivateLeader::Round round{.prediction = prediction,
                                     .epoch = 3,
                                     .block = 5,
                                     .held_out = !prediction,
                                     .codes = {2}};
    ByteWriter writer;
    round.Save(writer);
    ByteReader reader(writer.bytes());
    const auto loaded = PrivateLeader::Round::Load(OneCategory(), reader);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->prediction, round.prediction);
    EXPECT_EQ(loaded->epoch, round.epoch);
    EXPECT_EQ(loaded->block, round.block);
    EXPECT_EQ(loaded->held_out, round.held_out);
    EXPECT_EQ(loaded->codes, round.codes);
  }
}

// The places of a fit that the watch asks for depend on the clock alone: labels
// that did not come leave empty ones.
TEST(LeaderBatchTest, AFitByTheWatchHasThePlacesOfTheClock) {
  for (const bool late : {true, false}) {
    auto fit = std::make_shared<SpyFit>(late);
    auto leader = PrivateLeader::Create({.fit = fit,
                                         .columns = OneCategory(),
                                         .budget = {.user = {1, 0}},
                                         .epochs = {.first = 4096, .growth = 2},
                                         .drift_epsilon = 2});
    ASSERT_TRUE(leader);
    testing::SeededRng rng(1);
    std::uint64_t rounds = 0;
    for (; leader->epoch() == 0 && rounds < 4000; ++rounds) {
      const bool y = true;  // the first hypothesis says no
      leader->Play(kRed, rounds % 3 == 1 ? nullptr : &y, rng);
    }
    ASSERT_EQ(fit->batches(), 1U);
    // The round in which it fires is of the next epoch.
    const std::uint64_t places = late ? 4096 : rounds - 1;
    ASSERT_LT(rounds, 4000U);
    EXPECT_EQ(fit->Places(0).size(), places);
    EXPECT_EQ(fit->public_places(), (std::vector<std::size_t>{places}));
  }
}

// Numbers of the watch, the last of a state: mistakes of its window, rounds of
// its window, its block, and how often it fired.
std::array<std::uint64_t, 4> WatchNumbers(const PrivateLeader& leader) {
  const std::string bytes = testing::SavedBytes(leader);
  ByteReader reader(std::string_view(bytes).substr(bytes.size() - 40));
  std::array<std::uint64_t, 4> numbers{};
  for (std::uint64_t& number : numbers) {
    number = reader.Number<std::uint64_t>();
  }
  return numbers;
}

// A window that halted is over: the next has a fresh threshold and counts from
// 0. A mistake that is counted twice would be paid for once.
TEST(LeaderBatchTest, AHaltBeginsAWindowThatCountsFromZero) {
  auto leader = PrivateLeader::Create({.fit = std::make_shared<SpyFit>(true),
                                       .columns = OneCategory(),
                                       .budget = {.user = {1, 0}},
                                       .epochs = {.first = 4096, .growth = 2},
                                       .drift_epsilon = 2});
  ASSERT_TRUE(leader);
  testing::SeededRng rng(1);
  const bool y = true;  // the first hypothesis says no
  std::array<std::uint64_t, 4> before{};
  for (int i = 0; leader->epoch() == 0 && i < 4000; ++i) {
    before = WatchNumbers(*leader);
    leader->Play(kRed, &y, rng);
  }
  ASSERT_EQ(leader->epoch(), 1U);
  EXPECT_GT(before[0], 10U);
  const auto after = WatchNumbers(*leader);
  EXPECT_EQ(after[0], 0U) << "the second hypothesis says yes";
  EXPECT_EQ(after[1], 1U);
  EXPECT_EQ(after[2], before[2] + 2) << "one block ended, a window began";
  EXPECT_EQ(after[3], 1U);
}

// Its hypothesis depends on every row and place of the batch.
class EchoFit final : public PrivateFit {
 public:
  FitHypothesis Fit(const FitBatch& batch, Rng&) const override {
    std::uint64_t mixed = batch.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      mixed = 31 * mixed + 3 * batch.label(i) + batch.code(i, 0);
    }
    return FitHypothesis::Constant((mixed >> 7) % 2 == 1);
  }
  Spend spend() const override { return MakePart("echo", {1, 0}); }
  double ExpectedError(double) const override { return 0; }
  double RowsFor(double, double) const override { return 1; }
  Json parameters() const override { return {}; }
  std::string Summary() const override { return "echo"; }
};

// Through epochs that end by the clock and then by the watch, again and again,
// until it takes half of the rounds to be wrong anyway.
void CheckLeaderStates(std::uint64_t first) {
  const PrivateLeader::Params params{.fit = std::make_shared<EchoFit>(),
                                     .columns = OneCategory(),
                                     .budget = {.user = {1, 0}},
                                     .epochs = {.first = first, .growth = 16},
                                     .drift_epsilon = 2};
  std::uint64_t epochs = 0;
  testing::CheckStates(
      {.rounds = 2400, .every = 11, .has_clock = true},
      [&] { return *PrivateLeader::Create(params); },
      [&](ByteReader& reader) { return PrivateLeader::Load(params, reader); },
      [&](PrivateLeader& leader, std::uint64_t round, Rng& rng) {
        const auto opened =
            leader.Open(FeatureVector{{round % 2 == 0 ? 0U : 1U, 1}}, rng);
        // Right at first, then mostly wrong; some labels do not come.
        const bool wrong = round > 1200 && round % 8 != 0;
        if (round % 5 != 0) leader.Close(opened, opened.prediction != wrong);
        epochs = leader.epoch();
        return std::string(opened.prediction ? "+" : "-") +
               std::to_string(leader.epoch()) + " " +
               std::to_string(leader.length());
      });
  EXPECT_GE(epochs, 5U);
}

TEST(LeaderBatchTest, EveryFieldOfAStateIsKept) { CheckLeaderStates(64); }

// A mark for each of many blocks.
TEST(LeaderBatchTest, EveryMarkOfAStateIsKept) { CheckLeaderStates(2048); }

}  // namespace
}  // namespace sotto
