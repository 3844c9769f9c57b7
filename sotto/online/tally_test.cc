#include "sotto/online/tally.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

const LabelType kTwo;
const LabelType kColours{.kind = LabelType::Kind::kClasses,
                         .names = {"red", "green", "blue"}};
const LabelType kPrice{.kind = LabelType::Kind::kNumber, .low = 0, .high = 10};

Round Answered(Label told, std::optional<Label> y) {
  return {.y = y, .told = told};
}

Round Empty(Presence presence) { return {.presence = presence}; }

// Rounds of every sort.
Tally Mixed() {
  Tally tally;
  tally.Add(Answered(true, Label(true)), kTwo);
  tally.Add(Answered(true, std::nullopt), kTwo);
  tally.Add({.y = Label(false),
             .told = Label(true),
             .probability = 0.75,
             .paid = true,
             .phase = 1},
            kTwo, 3);
  tally.Add(Empty(Presence::kAbsent), kTwo);
  tally.Add(Empty(Presence::kUnusable), kTwo);
  tally.Add(Empty(Presence::kRefused), kTwo);
  tally.Halt();
  return tally;
}

TEST(TallyTest, CountsEveryRoundWhateverBecameOfIt) {
  const Tally tally = Mixed();
  EXPECT_EQ(tally.now.rounds, 6U);
  EXPECT_EQ(tally.answered, 3U);
  EXPECT_EQ(tally.now.labelled, 2U);
  EXPECT_EQ(tally.now.mistakes, 1U);
  EXPECT_EQ(tally.now.paid, 1U);
  EXPECT_EQ(tally.absent, 1U);
  EXPECT_EQ(tally.unusable, 1U);
  EXPECT_EQ(tally.refused, 1U);
  EXPECT_EQ(tally.halted_at, 6U);
  ASSERT_EQ(tally.phase_ends.size(), 1U);
  EXPECT_EQ(tally.phase_ends[0].rounds, 2U);
}

TEST(TallyTest, ALabelOfARoundThatWasNotAnsweredIsNotCounted) {
  Tally tally;
  for (const Presence presence :
       {Presence::kAbsent, Presence::kUnusable, Presence::kRefused}) {
    tally.Add({.presence = presence, .y = Label(true), .told = Label(false)},
              kTwo);
  }
  tally.Add({.y = Label(true)}, kTwo);
  EXPECT_EQ(tally.now.rounds, 4U);
  EXPECT_EQ(tally.answered, 0U);
  EXPECT_EQ(tally.now.labelled, 0U);
  EXPECT_EQ(tally.now.mistakes, 0U);
}

TEST(TallyTest, ALabelThatComesLaterIsCountedWhenItComes) {
  Tally tally;
  tally.Add(Answered(true, std::nullopt), kTwo);
  tally.Add(Answered(false, std::nullopt), kTwo);
  EXPECT_EQ(tally.now.labelled, 0U);
  tally.AddLate(true, 0.5, false, kTwo);
  EXPECT_EQ(tally.now.rounds, 2U);
  EXPECT_EQ(tally.now.labelled, 1U);
  EXPECT_EQ(tally.now.mistakes, 1U);
  EXPECT_NEAR(tally.log_loss.sum, std::log(2), 1e-12);
  EXPECT_EQ(tally.trace.back().mistakes, 0U);
}

TEST(TallyTest, BaselinesLearnNothingButTheLabelsBefore) {
  Tally tally;
  for (const bool y : {true, true, false, true}) {
    tally.Add(Answered(y, Label(y)), kTwo);
  }
  EXPECT_EQ(tally.now.mistakes, 0U);
  EXPECT_EQ(tally.baselines.majority, 2);    // the first and the third
  EXPECT_EQ(tally.baselines.last_label, 3);  // all but the second
}

TEST(TallyTest, CountsMistakesAmongClasses) {
  Tally tally;
  for (const std::uint32_t y : {2U, 2U, 1U, 2U}) {
    tally.Add(Answered(Label::OfClass(1), Label::OfClass(y)), kColours);
  }
  EXPECT_EQ(tally.now.mistakes, 3U);
  EXPECT_EQ(tally.baselines.majority, 2);
  EXPECT_EQ(tally.baselines.last_label, 3);
  EXPECT_EQ(tally.log_loss.rounds, 0U);
}

TEST(TallyTest, SumsAbsoluteErrorsOfNumbers) {
  Tally tally;
  for (const double y : {4.0, 6.0, 8.0}) {
    tally.Add(Answered(Label::OfNumber(5), Label::OfNumber(y)), kPrice);
  }
  EXPECT_EQ(tally.now.mistakes, 0U);
  EXPECT_DOUBLE_EQ(tally.now.error, 1 + 1 + 3);
  EXPECT_DOUBLE_EQ(tally.baselines.majority, 1 + 2 + 3);
  EXPECT_DOUBLE_EQ(tally.baselines.last_label, 1 + 2 + 2);
}

TEST(TallyTest, ALogLossIsFiniteEvenWhereAWrongAnswerWasCertain) {
  Tally tally;
  tally.AddLate(true, 1, false, kTwo);
  EXPECT_TRUE(std::isfinite(tally.log_loss.sum));
  EXPECT_GT(tally.log_loss.sum, 30);
}

TEST(TallyTest, TheTraceDependsOnNothingButTheNumberOfRounds) {
  Tally full;
  Tally empty;
  for (int i = 0; i < 5000; ++i) {
    full.Add(Answered(true, Label(i % 3 == 0)), kTwo);
    empty.Add(Empty(i % 2 == 0 ? Presence::kAbsent : Presence::kUnusable),
              kTwo);
  }
  ASSERT_EQ(full.trace.size(), empty.trace.size());
  for (std::size_t i = 0; i < full.trace.size(); ++i) {
    EXPECT_EQ(full.trace[i].rounds, empty.trace[i].rounds);
  }
  EXPECT_LT(full.trace.size(), 600U);
}

