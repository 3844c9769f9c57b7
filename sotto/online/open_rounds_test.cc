#include "sotto/online/open_rounds.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/online/session_test_model.h"
#include "sotto/online/ticket.h"

namespace sotto {
namespace {

using Outcome = TicketedRounds::Outcome;
using testing::RecordingModel;

const LabelType kColours{.kind = LabelKind::kClasses,
                         .names = {"red", "green", "blue"}};
const LabelType kPrice{.kind = LabelKind::kNumber, .low = 0, .high = 9};

std::string Ticket(std::uint64_t number) {
  const Key key = Key::FromBytes(std::array<std::byte, Key::kBytes>{});
  return MakeTicket(key, number, key);
}

void Keep(TicketedRounds& rounds, std::uint64_t number, const LabelType& type) {
  rounds.Keep(Ticket(number),
              {.number = number,
               .open = std::make_unique<RecordingModel::Kept>("kept"),
               .label = {},
               .prediction = type.FromNumber(0),
               .probability = {}});
}

TicketedRounds Reload(const TicketedRounds& rounds, TicketedRounds fresh,
                      const LabelType& type) {
  std::vector<std::string> calls;
  Settings settings(Session::Options(testing::RecordingEntry()));
  RecordingModel model(&calls, settings);
  ByteWriter writer;
  rounds.Save(writer);
  ByteReader reader(writer.bytes());
  EXPECT_TRUE(fresh.Load(model, {type, 1'000'000}, reader));
  EXPECT_TRUE(reader.Finish());
  return fresh;
}

// The label of a ticket, of every kind, with and without a stop in between.
TEST(TicketedRoundsTest, ALabelIsKnownAgainOfEveryKind) {
  for (const LabelType& type : {LabelType{}, kColours, kPrice}) {
    TicketedRounds rounds(100, type);
    for (std::uint64_t i = 1; i <= 50; ++i) Keep(rounds, i, type);
    const Label first = type.FromNumber(0);
    const Label second = type.FromNumber(1);
    EXPECT_EQ(rounds.Take(Ticket(7), second).outcome, Outcome::kTaken);
    EXPECT_EQ(rounds.Take(Ticket(8), first).outcome, Outcome::kTaken);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(rounds.open(), 48U);
      EXPECT_EQ(rounds.Take(Ticket(7), second).outcome, Outcome::kAlready);
      EXPECT_EQ(rounds.Take(Ticket(7), first).outcome, Outcome::kRefused);
      EXPECT_EQ(rounds.Take(Ticket(8), first).outcome, Outcome::kAlready);
      EXPECT_EQ(rounds.Take(Ticket(51), first).outcome, Outcome::kRefused);
      rounds = Reload(rounds, TicketedRounds(100, type), type);
    }
    EXPECT_EQ(rounds.Take(Ticket(9), first).outcome, Outcome::kTaken);
  }
}

TEST(TicketedRoundsTest, LifeEndsOnThePublicClock) {
  const LabelType two;
  TicketedRounds rounds(100, two);
  Keep(rounds, 1, two);
  Keep(rounds, 2, two);
  Keep(rounds, 3, two);
  EXPECT_EQ(rounds.Take(Ticket(3), true).outcome, Outcome::kTaken);
  rounds.Expire(102);
  EXPECT_EQ(rounds.Take(Ticket(1), true).outcome, Outcome::kRefused);
  EXPECT_EQ(rounds.Take(Ticket(2), true).outcome, Outcome::kTaken);
  rounds.Expire(103);
  EXPECT_EQ(rounds.Take(Ticket(3), true).outcome, Outcome::kAlready);
  rounds.Expire(117);  // 13 rounds are a group of marks
  EXPECT_EQ(rounds.Take(Ticket(3), true).outcome, Outcome::kRefused);
  EXPECT_EQ(rounds.mark_bytes(), 0U);
}

// Every second round has its label. No ticket of this history is ever lost;
// one of another history is as long as it would live.
TEST(TicketedRoundsTest, OnlyTicketsOfAnotherHistoryAreLost) {
  const LabelType two;
  for (const std::uint64_t lifetime : {0, 1, 7, 40}) {
    TicketedRounds rounds(lifetime, two);
    for (std::uint64_t now = 1; now <= 100; ++now) {
      Keep(rounds, now, two);
      rounds.Expire(now);
      if (now % 2 == 0) rounds.Take(Ticket(now), true);
      for (std::uint64_t i = 1; i <= now; ++i) {
        ASSERT_FALSE(rounds.IsLost(Ticket(i), i, now)) << lifetime << " " << i;
        const bool lives = lifetime == 0 || i + lifetime >= now;
        ASSERT_EQ(rounds.IsLost(Ticket(1000 + i), i, now), lives) << i;
      }
      ASSERT_TRUE(rounds.IsLost(Ticket(now + 1), now + 1, now));
    }
  }
}

// A mark lives as long as its round says, after a restart too: the label of a
// ticket that comes twice is known again.
TEST(TicketedRoundsTest, AMarkLivesAsLongAfterARestart) {
  const LabelType two;
  TicketedRounds rounds(100, two);
  Keep(rounds, 50, two);
  EXPECT_EQ(rounds.Take(Ticket(50), true).outcome, Outcome::kTaken);
  rounds = Reload(rounds, TicketedRounds(100, two), two);
  rounds.Expire(140);
  EXPECT_EQ(rounds.Take(Ticket(50), true).outcome, Outcome::kAlready);
  EXPECT_EQ(rounds.Take(Ticket(50), false).outcome, Outcome::kRefused);
  rounds.Expire(170);
  EXPECT_EQ(rounds.Take(Ticket(50), true).outcome, Outcome::kRefused);
}

// The answer is kept until the label comes, to be counted with it.
TEST(PackedRoundTest, EveryFieldIsKept) {
  std::vector<std::string> calls;
  Settings settings(Session::Options(testing::RecordingEntry()));
  RecordingModel model(&calls, settings);
  for (const double answer : {0, 1}) {
    for (const auto& probability :
         {std::optional<double>(), std::optional(0.25)}) {
      const PackedRound packed(
          {1, 2}, {.number = 7,
                   .open = std::make_unique<RecordingModel::Kept>("kept"),
                   .label = {},
                   .prediction = LabelType{}.FromNumber(answer),
                   .probability = probability});
      EXPECT_EQ(packed.number(), 7U);
      const auto round = packed.Unpack(model, LabelType{});
      ASSERT_TRUE(round);
      EXPECT_EQ(round->number, 7U);
      EXPECT_EQ(round->prediction.number(), answer);
      EXPECT_EQ(round->probability, probability);
      EXPECT_FALSE(round->label);
      EXPECT_NE(round->open, nullptr);
    }
  }
}

TEST(TicketedRoundsTest, ALabelledTicketShrinksToAMark) {
  constexpr std::uint64_t kTickets = 20'000;
  const LabelType two;
  TicketedRounds rounds(0, two);
  for (std::uint64_t i = 1; i <= kTickets; ++i) {
    Keep(rounds, i, two);
    EXPECT_EQ(rounds.Take(Ticket(i), i % 2 == 0).outcome, Outcome::kTaken);
  }
  EXPECT_EQ(rounds.open(), 0U);
  EXPECT_LE(rounds.mark_bytes(), 23 * kTickets);
  ByteWriter writer;
  rounds.Save(writer);
  EXPECT_EQ(writer.bytes().size(), 32 + 17 * kTickets);
}

}  // namespace
}  // namespace sotto
