#include "sotto/online/run_stats.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

const LabelType kTwo;
const LabelType kColours{.kind = LabelType::Kind::kClasses,
                         .names = {"red", "green", "blue"}};
const LabelType kPrice{.kind = LabelType::Kind::kNumber, .low = 0, .high = 10};

Round Answered(Label prediction, std::optional<Label> y) {
  return {.y = y, .prediction = prediction};
}

Round Empty(Presence presence) { return {.presence = presence}; }

// Rounds of every sort.
RunStats Mixed() {
  RunStats stats;
  stats.Add(Answered(true, Label(true)), kTwo);
  stats.Add(Answered(true, std::nullopt), kTwo);
  stats.Add({.y = Label(false),
             .prediction = Label(true),
             .probability = 0.75,
             .paid = true,
             .phase = 1},
            kTwo, 3);
  stats.Add(Empty(Presence::kAbsent), kTwo);
  stats.Add(Empty(Presence::kUnusable), kTwo);
  stats.Add(Empty(Presence::kRefused), kTwo);
  stats.Halt();
  return stats;
}

TEST(TallyTest, CountsEveryRoundWhateverBecameOfIt) {
  const RunStats stats = Mixed();
  EXPECT_EQ(stats.now.rounds, 6U);
  EXPECT_EQ(stats.answered, 3U);
  EXPECT_EQ(stats.now.labelled, 2U);
  EXPECT_EQ(stats.now.mistakes, 1U);
  EXPECT_EQ(stats.now.paid, 1U);
  EXPECT_EQ(stats.absent, 1U);
  EXPECT_EQ(stats.unusable, 1U);
  EXPECT_EQ(stats.refused, 1U);
  EXPECT_EQ(stats.halted_at, 6U);
  ASSERT_EQ(stats.phase_ends.size(), 1U);
  EXPECT_EQ(stats.phase_ends[0].rounds, 2U);
}

TEST(TallyTest, ALabelOfARoundThatWasNotAnsweredIsNotCounted) {
  RunStats stats;
  for (const Presence presence :
       {Presence::kAbsent, Presence::kUnusable, Presence::kRefused}) {
    stats.Add(
        {.presence = presence, .y = Label(true), .prediction = Label(false)},
        kTwo);
  }
  stats.Add({.y = Label(true)}, kTwo);
  EXPECT_EQ(stats.now.rounds, 4U);
  EXPECT_EQ(stats.answered, 0U);
  EXPECT_EQ(stats.now.labelled, 0U);
  EXPECT_EQ(stats.now.mistakes, 0U);
}

TEST(TallyTest, ALabelThatComesLaterIsCountedWhenItComes) {
  RunStats stats;
  stats.Add(Answered(true, std::nullopt), kTwo);
  stats.Add(Answered(false, std::nullopt), kTwo);
  EXPECT_EQ(stats.now.labelled, 0U);
  stats.AddDelayedLabel(true, 0.5, false, kTwo);
  EXPECT_EQ(stats.now.rounds, 2U);
  EXPECT_EQ(stats.now.labelled, 1U);
  EXPECT_EQ(stats.now.mistakes, 1U);
  EXPECT_NEAR(stats.log_loss.sum, std::log(2), 1e-12);
  EXPECT_EQ(stats.trace.back().mistakes, 0U);
}

TEST(TallyTest, BaselinesLearnNothingButTheLabelsBefore) {
  RunStats stats;
  for (const bool y : {true, true, false, true}) {
    stats.Add(Answered(y, Label(y)), kTwo);
  }
  EXPECT_EQ(stats.now.mistakes, 0U);
  EXPECT_EQ(stats.baselines.majority, 2);    // the first and the third
  EXPECT_EQ(stats.baselines.last_label, 3);  // all but the second
}

TEST(TallyTest, CountsMistakesAmongClasses) {
  RunStats stats;
  for (const std::uint32_t y : {2U, 2U, 1U, 2U}) {
    stats.Add(Answered(Label::OfClass(1), Label::OfClass(y)), kColours);
  }
  EXPECT_EQ(stats.now.mistakes, 3U);
  EXPECT_EQ(stats.baselines.majority, 2);
  EXPECT_EQ(stats.baselines.last_label, 3);
  EXPECT_EQ(stats.log_loss.rounds, 0U);
}

