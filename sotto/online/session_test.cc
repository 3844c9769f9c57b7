#include "sotto/online/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sotto/online/public_mistakes.h"
#include "sotto/online/session_test_model.h"

namespace sotto {
namespace {

using testing::RecordedCalls;
using testing::RecordingEntry;
using Outcome = TicketedRounds::Outcome;

Key TestKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = std::byte{3};
  return Key::FromBytes(bytes);
}

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : settings_(testing::SessionTable(RecordingEntry())) {
    RecordedCalls() = &calls_;
    Set("epsilon", "1");
    Set("delta", "1e-6");
    Set("horizon", "1000");
  }

  void Set(std::string_view name, std::string_view text) {
    const Status set = settings_.Set(name, text);
    ASSERT_TRUE(set) << set.error().message;
  }
  std::unique_ptr<Session> Make() {
    auto session = Session::Create(RecordingEntry(), settings_,
                                   {.features = 3, .print = "p"}, TestKey());
    EXPECT_TRUE(session) << (session ? "" : session.error().message);
    return session ? *std::move(session) : nullptr;
  }
  std::unique_ptr<Session> Reload(Session& session) {
    ByteWriter writer;
    EXPECT_TRUE(session.Save(writer));
    auto loaded = Session::Load(RecordingEntry(), settings_,
                                {.features = 3, .print = "p"}, writer.bytes());
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    return loaded ? *std::move(loaded) : nullptr;
  }
  std::size_t Count(std::string_view word) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        calls_,
        [&](const std::string& call) { return call.starts_with(word); }));
  }

  std::vector<std::string> calls_;
  Settings settings_;
};

Round Row(double x, std::optional<Label> y = {}, std::string user = "") {
  return {.x = {{0, x}}, .y = y, .user = std::move(user)};
}

std::vector<Round> Rows() {
  return {Row(1, true),
          Row(2, {}, "a"),
          {.presence = Presence::kAbsent},
          Row(3, false, "a"),
          {.presence = Presence::kUnusable, .user = "b"},
          Row(4, true, "b"),
          Row(5, true),
          {.x = {{7, 1}}, .y = Label(true)},
          Row(6, false)};
}

TEST_F(SessionTest, EveryRoundIsOneTickAndIsCounted) {
  auto session = Make();
  std::vector<Round> rounds = Rows();
  EXPECT_EQ(*session->Play(rounds), rounds.size());
  EXPECT_EQ(session->rounds(), rounds.size());
  EXPECT_EQ(Count("open"), 4U);
  EXPECT_EQ(Count("tick"), 5U);
  EXPECT_EQ(session->stats().unusable, 2U);
  EXPECT_EQ(session->stats().absent, 1U);
  // "a" came twice; the first round of "b" could not be used, but was one.
  EXPECT_EQ(session->stats().refused, 2U);
  for (const Round& round : rounds) {
    EXPECT_EQ(round.present(), round.prediction.has_value());
  }
}

TEST_F(SessionTest, ARoundThatCannotBeUsedIsChargedToItsUser) {
  auto session = Make();
  std::vector<Round> rounds = {{.presence = Presence::kUnusable, .user = "b"},
                               Row(4, true, "b")};
  ASSERT_TRUE(session->Play(rounds));
  EXPECT_EQ(rounds[1].presence, Presence::kRefused);
  EXPECT_FALSE(rounds[1].prediction);
  EXPECT_EQ(Count("open"), 0U);
}

TEST_F(SessionTest, AStoppedSessionGoesOnAsIfItHadNotBeenStopped) {
  for (const char* delay : {"0", "2"}) {
    Set("label-delay", delay);
    calls_.clear();
    std::vector<Round> whole = Rows();
    auto uninterrupted = Make();
    ASSERT_TRUE(uninterrupted->Play(whole));
    const std::vector<std::string> all = std::exchange(calls_, {});
    for (std::size_t stop = 0; stop <= whole.size(); ++stop) {
      calls_.clear();
      std::vector<Round> rounds = Rows();
      auto session = Make();
      ASSERT_TRUE(session->Play(std::span(rounds).first(stop)));
      session = Reload(*session);
      ASSERT_TRUE(session->Play(std::span(rounds).subspan(stop)));
      EXPECT_EQ(rounds, whole) << stop;
      EXPECT_EQ(calls_, all) << stop;
      EXPECT_EQ(session->stats(), uninterrupted->stats());
    }
  }
}

