// Every model of the registry has a target that plays. A session that leaks is
// detected.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "sotto/audit/audit_test_teller.h"
#include "sotto/audit/forked_game.h"
#include "sotto/audit/random_key.h"
#include "sotto/audit/session_player.h"
#include "sotto/audit/targets.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/budget_split.h"
#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

TEST(ModelTargetsTest, EveryModelOfTheRegistryHasATarget) {
  std::set<std::string> names;
  for (const AuditTarget& target : AuditTargets()) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
    EXPECT_FALSE(target.adversaries.empty()) << target.name;
  }
  for (const OnlineModelEntry* entry : OnlineModels()) {
    EXPECT_TRUE(names.contains(std::string(entry->name))) << entry->name;
  }
  for (const BatchModelEntry* entry : BatchModels()) {
    EXPECT_TRUE(names.contains("fit-" + std::string(entry->name)))
        << entry->name;
  }
}

// One pair of the protected user's versions.
AuditResult MakeAudit(Teller::Tells tells, std::size_t pair) {
  AuditSubject subject{"teller", {}};
  subject.cases.push_back(
      {"one-user",
       "session",
       {1, 0.01},
       std::make_unique<SessionGamePair>(
           TellerSession(tells), 8, SessionPlayer::Clock{.published = 6},
           std::vector<OneUser>{UsersOfOneRound({2})[pair]})});
  return Audit(subject, {.runs = 256, .looks = 1});
}

TEST(SessionGamePairStatisticalTest, ASessionThatLeaksIsAViolation) {
  constexpr std::size_t kOtherLabel = 0;
  constexpr std::size_t kAbsent = 4;
  using Tells = Teller::Tells;
  EXPECT_TRUE(MakeAudit(Tells::kPresence, kAbsent).violation());
  EXPECT_FALSE(MakeAudit(Tells::kPresence, kOtherLabel).violation());
  EXPECT_TRUE(MakeAudit(Tells::kLabels, kOtherLabel).violation());
  const AuditResult sound = MakeAudit(Tells::kNothing, kAbsent);
  EXPECT_FALSE(sound.violation());
  EXPECT_FALSE(sound.broken());
}

TEST(PlayForkedTest, BringsBackTheViewAndLeavesNothingBehind) {
  int changed = 0;
  View view;
  const Status played = PlayForked(
      [&](View& seen) {
        changed = 1;
        seen.seen = {1, View::kHidden, 3};
        return Ok();
      },
      view);
  ASSERT_TRUE(played);
  EXPECT_EQ(view.seen, (std::vector<std::int64_t>{1, View::kHidden, 3}));
  EXPECT_EQ(changed, 0);
}

TEST(PlayForkedTest, AGameThatFailsOrDiesIsNoGame) {
  View view;
  const Status failed =
      PlayForked([](View&) { return Status(InvalidArgument("no")); }, view);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no");
  EXPECT_FALSE(PlayForked([](View&) -> Status { _exit(0); }, view));
}

}  // namespace
}  // namespace sotto
