#include "sotto/models/everlasting/everlasting_predictor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/boundary_prober.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::SeededRng;

EnsembleFactory MakeFactory(const char* learner) {
  auto spec = LearnerSpec::Parse(learner);
  return *MakeEnsembleFactory(*spec, {});
}

// Small explicit phases: their cost does not matter here.
EverlastingSchedule SmallSchedule(std::int64_t teachers, std::uint64_t rounds,
                                  double band = 0.5) {
  auto schedule = EverlastingSchedule::Create({.epsilon = 4,
                                               .delta = 1e-5,
                                               .spread = DeltaSpread::kConstant,
                                               .stopper = 0.4,
                                               .shape = {.gap = band,
                                                         .teachers = teachers,
                                                         .reports = 200,
                                                         .rounds = rounds}});
  EXPECT_TRUE(schedule);
  return *schedule;
}

EverlastingPredictor Small(std::int64_t teachers, std::uint64_t rounds) {
  auto predictor = EverlastingPredictor::Create(SmallSchedule(teachers, rounds),
                                                MakeFactory("threshold"));
  EXPECT_TRUE(predictor);
  return *std::move(predictor);
}

double Unit(Rng& rng) {
  return static_cast<double>(rng.Next() >> 11) * 0x1p-53;
}
FeatureVector At(double x) { return {{0, x}}; }

// The largest difference of votes over the unit interval.
std::int64_t Difference(EverlastingPredictor& a, EverlastingPredictor& b) {
  std::int64_t most = 0;
  for (int i = 0; i <= 200; ++i) {
    const FeatureVector x = At(i / 200.0);
    most = std::max(most, std::abs(*a.Votes(x) - *b.Votes(x)));
  }
  return most;
}

// The last row is `changed`; the others are of a threshold at 0.4.
void TrainOn(EverlastingPredictor& predictor, const FeatureVector& changed,
             std::optional<bool> label) {
  SeededRng data(1);
  SeededRng rng(2);
  for (int i = 0; i < 500; ++i) {
    const double x = Unit(data);
    const Status taught = i == 499 ? predictor.Train(changed, label, rng)
                                   : predictor.Train(At(x), x >= 0.4, rng);
    ASSERT_TRUE(taught);
  }
}

TEST(EverlastingPredictorTest, ALabelledRowChangesOneTeacher) {
  EverlastingPredictor here = Small(50, 100);
  TrainOn(here, At(0.9), false);
  for (const auto& label : {std::optional<bool>(), std::optional(true)}) {
    EverlastingPredictor there = Small(50, 100);
    TrainOn(there, At(0.1), label);
    EXPECT_EQ(Difference(here, there), 1);
  }
  EXPECT_EQ(here.labelled(), 500U);
}

// Rounds with the noise of `rng`, round 30 with `changed`, or empty.
void PlayRounds(EverlastingPredictor& predictor,
                const std::optional<FeatureVector>& changed, int rounds) {
  SeededRng data(3);
  SeededRng rng(4);
  for (int i = 0; i < rounds; ++i) {
    const double x = Unit(data);
    if (i != 30) {
      ASSERT_TRUE(predictor.Open(At(x), rng));
    } else if (changed) {
      ASSERT_TRUE(predictor.Open(*changed, rng));
    } else {
      ASSERT_TRUE(predictor.PlayEmptyRound(rng));
    }
  }
}

TEST(EverlastingPredictorTest, AQueryChangesOneTeacherOfTheNextPhase) {
  std::int64_t most = 0;
  for (const auto& changed : {std::optional(At(0.02)), std::optional(At(0.99)),
                              std::optional<FeatureVector>()}) {
    EverlastingPredictor here = Small(50, 100);
    TrainOn(here, At(0.9), true);
    PlayRounds(here, At(0.45), 100);
    EverlastingPredictor there = Small(50, 100);
    TrainOn(there, At(0.9), true);
    PlayRounds(there, changed, 100);
    ASSERT_EQ(here.phase(), 1U);
    ASSERT_EQ(there.phase(), 1U);
    EXPECT_LE(Difference(here, there), 1);
    most = std::max(most, Difference(here, there));
  }
  EXPECT_EQ(most, 1);
}

