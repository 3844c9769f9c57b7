// The generic predictor of [PERP] as printed, with every query paid for:
// small instances exactly, and the printed lines beside the class.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/accounting/binomial_composition.h"
#include "sotto/base/int128.h"
#include "sotto/base/settings.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/threshold_learner.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/everlasting/everlasting_predictor.h"
#include "sotto/online/shared_options.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/distributions/everlasting.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::SeededRng;
using BrokenVariant = BrokenEverlastingVariant;
using Distribution = EverlastingDistribution<double>;

// --- Exactly.

struct Setting {
  double e0;
  int teachers;
  int clock;  // rounds of a phase
  double epsilon;
};

const std::vector<Setting>& Settings() {
  static const std::vector<Setting> kSettings = {
      {0.5, 2, 2, 0.5}, {0.5, 2, 3, 1}, {1, 2, 2, 1},
      {0.3, 3, 3, 0.5}, {1, 3, 2, 1.5}, {0.8, 2, 3, 1}};
  return kSettings;
}

// All votes are seen up to one beyond the teachers; a Stopper that halts with
// probability e^-100 is none.
Distribution ComputeDistribution(const Setting& s, bool replace) {
  Distribution distribution;
  distribution.round = {.theta = std::exp(-s.e0),
                        .low = -2,
                        .high = s.teachers + 2,
                        .copies = s.teachers,
                        .stopper_theta = std::exp(-10.0),
                        .limit = 15};
  for (int i = 0; 2 * i < s.teachers; ++i) distribution.start |= 3U << 2 * i;
  distribution.keeps_all = true;
  distribution.clock = s.clock;
  distribution.phases = 2;
  distribution.replace = replace;
  return distribution;
}

double ComputeDelta(const Setting& s, const Distribution& distribution,
                    int rounds = 0) {
  if (rounds == 0) rounds = 2 * s.clock;
  double worst = 0;
  for (const Direction way : {Direction::kPOverQ, Direction::kQOverP}) {
    const auto delta =
        ExactGame(distribution, rounds).Delta(std::exp(s.epsilon), way);
    EXPECT_TRUE(delta) << (delta ? "" : delta.error().message);
    worst = std::max(worst, delta ? *delta : 2);
  }
  return worst;
}

double Claim(const Setting& s) {
  return EverlastingDelta({.teachers = s.teachers,
                           .rate = s.e0,
                           .rounds = static_cast<std::uint64_t>(s.clock)},
                          static_cast<std::uint64_t>(s.clock), 0, s.epsilon,
                          Relation::kReplace);
}

TEST(PaidEverlastingGameExactTest, ARecordCostsTheVotesOfOnePhase) {
  for (const Setting& s : Settings()) {
    for (const bool replace : {false, true}) {
      const double delta = ComputeDelta(s, ComputeDistribution(s, replace));
      EXPECT_LE(delta, Claim(s) + 1e-9) << s.e0 << " " << s.teachers;
      EXPECT_GE(delta, 0.9 * Claim(s)) << s.e0 << " " << s.teachers;
    }
  }
}

TEST(PaidEverlastingGameExactTest, BrokenVariantsAreRefuted) {
  const Setting s{0.5, 3, 3, 0.5};
  for (const BrokenVariant variant :
       {BrokenVariant::kTwoTeachers, BrokenVariant::kTwoChunks}) {
    Distribution distribution = ComputeDistribution(s, true);
    distribution.variant = variant;
    EXPECT_GT(ComputeDelta(s, distribution), 1.1 * Claim(s));
  }
  // A phase that is longer than what was paid for.
  Setting longer = s;
  longer.clock = 4;
  EXPECT_GT(ComputeDelta(longer, ComputeDistribution(longer, true)),
            1.1 * Claim(s));
}

// Rows dealt out in turn: an empty round moves all later ones.
TEST(PaidEverlastingGameExactTest, APartitionByPositionIsRefuted) {
  // Two rows of each point; a row before them moves all of them on.
  const Setting s{0.5, 2, 2, 0.5};
  Distribution distribution = ComputeDistribution(s, false);
  distribution.first = distribution.round;
  distribution.first_clock = 5;
  distribution.groups = true;
  distribution.points = 2;
  distribution.start = 1U | 1U << 2;
  distribution.trains = false;
  distribution.script = {{.point = {1, Distribution::kAbsent}, .hidden = true},
                         {.point = {0, 0}},
                         {.point = {0, 0}},
                         {.point = {1, 1}, .slot = 1},
                         {.point = {1, 1}, .slot = 1}};
  const int rounds = distribution.first_clock + s.clock;
  EXPECT_LE(ComputeDelta(s, distribution, rounds), Claim(s) + 1e-9);
  distribution.variant = BrokenVariant::kChunkFromData;
  EXPECT_GT(ComputeDelta(s, distribution, rounds), 1.1 * Claim(s));
}

// --- The delta that is charged.