TEST_F(SessionTest, AnotherKeyMakesItTheSessionOfThatKeyUntilItIsUsed) {
  const auto answers = [](Session& session) {
    std::vector<Round> rounds(40, Row(1));
    EXPECT_TRUE(session.Play(rounds));
    return rounds;
  };
  const auto first = answers(*Make());
  auto session = Make();
  const std::array<std::byte, Key::kBytes> zeros{};
  ASSERT_TRUE(session->Rekey(Key::FromBytes(zeros)));
  EXPECT_NE(answers(*session), first);
  EXPECT_FALSE(session->Rekey(TestKey()));
  auto again = Make();
  ASSERT_TRUE(again->Rekey(Key::FromBytes(zeros)));
  ASSERT_TRUE(again->Rekey(TestKey()));
  EXPECT_EQ(answers(*again), first);
}

TEST_F(SessionTest, LabelsOfAFileComeSoManyRoundsLate) {
  Set("label-delay", "2");
  auto session = Make();
  std::vector<Round> rounds = {Row(1, true), Row(2), Row(3, false), Row(4)};
  ASSERT_TRUE(session->Play(rounds));
  ASSERT_EQ(calls_.size(), 5U);
  EXPECT_EQ(calls_[3].substr(0, 5), "close");
}

TEST_F(SessionTest, LabelsComeByTicketInAnyOrderOnce) {
  auto session = Make();
  std::vector<std::string> tickets;
  for (int i = 0; i < 3; ++i) {
    Round round = Row(i);
    auto ticket = session->Open(round);
    ASSERT_TRUE(ticket && *ticket);
    tickets.push_back(**ticket);
  }
  EXPECT_EQ(std::set(tickets.begin(), tickets.end()).size(), 3U);
  EXPECT_EQ(*session->Close(tickets[2], true), Outcome::kTaken);
  EXPECT_EQ(*session->Close(tickets[0], false), Outcome::kTaken);
  EXPECT_EQ(*session->Close(tickets[2], true), Outcome::kAlready);
  EXPECT_EQ(*session->Close(tickets[2], false), Outcome::kRefused);
  EXPECT_EQ(*session->Close("no such ticket", true), Outcome::kRefused);
  EXPECT_EQ(*session->Close(tickets[1], Label::OfClass(2)), Outcome::kRefused);
  EXPECT_EQ(Count("close"), 2U);
  EXPECT_EQ(session->stats().now.labelled, 2U);
}

TEST_F(SessionTest, AForgottenTicketIsAsOneThatNeverWas) {
  auto session = Make();
  std::vector<std::string> tickets;
  for (const double x : {1.0, 2.0, 3.0}) {
    Round round = Row(x);
    tickets.push_back(**session->Open(round));
  }
  EXPECT_EQ(*session->Close(tickets[1], true), Outcome::kTaken);
  session->Forget(tickets[1]);
  session->Forget("no such ticket");
  EXPECT_EQ(*session->Close(tickets[1], true), Outcome::kRefused);
  session = Reload(*session);
  EXPECT_EQ(*session->Close(tickets[1], true), Outcome::kRefused);
  EXPECT_EQ(*session->Close(tickets[0], true), Outcome::kTaken);
  session->Forget(tickets[0]);
  session->Forget(tickets[2]);
  EXPECT_EQ(*session->Close(tickets[2], true), Outcome::kRefused);
}

TEST_F(SessionTest, TicketsOutliveAStopAndEndWithTheirTime) {
  Set("ticket-rounds", "2");
  auto session = Make();
  Round first = Row(1);
  const std::string ticket = **session->Open(first);
  Round second = Row(2);
  const std::string later = **session->Open(second);
  session = Reload(*session);
  EXPECT_EQ(*session->Close(later, true), Outcome::kTaken);
  session = Reload(*session);
  EXPECT_EQ(*session->Close(later, true), Outcome::kAlready);
  for (int i = 0; i < 2; ++i) {
    Round empty{.presence = Presence::kAbsent};
    EXPECT_FALSE(*session->Open(empty));
  }
  EXPECT_EQ(*session->Close(ticket, true), Outcome::kRefused);
}