// The noise as it is drawn, not a part of it, fresh in every round.
TEST(EverlastingPredictorTest, ADrawIsWhatItsSamplersReturn) {
  EverlastingPredictor predictor = Small(301, 1000);
  SeededRng code(5);
  SeededRng own(5);
  const auto laplace =
      FixedWorkLaplace::Create(ExactRate(predictor.now().rate));
  const auto rate = SnapRate(predictor.schedule().params().stopper);
  ASSERT_TRUE(laplace && rate);
  const auto geometric = FixedWorkGeometric::Create(ExactRate(*rate));
  for (int round = 0; round < 200; ++round) {
    const EverlastingPredictor::Draw draw = predictor.DrawRound(code);
    EXPECT_EQ(draw.chunk, own.Next());
    EXPECT_EQ(draw.noise, laplace->Sample(own));
    if (round == 0) geometric->Sample(own);  // of the threshold, once
    EXPECT_EQ(draw.stopper, geometric->Sample(own));
  }
}

// Each query teaches the teacher that its own draw names, also in a run.
TEST(EverlastingPredictorTest, ARunOfQueriesEqualsOneAfterTheOther) {
  constexpr std::size_t kRounds = 90;
  EverlastingPredictor single = Small(50, 100);
  EverlastingPredictor run = Small(50, 100);
  TrainOn(single, At(0.9), true);
  TrainOn(run, At(0.9), true);
  SeededRng data(3);
  std::vector<FeatureVector> rows;
  for (std::size_t i = 0; i < kRounds; ++i) rows.push_back(At(Unit(data)));
  const std::vector<FeatureView> queries(rows.begin(), rows.end());
  const auto draws_of = [](EverlastingPredictor& predictor) {
    SeededRng rng(4);
    std::vector<EverlastingPredictor::Draw> draws;
    for (std::size_t i = 0; i < kRounds; ++i) {
      draws.push_back(predictor.DrawRound(rng));
    }
    return draws;
  };
  const auto draws = draws_of(run);
  ASSERT_EQ(draws_of(single).size(), kRounds);
  std::vector<EverlastingPredictor::Answer> together(kRounds);
  const auto played = run.PlayDrawn(queries, draws, together);
  ASSERT_TRUE(played);
  ASSERT_EQ(*played, kRounds);
  for (std::size_t i = 0; i < kRounds; ++i) {
    EverlastingPredictor::Answer answer;
    ASSERT_TRUE(
        single.PlayDrawn({&queries[i], 1}, {&draws[i], 1}, {&answer, 1}));
    EXPECT_EQ(answer.prediction, together[i].prediction);
  }
  const auto saved = [](EverlastingPredictor& predictor) {
    ByteWriter writer;
    EXPECT_TRUE(predictor.Save(writer));
    return std::move(writer).bytes();
  };
  EXPECT_EQ(saved(run), saved(single));
}

TEST(EverlastingPredictorTest, TheZoneOfTheNoisyVoteDecidesAlone) {
  EverlastingPredictor predictor = Small(101, 1000);
  TrainOn(predictor, At(0.9), true);
  const EverlastingBand band = ComputeBand(predictor.now());
  EXPECT_LT(2 * band.low, predictor.now().teachers);
  EXPECT_GT(2 * band.high, predictor.now().teachers);
  SeededRng rng(5);
  const FeatureVector x = At(0.4);
  const FeatureView query = x;
  const std::int64_t votes = *predictor.Votes(x);
  for (std::int64_t noise = -101; noise <= 101; ++noise) {
    auto draw = predictor.DrawRound(rng);
    draw.noise = noise;
    EverlastingPredictor::Answer answer;
    ASSERT_TRUE(predictor.PlayDrawn({&query, 1}, {&draw, 1}, {&answer, 1}));
    const std::int64_t n = votes + noise;
    EXPECT_EQ(answer.paid, band.low < n && n < band.high);
    if (!answer.paid) {
      EXPECT_EQ(answer.prediction, n >= band.high);
    }
  }
}

// Two different queries, both undecided: no one learns which.
TEST(EverlastingPredictorTest, AnUndecidedQueryTeachesNobody) {
  const auto state_after = [](double at) {
    EverlastingPredictor predictor = Small(101, 1000);
    TrainOn(predictor, At(0.9), true);
    SeededRng rng(5);
    const FeatureVector x = At(at);
    const FeatureView query = x;
    for (int i = 0; i < 20; ++i) {
      auto draw = predictor.DrawRound(rng);
      draw.noise = predictor.now().teachers / 2 - *predictor.Votes(x);
      EverlastingPredictor::Answer answer;
      EXPECT_TRUE(predictor.PlayDrawn({&query, 1}, {&draw, 1}, {&answer, 1}));
      EXPECT_TRUE(answer.paid);
    }
    ByteWriter writer;
    EXPECT_TRUE(predictor.Save(writer));
    return std::move(writer).bytes();
  };
  EXPECT_EQ(state_after(0.1), state_after(0.8));
}

