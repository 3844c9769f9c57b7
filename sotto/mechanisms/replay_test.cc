// Every mechanism in two neighbouring worlds with one and the same randomness:
// the sites at which noise is added are the same, the numbers there are within
// the declared sensitivity, and as many words are drawn. A header that takes an
// Rng and has no replay here fails the last test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include "sotto/mechanisms/replay_test_worlds.h"
#include "sotto/testing/replay_rng.h"

namespace sotto {
namespace {

using testing::FirstDifference;
using testing::ReplayDifference;
using testing::ReplayRng;

// The round of the first answer that differs; one past the last if none does.
// Hidden rounds have no answer, so this may be a round or two early: sound.
std::uint64_t FirstApart(const ReplayAnswers& zero, const ReplayAnswers& one) {
  const auto [p, q] = std::ranges::mismatch(zero, one);
  if (p == zero.end() && q == one.end()) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>(p - zero.begin()) + 1;
}

struct Compared {
  bool equal = true;
  std::size_t sites = 0;
  std::string difference = {};
};

Compared Compare(const ReplayWorld& world, std::uint64_t seed) {
  ReplayRng here(seed);
  const ReplayAnswers zero = world(false, here);
  here.End();
  ReplayRng there(seed, here);
  const ReplayAnswers one = world(true, there);
  there.End();
  Compared compared{.equal = zero == one};
  for (const auto& round : here.rounds()) compared.sites += round.sites.size();
  const ReplayDifference apart =
      FirstDifference(here, there, FirstApart(zero, one));
  if (!apart.what.empty()) {
    compared.difference =
        "round " + std::to_string(apart.round) + ": " + apart.what;
  }
  return compared;
}

TEST(ReplayTest, NeighboursDrawTheSameNoiseForNumbersThatAreCloseEnough) {
  for (const Replay& replay : AllReplays()) {
    std::size_t sites = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Compared compared = Compare(replay.world, seed);
      EXPECT_EQ(compared.difference, "") << replay.header;
      EXPECT_TRUE(compared.equal || !replay.by_numbers) << replay.header;
      sites += compared.sites;
    }
    EXPECT_EQ(sites > 0, replay.by_numbers) << replay.header;
  }
}

// Headers that are part of several mechanisms, each with its own replay.
const std::set<std::string> kParts = {
    "mirrors/mirror_distribution.h", "selection/selection_params.h",
    "thresholds/challenge_band.h", "thresholds/fresh_noise_band.h"};

TEST(ReplayTest, EveryMechanismHasAReplay) {
  std::set<std::string> replayed = kParts;
  for (const Replay& replay : AllReplays()) replayed.insert(replay.header);
  const auto folder = std::filesystem::path(__FILE__).parent_path();
  std::size_t headers = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name =
        std::filesystem::relative(file.path(), folder).generic_string();
    // models/registry/same_noise_test.cc replays the models on boundaries, a
    // separate module that this test cannot link.
    if (file.path().extension() != ".h" || name.starts_with("boundaries/") ||
        name.find("test") != std::string::npos) {
      continue;
    }
    std::ifstream stream(file.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (text.find("Rng& rng") == std::string::npos) continue;
    ++headers;
    EXPECT_TRUE(replayed.contains(name)) << name << " has no replay";
  }
  EXPECT_GT(headers, 20u);
}

// Broken variants.
Compared CompareBroken(
    const std::function<std::int64_t(bool, std::uint64_t, Rng&)>& step) {
  return Compare(
      [&](bool one, Rng& rng) {
        return PlayRounds(
            5, rng, [&](std::uint64_t round) { return step(one, round, rng); });
      },
      1);
}

TEST(ReplayTest, WhatIsTooFarApartOrDrawnInOneWorldOnlyIsSeen) {
  const auto counted = [](std::int64_t factor) {
    return CompareBroken([=](bool one, std::uint64_t round, Rng& rng) {
      const bool more = one && round == 3;
      return rng.Private("count", more ? factor : 0, 1) +
             static_cast<std::int64_t>(rng.Next() % 8);
    });
  };
  EXPECT_EQ(counted(1).difference, "");
  EXPECT_EQ(counted(2).difference,
            "round 3: 'count' is 0 and 2, 1 apart at most");
  const Compared draws =
      CompareBroken([](bool one, std::uint64_t round, Rng& rng) {
        if (one && round == 2) rng.Next();
        return std::int64_t{0};
      });
  EXPECT_EQ(draws.difference, "round 2: not as many words are drawn");
  const Compared sites =
      CompareBroken([](bool one, std::uint64_t round, Rng& rng) {
        if (one && round == 4) rng.Private("extra", 0, 1);
        return std::int64_t{0};
      });
  EXPECT_EQ(sites.difference, "round 4: noise is added 0 and 1 times");
  // Past the noise.
  const Compared leak = CompareBroken([](bool one, std::uint64_t, Rng& rng) {
    rng.Private("count", 0, 1);
    return std::int64_t{one ? 1 : 0};
  });
  EXPECT_FALSE(leak.equal);
}

}  // namespace
}  // namespace sotto
