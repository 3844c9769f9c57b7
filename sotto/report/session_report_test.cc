#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "sotto/online/session_test_model.h"
#include "sotto/report/html_report.h"
#include "sotto/report/progress_table.h"
#include "sotto/report/run_report.h"

namespace sotto {
namespace {

using testing::RecordedCalls;
using testing::RecordingEntry;

class SessionReportTest : public ::testing::Test {
 protected:
  SessionReportTest() : settings_(testing::SessionTable(RecordingEntry())) {
    RecordedCalls() = &calls_;
    for (const auto& [name, text] :
         std::vector<std::pair<const char*, const char*>>{{"epsilon", "1"},
                                                          {"delta", "1e-6"},
                                                          {"horizon", "1000"},
                                                          {"halt-after", "250"},
                                                          {"public", "true"}}) {
      EXPECT_TRUE(settings_.Set(name, text)) << name;
    }
  }

  // Everything that anybody may see of a run in which one round is changed.
  std::string Seen(const Round& changed) {
    std::array<std::byte, Key::kBytes> key{};
    auto session = Session::Create(RecordingEntry(), settings_, {.features = 3},
                                   Key::FromBytes(key));
    if (!session) return session.error().message;
    auto table = ProgressTable::Create({.every = "7", .public_only = true}, {});
    std::string seen = table->Header();
    const RunStats& stats = (*session)->stats();
    (*session)->Watch([&](const Round& round) {
      if (table->Due(stats.now)) seen += table->Row(stats.now, round.phase);
    });
    std::vector<Round> rounds(300, Round{.x = {{0, 1.0}}, .user = "others"});
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      rounds[i].user += std::to_string(i);
    }
    // The last round of a phase.
    rounds[99] = changed;
    rounds[99].user = "u";
    if (!(*session)->Play(rounds)) return "failed";
    const RunReport report = MakeReport(**session);
    return seen + RunText(report) + RunJson(report).Dump() + HtmlReport(report);
  }

  std::vector<std::string> calls_;
  Settings settings_;
};

TEST_F(SessionReportTest, NobodyCanTellFromAReportWhatARoundHeld) {
  const std::string present = Seen({.x = {{0, 1.0}}});
  EXPECT_NE(present.find("after round 250"), std::string::npos);
  EXPECT_EQ(Seen({.x = {{2, -7.5}}}), present);
  EXPECT_EQ(Seen({.x = {{9, 1.0}}}), present);  // no such feature
  EXPECT_EQ(Seen({.presence = Presence::kAbsent}), present);
  EXPECT_EQ(Seen({.presence = Presence::kUnusable}), present);
}

TEST_F(SessionReportTest, TakesItsFactsFromTheSession) {
  ASSERT_TRUE(settings_.Set("public", "false"));
  const std::string text = Seen({.presence = Presence::kAbsent});
  for (const char* part : {R"("model":"recording","learner":null,"rounds":250)",
                           R"("absent":1,)", R"("phases":3,"halted_at":250)",
                           "model              writes down its calls"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace sotto
