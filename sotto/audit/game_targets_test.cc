// CompositionGame (PlayComposition), GeneralGame (Interaction) and Figure 1 as
// targets: claims are reached, and claims that are too small are refuted.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/audit_test_teller.h"
#include "sotto/audit/conversation.h"
#include "sotto/audit/everlasting_pair.h"
#include "sotto/audit/random_key.h"
#include "sotto/audit/targets.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

AuditSubject Composition(const std::string& mechanism) {
  auto subject = FindAuditTarget("composition")->make({});
  EXPECT_TRUE(subject);
  EXPECT_TRUE(KeepOnly(*subject, {.mechanism = mechanism}));
  return *std::move(subject);
}

TEST(CompositionTargetTest, BothClaimsHaveTheDeltaOfTheTheorem) {
  const auto subject = FindAuditTarget("composition")->make({});
  ASSERT_TRUE(subject);
  ASSERT_EQ(subject->cases.size(), 4u);
  for (std::size_t i = 0; i < 4; i += 2) {
    const AuditCase& printed = subject->cases[i];
    const AuditCase& tight = subject->cases[i + 1];
    EXPECT_EQ(printed.claim.delta, tight.claim.delta);
    EXPECT_LT(tight.claim.epsilon, 0.7 * printed.claim.epsilon);
  }
  EXPECT_NEAR(subject->cases[0].claim.delta, 0.05, 1e-12);
  EXPECT_NEAR(subject->cases[2].claim.delta, 0.05 + 8 * 2e-3, 1e-12);
  // sqrt(2 * 64 ln 20) * 0.1 + 64 * 0.1 (e^0.1 - 1).
  EXPECT_NEAR(subject->cases[0].claim.epsilon, 2.631, 1e-3);
}