TEST(TallyTest, SumsAbsoluteErrorsOfNumbers) {
  RunStats stats;
  for (const double y : {4.0, 6.0, 8.0}) {
    stats.Add(Answered(Label::OfNumber(5), Label::OfNumber(y)), kPrice);
  }
  EXPECT_EQ(stats.now.mistakes, 0U);
  EXPECT_DOUBLE_EQ(stats.now.error, 1 + 1 + 3);
  EXPECT_DOUBLE_EQ(stats.baselines.majority, 1 + 2 + 3);
  EXPECT_DOUBLE_EQ(stats.baselines.last_label, 1 + 2 + 2);
}

TEST(TallyTest, ALogLossIsFiniteEvenWhereAWrongAnswerWasCertain) {
  RunStats stats;
  stats.AddDelayedLabel(true, 1, false, kTwo);
  EXPECT_TRUE(std::isfinite(stats.log_loss.sum));
  EXPECT_GT(stats.log_loss.sum, 30);
}

TEST(TallyTest, TheTraceDependsOnNothingButTheNumberOfRounds) {
  RunStats full;
  RunStats empty;
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
  RunStats stats = Mixed();
  stats.Add(Empty(Presence::kAbsent), kTwo);
  stats.Halt();
  EXPECT_EQ(stats.halted_at, 6U);
  EXPECT_EQ(stats.now.rounds, 7U);
}

std::string Saved(const RunStats& stats) {
  ByteWriter writer;
  stats.Save(writer);
  return writer.bytes();
}

RunStats Numbers() {
  RunStats stats;
  stats.Add(Answered(Label::OfNumber(5), Label::OfNumber(7)), kPrice);
  return stats;
}

TEST(TallyTest, ConfusionAndTheAreaUnderTheCurveAreCounted) {
  LabelMetrics metrics;
  EXPECT_EQ(metrics.classes(), 0U);
  EXPECT_FALSE(metrics.Auc());
  // Scores of negative rows 0.1, 0.2 and 0.6, of positive ones 0.2 and 0.9: of
  // six pairs four are in order, one is a tie.
  const auto add = [&](double probability, bool y) {
    metrics.Add(Label(probability > 0.5), probability, Label(y), kTwo);
  };
  add(0.1, false);
  add(0.2, false);
  add(0.6, false);
  EXPECT_FALSE(metrics.Auc());
  add(0.2, true);
  add(0.9, true);
  EXPECT_DOUBLE_EQ(*metrics.Auc(), 4.5 / 6);
  EXPECT_EQ(metrics.Count(0, 0), 2U);
  EXPECT_EQ(metrics.Count(0, 1), 1U);
  EXPECT_EQ(metrics.Count(1, 0), 1U);
  EXPECT_EQ(metrics.Count(1, 1), 1U);
  EXPECT_EQ(metrics.labelled(), 5U);
  // Rare labels: scores below 1 % differ, certainty is a score.
  LabelMetrics rare;
  for (const auto& [probability, y] :
       {std::pair{0.0, false}, {0.001, false}, {0.002, true}, {1.0, true}}) {
    rare.Add(Label(false), probability, Label(y), kTwo);
  }
  EXPECT_EQ(rare.Auc(), 1.0);
}

// Two free answers, one of them to a label and wrong.
RunStats Free() {
  RunStats stats;
  Round round{.presence = Presence::kRefused};
  round.prediction = Label(true);
  stats.Add(round, kTwo);
  round.y = Label(false);
  stats.Add(round, kTwo);
  return stats;
}

TEST(TallyTest, FreeAnswersAreCountedApart) {
  const RunStats stats = Free();
  EXPECT_EQ(stats.refused, 2U);
  EXPECT_EQ(stats.answered, 0U);
  EXPECT_EQ(stats.now.labelled, 0U);
  EXPECT_EQ(stats.now.mistakes, 0U);
  EXPECT_EQ(stats.free, (RunStats::FreeAnswers{2, 1, 1, 0}));
}

