#include "sotto/models/tide/private_tide.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

Schema Table() {
  return *Schema::Parse(R"({"columns": [
      {"name": "kind", "type": "category", "values": ["a", "b", "c"]},
      {"name": "size", "type": "number", "range": [0, 1]},
      {"name": "idle", "type": "category", "values": ["x", "y"]}]})",
                        "schema");
}

struct Row {
  FeatureVector x;
  double u = 0;
  std::uint32_t kind = 0;
};

Row Draw(Rng& rng) {
  Row row;
  row.kind = static_cast<std::uint32_t>(rng.Next() % 3);
  row.u = std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
  const auto idle = static_cast<std::uint32_t>(rng.Next() % 2);
  row.x = {{row.kind, 1}, {3, row.u}, {4 + idle, 1}};
  return row;
}

bool Rule(const Row& row) {
  return row.kind == 0 || (row.kind == 1 && row.u > 0.5);
}

PrivateTide::Params Quick(const Schema& schema) {
  return {.epsilon = 16,
          .delta = 1e-3,
          .encoding = {.schema = &schema},
          .schedule = {.start_rows = 50, .batch = 10}};
}

TEST(PrivateTideTest, LearnsARuleOverColumns) {
  const Schema schema = Table();
  auto tide = PrivateTide::Create(Quick(schema));
  ASSERT_TRUE(tide);
  testing::SeededRng rng(1);
  int late = 0;
  for (int t = 0; t < 4000; ++t) {
    const Row row = Draw(rng);
    auto round = tide->Open(row.x, rng);
    ASSERT_TRUE(round);
    if (t >= 3000 && round->answer.prediction != Label(Rule(row))) ++late;
    EXPECT_GE(*round->answer.probability, 0);
    EXPECT_LE(*round->answer.probability, 1);
    tide->Close(*std::move(round), Rule(row));
  }
  EXPECT_LT(late, 120);
  EXPECT_EQ(tide->steps(), 394U);
  // The published model predicts the same.
  testing::SeededRng fresh(2);
  const Row row = Draw(fresh);
  const TideAnswer published = tide->hypothesis().Predict(row.x);
  EXPECT_EQ(tide->Play(row.x, std::nullopt, rng)->prediction,
            published.prediction);
  // A column that does not matter loses its share.
  const auto groups = tide->hypothesis().frame.encoding().groups();
  const auto shares = tide->hypothesis().frame.shares();
  EXPECT_LT(shares.back(), groups.back().share);
  EXPECT_GT(shares.front(), groups.front().share);
}

// Without labels there is nothing to tell rows apart by, and no noise is.
TEST(PrivateTideTest, LateLabelsLeaveAnswersAtTheStartUntilTheyCome) {
  const Schema schema = Table();
  PrivateTide::Params params = {
      .epsilon = 4, .delta = 1e-6, .encoding = {.schema = &schema}};
  for (const bool number : {false, true}) {
    if (number) {
      params.label = {.kind = LabelType::Kind::kNumber, .low = 0, .high = 1};
    }
    auto tide = *PrivateTide::Create(params);
    testing::SeededRng rng(4);
    constexpr std::size_t kDelay = 1500;
    std::vector<std::pair<TideRound, Row>> waiting;
    std::size_t wrong = 0;
    std::optional<Label> quiet;
    for (std::size_t t = 0; t < 6000; ++t) {
      const Row row = Draw(rng);
      auto round = tide.Open(row.x, rng);
      ASSERT_TRUE(round);
      const Label truth = number ? Label::OfNumber(row.u) : Label(Rule(row));
      if (t == 600) quiet = round->answer.prediction;
      if (t >= 600 && t < kDelay) {
        EXPECT_EQ(round->answer.prediction, *quiet) << t;
      }
      if (t >= 5000 && !number && round->answer.prediction != truth) ++wrong;
      if (t >= 5000 && number &&
          std::abs(round->answer.prediction.number() - row.u) > 0.25) {
        ++wrong;
      }
      waiting.emplace_back(*std::move(round), row);
      if (t < kDelay) continue;
      auto& [late, old] = waiting[t - kDelay];
      tide.Close(std::move(late),
                 number ? Label::OfNumber(old.u) : Label(Rule(old)));
    }
    EXPECT_LT(wrong, number ? 300U : 100U);
  }
}

TEST(PrivateTideTest, ClassesAndNumbersAreLearned) {
  const Schema schema = Table();
  PrivateTide::Params params = Quick(schema);
  params.label = {.kind = LabelType::Kind::kClasses, .names = {"a", "b", "c"}};
  auto classes = PrivateTide::Create(params);
  params.label = {.kind = LabelType::Kind::kNumber, .low = -5, .high = 15};
  auto numbers = PrivateTide::Create(params);
  ASSERT_TRUE(classes && numbers);
  testing::SeededRng rng(3);
  int wrong = 0;
  double off = 0;
  for (int t = 0; t < 4000; ++t) {
    const Row row = Draw(rng);
    const Label kind = Label::OfClass((row.kind + 1) % 3);
    const Label number = Label::OfNumber(10 * row.u);
    const auto prediction = classes->Play(row.x, kind, rng);
    const auto value = numbers->Play(row.x, number, rng);
    EXPECT_TRUE(params.label.Has(value->prediction));
    EXPECT_FALSE(value->probability);
    if (t < 3000) continue;
    wrong += prediction->prediction == kind ? 0 : 1;
    off += std::abs(value->prediction.number() - number.number()) / 1000;
  }
  EXPECT_LT(wrong, 30);
  EXPECT_LT(off, 1.5);  // 2.5 for the mean
}

