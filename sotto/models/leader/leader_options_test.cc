#include "sotto/models/leader/leader_options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sotto/models/adapter/entries.h"
#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

Result<PrivateLeader::Params> Read(
    const std::vector<std::pair<std::string, std::string>>& more) {
  Settings settings(ConcatOptions(
      {PrivacyOptions(), StreamOptions(), LeaderEntry().options}));
  EXPECT_TRUE(settings.Set("epsilon", "2"));
  EXPECT_TRUE(settings.Set("horizon", "1e6"));
  for (const auto& [name, text] : more) {
    EXPECT_TRUE(settings.Set(name, text)) << name;
  }
  const InputSpec inputs{.features = 2, .dense = 2, .names = {"a", "b"}};
  return LeaderParams(settings, inputs, {2, 0});
}

// The watch and the fit share epsilon, and leave nothing.
TEST(LeaderOptionsTest, TheWatchAndTheFitSpendAllOfEpsilon) {
  for (const char* drift : {"none", "auto"}) {
    for (const char* rounds : {"1", "3"}) {
      const auto params = Read({{"drift", drift}, {"rounds-per-user", rounds}});
      ASSERT_TRUE(params) << params.error().message;
      EXPECT_EQ(params->drift_epsilon > 0, drift == std::string("auto"));
      EXPECT_NEAR(params->drift_epsilon + params->budget.user.epsilon, 2, 1e-9);
      EXPECT_NEAR(params->fit->epsilon(), params->budget.user.epsilon, 1e-6);
      const auto leader = PrivateLeader::Create(*params);
      ASSERT_TRUE(leader) << leader.error().message;
      EXPECT_LE(leader->guarantee().epsilon(), 2);
      EXPECT_GE(leader->guarantee().epsilon(), 1.98);
    }
  }
}

TEST(LeaderOptionsTest, EpochsAreChosenForTheHorizon) {
  const auto first = [](const char* horizon) {
    const auto params = Read({{"horizon", horizon}});
    EXPECT_TRUE(params);
    return params->epochs.first;
  };
  // In one round all lengths are alike, and the shortest is taken.
  EXPECT_LT(first("1"), first("1e8"));
}

}  // namespace
}  // namespace sotto
