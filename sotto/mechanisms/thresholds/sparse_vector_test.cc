#include "sotto/mechanisms/thresholds/sparse_vector.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sotto/mechanisms/thresholds/sparse_vector_query.h"
#include "sotto/testing/neighbour_replay.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Answer = SparseVector::Answer;
using Form = SparseVector::Form;
using Params = SparseVector::Params;

TEST(SparseVectorTest, TakesTheFormWithTheLeastNoise) {
  for (const bool monotone : {false, true}) {
    for (const std::int64_t reports : {1, 25, 100}) {
      Params params{.epsilon = 1,
                    .delta = 1e-6,
                    .reports = reports,
                    .monotone = monotone};
      const auto best = SparseVector::Create(params);
      ASSERT_TRUE(best);
      for (const Form form : {Form::kNoisyThreshold, Form::kRedrawnThreshold,
                              Form::kFreshNoise}) {
        params.form = form;
        const auto other = SparseVector::Create(params);
        ASSERT_TRUE(other);
        EXPECT_EQ(other->form(), form);
        EXPECT_LE(0.99 * best->NoiseDeviation(), other->NoiseDeviation());
      }
      const bool few = reports <= (monotone ? 80 : 25);
      EXPECT_EQ(best->form(), few ? Form::kNoisyThreshold : Form::kFreshNoise);
    }
  }
}

TEST(SparseVectorTest, UsesTheNoiseScaleThatIsPromised) {
  for (const auto& [reports, most] :
       {std::pair(1, 3.3), {10, 29.0}, {100, 70.0}, {1000, 200.0}}) {
    const auto test =
        SparseVector::Create({.epsilon = 1, .delta = 1e-6, .reports = reports});
    ASSERT_TRUE(test);
    EXPECT_LE(1 / test->query_rate(), most);
  }
}