TEST(PrivateTideTest, GuaranteeIsKnownBeforeDataAndAsAskedFor) {
  const Schema schema = Table();
  const auto tide = PrivateTide::Create({.epsilon = 1,
                                         .delta = 1e-6,
                                         .rounds_per_user = 3,
                                         .encoding = {.schema = &schema}});
  ASSERT_TRUE(tide);
  EXPECT_EQ(tide->guarantee().epsilon(), 1);
  EXPECT_EQ(tide->guarantee().delta(), 1e-6);
  EXPECT_EQ(tide->guarantee().rounds_per_user(), 3U);
  EXPECT_EQ(tide->guarantee().notion(), Notion::kDp);
}

// Plays a stream with late, missing and refused labels and empty rounds, and
// saves and loads the model and its open rounds every `period` rounds.
std::string PlayAll(int period) {
  const Schema schema = Table();
  PrivateTide::Params params = Quick(schema);
  params.epsilon = 1;
  params.schedule.memory = 4;
  auto tide = PrivateTide::Create(params);
  testing::SeededRng data(5);
  testing::SeededRng rng(6);
  std::vector<std::pair<TideRound, bool>> open;
  for (int t = 1; t <= 600; ++t) {
    const Row row = Draw(data);
    if (t % 7 == 0) {
      tide->PlayEmptyRound(rng);
    } else {
      open.emplace_back(*tide->Open(row.x, rng), Rule(row));
    }
    if (open.size() > 30 || t % 5 == 0) {
      tide->Close(std::move(open.front().first), open.front().second);
      open.erase(open.begin());
    }
    if (t % period != 0) continue;
    ByteWriter writer;
    tide->Save(writer);
    ByteReader reader(writer.bytes());
    tide = PrivateTide::Load(params, reader);
    EXPECT_TRUE(tide && reader.Finish());
    for (auto& entry : open) {
      ByteWriter saved;
      entry.first.Save(saved);
      ByteReader again(saved.bytes());
      auto round = TideRound::Load(again);
      EXPECT_TRUE(round && again.Finish());
      entry.first = *std::move(round);
    }
  }
  ByteWriter writer;
  tide->Save(writer);
  return writer.bytes();
}

TEST(PrivateTideTest, AResumedRunEqualsAnUninterruptedOneToTheBit) {
  const std::string whole = PlayAll(1000);
  EXPECT_EQ(PlayAll(97), whole);
  EXPECT_EQ(PlayAll(150), whole);
}

TEST(PrivateTideTest, PlayIsOpenAndClose) {
  const Schema schema = Table();
  auto a = PrivateTide::Create(Quick(schema));
  auto b = PrivateTide::Create(Quick(schema));
  testing::SeededRng data(7);
  testing::SeededRng rng(8);
  testing::SeededRng same(8);
  for (int t = 0; t < 300; ++t) {
    const Row row = Draw(data);
    std::optional<Label> y;
    if (t % 3 != 0) y = Rule(row);
    const auto played = a->Play(row.x, y, rng);
    auto round = b->Open(row.x, same);
    EXPECT_EQ(played->probability, round->answer.probability);
    if (y) b->Close(*std::move(round), *y);
  }
  ByteWriter wa;
  ByteWriter wb;
  a->Save(wa);
  b->Save(wb);
  EXPECT_EQ(wa.bytes(), wb.bytes());
}

TEST(PrivateTideTest, ALabelOfTheStartThatComesAfterItIsDropped) {
  const Schema schema = Table();
  auto tide = PrivateTide::Create(Quick(schema));
  auto other = PrivateTide::Create(Quick(schema));
  testing::SeededRng rng(9);
  testing::SeededRng same(9);
  const FeatureVector x = {{0, 1}, {3, 0.5}, {4, 1}};
  auto round = tide->Open(x, rng);
  ASSERT_TRUE(other->Open(x, same));
  for (int t = 0; t < 51; ++t) {
    tide->PlayEmptyRound(rng);
    other->PlayEmptyRound(same);
  }
  tide->Close(*std::move(round), true);
  ByteWriter a;
  ByteWriter b;
  tide->Save(a);
  other->Save(b);
  EXPECT_EQ(a.bytes(), b.bytes());
}

