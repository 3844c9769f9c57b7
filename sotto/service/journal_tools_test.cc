#include "sotto/service/journal_tools.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sotto/journal/journal_keys.h"
#include "sotto/service/host_test_tools.h"
#include "sotto/testing/faulty_file_system.h"

namespace sotto {
namespace {

using testing::Ask;
using testing::IsFree;
using testing::kTide;
using testing::LabelFor;
using testing::Member;
using testing::Predict;
using testing::TestService;
using Kind = HostReply::Kind;

class JournalToolsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Host& host = service_.Make(kTide);
    ticket_ = Member(Ask(host, Predict("u0", 0.5)), "ticket");
    for (int i = 1; i < 4; ++i) {
      Ask(host, Predict("u" + std::to_string(i), 0.5));
    }
    service_.Stop();
  }
  ServiceFolder folder() {
    return ServiceFolder::At(service_.options().folder);
  }
  static const Json& First(const Json& report) {
    return report.Find("models")->array()->front();
  }

  TestService service_;
  std::string ticket_;
};

TEST_F(JournalToolsTest, VerifyReadsAndReplaysEverything) {
  const auto report = VerifyJournals(folder(), service_.files());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(*report->Find("good")->boolean()) << report->Dump();
  EXPECT_EQ(First(*report).Find("rounds")->Dump(), "4");
}

TEST_F(JournalToolsTest, VerifyNamesADamagedModel) {
  const std::string journal = folder().journal("m");
  for (const auto& file : std::filesystem::directory_iterator(journal)) {
    if (!file.path().filename().string().starts_with("journal-")) continue;
    std::fstream bytes(file.path(),
                       std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(88 + 90);
    bytes.put('x');
  }
  const auto report = VerifyJournals(folder(), service_.files());
  ASSERT_TRUE(report);
  EXPECT_FALSE(*report->Find("good")->boolean());
  EXPECT_NE(First(*report).Find("reason"), nullptr);
}

TEST_F(JournalToolsTest, ShowCountsRecordsByType) {
  const auto report = ShowJournals(folder(), service_.files());
  ASSERT_TRUE(report);
  EXPECT_EQ(First(*report).Find("kept")->Find("round")->Dump(), "4");
}

TEST_F(JournalToolsTest, CompactDeletesWhatASnapshotReplaces) {
  const auto report = CompactJournals(folder(), service_.files());
  ASSERT_TRUE(report);
  EXPECT_TRUE(*report->Find("good")->boolean()) << report->Dump();
  const auto shown = ShowJournals(folder(), service_.files());
  EXPECT_EQ(First(*shown).Find("kept")->Find("round"), nullptr);
  service_.Start();
  EXPECT_EQ(Ask(service_.host("m"), LabelFor(ticket_, 1)).kind, Kind::kTaken);
}

TEST_F(JournalToolsTest, ARotatedKeyKeepsTicketsAndCapsAndNeedsNoOldKey) {
  const auto report = RotateServiceKey(folder(), service_.files());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(*report->Find("good")->boolean()) << report->Dump();
  std::filesystem::remove(*report->Find("old_key")->text());
  for (int i = 0; i < 2; ++i) {
    service_.Start();
    Host& host = service_.host("m");
    ASSERT_TRUE(host.condition().ready()) << host.condition().reason;
    EXPECT_EQ(Ask(host, LabelFor(ticket_, 1)).kind, Kind::kTaken);
    EXPECT_TRUE(IsFree(Ask(host, Predict("u0", 0.5))));
    const auto reply = Ask(host, Predict("new" + std::to_string(i), 0.5));
    EXPECT_EQ(Ask(host, LabelFor(Member(reply, "ticket"), 1)).kind,
              Kind::kTaken);
    service_.Stop();
  }
}

TEST_F(JournalToolsTest, AnInterruptedRotationIsFinishedByTheNext) {
  service_.files().FailEvery("publish", "Input/output error");
  const auto failed = RotateServiceKey(folder(), service_.files());
  EXPECT_FALSE(failed && *failed->Find("good")->boolean());
  service_.files().FailNoMore();
  ASSERT_TRUE(CreateKeyFile(folder().next_key()));
  EXPECT_FALSE(HostSet::Open(service_.options()));
  const auto report = RotateServiceKey(folder(), service_.files());
  ASSERT_TRUE(report && *report->Find("good")->boolean());
  // Interrupted before its last step.
  std::filesystem::rename(folder().key, folder().next_key());
  EXPECT_FALSE(HostSet::Open(service_.options()));
  ASSERT_TRUE(RotateServiceKey(folder(), service_.files()));
  service_.Start();
  EXPECT_EQ(Ask(service_.host("m"), LabelFor(ticket_, 1)).kind, Kind::kTaken);
}

TEST_F(JournalToolsTest, ARollbackStartsAFreshModelAndBothCount) {
  const auto report = DeclareRollback(folder(), "m", service_.files());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_NEAR(*report->Find("epsilon")->number(), 2, 1e-6);
  service_.Start();
  Host& host = service_.host("m");
  ASSERT_TRUE(host.condition().ready()) << host.condition().reason;
  EXPECT_EQ(host.Status().Find("rounds")->Dump(), "0");
  EXPECT_EQ(Ask(host, LabelFor(ticket_, 1)).kind, Kind::kRefused);
  EXPECT_EQ(Ask(host, Predict("u0", 0.5)).kind, Kind::kAnswered);
}

TEST_F(JournalToolsTest, NothingIsDoneToARunningService) {
  service_.Start();
  EXPECT_FALSE(RotateServiceKey(folder(), service_.files()));
  EXPECT_FALSE(DeclareRollback(folder(), "m", service_.files()));
  const auto report = CompactJournals(folder(), service_.files());
  ASSERT_TRUE(report);
  EXPECT_FALSE(*report->Find("good")->boolean());
}

}  // namespace
}  // namespace sotto
