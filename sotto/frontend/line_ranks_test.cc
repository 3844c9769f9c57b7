#include "sotto/frontend/line_ranks.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sotto {
namespace {

// Releases belong to their numbers: a state is resumed with them alone,
// in their order, or the budget would be spent on others again.
TEST(LineRanksTest, AStateIsResumedWithItsOwnNumbersOnly) {
  const OnlineThresholds::Params params{
      .epsilon = 1, .delta = 1e-6, .horizon = 100};
  std::vector<double> data;
  for (int i = 0; i < 500; ++i) data.push_back(i % 83);
  HistoryRng rng(*Key::Generate());
  auto ranks = LineRanks::Create(params, data, rng);
  ASSERT_TRUE(ranks) << ranks.error().message;
  ASSERT_TRUE(ranks->thresholds.Query(40, rng));
  ByteWriter writer;
  ranks->Save(writer);

  const auto loaded = LineRanks::Load(params, data, writer.bytes());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->thresholds.queries(), 1U);
  ByteWriter again;
  loaded->Save(again);
  EXPECT_EQ(again.bytes(), writer.bytes());

  std::vector<double> changed = data;
  changed[7] += 1;
  std::vector<double> turned = data;
  std::swap(turned[1], turned[2]);
  std::vector<double> fewer = data;
  fewer.pop_back();
  for (const auto& other : {changed, turned, fewer}) {
    const auto refused = LineRanks::Load(params, other, writer.bytes());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace sotto