TEST_F(SessionTest, AModelThatHaltsEndsTheSession) {
  Set("halt-after", "3");
  auto session = Make();
  std::vector<Round> rounds = Rows();
  EXPECT_EQ(*session->Play(rounds), 3U);
  EXPECT_TRUE(session->halted());
  EXPECT_EQ(session->stats().halted_at, 3U);
  Round round = Row(1);
  EXPECT_EQ(session->Open(round).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(SessionTest, WhenAPhaseEndsDoesNotTellWhoCame) {
  std::vector<std::vector<RunStats::Point>> ends;
  for (const Presence last :
       {Presence::kPresent, Presence::kAbsent, Presence::kUnusable}) {
    auto session = Make();
    // A phase of this model has 100 rounds.
    std::vector<Round> rounds(101, Round{.presence = Presence::kAbsent});
    rounds[99].presence = last;
    ASSERT_TRUE(session->Play(rounds));
    EXPECT_EQ(rounds[99].phase, 0U);
    EXPECT_EQ(rounds[100].phase, 1U);
    ends.push_back(session->stats().phase_ends);
    ASSERT_EQ(ends.back().size(), 1U);
    EXPECT_EQ(ends.back()[0].rounds, 100U);
  }
}

TEST_F(SessionTest, TellsOfANewPhaseBetweenTwoRounds) {
  auto session = Make();
  std::vector<std::uint64_t> after;
  session->OnPhaseChange([&] { after.push_back(session->rounds()); });
  std::vector<Round> rounds(250, Row(1, true));
  ASSERT_TRUE(session->Play(rounds));
  EXPECT_EQ(after, (std::vector<std::uint64_t>{100, 200}));
}

TEST_F(SessionTest, LabelsOfAnotherTypeAreRefusedByName) {
  InputSpec inputs{.features = 3};
  inputs.label.kind = LabelType::Kind::kNumber;
  const auto session =
      Session::Create(RecordingEntry(), settings_, inputs, TestKey());
  ASSERT_FALSE(session);
  EXPECT_NE(session.error().message.find("a number"), std::string::npos);
}

TEST_F(SessionTest, ALabelledSetHasAPlaceForEveryRowAndTakesItsUsersRounds) {
  auto session = Session::Create(testing::TrainedEntry(), settings_,
                                 {.features = 3}, TestKey());
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->Train(testing::MakeSource(Rows())));
  const std::vector<std::string> places = {"row 1.000000 y 1.000000",
                                           "row 2.000000",
                                           "row",
                                           "row",
                                           "row",
                                           "row",
                                           "row 5.000000 y 1.000000",
                                           "row",
                                           "row 6.000000 y 0.000000"};
  EXPECT_EQ(calls_, places);
  std::vector<Round> rounds = {Row(1, true, "a"), Row(2, true, "c")};
  ASSERT_TRUE((*session)->Play(rounds));
  EXPECT_EQ(rounds[0].presence, Presence::kRefused);
  EXPECT_TRUE(rounds[1].present());
}

TEST_F(SessionTest, NobodyIsAnsweredOrSavedBeforeTheLabelledSetCame) {
  auto made = Session::Create(testing::TrainedEntry(), settings_,
                              {.features = 3}, TestKey());
  ASSERT_TRUE(made);
  Session& session = **made;
  std::vector<Round> rounds = {Row(1, true)};
  ByteWriter writer;
  EXPECT_FALSE(session.Play(rounds));
  EXPECT_FALSE(session.Open(rounds[0]));
  EXPECT_FALSE(session.Save(writer));
  ASSERT_TRUE(session.Train(testing::MakeSource({})));
  EXPECT_FALSE(session.Train(testing::MakeSource({})));
  EXPECT_TRUE(session.Save(writer));
  EXPECT_TRUE(session.Play(rounds));
  EXPECT_FALSE(Make()->Train(testing::MakeSource({})));
}

TEST_F(SessionTest, AFailureToReadTheLabelledSetEndsIt) {
  auto session = Session::Create(testing::TrainedEntry(), settings_,
                                 {.features = 3}, TestKey());
  ASSERT_TRUE(session);
  const RoundSource broken = [](Round&) -> Result<bool> {
    return InvalidArgument("line 7: expected a number");
  };
  const Status trained = (*session)->Train(broken);
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().message, "line 7: expected a number");
  EXPECT_FALSE((*session)->Train(testing::MakeSource({})));
  std::vector<Round> rounds = {Row(1, true)};
  EXPECT_FALSE((*session)->Play(rounds));
}

