#include "sotto/online/comparison.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

// Says what it was last taught.
struct Parrot {
  bool label = false;
  bool Predict(FeatureView) const { return label; }
  void Update(FeatureView, bool y) { label = y; }
  void Save(ByteWriter& out) const { out.Number(std::uint8_t{label}); }
  Status Load(ByteReader& in) {
    label = in.Number<std::uint8_t>() != 0;
    return in.failed() ? Status(Error{ErrorCode::kCorruption, ""}) : Ok();
  }
};

Round Positive() {
  return {.x = {{0, 1.0}}, .y = Label(true), .prediction = Label(false)};
}

TEST(ComparisonTest, TeachesWhatIsDueAfterTheDelay) {
  Comparison plain(NonPrivateOver(Parrot()), 2);
  for (int i = 0; i < 5; ++i) plain.Play(Positive());
  EXPECT_EQ(plain.mistakes(), 3U);
}

TEST(ComparisonTest, EmptyRoundsCountForTheDelayAndTeachNothing) {
  Comparison plain(NonPrivateOver(Parrot()), 2);
  plain.Play(Positive());
  for (const Presence presence : {Presence::kAbsent, Presence::kUnusable}) {
    plain.Play({.presence = presence});
  }
  plain.Play(Positive());
  EXPECT_EQ(plain.mistakes(), 1U);
}

TEST(ComparisonTest, CountsOnTheRoundsOnWhichTheModelIsCounted) {
  Comparison plain(NonPrivateOver(Parrot()), 0);
  Round round = Positive();
  round.prediction.reset();
  plain.Play(round);
  EXPECT_EQ(plain.mistakes(), 0U);
  round = Positive();
  round.y.reset();
  plain.Play(round);
  EXPECT_EQ(plain.mistakes(), 0U);
}

TEST(ComparisonTest, LabelsByTicketTeachWhenTheyCome) {
  Comparison plain(NonPrivateOver(Parrot()), 0);
  const FeatureVector x = {{0, 1}};
  plain.Open("a", x, 1, 10);
  plain.Open("b", x, 2, 10);
  plain.Close("b", Label(true));  // said 0
  plain.Open("c", x, 3, 10);
  ByteWriter state;
  ByteWriter later;
  plain.Save(state);
  plain.SaveLater(later);
  plain.Close("c", Label(true));     // says 1 now
  plain.Close("a", Label(true));     // was asked at first
  plain.Close("none", Label(true));  // unknown
  EXPECT_EQ(plain.mistakes(), 2U);
  Comparison loaded(NonPrivateOver(Parrot()), 0);
  ByteReader reader(state.bytes());
  ByteReader rest(later.bytes());
  ASSERT_TRUE(loaded.Load(reader));
  ASSERT_TRUE(loaded.LoadLater(rest));
  EXPECT_TRUE(rest.Finish());
  loaded.Close("c", Label(false));
  EXPECT_EQ(loaded.mistakes(), 2U);
  plain.Open("old", x, 4, 10);
  plain.Open("new", x, 15, 10);
  plain.Close("old", Label(false));  // too late
  EXPECT_EQ(plain.mistakes(), 2U);
}

TEST(ComparisonTest, ALearnerOfATrainingSetLearnsNothingFromTheStream) {
  Comparison plain(NonPrivateOver(Parrot()), 0,
                   Comparison::Lessons::kTrainingSet);
  Round row = Positive();
  row.y = Label(false);
  plain.Train(row);
  row.y.reset();
  plain.Train(row);  // no label: no lesson
  plain.FinishTraining();
  plain.Play(Positive());
  plain.Play(Positive());
  EXPECT_EQ(plain.mistakes(), 2U);
  plain.Train(Positive());
  plain.Play(Positive());
  EXPECT_EQ(plain.mistakes(), 2U);
}

TEST(ComparisonTest, SurvivesSavingAndRefusesDamage) {
  Comparison plain(NonPrivateOver(Parrot()), 3);
  plain.Play(Positive());
  plain.Play({.presence = Presence::kAbsent});
  ByteWriter writer;
  plain.Save(writer);
  Comparison loaded(NonPrivateOver(Parrot()), 3);
  ByteReader reader(writer.bytes());
  ASSERT_TRUE(loaded.Load(reader));
  EXPECT_TRUE(reader.Finish());
  for (int i = 0; i < 4; ++i) {
    plain.Play(Positive());
    loaded.Play(Positive());
    EXPECT_EQ(loaded.mistakes(), plain.mistakes());
  }
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    ByteReader cut(std::string_view(writer.bytes()).substr(0, size));
    EXPECT_FALSE(Comparison(NonPrivateOver(Parrot()), 3).Load(cut)) << size;
  }
}

}  // namespace
}  // namespace sotto
