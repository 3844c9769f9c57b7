#include "sotto/report/public_run.h"

#include <gtest/gtest.h>

#include <vector>

#include "sotto/report/html_report.h"
#include "sotto/report/progress_table.h"
#include "sotto/report/report_test_run.h"

namespace sotto {
namespace {

using testing::Answered;
using testing::ReportAfter;

// The possible contents of one round, everything else being equal.
std::vector<Round> Kinds() {
  return {Answered(true, true),
          Answered(true, false),
          {.y = Label(true), .prediction = Label(false), .paid = true},
          {.prediction = Label(true)},
          {.presence = Presence::kAbsent},
          {.presence = Presence::kAbsent, .paid = true},
          {.presence = Presence::kUnusable},
          {.presence = Presence::kRefused}};
}

// Three phases, and a halt with the last of `size` rounds.
RunReport ReportWith(const Round& changed, std::size_t place,
                     std::size_t size) {
  std::vector<Round> rounds(size, Answered(false, true));
  rounds[place] = changed;
  for (std::size_t i = 0; i < size; ++i) rounds[i].phase = 3 * i / size;
  RunReport report = ReportAfter(rounds);
  report.phases = 3;
  report.stats.Halt();
  report.public_only = true;
  report.count = MistakeCount{.error = 9, .counted = size};
  report.facts.forecast = {.expected = 4, .bound = 100, .verdict = "tight"};
  // The operator's own, and as different as can be.
  report.seconds = 1.0 + static_cast<double>(report.stats.now.paid);
  report.played_now = report.stats.answered;
  if (!changed.present()) report.skipped.Add(FaultReason::kSyntax);
  report.plain_mistakes = report.stats.now.mistakes;
  if (changed.paid) report.votes.push_back({place, 0.5});
  return report;
}

std::string MakeTable(const RunReport& report) {
  auto table = ProgressTable::Create({.every = "3", .public_only = true}, {});
  std::string text = table->Header();
  for (const RunStats::Point& point : report.stats.trace) {
    if (table->Due(point)) text += table->Row(point, 0);
  }
  return text + table->Last(report.stats.now, 2);
}

TEST(PublicRunTest, EverythingPublicIsTheSameWhateverARoundHeld) {
  constexpr std::size_t kRounds = 30;
  for (const std::size_t place : {0U, 9U, 10U, 29U}) {
    const RunReport first = ReportWith(Kinds()[0], place, kRounds);
    for (const Round& kind : Kinds()) {
      const RunReport other = ReportWith(kind, place, kRounds);
      EXPECT_EQ(PublicPart(first), PublicPart(other));
      EXPECT_EQ(RunText(first), RunText(other));
      EXPECT_EQ(RunJson(first).Dump(), RunJson(other).Dump());
      EXPECT_EQ(HtmlReport(first), HtmlReport(other));
      EXPECT_EQ(MakeTable(first), MakeTable(other));
    }
  }
}

TEST(PublicRunTest, WithoutACountThePublicStillSeesTheSame) {
  RunReport first = ReportWith(Kinds()[0], 3, 30);
  RunReport other = ReportWith(Kinds()[4], 3, 30);
  first.count.reset();
  other.count.reset();
  EXPECT_EQ(RunText(first), RunText(other));
  EXPECT_EQ(RunJson(first).Dump(), RunJson(other).Dump());
  EXPECT_EQ(HtmlReport(first), HtmlReport(other));
  EXPECT_TRUE(RunJson(first).Find("mistakes")->is_null());
  EXPECT_EQ(HtmlReport(first).find("<svg"), std::string::npos);
}

// The comparison above can tell.
TEST(PublicRunTest, TheOperatorSeesTheDifference) {
  RunReport first = ReportWith(Kinds()[0], 3, 30);
  RunReport other = ReportWith(Kinds()[4], 3, 30);
  first.public_only = other.public_only = false;
  EXPECT_NE(RunText(first), RunText(other));
  EXPECT_NE(RunJson(first).Dump(), RunJson(other).Dump());
  EXPECT_NE(HtmlReport(first), HtmlReport(other));
}

TEST(PublicRunTest, ShowsTheClockThePhasesTheHaltAndThePrivateCount) {
  const RunReport report = ReportWith(Kinds()[4], 3, 30);
  const Json json = RunJson(report);
  EXPECT_EQ(json.Find("rounds")->natural(), 30U);
  EXPECT_EQ(json.Find("phases")->natural(), 3U);
  EXPECT_EQ(json.Find("halted_at")->natural(), 30U);
  EXPECT_EQ(json.Find("mistakes")->integer(), 30);
  EXPECT_EQ(json.Find("mistakes_error")->number(), 9);
  for (const char* own : {"paid", "seconds", "rounds_per_second"}) {
    EXPECT_TRUE(json.Find(own)->is_null()) << own;
  }
  const std::string text = RunText(report);
  EXPECT_EQ(text.substr(0, text.find("Privacy:")), R"(
model              pop over threshold, 9 copies
rounds             30
mistakes           about 30, a private estimate, within 9 with probability 95%
phases             3
halted             after round 30: the model's budget is used up
plan expected      4 mistakes over the horizon, tight
proved bound       100 (probability 95%)

)");
}

}  // namespace
}  // namespace sotto
