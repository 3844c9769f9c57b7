#include "sotto/audit/audit_report.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sotto/audit/audit_test_mechanism.h"

namespace sotto {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AuditReportTest, TheJsonHasTheKeysThatStay) {
  const Json json = AuditJson(Audit(NoisySubject(1, 1), {.runs = 4000}));
  for (const char* key : {"target", "adversary", "runs", "claimed",
                          "epsilon_lower", "confidence", "verdict"}) {
    EXPECT_NE(json.Find(key), nullptr) << key;
  }
  EXPECT_EQ(*json.Find("verdict")->text(), "consistent");
  EXPECT_EQ(*json.Find("claimed")->Find("epsilon")->number(), 1);
}

TEST(AuditReportTest, AViolationIsCalledOneEverywhere) {
  const AuditResult result = Audit(NoisySubject(2, 0.5), {.runs = 4000});
  EXPECT_EQ(ChooseVerdict(result), "violation");
  EXPECT_TRUE(Has(AuditText(result), "The claim does not hold"));
  EXPECT_TRUE(Has(AuditPage(result), "violation"));
}

TEST(AuditReportTest, ABoundAboveTheClaimIsNotCalledConsistent) {
  AuditResult result = Audit(NoisySubject(2, 0.5), {.runs = 4000});
  for (CaseResult& audit_case : result.cases) audit_case.violation = false;
  EXPECT_EQ(ChooseVerdict(result), "inconclusive");
  EXPECT_EQ(CaseVerdict(result, result.worst()), "inconclusive");
  EXPECT_TRUE(*AuditJson(result).Find("above_claim")->boolean());
  for (const std::string& text : {AuditText(result), AuditPage(result)}) {
    EXPECT_TRUE(Has(text, "inconclusive"));
    EXPECT_FALSE(Has(text, "consistent"));
    EXPECT_FALSE(Has(text, "does not contradict"));
  }
}

TEST(AuditReportTest, AnAuditOfTooFewGamesReportsThatItHasNoPower) {
  const AuditResult few = Audit(NoisySubject(8, 8), {.runs = 256});
  EXPECT_LT(few.MostShown(few.worst()), 8);
  EXPECT_EQ(ChooseVerdict(few), "inconclusive");
  for (const std::string& text : {AuditText(few), AuditPage(few)}) {
    EXPECT_TRUE(Has(text, "a leak of any size could have gone unnoticed"));
    EXPECT_TRUE(Has(text, std::to_string(few.RunsNeeded(few.worst()))));
    EXPECT_FALSE(Has(text, "consistent"));
  }
  const Json json = AuditJson(few);
  EXPECT_EQ(*json.Find("verdict")->text(), "inconclusive");
  EXPECT_EQ(json.Find("runs_needed")->natural(), few.RunsNeeded(few.worst()));
  const Json& entry = json.Find("duels")->array()->front();
  EXPECT_EQ(*entry.Find("verdict")->text(), "inconclusive");
  EXPECT_FALSE(entry.Find("detectable")->number());
}

TEST(AuditReportTest, AnAuditOfEnoughGamesReportsWhatItWouldHaveSeen) {
  const AuditResult enough = Audit(NoisySubject(1, 1), {.runs = 4000});
  EXPECT_GT(enough.MostShown(enough.worst()), 1);
  EXPECT_LT(enough.Detectable(enough.worst()), 2);
  EXPECT_EQ(ChooseVerdict(enough), "consistent");
  EXPECT_TRUE(Has(AuditText(enough), "would have been reported"));
  EXPECT_EQ(AuditJson(enough).Find("runs_needed")->natural(), 0u);
}

TEST(AuditReportTest, TheRunsThatItAsksForAreEnough) {
  const AuditResult few = Audit(NoisySubject(1, 1), {.runs = 256});
  ASSERT_EQ(ChooseVerdict(few), "inconclusive");
  const std::uint64_t needed = few.RunsNeeded(few.worst());
  EXPECT_EQ(ChooseVerdict(Audit(NoisySubject(1, 1), {.runs = needed})),
            "consistent");
}

TEST(AuditReportTest, AFailureIsNeverCalledPrivate) {
  const AuditResult result = Audit(NoisySubject(1, 1, 2), {.runs = 4000});
  EXPECT_EQ(ChooseVerdict(result), "broken");
  EXPECT_TRUE(Has(AuditText(result), "round 2"));
  EXPECT_FALSE(Has(AuditText(result), "consistent"));
  EXPECT_TRUE(Has(AuditPage(result), "broken"));
  EXPECT_TRUE(Has(AuditPage(result), "nothing is known"));
  EXPECT_FALSE(Has(AuditPage(result), "cannot tell them apart"));
  const Json json = AuditJson(result);
  ASSERT_NE(json.Find("fault"), nullptr);
  EXPECT_TRUE(Has(*json.Find("fault")->text(), "round 2"));
}

TEST(AuditReportTest, ThePageStandsAlone) {
  const std::string page = AuditPage(Audit(NoisySubject(1, 1), {.runs = 4000}));
  EXPECT_TRUE(Has(page, "<svg"));
  EXPECT_TRUE(Has(page, "Privacy curve"));
  EXPECT_TRUE(Has(page, "world 1"));
  EXPECT_FALSE(Has(page, "http"));
  EXPECT_FALSE(Has(page, "<script"));
}

TEST(AuditReportTest, AnEventHasATextDescription) {
  const AuditResult result = Audit(NoisySubject(1, 1), {.runs = 20'000});
  const CaseResult& worst = result.worst();
  AuditEvent event{.reading = TranscriptFeatures::kLast,
                   .bins = std::vector<bool>(TranscriptFeatures::kBins, false)};
  for (std::size_t b = 20; b < TranscriptFeatures::kBins; ++b)
    event.bins[b] = true;
  EXPECT_TRUE(Has(EventText(worst, event), "the last answer is at least"));
}

}  // namespace
}  // namespace sotto
