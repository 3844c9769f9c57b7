#include "sotto/audit/audit.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sotto/audit/audit_test_mechanism.h"
#include "sotto/audit/random_key.h"
#include "sotto/audit/statistics/confidence.h"
#include "sotto/audit/targets.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

TEST(AuditTest, ATightClaimIsNearlyReachedAndNotExceeded) {
  const AuditResult result = Audit(NoisySubject(1, 1), {.runs = 20'000});
  EXPECT_FALSE(result.violation());
  EXPECT_GT(result.worst().epsilon_lower(), 0.85);
  EXPECT_LE(result.worst().epsilon_lower(), 1);
  EXPECT_EQ(result.worst().runs, 20'000u);
}

TEST(AuditTest, AFalseClaimIsAViolationAndEndsTheAuditEarly) {
  const AuditResult result = Audit(NoisySubject(1, 0.5), {.runs = 100'000});
  EXPECT_TRUE(result.violation());
  EXPECT_LT(result.worst().runs, 100'000u);
}

TEST(AuditTest, TheGamesDoNotDependOnThreads) {
  const AuditSubject subject = NoisySubject(0.5, 1);
  const AuditResult one = Audit(subject, {.runs = 3000, .threads = 1});
  const AuditResult three = Audit(subject, {.runs = 3000, .threads = 3});
  EXPECT_EQ(one.cases[0].counts.ToJson(), three.cases[0].counts.ToJson());
  EXPECT_EQ(one.worst().epsilon_lower(), three.worst().epsilon_lower());
  const AuditResult other = Audit(subject, {.runs = 3000, .seed = 2});
  EXPECT_NE(one.cases[0].counts.ToJson(), other.cases[0].counts.ToJson());
}

TEST(AuditTest, AMechanismThatFailsIsBrokenWithItsRoundAndNeverPrivate) {
  const AuditResult result = Audit(NoisySubject(1, 1, 3), {.runs = 1000});
  EXPECT_TRUE(result.broken());
  EXPECT_EQ(result.worst().fault, "round 3: out of order");
  EXPECT_EQ(result.worst().findings.size(), 0u);
}

TEST(AuditTest, AnAdversaryMustBeOneThatPlays) {
  AuditSubject subject = NoisySubject(1, 1);
  EXPECT_TRUE(KeepOnly(subject, {.adversary = "parking"}));
  const Status kept = KeepOnly(subject, {.adversary = "nobody"});
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().message.find("parking"), std::string::npos);
}

// At the very edge of a claim that is tight, a bound with confidence 90 % may
// exceed it in a tenth of the audits.
TEST(AuditStatisticalTest, TheConfidenceIsKept) {
  const AuditSubject subject = NoisySubject(1, 1);
  std::uint64_t exceeded = 0;
  constexpr std::uint64_t kAudits = 300;
  for (std::uint64_t seed = 1; seed <= kAudits; ++seed) {
    const AuditResult result =
        Audit(subject, {.runs = 1000, .confidence = 0.9, .seed = seed});
    exceeded += result.worst().epsilon_lower() > 1 ? 1 : 0;
  }
  EXPECT_LE(ClopperPearsonLower(exceeded, kAudits, 1e-6), 0.1);
}

void PlayOnce(const AuditCase& audit_case) {
  ChaChaRng rng(KnownKey());
  for (std::size_t v = 0; v < audit_case.pair->variants(); ++v) {
    View view;
    const Status played = audit_case.pair->Play(v, v % 2 == 0, rng, view);
    ASSERT_TRUE(played) << audit_case.adversary << ": "
                        << played.error().message;
    EXPECT_GT(view.rounds(), 0u);
  }
}

class EveryTargetStatisticalTest
    : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryTargetStatisticalTest, IsConsistentWithItsClaim) {
  const AuditTarget& target = AuditTargets()[GetParam()];
  auto subject = target.make({});
  ASSERT_TRUE(subject) << subject.error().message;
  for (const AuditCase& audit_case : subject->cases) {
    bool listed = false;
    for (const auto name : target.adversaries)
      listed |= name == audit_case.adversary;
    EXPECT_TRUE(listed) << audit_case.adversary;
  }
  // Complete sessions take too long: each variant plays once.
  for (const AuditCase& audit_case : subject->cases) {
    if (audit_case.cost > 1) PlayOnce(audit_case);
  }
  std::erase_if(subject->cases,
                [](const auto& audit_case) { return audit_case.cost > 1; });
  if (subject->cases.empty()) return;
  const AuditResult result = Audit(*subject, {.runs = 4000, .looks = 1});
  EXPECT_FALSE(result.violation()) << result.worst().adversary;
  EXPECT_FALSE(result.broken()) << result.worst().fault.value_or("");
}

INSTANTIATE_TEST_SUITE_P(All, EveryTargetStatisticalTest,
                         ::testing::Range(std::size_t{0},
                                          AuditTargets().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& row) {
                           std::string name(AuditTargets()[row.param].name);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace sotto
