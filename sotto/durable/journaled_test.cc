#include "sotto/durable/journaled.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/durable/session_machine.h"
#include "sotto/journal/journal_test_tools.h"
#include "sotto/online/session_test_model.h"
#include "sotto/testing/faulty_file_system.h"

namespace sotto {
namespace {

using testing::JournalFolder;
using testing::KeyOfBytes;
using Outcome = TicketedRounds::Outcome;

std::string Name(int user) { return std::string(16, static_cast<char>(user)); }

// A session of the recording model and its machine.
struct Subject {
  explicit Subject(unsigned char key = 7) {
    testing::RecordedCalls() = &calls;
    Settings settings(testing::SessionTable(testing::RecordingEntry()));
    EXPECT_TRUE(settings.Set("epsilon", "1"));
    EXPECT_TRUE(settings.Set("delta", "1e-6"));
    session = *Session::Create(testing::RecordingEntry(), settings,
                               {.features = 2, .print = "p"}, KeyOfBytes(key));
    machine = std::make_unique<SessionMachine>(*session);
  }

  std::vector<std::string> calls;
  std::unique_ptr<Session> session;
  std::unique_ptr<SessionMachine> machine;
};

RoundRecord MakeRound(int user, double value) {
  RoundRecord record;
  record.round.user = Name(user);
  record.round.x = {{0, value}, {1, 1}};
  return record;
}

// Plays rounds of the users from `first` on, all in one block, and returns
// their tickets.
Result<std::vector<std::string>> PlayBlock(Journaled& journaled,
                                           SessionMachine& machine, int first,
                                           int rounds) {
  std::vector<RoundRecord> steps;
  std::vector<Record> records;
  for (int i = 0; i < rounds; ++i) {
    steps.push_back(MakeRound(first + i, first + i));
    records.push_back(EncodeRound(steps.back()));
  }
  std::vector<std::string> tickets;
  SOTTO_TRY(journaled.Commit(records, [&]() -> Status {
    for (RoundRecord& step : steps) {
      SOTTO_TRY_ASSIGN(const auto outcome, machine.Play(step));
      tickets.push_back(outcome.ticket);
    }
    return Ok();
  }));
  return tickets;
}

std::unique_ptr<Journaled> Resume(Result<std::unique_ptr<FileJournal>> journal,
                                  Replayable& machine) {
  EXPECT_TRUE(journal) << journal.error().message;
  auto journaled = Journaled::Resume(*std::move(journal), machine, 0, {});
  EXPECT_TRUE(journaled) << journaled.error().message;
  return *std::move(journaled);
}

TEST(JournaledTest, AReplayEqualsTheRunThatWasKilled) {
  JournalFolder folder(true);
  Subject whole;
  auto never_stopped = Resume(folder.Create(), *whole.machine);
  ASSERT_TRUE(PlayBlock(*never_stopped, *whole.machine, 1, 3));
  never_stopped.reset();
  Subject killed;
  auto resumed = Resume(folder.Open(), *killed.machine);
  EXPECT_EQ(killed.calls, whole.calls);
  EXPECT_EQ(killed.machine->replies(), whole.machine->replies());
  EXPECT_EQ(*PlayBlock(*resumed, *killed.machine, 4, 2), [&] {
    std::vector<std::string> tickets;
    for (int user : {4, 5}) {
      RoundRecord record = MakeRound(user, user);
      tickets.push_back(whole.machine->Play(record)->ticket);
    }
    return tickets;
  }());
}

TEST(JournaledTest, BlocksDoNotChangeReplies) {
  std::vector<ReplyHash> hashes;
  for (const int size : {1, 2, 6}) {
    JournalFolder folder;
    Subject subject;
    auto journaled = Resume(folder.Create(), *subject.machine);
    for (int first = 1; first <= 6; first += size) {
      ASSERT_TRUE(PlayBlock(*journaled, *subject.machine, first, size));
    }
    hashes.push_back(subject.machine->replies());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(JournaledTest, AReplayWithOtherRepliesIsRefused) {
  JournalFolder folder;
  Subject first;
  auto journaled = Resume(folder.Create(), *first.machine);
  ASSERT_TRUE(PlayBlock(*journaled, *first.machine, 1, 1));
  journaled.reset();
  // The one block is followed by the next writer's claim alone.
  journaled = Resume(folder.Open(), *Subject().machine);
  journaled.reset();
  Subject other(8);
  auto journal = folder.Open();
  ASSERT_TRUE(journal);
  const auto refused =
      Journaled::Resume(*std::move(journal), *other.machine, 0, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorruption);
}

TEST(JournaledTest, NothingIsKeptAfterAFailedSync) {
  JournalFolder folder(true);
  Subject subject;
  auto journaled = Resume(folder.Create(), *subject.machine);
  ASSERT_TRUE(PlayBlock(*journaled, *subject.machine, 1, 1));
  folder.files().FailEvery("sync data", "Input/output error");
  EXPECT_FALSE(PlayBlock(*journaled, *subject.machine, 2, 1));
  folder.files().FailNoMore();
  EXPECT_FALSE(PlayBlock(*journaled, *subject.machine, 2, 1));
  EXPECT_FALSE(journaled->WriteSnapshot("state", false));
}

TEST(JournaledTest, AFailureOfTheMachineEndsIt) {
  JournalFolder folder;
  Subject subject;
  auto journaled = Resume(folder.Create(), *subject.machine);
  const std::vector<Record> records = {EncodeRound(MakeRound(1, 1))};
  EXPECT_FALSE(
      journaled->Commit(records, []() -> Status { throw std::bad_alloc(); }));
  EXPECT_FALSE(journaled->Commit(records, [] { return Ok(); }));
}

TEST(JournaledTest, LabelsAreReplayed) {
  JournalFolder folder;
  Subject first;
  auto journaled = Resume(folder.Create(), *first.machine);
  const auto tickets = PlayBlock(*journaled, *first.machine, 1, 1);
  ASSERT_TRUE(tickets);
  const LabelRecord label{*ReadHex16(tickets->front()), true};
  EXPECT_EQ(first.machine->Look(label), Outcome::kRefused);
  ASSERT_TRUE(first.machine->TicketIsOpen(label.ticket));
  ASSERT_TRUE(
      journaled->Commit(std::vector{EncodeLabel(label)}, [&]() -> Status {
        SOTTO_TRY(first.machine->Take(label));
        return Ok();
      }));
  EXPECT_FALSE(first.machine->TicketIsOpen(label.ticket));
  EXPECT_EQ(first.machine->Look(label), Outcome::kAlready);
  journaled.reset();
  Subject again;
  journaled = Resume(folder.Open(), *again.machine);
  EXPECT_EQ(again.machine->Look(label), Outcome::kAlready);
  EXPECT_EQ(again.machine->Look({label.ticket, false}), Outcome::kRefused);
  EXPECT_EQ(again.calls, first.calls);
}

TEST(JournaledTest, ProgressIsReported) {
  JournalFolder folder;
  Subject first;
  Resume(folder.Create(), *first.machine).reset();
  auto journal = folder.Open();
  ASSERT_TRUE(journal);
  Subject again;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
  const auto note = [&](std::uint64_t done, std::uint64_t all) {
    seen.emplace_back(done, all);
  };
  ASSERT_TRUE(Journaled::Resume(*std::move(journal), *again.machine, 0,
                                {.progress = note}));
  EXPECT_EQ(seen,
            (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 1}}));
}

TEST(RecordTest, RoundsSurviveTheirBytes) {
  RoundRecord present = MakeRound(3, -0.25);
  present.round.y = Label(true);
  present.repeat = Hash16{1, 2, 3};
  RoundRecord answered = present;
  answered.answered = PublishedAnswer{7, Label(true), 0.75};
  RoundRecord sure = present;
  sure.answered = PublishedAnswer{8, Label(false)};
  RoundRecord bad;
  bad.round.presence = Presence::kUnusable;
  bad.error = "column 'x': expected a number";
  RoundRecord absent;
  absent.round.presence = Presence::kAbsent;
  for (const RoundRecord& record : {present, answered, sure, bad, absent}) {
    const auto read = DecodeRound(EncodeRound(record).payload, {});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->round, record.round);
    EXPECT_EQ(read->repeat, record.repeat);
    EXPECT_EQ(read->answered, record.answered);
    EXPECT_EQ(read->error, record.error);
  }
}

TEST(RecordTest, EveryShorterRecordIsRefusedOrAnother) {
  RoundRecord record = MakeRound(3, -0.25);
  record.repeat = Hash16{1, 2, 3};
  record.answered = PublishedAnswer{7, Label(true), 0.75};
  const std::string payload = EncodeRound(record).payload;
  for (std::size_t size = 0; size < payload.size(); ++size) {
    const auto read = DecodeRound(payload.substr(0, size), {});
    EXPECT_TRUE(!read || read->round != record.round) << size;
  }
  EXPECT_FALSE(DecodeRound("\x1f", {}));
  EXPECT_FALSE(DecodeRound("\x80", {}));
  EXPECT_FALSE(DecodeRound(payload + "x", {}));
  EXPECT_FALSE(DecodeLabel(EncodeLabel({{}, true}).payload + "x", {}));
}

TEST(RecordTest, HexDigitsAreSixteenBytes) {
  const std::string text = "00ff0123456789abcdef0123456789ab";
  ASSERT_TRUE(ReadHex16(text));
  EXPECT_EQ(WriteHex16(*ReadHex16(text)), text);
  EXPECT_FALSE(ReadHex16(text.substr(1)));
  EXPECT_FALSE(ReadHex16("00FF0123456789abcdef0123456789ab"));
}

TEST(ShownProbabilityTest, HasSixDigits) {
  EXPECT_EQ(ShownProbability(0.12345649), 0.123456);
  EXPECT_EQ(ShownProbability(0.9999999), 1);
  EXPECT_EQ(ShownProbability(1.0 / 3), 0.333333);
}

}  // namespace
}  // namespace sotto