TEST(PaidEverlastingTest, EveryRoundIsChargedAndNothingElse) {
  const EverlastingPhase phase{.teachers = 100, .rate = 0.01, .rounds = 5'000};
  ASSERT_TRUE(phase.paid());
  const double votes = *BinomialDelta(0.01, 5'000, 2);
  for (const Relation relation : {Relation::kAddRemove, Relation::kReplace}) {
    const double delta = EverlastingDelta(phase, 5'000, 0, 2, relation);
    EXPECT_GE(delta, votes);
    EXPECT_LE(delta, votes * (1 + 1e-12));
  }
}

EverlastingSchedule::Params SmallParams() {
  return {.epsilon = 8,
          .delta = 1e-2,
          .relation = Relation::kAddRemove,
          .period = 20'000,
          .shape = {.rows = 30, .paid = true}};
}

TEST(PaidEverlastingTest, PhasesSpendTheirDeltaAndNoMore) {
  auto schedule = EverlastingSchedule::Create(SmallParams());
  ASSERT_TRUE(schedule) << schedule.error().message;
  for (std::uint64_t p = 0; p < 4; ++p) {
    const auto phase = schedule->At(p);
    ASSERT_TRUE(phase) << phase.error().message;
    EXPECT_TRUE(phase->paid());
    const double allowed = schedule->ComputeDelta(p);
    const double spent = *BinomialDelta(phase->rate, phase->rounds, 8);
    EXPECT_LE(spent, allowed);
    EXPECT_GT(*BinomialDelta(1.01 * phase->rate, phase->rounds, 8), allowed);
    // T = 8 b.
    const double teachers = static_cast<double>(phase->teachers);
    EXPECT_NEAR(teachers * phase->rate, 8, 0.2);
    EXPECT_NEAR(static_cast<double>(phase->rounds), 30 * teachers, 31);
  }
  EXPECT_EQ(schedule->guarantee().epsilon(), 8);
  EXPECT_LE(schedule->guarantee().schedule()->Sum(), 1e-2);
}

TEST(PaidEverlastingTest, RefusesAStopperAndPhasesOfTheOtherForm) {
  auto params = SmallParams();
  params.stopper = 1;
  EXPECT_FALSE(EverlastingSchedule::Create(params));
  // A saved state whose facts say that not every round is paid for.
  auto paid = EverlastingSchedule::Create(SmallParams());
  ASSERT_TRUE(paid && paid->At(0));
  ByteWriter writer;
  paid->Save(writer);
  ByteReader same(writer.bytes());
  const auto loaded = EverlastingSchedule::Load(same);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->params(), paid->params());
  std::string bytes = writer.bytes();
  constexpr std::size_t kFacts = 8 + 8 + 1 + 8;
  bytes[kFacts] = static_cast<char>(bytes[kFacts] & ~2);
  ByteReader other(bytes);
  EXPECT_FALSE(EverlastingSchedule::Load(other));
}

sotto::Settings Said(
    std::initializer_list<std::pair<const char*, const char*>> more) {
  sotto::Settings settings(ConcatOptions(
      {PrivacyOptions(), StreamOptions(), EverlastingEntry().options}));
  EXPECT_TRUE(settings.Set("epsilon", "8"));
  EXPECT_TRUE(settings.Set("delta", "1e-3"));
  EXPECT_TRUE(settings.Set("training-rows", "16560"));
  for (const auto& [name, value] : more) {
    EXPECT_TRUE(settings.Set(name, value)) << name;
  }
  return settings;
}

// Both are in either plan, with the noise that running them would have.
TEST(PaidEverlastingTest, ThePlanHasPrintedAndLeastNumbersSideBySide) {
  const auto least =
      EverlastingEntry().plan(Said({{"calibration", "paper"}}), nullptr);
  const auto printed = EverlastingEntry().plan(
      Said({{"calibration", "paper"}, {"constants", "printed"}}), nullptr);
  ASSERT_TRUE(least && printed);
  for (const char* name : {"printed", "least"}) {
    EXPECT_EQ(*least->more.Find(name), *printed->more.Find(name));
  }
  EXPECT_EQ(*printed->parameters.Find("noise_scale"),
            *printed->more.Find("printed")->Find("noise_scale"));
  EXPECT_EQ(*least->parameters.Find("noise_scale"),
            *least->more.Find("least")->Find("noise_scale"));
  // 828 votes beside noise of thousands.
  EXPECT_EQ(printed->verdict, Verdict::kHopeless);
  EXPECT_EQ(*printed->more.Find("error_expected"), Json(0.5));
  EXPECT_EQ(least->verdict, Verdict::kComfortable);
  EXPECT_FALSE(
      EverlastingEntry().plan(Said({{"constants", "printed"}}), nullptr));
  EXPECT_FALSE(EverlastingEntry().plan(Said({{"calibration", "paper"},
                                             {"constants", "printed"},
                                             {"teachers", "10"}}),
                                       nullptr));
}

// --- The printed lines.

// Appendix A.1: rows in chunks, a hypothesis for each, noisy majorities, and
// the answers as the next training set. Chunks are drawn for each place.
class PrintedLines {
 public:
  PrintedLines(EverlastingSchedule schedule, Rng& rng)
      : schedule_(std::move(schedule)), rng_(rng) {
    now_ = *schedule_.At(0);
    next_ = *schedule_.At(1);
    noise_ = *FixedWorkLaplace::Create(ExactRate(now_.rate));
    hypotheses_.assign(static_cast<std::size_t>(now_.teachers), {});
    chunks_.assign(static_cast<std::size_t>(next_.teachers), {});
  }

  void Row(double x, bool y) {
    Learn(hypotheses_[Draw(now_.teachers, rng_.Next())], x, y);
  }
  // The label of a query; nothing for an empty round.
  std::optional<bool> Step4(std::optional<double> x) {
    const std::uint64_t word = rng_.Next();
    const std::int64_t noise = noise_->Sample(rng_);
    std::optional<bool> label;
    if (x) {
      std::int64_t votes = 0;
      for (const ThresholdLearner& h : hypotheses_) {
        votes += h.Predict(FeatureVector{{0, *x}}) ? 1 : 0;
      }
      label = 2 * (votes + noise) > now_.teachers;
      chunks_[Draw(next_.teachers, word)].emplace_back(*x, *label);
    }
    if (++round_ == now_.rounds) Step5();
    return label;
  }

 private:
  static std::size_t Draw(std::int64_t size, std::uint64_t word) {
    return static_cast<std::size_t>(
        High64(static_cast<Uint128>(word) * static_cast<std::uint64_t>(size)));
  }
  static void Learn(ThresholdLearner& h, double x, bool y) {
    h.Update(FeatureVector{{0, x}}, y);
  }
  // The answers are the next training set.
  void Step5() {
    hypotheses_.assign(chunks_.size(), {});
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      for (const auto& [x, y] : chunks_[i]) Learn(hypotheses_[i], x, y);
    }
    round_ = 0;
    now_ = next_;
    noise_ = *FixedWorkLaplace::Create(ExactRate(now_.rate));
    next_ = *schedule_.At(++phase_ + 1);
    chunks_.assign(static_cast<std::size_t>(next_.teachers), {});
  }

  EverlastingSchedule schedule_;
  Rng& rng_;
  std::uint64_t phase_ = 0;
  std::uint64_t round_ = 0;
  EverlastingPhase now_;
  EverlastingPhase next_;
  std::optional<FixedWorkLaplace> noise_;
  std::vector<ThresholdLearner> hypotheses_;
  std::vector<std::vector<std::pair<double, bool>>> chunks_;
};

EnsembleFactory Teachers() {
  return [](std::uint64_t,
            std::int64_t copies) -> Result<std::unique_ptr<Ensemble>> {
    return std::unique_ptr<Ensemble>(
        std::make_unique<NaiveEnsemble<ThresholdLearner>>(ThresholdLearner(),
                                                          copies));
  };
}

double Unit(Rng& rng) {
  return std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
}

TEST(PaidEverlastingTest, AnswersAsTheLinesOfThePaper) {
  auto params = SmallParams();
  params.epsilon = 16;
  params.delta = 0.3;
  params.shape.rows = 8;
  auto schedule = EverlastingSchedule::Create(params);
  ASSERT_TRUE(schedule) << schedule.error().message;
  ASSERT_TRUE(schedule->At(1));
  auto predictor = EverlastingPredictor::Create(*schedule, Teachers());
  ASSERT_TRUE(predictor);
  SeededRng data(1);
  SeededRng here(2);
  SeededRng there(2);
  PrintedLines lines(*schedule, there);
  for (int i = 0; i < 5'000; ++i) {
    const double x = Unit(data);
    ASSERT_TRUE(predictor->Train(FeatureVector{{0, x}}, x >= 0.4, here));
    lines.Row(x, x >= 0.4);
  }
  int wrong = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = Unit(data);
    if (i % 9 == 0) {
      ASSERT_TRUE(predictor->PlayEmptyRound(here));
      lines.Step4({});
      continue;
    }
    const auto answer = predictor->Open(FeatureVector{{0, x}}, here);
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->prediction, lines.Step4(x)) << i;
    EXPECT_TRUE(answer->paid);
    wrong += answer->prediction != (x >= 0.4) ? 1 : 0;
    if (i % 7'919 == 0) {
      ByteWriter writer;
      ASSERT_TRUE(predictor->Save(writer));
      ByteReader reader(writer.bytes());
      predictor =
          EverlastingPredictor::Load(predictor->schedule(), Teachers(), reader);
      ASSERT_TRUE(predictor) << predictor.error().message;
      ASSERT_TRUE(reader.Finish());
    }
  }
  EXPECT_EQ(here.Next(), there.Next());
  EXPECT_GE(predictor->phase(), 3u);
  EXPECT_LT(wrong, 40'000);
}

}  // namespace
}  // namespace sotto
