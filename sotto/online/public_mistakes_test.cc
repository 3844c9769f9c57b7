#include "sotto/online/public_mistakes.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace sotto {
namespace {

Key AKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = std::byte{7};
  return Key::FromBytes(bytes);
}

PublicMistakes Fresh() {
  return *PublicMistakes::Create({1, 1e-6}, 1000, AKey());
}

TEST(PublicMistakesTest, SharesAddUpToWhatWasAskedFor) {
  const auto shares = ShareWithMistakes({1, 1e-6});
  ASSERT_TRUE(shares);
  EXPECT_LE(shares->model.epsilon + shares->mistakes.epsilon, 1);
  EXPECT_LE(shares->mistakes.delta +
                std::exp(shares->mistakes.epsilon) * shares->model.delta,
            1e-6);
  EXPECT_GT(shares->model.epsilon, 0.89);
  EXPECT_FALSE(ShareWithMistakes({1, 0}));
  EXPECT_FALSE(ShareWithMistakes({0, 1e-6}));
}

TEST(PublicMistakesTest, TakesEveryEmptyRoundAsOneThatWasAnsweredWell) {
  const std::vector<Round> alike = {
      {.y = Label(true), .prediction = Label(true)},
      {.prediction = Label(true)},
      {.presence = Presence::kAbsent},
      {.presence = Presence::kUnusable, .user = "u"},
      {.presence = Presence::kRefused,
       .y = Label(true),
       .prediction = Label(false)}};
  for (const Round& round : alike) {
    PublicMistakes first = Fresh();
    PublicMistakes other = Fresh();
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(first.Add(alike[0]), other.Add(round));
    }
    EXPECT_EQ(other.rounds(), 50U);
  }
}

TEST(PublicMistakesTest, CountsMistakesOfClassesWithinItsError) {
  PublicMistakes mistakes = Fresh();
  const Round wrong{.y = Label::OfClass(3), .prediction = Label::OfClass(1)};
  std::int64_t shown = 0;
  for (int i = 0; i < 1000; ++i) shown = mistakes.Add(wrong);
  EXPECT_NEAR(static_cast<double>(shown), 1000, 4 * mistakes.error_bound());
  EXPECT_FALSE(PublicMistakes::CanCount({.kind = LabelType::Kind::kNumber}));
  EXPECT_TRUE(PublicMistakes::CanCount({.kind = LabelType::Kind::kClasses}));
}

TEST(PublicMistakesTest, SurvivesSavingAndRefusesDamage) {
  PublicMistakes mistakes = Fresh();
  for (int i = 0; i < 20; ++i) mistakes.Add(i % 2 == 0);
  ByteWriter writer;
  mistakes.Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = PublicMistakes::Load({1, 1e-6}, 1000, reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(loaded->Add(i % 3 == 0), mistakes.Add(i % 3 == 0));
  }
  // Every load calibrates its counter, which takes a while.
  for (std::size_t size = 0; size < writer.bytes().size(); size += 211) {
    ByteReader cut(std::string_view(writer.bytes()).substr(0, size));
    const auto damaged = PublicMistakes::Load({1, 1e-6}, 1000, cut);
    EXPECT_FALSE(damaged && cut.Finish()) << size;
  }
}

}  // namespace
}  // namespace sotto