TEST_F(SessionTest, ThePublicCountHasALineForEveryRound) {
  Set("public", "true");
  auto session = Make();
  std::vector<Round> rounds = Rows();
  ASSERT_TRUE(session->Play(rounds));
  ASSERT_NE(session->public_mistakes(), nullptr);
  EXPECT_EQ(session->public_mistakes()->rounds(), rounds.size());
  // The model's half and a tenth for the count, not the request.
  EXPECT_DOUBLE_EQ(session->guarantee().epsilon(), 0.6);
  EXPECT_GE(session->guarantee().epsilon(), 0.6);
  auto again = Reload(*session);
  EXPECT_EQ(again->public_mistakes()->shown(),
            session->public_mistakes()->shown());
}

TEST_F(SessionTest, ThePublicCountIsForUsersOfOneRound) {
  Set("public", "true");
  Set("rounds-per-user", "2");
  EXPECT_FALSE(
      Session::Create(RecordingEntry(), settings_, {.features = 3}, TestKey()));
}

TEST_F(SessionTest, OfNumbersThereIsNoPublicCountAndNothingIsPaidForIt) {
  Set("public", "true");
  const auto numbers =
      SplitBudget(settings_, {.kind = LabelType::Kind::kNumber});
  ASSERT_TRUE(numbers);
  EXPECT_FALSE(numbers->mistakes);
  EXPECT_EQ(numbers->model, numbers->whole);
  EXPECT_TRUE(SplitBudget(settings_, {})->mistakes);
}