TEST(SparseVectorStatisticalTest, UsesTheNoiseScaleThatIsPromisedFor10000) {
  const auto test =
      SparseVector::Create({.epsilon = 1, .delta = 1e-6, .reports = 10'000});
  ASSERT_TRUE(test);
  EXPECT_LE(1 / test->query_rate(), 615);
}

TEST(SparseVectorTest, OneReportIsPure) {
  const auto test = SparseVector::Create({.epsilon = 1, .delta = 1e-6});
  ASSERT_TRUE(test);
  EXPECT_EQ(test->form(), Form::kNoisyThreshold);
  EXPECT_EQ(test->guarantee().delta(), SamplerSlack(1));
  EXPECT_LT(SamplerSlack(1), 1e-14);
  const auto pure = SparseVector::Create({.epsilon = 1, .reports = 100});
  ASSERT_TRUE(pure);
  EXPECT_EQ(pure->form(), Form::kNoisyThreshold);
}

TEST(SparseVectorTest, RejectsParametersOutsideTheContract) {
  for (const Params& bad :
       {Params{.epsilon = 0, .delta = 1e-6}, Params{.epsilon = NAN},
        Params{.epsilon = 1, .delta = 1e-6, .reports = 0},
        Params{.epsilon = 1, .threshold = kQueryLimit + 1},
        Params{.epsilon = 1, .form = Form::kFreshNoise}}) {
    const auto test = SparseVector::Create(bad);
    ASSERT_FALSE(test);
    EXPECT_EQ(test.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(SparseVectorTest, AllFormsFindWhatIsFarFromTheThreshold) {
  for (const Form form :
       {Form::kNoisyThreshold, Form::kRedrawnThreshold, Form::kFreshNoise}) {
    for (const Charge charge : {Charge::kAbove, Charge::kBelow}) {
      testing::SeededRng rng(6);
      auto test = SparseVector::Create({.epsilon = 1,
                                        .delta = 1e-6,
                                        .threshold = 100,
                                        .reports = 3,
                                        .charge = charge,
                                        .form = form});
      ASSERT_TRUE(test);
      const std::int64_t w = test->ErrorBound(40, 1e-9);
      std::vector<std::int64_t> values;
      for (int i = 0; i < 40; ++i) {
        const bool above = (i % 10 == 9) == (charge == Charge::kAbove);
        values.push_back(above ? 100 + w : 100 - w);
      }
      std::vector<Answer> answers(values.size());
      test->TestBatch(values, answers, rng);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Answer right = values[i] >= 100 ? Answer::kAbove : Answer::kBelow;
        EXPECT_EQ(answers[i], i < 30 ? right : Answer::kHalted);
      }
      EXPECT_TRUE(test->halted());
      EXPECT_EQ(test->Test(0, rng), Answer::kHalted);
    }
  }
}

TEST(SparseVectorTest, ASavedTestGoesOnAsIfNothingHappened) {
  for (const Form form :
       {Form::kNoisyThreshold, Form::kRedrawnThreshold, Form::kFreshNoise}) {
    const Params params{
        .epsilon = 1, .delta = 1e-6, .reports = 8, .form = form};
    testing::SeededRng rng(9);
    auto test = SparseVector::Create(params);
    ASSERT_TRUE(test);
    for (int i = 0; i < 5; ++i) test->Test(0, rng);
    ByteWriter writer;
    test->Save(writer);
    Params any = params;
    any.form.reset();
    ByteReader reader(writer.bytes());
    auto loaded = SparseVector::Load(any, reader);
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(reader.Finish());
    EXPECT_EQ(loaded->form(), form);
    testing::SeededRng rng_a(10);
    testing::SeededRng rng_b(10);
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(test->Test(0, rng_a), loaded->Test(0, rng_b));
    }
    EXPECT_EQ(loaded->reports_left(), test->reports_left());
  }
}

// At these, rounding an epsilon up from its parts passes the target.
TEST(SparseVectorTest, LoadAcceptsANoisyThresholdAtEveryEpsilon) {
  for (const double epsilon : {0.56930248142443607, 1.1, 2.7537287417311989}) {
    for (const std::int64_t reports : {1, 3, 17, 90}) {
      const Params params{.epsilon = epsilon,
                          .delta = 1e-6,
                          .reports = reports,
                          .form = Form::kNoisyThreshold};
      const auto test = SparseVector::Create(params);
      ASSERT_TRUE(test);
      ByteWriter writer;
      test->Save(writer);
      ByteReader reader(writer.bytes());
      EXPECT_TRUE(SparseVector::Load(params, reader));
    }
  }
}

TEST(SparseVectorTest, DamagedStatesAreRefused) {
  const Params params{.epsilon = 1, .delta = 1e-6};
  for (const std::string_view bytes : {"", "x", "sparse_vector/1"}) {
    ByteReader reader(bytes);
    EXPECT_FALSE(SparseVector::Load(params, reader));
  }
  ByteWriter writer;
  writer.Text("sparse_vector/1");
  writer.Number(std::uint8_t{7});
  ByteReader reader(writer.bytes());
  EXPECT_EQ(SparseVector::Load(params, reader).error().code,
            ErrorCode::kCorruption);
}

TEST(RealQueryTest, FloorsTheExactQuotient) {
  const auto third =
      RealQuery::Create({.sensitivity = *Rational::Create(1, 3)});
  const auto tenth =
      RealQuery::Create({.sensitivity = *Rational::Create(1, 10)});
  ASSERT_TRUE(third && tenth);
  EXPECT_EQ(third->Floor(1), 3);
  EXPECT_EQ(third->Floor(std::nextafter(1, 0)), 2);
  EXPECT_EQ(third->Floor(-1), -3);
  EXPECT_EQ(third->Floor(-0.1), -1);
  EXPECT_EQ(third->Floor(0), 0);
  EXPECT_EQ(third->Floor(-0.0), 0);
  // The double 0.3 is below three tenths, 0.1 above one.
  EXPECT_EQ(tenth->Floor(0.3), 2);
  EXPECT_EQ(tenth->Floor(0.1), 1);
  EXPECT_EQ(tenth->Floor(-1e-320), -1);
  EXPECT_EQ(tenth->Floor(1e-320), 0);
}

TEST(RealQueryTest, SaturatesAndNeverFails) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::uint64_t most = std::uint64_t{1} << 61;
  const auto one = RealQuery::Create({.sensitivity = *Rational::Create(1, 1)});
  const auto tiny =
      RealQuery::Create({.sensitivity = *Rational::Create(1, most)});
  const auto huge =
      RealQuery::Create({.sensitivity = *Rational::Create(most, 1)});
  ASSERT_TRUE(one && tiny && huge);
  for (const RealQuery& query : {*one, *tiny, *huge}) {
    EXPECT_EQ(query.Floor(kInf), kQueryLimit);
    EXPECT_EQ(query.Floor(-kInf), -kQueryLimit);
    EXPECT_EQ(query.Floor(1e308), kQueryLimit);
    EXPECT_EQ(query.Floor(-1e308), -kQueryLimit);
    EXPECT_EQ(query.Floor(NAN), -kQueryLimit);
  }
  EXPECT_EQ(one->Floor(0x1p59), std::int64_t{1} << 59);
  EXPECT_EQ(one->Floor(0x1p61), kQueryLimit);
  EXPECT_EQ(huge->Floor(0x1p100), std::int64_t{1} << 39);
  EXPECT_EQ(huge->Floor(-1), -1);
  EXPECT_EQ(tiny->Floor(0x1p-61), 1);
  EXPECT_EQ(tiny->Floor(-0x1p-62), -1);
  EXPECT_FALSE(
      RealQuery::Create({.sensitivity = *Rational::Create(2 * most, 1)}));
}

// Same-randomness replay: the values that noise is added to, on neighbours that
// differ by exactly the sensitivity or slightly less. Multiplying by the
// rounded reciprocal is the broken variant.
TEST(RealQueryTest, NeighboursDifferByOneWhichARoundedReciprocalBreaks) {
  const double sensitivity = 0.1;
  const auto query =
      RealQuery::Create({.sensitivity = *RationalBelow(sensitivity)});
  ASSERT_TRUE(query);
  const auto multiply = [](double value) {
    return static_cast<std::int64_t>(std::floor(value * 10));
  };
  const auto replay = [&](const auto& to_integer) {
    const NoiseTape tape = [](int, int) { return std::int64_t{0}; };
    return ReplayNeighbours(tape, 1, ReplayMode::kSameNoise,
                            [&](World world, NoiseRecorder& noise) {
                              for (int i = 1; i < 3000; ++i) {
                                noise.BeginRound();
                                double value = i * sensitivity;
                                while (multiply(value) >= i)
                                  value = std::nextafter(value, 0);
                                const double other = value + sensitivity;
                                // The subtraction is exact, so this is the true
                                // distance.
                                const bool far = other - value > sensitivity;
                                if (world == World::kQ) {
                                  value =
                                      far ? std::nextafter(other, 0) : other;
                                }
                                noise.Add(to_integer(value));
                              }
                            });
  };
  const auto sound = replay([&](double x) { return query->Floor(x); });
  EXPECT_FALSE(sound.violation);
  EXPECT_EQ(sound.compared, 2999);
  EXPECT_TRUE(replay(multiply).violation);
}

}  // namespace
}  // namespace sotto