TEST(PrivateTideTest, AnUnusableRowIsATickLikeAnyOther) {
  const Schema schema = Table();
  auto tide = PrivateTide::Create(Quick(schema));
  auto other = PrivateTide::Create(Quick(schema));
  testing::SeededRng rng(10);
  testing::SeededRng same(10);
  const std::vector<FeatureVector> faults = {
      {{3, std::nan("")}}, {{0, 1}, {0, 1}}, {{3, 0.5}, {1, 1}}};
  for (std::size_t t = 0; t < 100; ++t) {
    const FeatureVector& x = faults[t % faults.size()];
    EXPECT_EQ(tide->Open(x, rng).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(tide->Play(x, true, rng).error().code,
              ErrorCode::kInvalidArgument);
    other->PlayEmptyRound(same);
    other->PlayEmptyRound(same);
  }
  ByteWriter a;
  ByteWriter b;
  tide->Save(a);
  other->Save(b);
  EXPECT_EQ(a.bytes(), b.bytes());
}

TEST(PrivateTideTest, AStateIsRefusedUnderOtherParametersAndIfDamaged) {
  const Schema schema = Table();
  PrivateTide::Params params = Quick(schema);
  auto tide = PrivateTide::Create(params);
  testing::SeededRng rng(11);
  for (int t = 0; t < 90; ++t) tide->PlayEmptyRound(rng);
  ByteWriter writer;
  tide->Save(writer);
  const std::string bytes = writer.bytes();
  params.epsilon = 8;
  ByteReader other(bytes);
  EXPECT_EQ(PrivateTide::Load(params, other).error().code,
            ErrorCode::kFailedPrecondition);
  params.epsilon = 16;
  ByteReader cut(std::string_view(bytes).substr(0, bytes.size() - 3));
  EXPECT_EQ(PrivateTide::Load(params, cut).error().code,
            ErrorCode::kCorruption);
}

TEST(PrivateTideTest, AnErrorIsWithinTheClipWhateverTheScores) {
  const LabelType classes = {.kind = LabelType::Kind::kClasses,
                             .names = {"a", "b", "c"}};
  const LabelType number = {.kind = LabelType::Kind::kNumber};
  const double none = std::nan("");
  for (const double clip : {kTideLeastClip, 0.0625, 0.5}) {
    for (const double s : {none, HUGE_VAL, -HUGE_VAL, 1e300, -1e300, 0.0}) {
      double error = none;
      TideErrors({}, {&s, 1}, true, clip, {&error, 1});
      EXPECT_LE(std::abs(error), clip) << s;
      TideErrors(number, {&s, 1}, Label::OfNumber(0.25), clip, {&error, 1});
      EXPECT_LE(std::abs(error), clip) << s;
      const std::vector<double> scores = {1, s, s};
      std::vector<double> errors(3, none);
      TideErrors(classes, scores, Label::OfClass(0), clip, errors);
      EXPECT_LE(std::hypot(errors[0], errors[1], errors[2]), clip) << s;
    }
  }
}

TEST(PrivateTideTest, RefusesWhatItCannotPromise) {
  const Schema schema = Table();
  PrivateTide::Params params = Quick(schema);
  params.delta = 0;
  EXPECT_FALSE(PrivateTide::Create(params));
  params = Quick(schema);
  params.label = {.kind = LabelType::Kind::kClasses, .names = {"one"}};
  EXPECT_FALSE(PrivateTide::Create(params));
  params.label = {.kind = LabelType::Kind::kNumber, .low = 1, .high = 1};
  EXPECT_FALSE(PrivateTide::Create(params));
  params = Quick(schema);
  params.schedule.memory = 1;
  EXPECT_FALSE(PrivateTide::Create(params));
  params = Quick(schema);
  params.schedule.batch = kTideMostRounds;
  EXPECT_TRUE(PrivateTide::Create(params));
  params.schedule.batch = kTideMostRounds + 1;
  EXPECT_FALSE(PrivateTide::Create(params));
  params = Quick(schema);
  params.schedule.start_rows = kTideMostRounds + 1;
  EXPECT_FALSE(PrivateTide::Create(params));
  for (const double rate : {-1.0, 65.0, std::nan(""), HUGE_VAL}) {
    for (double TideSchedule::*part :
         {&TideSchedule::rate, &TideSchedule::early,
          &TideSchedule::first_rate}) {
      params = Quick(schema);
      params.schedule.*part = rate;
      EXPECT_FALSE(PrivateTide::Create(params)) << rate;
    }
  }
}

TEST(PrivateTideTest, HashedFeaturesWorkWithoutASchema) {
  auto tide =
      PrivateTide::Create({.epsilon = 16,
                           .delta = 1e-3,
                           .encoding = {.features = 200},
                           .schedule = {.start_rows = 50, .batch = 10}});
  ASSERT_TRUE(tide);
  testing::SeededRng rng(12);
  int wrong = 0;
  for (std::uint32_t t = 0; t < 3000; ++t) {
    const auto word = static_cast<std::uint32_t>(rng.Next() % 20);
    const bool y = word % 2 == 0;
    const FeatureVector x = {{word, 1}, {100 + t % 50, 1}};
    const auto prediction = tide->Play(x, y, rng);
    if (t >= 2000 && prediction->prediction != Label(y)) ++wrong;
  }
  EXPECT_LT(wrong, 50);
}

}  // namespace
}  // namespace sotto
