#include "sotto/audit/evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "sotto/audit/statistics/confidence.h"

namespace sotto {
namespace {

// `hits` of `games` games of the part in bin 7, the others in bin 3.
void Fill(Counts& counts, Part part, bool world, int hits, int games) {
  for (int i = 0; i < games; ++i) {
    TranscriptFeatures::Bins bins = {};
    bins.fill(static_cast<std::uint16_t>(i < hits ? 7 : 3));
    counts.Add(part, world, bins);
  }
}

Counts Example(int counted_zero, int counted_one) {
  Counts counts;
  for (const Part part : {Part::kOrder, Part::kChoose}) {
    Fill(counts, part, false, 300, 400);
    Fill(counts, part, true, 100, 400);
  }
  Fill(counts, Part::kCount, false, counted_zero, 800);
  Fill(counts, Part::kCount, true, counted_one, 800);
  return counts;
}

TEST(EvidenceTest, EventsAreWhatIsLikelierInOneWorld) {
  const auto events = ChooseEvents(Example(600, 200), 0, {.alpha = 1e-3});
  ASSERT_EQ(events.size(), kAuditEvents);
  for (const AuditEvent& event : events) {
    EXPECT_TRUE(event.bins[event.likelier ? 3 : 7]);
    EXPECT_FALSE(event.bins[event.likelier ? 7 : 3]);
    EXPECT_NEAR(event.promise, std::log(3.0), 0.5);
  }
}

TEST(EvidenceTest, ChoosingDoesNotLookAtTheGamesThatAreCounted) {
  const auto some = ChooseEvents(Example(600, 200), 0, {.alpha = 1e-3});
  const auto others = ChooseEvents(Example(0, 800), 0, {.alpha = 1e-3});
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].bins, others[i].bins);
    EXPECT_EQ(some[i].reading, others[i].reading);
    EXPECT_EQ(some[i].promise, others[i].promise);
  }
}

TEST(EvidenceTest, TheChanceOfAFalseBoundIsSharedByEventsAndLooks) {
  const Counts counts = Example(600, 200);
  const auto events = ChooseEvents(counts, 0.01, {.alpha = 1e-3, .share = 5});
  const auto findings =
      CountEvents(counts, events, {.epsilon = 1, .delta = 0.01},
                  {.alpha = 1e-3, .share = 5});
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].hits, 600u);
  EXPECT_EQ(findings[0].others, 200u);
  EXPECT_DOUBLE_EQ(
      findings[0].epsilon,
      EpsilonLowerBound(600, 200, 800, 0.01, 1e-3 / (5 * kAuditEvents)));
}

TEST(EvidenceTest, LuckOnTheFirstHalfIsNotEvidence) {
  const Counts counts = Example(400, 400);
  const auto events = ChooseEvents(counts, 0, {.alpha = 1e-3});
  for (const AuditFinding& found :
       CountEvents(counts, events, {.epsilon = 1}, {.alpha = 1e-3})) {
    EXPECT_EQ(found.epsilon, 0);
  }
}

TEST(EvidenceTest, WithoutGamesThereIsNothing) {
  EXPECT_TRUE(ChooseEvents(Counts(), 0, {}).empty());
}

}  // namespace
}  // namespace sotto