RunStats FreeNumbers() {
  RunStats stats;
  stats.Add({.presence = Presence::kRefused,
             .y = Label::OfNumber(7),
             .prediction = Label::OfNumber(5)},
            kPrice);
  return stats;
}

TEST(TallyTest, SurvivesSaving) {
  RunStats classes;
  classes.Add(Answered(Label::OfClass(0), Label::OfClass(2)), kColours);
  for (const auto& [stats, type] :
       {std::pair{RunStats(), kTwo}, std::pair{Mixed(), kTwo},
        std::pair{Free(), kTwo}, std::pair{classes, kColours},
        std::pair{Numbers(), kPrice}, std::pair{FreeNumbers(), kPrice}}) {
    const std::string bytes = Saved(stats);
    ByteReader reader(bytes);
    auto loaded = RunStats::Load(reader, type);
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(reader.Finish());
    ByteWriter later;
    stats.SaveLater(later);
    ByteReader rest(later.bytes());
    EXPECT_TRUE(loaded->LoadLater(rest, type));
    EXPECT_TRUE(rest.Finish());
    EXPECT_EQ(*loaded, stats);
    for (std::size_t size = 0; size < later.bytes().size(); ++size) {
      ByteReader cut(std::string_view(later.bytes()).substr(0, size));
      EXPECT_FALSE(RunStats(*loaded).LoadLater(cut, type)) << size;
    }
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ByteReader cut(std::string_view(bytes).substr(0, size));
      EXPECT_FALSE(RunStats::Load(cut, type)) << size;
    }
  }
}

template <typename Change>
bool Refused(RunStats stats, const LabelType& type, Change change) {
  change(stats);
  const std::string bytes = Saved(stats);
  ByteReader reader(bytes);
  const auto loaded = RunStats::Load(reader, type);
  return !loaded && loaded.error().code == ErrorCode::kCorruption;
}

TEST(TallyTest, RefusesCountsThatCannotBe) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const auto refused = [](auto change) {
    return Refused(Mixed(), kTwo, change);
  };
  EXPECT_FALSE(refused([](RunStats&) {}));
  EXPECT_TRUE(refused([](RunStats& t) { t.now.rounds = 5; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.now.mistakes = 3; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.now.paid = 7; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.now.shown = -1; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.now.error = NAN; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.answered = 1; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.refused = kHuge; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.absent = t.unusable = kHuge / 2; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.halted_at = 7; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.log_loss.rounds = 3; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.log_loss.sum = INFINITY; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.baselines.majority = 3; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.trace[0].rounds = 2; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.trace.back().rounds = kHuge; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.phase_ends[0].paid = 2; }));
}

// Each count goes up to its limit and no further.
TEST(TallyTest, EveryLimitOfACountIsExact) {
  const auto refused = [](auto change) {
    return Refused(Mixed(), kTwo, change);
  };
  for (const std::uint64_t over : {0, 1}) {
    const bool bad = over == 1;
    const auto real = static_cast<double>(over);
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.now.mistakes = 2 + over; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.now.paid = 6 + over; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.now.error = real; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.answered = 3 + over; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.answered = 2 - over; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.absent = 1 + over; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.unusable = 1 + over; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.refused = 1 + over; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.honest.labelled = 2 + over; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.honest.mistakes = 1 + over; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) { t.halted_at = 6 + over; }));
    EXPECT_EQ(bad,
              refused([=](RunStats& t) { t.baselines.majority = 2 + real; }));
    EXPECT_EQ(bad,
              refused([=](RunStats& t) { t.baselines.last_label = 2 + real; }));
    EXPECT_EQ(bad, refused([=](RunStats& t) {
                t.reliability[7].positive = 1 + over;
              }));
    EXPECT_EQ(bad, refused([=](RunStats& t) {
                t.reliability[7].said = bad ? -1 : 1;
              }));
    EXPECT_EQ(bad, refused([=](RunStats& t) {
                t.reliability[2].rounds = over;  // no longer the sum
              }));
  }
}

