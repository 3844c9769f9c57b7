// Which rows a leader hands to its fit, and how many places.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sotto/models/leader/leader_test_spy.h"
#include "sotto/models/leader/private_leader.h"
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

}  // namespace
}  // namespace sotto