TEST(CompositionTargetStatisticalTest, TheTightClaimIsNearlyReached) {
  const AuditResult result =
      Audit(Composition("64 responses, tight"), {.runs = 60'000});
  EXPECT_FALSE(result.violation());
  EXPECT_GT(result.worst().epsilon_lower(),
            0.75 * result.worst().claim.epsilon);
}

TEST(CompositionTargetStatisticalTest, TheClaimOfFewerCopiesIsRefuted) {
  AuditSubject subject = Composition("64 responses, tight");
  subject.cases[0].claim.epsilon /= 2;
  EXPECT_TRUE(Audit(subject, {.runs = 60'000}).violation());
}

TEST(CompositionTargetTest, AllCopiesHaveTheSameBitAndTheMetaAdversarySees) {
  // With the epsilon of a copy at 16 all answers are the bit.
  auto subject = FindAuditTarget("composition")
                     ->make({.epsilon = 16, .rounds = 5, .adversary = {}});
  ASSERT_TRUE(subject) << subject.error().message;
  ChaChaRng rng(KnownKey());
  View view;
  ASSERT_TRUE(subject->cases[0].pair->Play(0, true, rng, view));
  EXPECT_EQ(view.seen,
            (std::vector<std::int64_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  ASSERT_TRUE(subject->cases[0].pair->Play(0, false, rng, view));
  EXPECT_EQ(view.seen,
            (std::vector<std::int64_t>{1, 0, 1, 0, 1, 0, 1, 0, 1, 0}));
  // The second tactic asks the other way round after a 1.
  ASSERT_TRUE(subject->cases[0].pair->Play(1, true, rng, view));
  EXPECT_EQ(view.seen,
            (std::vector<std::int64_t>{1, 1, 1, 0, 1, 1, 1, 0, 1, 1}));
}

// Conversations with the Teller, whose publication is not part of the game.
AuditResult Talk(Teller::Tells tells, const char* zero, const char* one) {
  AuditSubject subject{"teller", {}};
  subject.cases.push_back(
      {"conversation",
       "teller",
       {1, 0.01},
       std::make_unique<ConversationPair>(
           TellerSession(tells), 6,
           std::vector<Conversations>{{2, "ab", zero, one}})});
  return Audit(subject, {.runs = 256, .looks = 1});
}

TEST(ConversationStatisticalTest, ASessionThatLeaksAMessageIsAViolation) {
  using Tells = Teller::Tells;
  EXPECT_TRUE(Talk(Tells::kPresence, "ayay", "ay-").violation());
  EXPECT_FALSE(Talk(Tells::kPresence, "ayay", "anan").violation());
  EXPECT_TRUE(Talk(Tells::kLabelsAtOnce, "ayay", "ayan").violation());
  // A label that is repeated changes nothing; one after the second visit does.
  EXPECT_TRUE(Talk(Tells::kLabelsAtOnce, "aa", "aaf").violation());
  EXPECT_FALSE(Talk(Tells::kLabelsAtOnce, "aya", "ayya").violation());
  const AuditResult sound = Talk(Tells::kNothing, "ayay", "--");
  EXPECT_FALSE(sound.violation());
  EXPECT_FALSE(sound.broken());
}

TEST(ConversationTest, EveryConversationTakesTheRoundsOfOneUser) {
  for (const Conversations& said : AllConversations()) {
    for (const std::string& script : {said.others, said.zero, said.one}) {
      std::uint64_t visits = 0;
      for (const char message : script) {
        visits += std::string("abx-").find(message) != std::string::npos;
      }
      EXPECT_EQ(visits, SessionDesk::kVisits) << script;
    }
  }
}

// Shows how many records and queries there were, if it leaks.
struct CountingOracle {
  bool leaks = true;
  std::int64_t seen = 0;

  Status Train(std::span<const LabelledNumber> rows, Rng&) {
    seen = static_cast<std::int64_t>(rows.size());
    return Ok();
  }
  Result<std::int64_t> Step(const std::optional<double>& query, Rng& rng) {
    seen += query ? 1 : 0;
    return leaks ? seen : static_cast<std::int64_t>(rng.Next() % 2);
  }
};

AuditResult AuditOracle(bool leaks, std::uint64_t claimed_round,
                        const EverlastingProbing& probing) {
  AuditSubject subject{"oracle", {}};
  subject.cases.push_back(
      {"everlasting-probing",
       "oracle",
       {1, 0.01},
       MakeEverlastingPair(
           4, claimed_round, [leaks] { return CountingOracle{leaks}; },
           std::vector<EverlastingProbing>{probing})});
  return Audit(subject, {.runs = 256, .looks = 1});
}

// EverlastingGamePair: Figure 1 with a record and with a query.
TEST(EverlastingTargetsStatisticalTest, AnOracleThatLeaksIsAViolation) {
  const EverlastingProbing record{.rows = {{1}}, .extra = LabelledNumber{2}};
  const EverlastingProbing query{.rows = {{1}}, .challenge = 2};
  EXPECT_TRUE(AuditOracle(true, 0, record).violation());
  EXPECT_TRUE(AuditOracle(true, 2, query).violation());
  EXPECT_FALSE(AuditOracle(false, 0, record).violation());
  EXPECT_FALSE(AuditOracle(false, 2, query).violation());
  // delta(i) is for a challenge in round i: another round is not its game.
  EXPECT_TRUE(AuditOracle(true, 1, query).broken());
}

TEST(EverlastingTargetsTest, EachModelHasTheChallengesOfItsGameAndTheirDelta) {
  for (const char* name : {"rectangles", "stumps", "everlasting"}) {
    const auto subject =
        FindAuditTarget(name)->make({.adversary = "everlasting-probing"});
    ASSERT_TRUE(subject) << subject.error().message;
    std::map<std::string, double> deltas;
    for (const AuditCase& audit_case : subject->cases) {
      if (audit_case.adversary != "everlasting-probing") continue;
      deltas[audit_case.mechanism] = audit_case.claim.delta;
    }
    ASSERT_EQ(deltas.size(), 4u) << name;
    for (const std::string form : {"", "paper, "}) {
      const double row = deltas[form + "a labelled row"];
      EXPECT_GT(row, 0) << name << " " << form;
      EXPECT_LT(row + deltas[form + "the first query"], 0.3 + 1e-9)
          << name << " " << form;
    }
  }
}

}  // namespace
}  // namespace sotto