TEST(EverlastingPredictorTest, PhasesEndByTheClockWhateverComes) {
  for (const bool empty : {false, true}) {
    EverlastingPredictor predictor = Small(400, 50);
    TrainOn(predictor, At(0.9), true);
    SeededRng rng(6);
    for (std::uint64_t i = 0; i < 200; ++i) {
      EXPECT_EQ(predictor.phase(), i / 50);
      if (empty) {
        ASSERT_TRUE(predictor.PlayEmptyRound(rng));
      } else {
        ASSERT_TRUE(predictor.Open(At(0.9), rng));
      }
    }
  }
}

TEST(EverlastingPredictorTest, TheStopperEndsPhasesOfMediumRounds) {
  EverlastingPredictor predictor = Small(100, 1'000'000);
  TrainOn(predictor, At(0.9), true);
  SeededRng rng(6);
  std::uint64_t paid = 0;
  while (predictor.phase() == 0 && predictor.rounds() < 100'000) {
    paid += predictor.Open(At(0.4), rng)->paid ? 1 : 0;
  }
  EXPECT_EQ(predictor.phase(), 1U);
  EXPECT_GT(paid, 150U);
  EXPECT_LT(paid, 260U);
}

TEST(EverlastingPredictorTest, RowsComeBeforeTheFirstRound) {
  EverlastingPredictor predictor = Small(10, 50);
  SeededRng rng(7);
  ASSERT_TRUE(predictor.PlayEmptyRound(rng));
  const Status late = predictor.Train(At(0.5), true, rng);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kFailedPrecondition);
}

TEST(EverlastingPredictorTest, AProberFindsWhereAPredictorChangesItsMind) {
  testing::BoundaryProber prober(At(0), At(1));
  for (int i = 0; i < 60; ++i) {
    const bool prediction = prober.Next()[0].value < 0.3;  // falls
    if (i >= 30) {
      EXPECT_NEAR(prober.at(), 0.3, 1e-3);
    }
    prober.Prediction(prediction);
  }
}

struct Errors {
  std::vector<double> by_phase;
  std::int64_t teachers = 0;
};

Errors CountErrors(double honest, std::uint64_t rows, std::size_t phases) {
  const auto params = PlanEverlasting(
      {.epsilon = 8, .delta = 1e-5, .labelled = rows, .honest = honest});
  EXPECT_TRUE(params);
  auto schedule = EverlastingSchedule::Create(*params);
  auto predictor =
      EverlastingPredictor::Create(*schedule, MakeFactory("threshold"));
  EXPECT_TRUE(predictor);
  SeededRng rng(8);
  SeededRng data(9);
  for (std::uint64_t i = 0; i < rows; ++i) {
    const double x = Unit(data);
    EXPECT_TRUE(predictor->Train(At(x), x >= 0.6, rng));
  }
  testing::BoundaryProber prober(At(0), At(1));
  std::vector<double> wrong(phases);
  std::vector<double> all(phases);
  while (predictor->phase() < phases && !predictor->halted()) {
    const std::size_t phase = predictor->phase();
    const double x = Unit(data);
    if (Unit(data) >= honest) {
      prober.Prediction(predictor->Open(prober.Next(), rng)->prediction);
      continue;
    }
    ++all[phase];
    wrong[phase] += predictor->Open(At(x), rng)->prediction != (x >= 0.6);
  }
  Errors errors{{}, schedule->At(0)->teachers};
  for (std::size_t i = 0; i < phases; ++i) {
    errors.by_phase.push_back(wrong[i] / all[i]);
  }
  return errors;
}

TEST(EverlastingPredictorTest, AnswersForManyPhasesFromOneLabelledSet) {
  const Errors errors = CountErrors(1, 100'000, 4);
  for (const double error : errors.by_phase) EXPECT_LT(error, 0.01);
}

TEST(EverlastingPredictorTest, AlsoIfHalfOfTheQueriesProbeTheBoundary) {
  const Errors robust = CountErrors(0.5, 100'000, 4);
  for (const double error : robust.by_phase) EXPECT_LT(error, 0.05);
}

}  // namespace
}  // namespace sotto