TEST(TallyTest, OnlyTheFirstHaltCounts) {
  Tally tally = Mixed();
  tally.Add(Empty(Presence::kAbsent), kTwo);
  tally.Halt();
  EXPECT_EQ(tally.halted_at, 6U);
  EXPECT_EQ(tally.now.rounds, 7U);
}

std::string Saved(const Tally& tally) {
  ByteWriter writer;
  tally.Save(writer);
  return writer.bytes();
}

Tally Numbers() {
  Tally tally;
  tally.Add(Answered(Label::OfNumber(5), Label::OfNumber(7)), kPrice);
  return tally;
}

TEST(TallyTest, SurvivesSaving) {
  Tally classes;
  classes.Add(Answered(Label::OfClass(0), Label::OfClass(2)), kColours);
  for (const auto& [tally, type] :
       {std::pair{Tally(), kTwo}, std::pair{Mixed(), kTwo},
        std::pair{classes, kColours}, std::pair{Numbers(), kPrice}}) {
    const std::string bytes = Saved(tally);
    ByteReader reader(bytes);
    const auto loaded = Tally::Load(reader, type);
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(reader.Finish());
    EXPECT_EQ(*loaded, tally);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ByteReader cut(std::string_view(bytes).substr(0, size));
      EXPECT_FALSE(Tally::Load(cut, type)) << size;
    }
  }
}

template <typename Change>
bool Refused(Tally tally, const LabelType& type, Change change) {
  change(tally);
  const std::string bytes = Saved(tally);
  ByteReader reader(bytes);
  const auto loaded = Tally::Load(reader, type);
  return !loaded && loaded.error().code == ErrorCode::kCorruption;
}

TEST(TallyTest, RefusesCountsThatCannotBe) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const auto refused = [](auto change) {
    return Refused(Mixed(), kTwo, change);
  };
  EXPECT_FALSE(refused([](Tally&) {}));
  EXPECT_TRUE(refused([](Tally& t) { t.now.rounds = 5; }));
  EXPECT_TRUE(refused([](Tally& t) { t.now.mistakes = 3; }));
  EXPECT_TRUE(refused([](Tally& t) { t.now.paid = 7; }));
  EXPECT_TRUE(refused([](Tally& t) { t.now.shown = -1; }));
  EXPECT_TRUE(refused([](Tally& t) { t.now.error = NAN; }));
  EXPECT_TRUE(refused([](Tally& t) { t.answered = 1; }));
  EXPECT_TRUE(refused([](Tally& t) { t.refused = kHuge; }));
  EXPECT_TRUE(refused([](Tally& t) { t.absent = t.unusable = kHuge / 2; }));
  EXPECT_TRUE(refused([](Tally& t) { t.halted_at = 7; }));
  EXPECT_TRUE(refused([](Tally& t) { t.log_loss.rounds = 3; }));
  EXPECT_TRUE(refused([](Tally& t) { t.log_loss.sum = INFINITY; }));
  EXPECT_TRUE(refused([](Tally& t) { t.baselines.majority = 3; }));
  EXPECT_TRUE(refused([](Tally& t) { t.trace[0].rounds = 2; }));
  EXPECT_TRUE(refused([](Tally& t) { t.trace.back().rounds = kHuge; }));
  EXPECT_TRUE(refused([](Tally& t) { t.phase_ends[0].paid = 2; }));
}

TEST(TallyTest, RefusesCountsOfLabelsOfAnotherType) {
  const auto unchanged = [](Tally&) {};
  EXPECT_TRUE(Refused(Mixed(), kColours, unchanged));
  EXPECT_TRUE(Refused(Mixed(), kPrice, unchanged));
  EXPECT_TRUE(Refused(Numbers(), kTwo, unchanged));
}

TEST(TallyTest, ReliabilityIsCountedByTenths) {
  Tally tally;
  const LabelType two;
  const auto add = [&](double probability, bool y) {
    Round round{.y = Label(y), .told = Label(true)};
    round.probability = probability;
    tally.Add(round, two);
  };
  add(0.05, false);
  add(0.75, true);
  add(0.77, false);
  add(1.0, true);
  EXPECT_EQ(tally.reliability[0], (Tally::Tenth{1, 0, 0.05}));
  EXPECT_EQ(tally.reliability[7].rounds, 2U);
  EXPECT_EQ(tally.reliability[7].positive, 1U);
  EXPECT_EQ(tally.reliability[9], (Tally::Tenth{1, 1, 1.0}));
  ByteWriter writer;
  tally.Save(writer);
  ByteReader reader(writer.bytes());
  const auto loaded = Tally::Load(reader, two);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(*loaded, tally);
  tally.reliability[3].rounds = 1;  // more than were counted
  ByteWriter forged;
  tally.Save(forged);
  ByteReader again(forged.bytes());
  EXPECT_FALSE(Tally::Load(again, two));
}

TEST(TallyTest, HonestRowsAreCountedApart) {
  Tally tally;
  const LabelType two;
  for (const auto& honest :
       {std::optional(true), std::optional(false), std::optional<bool>()}) {
    tally.Add({.y = Label(true), .honest = honest, .told = Label(false)}, two);
  }
  EXPECT_EQ(tally.now.mistakes, 3U);
  EXPECT_EQ(tally.honest, (Tally::Honest{1, 1}));
}

}  // namespace
}  // namespace sotto