TEST_F(SessionTest, AStateForOtherColumnsIsRefused) {
  auto session = Make();
  ByteWriter writer;
  ASSERT_TRUE(session->Save(writer));
  const InputSpec same{.features = 3, .print = "p"};
  std::vector<InputSpec> others(5, same);
  others[0].print = "q";
  others[1].features = 4;
  others[2].label.low = -1;
  others[3].label.high = 7;
  others[4].label.names = {"no", "yes"};
  EXPECT_TRUE(Session::Load(RecordingEntry(), settings_, same, writer.bytes()));
  for (const InputSpec& inputs : others) {
    const auto other =
        Session::Load(RecordingEntry(), settings_, inputs, writer.bytes());
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(SessionTest, TheHeadOfAStateSaysWhetherItIsSeededAndItsRounds) {
  for (const bool seeded : {false, true}) {
    auto session =
        Session::Create(RecordingEntry(), settings_,
                        {.features = 3, .print = "p"}, TestKey(), seeded);
    ASSERT_TRUE(session);
    Round round = Row(1, {}, "a");
    ASSERT_TRUE((*session)->Open(round));
    ByteWriter writer;
    ASSERT_TRUE((*session)->Save(writer));
    const auto head = Session::ReadHead(writer.bytes());
    ASSERT_TRUE(head);
    EXPECT_EQ(head->seeded, seeded);
    EXPECT_EQ(head->rounds, 1U);
    EXPECT_FALSE(
        Session::ReadHead(std::string_view(writer.bytes()).substr(0, 100)));
  }
}

TEST_F(SessionTest, AStateForOtherSettingsIsRefused) {
  auto session = Make();
  ByteWriter writer;
  ASSERT_TRUE(session->Save(writer));
  Set("rounds-per-user", "5");
  const auto other =
      Session::Load(RecordingEntry(), settings_, {.features = 3, .print = "p"},
                    writer.bytes());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(SessionTest, AfterARollBackAnotherUserGetsAnotherTicket) {
  auto session = Make();
  ByteWriter writer;
  ASSERT_TRUE(session->Save(writer));
  Round first = Row(1, {}, "a");
  Round second = Row(1, {}, "b");
  const std::string ticket = **session->Open(first);
  auto again = Session::Load(RecordingEntry(), settings_,
                             {.features = 3, .print = "p"}, writer.bytes());
  ASSERT_TRUE(again);
  EXPECT_NE(**(*again)->Open(second), ticket);
}

TEST_F(SessionTest, TicketsAreForLabelsThatDoNotComeWithTheirRows) {
  const Settings plain = settings_;
  for (const auto& [name, value] :
       {std::pair{"public", "true"}, {"label-delay", "3"}}) {
    settings_ = plain;
    Set(name, value);
    Round round = Row(1);
    EXPECT_EQ(Make()->Open(round).error().code, ErrorCode::kFailedPrecondition)
        << name;
  }
}

TEST_F(SessionTest, APhaseEndsAtTheSameRoundForAnsweredAndEmptyOnes) {
  std::vector<RunStats> tallies;
  for (const Presence presence : {Presence::kPresent, Presence::kAbsent}) {
    auto session = Make();
    std::vector<Round> rounds(120, Row(1));
    rounds[99].presence = presence;
    ASSERT_TRUE(session->Play(rounds));
    tallies.push_back(session->stats());
  }
  ASSERT_EQ(tallies[0].phase_ends.size(), 1U);
  ASSERT_EQ(tallies[1].phase_ends.size(), 1U);
  EXPECT_EQ(tallies[0].phase_ends[0].rounds, tallies[1].phase_ends[0].rounds);
}

TEST_F(SessionTest, WhatTheSessionKnowsIsNotTheModelsToSay) {
  auto session = Make();
  std::vector<Round> rounds = Rows();
  ASSERT_TRUE(session->Play(rounds));
  const auto published = session->Hypothesis();
  ASSERT_TRUE(published);
  EXPECT_EQ(published->Find("rounds")->natural(), rounds.size());
  EXPECT_NE(published->Find("guarantee"), nullptr);
}

TEST_F(SessionTest, AStateSaysItsModelAndSettings) {
  Set("label-delay", "2");
  auto session = Make();
  ByteWriter writer;
  ASSERT_TRUE(session->Save(writer));
  const auto head = Session::ReadHead(writer.bytes());
  ASSERT_TRUE(head);
  EXPECT_EQ(head->model, "recording");
  Settings fresh(testing::SessionTable(RecordingEntry()));
  ASSERT_TRUE(fresh.Adopt(head->settings));
  EXPECT_EQ(fresh.GetInt("label-delay"), 2U);
}

TEST_F(SessionTest, AStateOfTheLayoutBeforeIsResumed) {
  auto session = Make();
  std::vector<Round> rounds = Rows();
  ASSERT_TRUE(session->Play(rounds));
  ByteWriter writer;
  ASSERT_TRUE(session->Save(writer));
  ByteWriter later;
  session->stats().SaveLater(later);
  std::string state = writer.bytes();
  ASSERT_EQ(state[0], 3);
  state[0] = 2;
  state.resize(state.size() - later.bytes().size());
  const auto loaded = Session::Load(RecordingEntry(), settings_,
                                    {.features = 3, .print = "p"}, state);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ((*loaded)->rounds(), session->rounds());
  EXPECT_EQ((*loaded)->stats().metrics.labelled(), 0U);
}

TEST_F(SessionTest, DamagedStatesAreRefusedAndNeverCrash) {
  Set("label-delay", "2");
  auto session = Make();
  std::vector<Round> rounds = Rows();
  ASSERT_TRUE(session->Play(rounds));
  ByteWriter writer;
  ASSERT_TRUE(session->Save(writer));
  const std::string& state = writer.bytes();
  for (std::size_t cut = 0; cut < state.size(); ++cut) {
    EXPECT_FALSE(Session::Load(RecordingEntry(), settings_,
                               {.features = 3, .print = "p"},
                               std::string_view(state).substr(0, cut)));
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    std::string damaged = state;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x80);
    const auto loaded = Session::Load(RecordingEntry(), settings_,
                                      {.features = 3, .print = "p"}, damaged);
    static_cast<void>(loaded.has_value());
  }
}

}  // namespace
}  // namespace sotto