// Earlier points of a run are checked like the last, and none is above a later
// one.
TEST(TallyTest, EveryLimitOfAnEarlierPointIsExact) {
  const auto refused = [](auto change) {
    return Refused(Mixed(), kTwo, change);
  };
  for (const bool traced : {true, false}) {
    const auto first = [=](RunStats& t) -> RunStats::Point& {
      return traced ? t.trace[3] : t.phase_ends[0];
    };
    // As much as the next point has, and more.
    for (const std::uint64_t over : {0, 1}) {
      const bool bad = over == 1;
      EXPECT_EQ(bad,
                refused([=](RunStats& t) { first(t).labelled = 2 + over; }));
      EXPECT_EQ(bad, refused([=](RunStats& t) {
                  first(t).labelled = 2;
                  first(t).mistakes = 1 + over;
                }));
      EXPECT_EQ(bad, refused([=](RunStats& t) { first(t).paid = 1 + over; }));
      EXPECT_EQ(bad, refused([=](RunStats& t) {
                  first(t).error = static_cast<double>(over);
                }));
      EXPECT_EQ(bad, refused([=](RunStats& t) {
                  first(t).shown = bad ? -1 : 9;  // an estimate, up or down
                }));
    }
    // More than the point itself has rounds for.
    EXPECT_TRUE(refused([=](RunStats& t) {
      first(t).labelled = 1;
      first(t).mistakes = 2;
      t.now.mistakes = 2;
    }));
  }
  EXPECT_FALSE(refused([](RunStats& t) { t.phase_ends[0].rounds = 6; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.phase_ends[0].rounds = 7; }));
  EXPECT_TRUE(refused([](RunStats& t) { t.trace.pop_back(); }));
}

TEST(TallyTest, RefusesCountsOfLabelsOfAnotherType) {
  const auto unchanged = [](RunStats&) {};
  EXPECT_TRUE(Refused(Mixed(), kColours, unchanged));
  EXPECT_TRUE(Refused(Mixed(), kPrice, unchanged));
  EXPECT_TRUE(Refused(Numbers(), kTwo, unchanged));
}

TEST(TallyTest, ReliabilityIsCountedByTenths) {
  RunStats stats;
  const LabelType two;
  const auto add = [&](double probability, bool y) {
    Round round{.y = Label(y), .prediction = Label(true)};
    round.probability = probability;
    stats.Add(round, two);
  };
  add(0.05, false);
  add(0.75, true);
  add(0.77, false);
  add(1.0, true);
  EXPECT_EQ(stats.reliability[0], (RunStats::CalibrationBin{1, 0, 0.05}));
  EXPECT_EQ(stats.reliability[7].rounds, 2U);
  EXPECT_EQ(stats.reliability[7].positive, 1U);
  EXPECT_EQ(stats.reliability[9], (RunStats::CalibrationBin{1, 1, 1.0}));
  ByteWriter writer;
  stats.Save(writer);
  ByteReader reader(writer.bytes());
  const auto loaded = RunStats::Load(reader, two);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->reliability, stats.reliability);
  EXPECT_EQ(loaded->log_loss, stats.log_loss);
  stats.reliability[3].rounds = 1;  // more than were counted
  ByteWriter forged;
  stats.Save(forged);
  ByteReader again(forged.bytes());
  EXPECT_FALSE(RunStats::Load(again, two));
}

TEST(TallyTest, HonestRowsAreCountedApart) {
  RunStats stats;
  const LabelType two;
  for (const auto& honest :
       {std::optional(true), std::optional(false), std::optional<bool>()}) {
    stats.Add({.y = Label(true), .honest = honest, .prediction = Label(false)},
              two);
  }
  EXPECT_EQ(stats.now.mistakes, 3U);
  EXPECT_EQ(stats.honest, (RunStats::Honest{1, 1}));
}

}  // namespace
}  // namespace sotto
