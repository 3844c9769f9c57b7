#include "sotto/accounting/guarantee.h"

#include <gtest/gtest.h>

#include <limits>

namespace sotto {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Guarantee::Params Valid() {
  return {.notion = Notion::kChallengeDp,
          .epsilon = 1,
          .delta = 1e-6,
          .protects = "a user's features and label"};
}

TEST(GuaranteeTest, WordsAreReadBackAsTheyAreWritten) {
  for (const Notion notion : {Notion::kDp, Notion::kJdp, Notion::kChallengeDp,
                              Notion::kEverlasting}) {
    EXPECT_EQ(*ParseNotion(ToString(notion)), notion);
  }
  for (const Relation relation :
       {Relation::kReplace, Relation::kAddRemove, Relation::kChangeByOne}) {
    EXPECT_EQ(*ParseRelation(ToString(relation)), relation);
  }
  for (const Adversary adversary :
       {Adversary::kAdaptive, Adversary::kOblivious}) {
    EXPECT_EQ(*ParseAdversary(ToString(adversary)), adversary);
  }
  EXPECT_EQ(ToString(Notion::kChallengeDp), "challenge-dp");
  EXPECT_EQ(ToString(Relation::kAddRemove), "add-remove");
}

TEST(GuaranteeTest, AnUnknownNameIsRefusedWithTheKnownOnes) {
  const auto relation = ParseRelation("swap");
  ASSERT_FALSE(relation);
  EXPECT_EQ(relation.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(relation.error().message,
            "unknown neighbour relation 'swap'; known: replace, add-remove, "
            "change-by-one");
  EXPECT_FALSE(ParseNotion("DP"));
  EXPECT_FALSE(ParseAdversary(""));
}

TEST(GuaranteeTest, RejectsWhatIsNoPromise) {
  ASSERT_TRUE(Guarantee::Create(Valid()));
  const auto refused = [](auto change) {
    Guarantee::Params params = Valid();
    change(params);
    return !Guarantee::Create(params);
  };
  for (const double bad : {-1.0, kNan, kInf}) {
    EXPECT_TRUE(refused([&](auto& p) { p.epsilon = bad; })) << bad;
    EXPECT_TRUE(refused([&](auto& p) { p.delta = bad; })) << bad;
  }
  EXPECT_TRUE(refused([](auto& p) { p.delta = 1; }));
  EXPECT_TRUE(refused([](auto& p) { p.rounds_per_user = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.protects.clear(); }));
  EXPECT_TRUE(refused([](auto& p) { p.notion = Notion::kEverlasting; }));
  EXPECT_TRUE(refused(
      [](auto& p) { p.schedule = *DeltaSchedule::InverseSquare(1e-6); }));
  EXPECT_TRUE(refused([](auto& p) {
    p.notion = Notion::kEverlasting;
    p.delta = 0;
    p.schedule = *DeltaSchedule::Constant(0.1, 20);
  }));
}

TEST(GuaranteeTest, AnEverlastingDeltaIsTheSumOfItsSchedule) {
  Guarantee::Params params = Valid();
  params.notion = Notion::kEverlasting;
  params.delta = 0;
  params.schedule = *DeltaSchedule::InverseSquare(1e-6);
  const auto guarantee = Guarantee::Create(params);
  ASSERT_TRUE(guarantee);
  EXPECT_EQ(guarantee->delta(), 1e-6);
  EXPECT_NE(guarantee->Describe().find("(1, delta(i))-everlasting privacy"),
            std::string::npos);
  EXPECT_NE(guarantee->Describe().find("together at most 1e-6."),
            std::string::npos);
}

TEST(GuaranteeTest, EqualsWhatHasTheSameParameters) {
  Guarantee::Params other = Valid();
  EXPECT_EQ(*Guarantee::Create(Valid()), *Guarantee::Create(other));
  other.relation = Relation::kAddRemove;
  EXPECT_NE(*Guarantee::Create(Valid()), *Guarantee::Create(other));
}

TEST(GuaranteeTest, DescribesItselfInOneSentence) {
  EXPECT_EQ(Guarantee::Create(Valid())->Describe(),
            "(1, 1e-6)-challenge differential privacy for one user with at "
            "most 1 round, against an adaptive adversary who sees every answer "
            "but the protected user's own; neighbours: one round replaced by "
            "other data, or left empty in its place; protected: a user's "
            "features and label.");
  Guarantee::Params batch = Valid();
  batch.notion = Notion::kDp;
  batch.relation = Relation::kAddRemove;
  batch.rounds_per_user = 3;
  batch.adversary = Adversary::kOblivious;
  EXPECT_EQ(Guarantee::Create(batch)->Describe(),
            "(1, 1e-6)-differential privacy for one user with at most 3 "
            "records, against an oblivious adversary, whose choices are fixed "
            "in advance, who sees everything released; neighbours: the user's "
            "records added or removed; protected: a user's features and "
            "label.");
}

std::string MakeNeighbours(Notion notion, Relation relation, bool in_rounds,
                           std::uint64_t rounds_per_user = 1) {
  const auto guarantee = Guarantee::Create({.notion = notion,
                                            .relation = relation,
                                            .epsilon = 1,
                                            .delta = 1e-6,
                                            .rounds_per_user = rounds_per_user,
                                            .protects = "data",
                                            .in_rounds = in_rounds});
  const std::string text = guarantee->Describe();
  const auto from = text.find("neighbours: ") + 12;
  return text.substr(from, text.find("; protected") - from);
}

TEST(GuaranteeTest, ARoundIsNeverAddedOrRemovedButLeftEmptyInItsPlace) {
  for (const Notion notion :
       {Notion::kDp, Notion::kJdp, Notion::kChallengeDp}) {
    EXPECT_EQ(MakeNeighbours(notion, Relation::kAddRemove, true),
              "one round present, or left empty in its place");
    EXPECT_EQ(MakeNeighbours(notion, Relation::kReplace, true),
              "one round replaced by other data, or left empty in its place");
  }
  EXPECT_EQ(MakeNeighbours(Notion::kDp, Relation::kAddRemove, true, 2),
            "the user's rounds present, or left empty in their places");
}

TEST(GuaranteeTest, ARecordOfATableIsAddedOrRemoved) {
  EXPECT_EQ(MakeNeighbours(Notion::kDp, Relation::kAddRemove, false),
            "one record added or removed");
  EXPECT_EQ(MakeNeighbours(Notion::kDp, Relation::kReplace, false),
            "one record replaced by other data");
}

TEST(GuaranteeTest, EveryNotionButDpSpeaksOfRounds) {
  EXPECT_TRUE(Guarantee::Create(Valid())->in_rounds());
  Guarantee::Params dp = Valid();
  dp.notion = Notion::kDp;
  EXPECT_FALSE(Guarantee::Create(dp)->in_rounds());
}

}  // namespace
}  // namespace sotto
