// Whole runs of the real thing, with random rows: neighbours are nowhere
// further apart than declared. tide_tight_test.cc has the worst of them.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "sotto/models/tide/tide_test_tools.h"

namespace sotto {
namespace {

Schema Table() {
  return *Schema::Parse(R"({"columns": [
      {"name": "kind", "type": "category", "values": ["a", "b", "c"]},
      {"name": "size", "type": "number", "range": [0, 1]},
      {"name": "flag", "type": "boolean"}]})",
                        "schema");
}

TideUser Draw(Rng& rng, const LabelType& type) {
  TideUser user;
  const auto kind = static_cast<std::uint32_t>(rng.Next() % 3);
  const double u = std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
  user.x = {{kind, 1}, {3, u}, {4, static_cast<double>(rng.Next() % 2)}};
  user.y = type.kind == LabelType::Kind::kNumber
               ? u
               : static_cast<double>(rng.Next() % type.classes());
  user.delay = rng.Next() % 4 == 0 ? static_cast<int>(rng.Next() % 30) : 0;
  return user;
}

constexpr int kRounds = 260;
constexpr int kStart = 30;
constexpr int kLevel = 20;  // numbers only; before round 0 of the tests

std::size_t LevelRows(const LabelType& type) {
  return type.kind == LabelType::Kind::kNumber ? kLevel : 0;
}

// Replays two worlds whose users differ as `change` says, after the level.
TideMoved Replay(const LabelType& type, std::uint64_t rounds_per_user, int salt,
                 const std::function<void(std::vector<TideUser>&)>& change) {
  const Schema schema = Table();
  const PrivateTide::Params params = {
      .epsilon = 4,
      .delta = 1e-4,
      .rounds_per_user = rounds_per_user,
      .encoding = {.schema = &schema, .pairs = salt % 2 == 1},
      .label = type,
      .schedule = {.level_rows = LevelRows(type),
                   .start_rows = kStart,
                   .batch = 5,
                   .memory = 4}};
  testing::SeededRng rng(static_cast<std::uint64_t>(salt));
  std::vector<TideUser> users;
  users.reserve(kRounds);
  for (int t = 0; t < kRounds; ++t) users.push_back(Draw(rng, type));
  std::vector<TideUser> others = users;
  change(others);
  std::vector<TideUser> first;
  for (std::size_t t = 0; t < LevelRows(type); ++t) {
    first.push_back(Draw(rng, type));
  }
  users.insert(users.begin(), first.begin(), first.end());
  others.insert(others.begin(), first.begin(), first.end());
  return ReplayTide(params, users, others, [salt](int round, int index) {
    return HashNoise(round, index, salt);
  });
}

const LabelType kTwo = {};
const LabelType kThree = {.kind = LabelType::Kind::kClasses,
                          .names = {"a", "b", "c"}};
const LabelType kNumber = {.kind = LabelType::Kind::kNumber};

TEST(TideReplayTest, ARowOfAStepMovesStepsOnlyAndNotTooFar) {
  int salt = 0;
  for (const LabelType& type : {kTwo, kThree, kNumber}) {
    for (const int place : {kStart, 97, 251}) {
      const TideMoved moved =
          Replay(type, 1, ++salt, [&](std::vector<TideUser>& users) {
            testing::SeededRng rng(static_cast<std::uint64_t>(1000 + salt));
            users[static_cast<std::size_t>(place)] = Draw(rng, type);
          });
      EXPECT_EQ(moved.start, 0);
      EXPECT_LE(moved.step, 1) << place;
    }
  }
}

TEST(TideReplayTest, ARowOfTheStartMovesTheStartOnlyAndNotTooFar) {
  int salt = 50;
  for (const LabelType& type : {kTwo, kThree, kNumber}) {
    for (const int place : {0, kStart - 1}) {
      const TideMoved moved =
          Replay(type, 1, ++salt, [&](std::vector<TideUser>& users) {
            auto& user = users[static_cast<std::size_t>(place)];
            user.x = {{0, 1}, {3, user.x[1].value < 0.5 ? 1.0 : 0.0}};
            if (salt % 2 == 0) user.delay = 100;
          });
      EXPECT_EQ(moved.step, 0);
      EXPECT_LE(moved.start, 1) << place;
      EXPECT_GT(moved.start, 0.2) << place;
    }
  }
}

// Numbers: a row of the level is in no other release, whenever its label comes.
TEST(TideReplayTest, ARowOfTheLevelMovesTheLevelOnly) {
  const Schema schema = Table();
  const PrivateTide::Params params = {
      .epsilon = 4,
      .delta = 1e-4,
      .encoding = {.schema = &schema},
      .label = kNumber,
      .schedule = {
          .level_rows = kLevel, .start_rows = kStart, .batch = 5, .memory = 4}};
  testing::SeededRng rng(77);
  std::vector<TideUser> users;
  for (int t = 0; t < 200; ++t) users.push_back(Draw(rng, kNumber));
  for (const std::size_t place : {0, kLevel - 1}) {
    for (const int delay : {0, kLevel, kStart + kLevel, 150, 1000}) {
      std::vector<TideUser> others = users;
      users[place].delay = 0;
      users[place].y = 1;
      others[place] = {.x = {{1, 1}, {3, 0.1}}, .y = 0, .delay = delay};
      const TideMoved moved = ReplayTide(
          params, users, others,
          [](int round, int index) { return HashNoise(round, index, 9); });
      EXPECT_LE(moved.level, 1);
      EXPECT_GT(moved.level, 0.45);
      EXPECT_EQ(moved.start, 0);
      EXPECT_EQ(moved.step, 0);
    }
  }
}

TEST(TideReplayTest, TheTimeOfALabelIsCoveredAndSoIsAnAbsentRow) {
  for (const int place : {40, 111}) {
    for (const int delay : {7, 60, 10'000}) {
      const TideMoved moved =
          Replay(kTwo, 1, place, [&](std::vector<TideUser>& users) {
            auto& user = users[static_cast<std::size_t>(place)];
            user.delay = delay;
            user.y = 1 - *user.y;
          });
      EXPECT_EQ(moved.start, 0);
      EXPECT_LE(moved.step, 1);
    }
    const TideMoved gone =
        Replay(kTwo, 1, place, [&](std::vector<TideUser>& users) {
          users[static_cast<std::size_t>(place)].present = false;
        });
    EXPECT_LE(gone.step, 0.6);
    const TideMoved faulty =
        Replay(kTwo, 1, place, [&](std::vector<TideUser>& users) {
          users[static_cast<std::size_t>(place)].x = {{3, std::nan("")}};
        });
    EXPECT_EQ(faulty.step, gone.step);
  }
}

TEST(TideReplayTest, AllRowsOfAUserTogetherAreCovered) {
  const std::vector<std::size_t> places = {3, 29, 44, 45, 180};
  const TideMoved moved =
      Replay(kTwo, places.size(), 7, [&](std::vector<TideUser>& users) {
        for (const std::size_t place : places) {
          users[place].y = 1 - *users[place].y;
          users[place].x = {{1, 1}, {3, 1 - users[place].x[1].value}};
        }
      });
  EXPECT_LE(std::hypot(moved.start, moved.step), 1);
  EXPECT_GT(moved.step, 0.1);
}

}  // namespace
}  // namespace sotto
