#include "sotto/models/winnow/private_winnow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::SeededRng;

PrivateWinnow::Params Small() {
  return {.epsilon = 3,
          .delta = 1e-6,
          .features = 20,
          .signs = false,
          .margin = 0.5,
          .horizon = 10'000};
}

// x in {-1, 1}^d; y is the sign of the sum of the first five, which is at least
// 3 in magnitude: margin 0.6 for the weights 1/5.
struct Example {
  FeatureVector x;
  bool y = false;
};

Example Draw(std::uint32_t features, Rng& rng) {
  Example e;
  for (;;) {
    e.x.clear();
    int sum = 0;
    std::uint64_t bits = 0;
    for (std::uint32_t j = 0; j < features; ++j) {
      if (j % 64 == 0) bits = rng.Next();
      const int value = ((bits >> (j % 64)) & 1) != 0 ? 1 : -1;
      if (j < 5) sum += value;
      e.x.push_back({j, static_cast<double>(value)});
    }
    e.y = sum > 0;
    if (sum >= 3 || sum <= -3) return e;
  }
}

struct Played {
  int mistakes = 0;
  int late = 0;  // in the last tenth
};

Played Play(PrivateWinnow& winnow, int rounds, std::uint64_t seed) {
  SeededRng data(seed);
  SeededRng noise(seed + 1'000'000);
  Played played;
  for (int t = 0; t < rounds; ++t) {
    const Example e = Draw(20, data);
    auto round = winnow.Open(e.x, noise);
    if (!round) return {rounds, rounds};
    const bool wrong = round->prediction != e.y;
    played.mistakes += wrong ? 1 : 0;
    played.late += wrong && t >= rounds - rounds / 10 ? 1 : 0;
    winnow.Close(*std::move(round), e.y);
  }
  return played;
}

std::string SaveToString(const PrivateWinnow& winnow) {
  ByteWriter writer;
  winnow.Save(writer);
  return std::move(writer).bytes();
}

TEST(PrivateWinnowTest, LearnsAHalfspaceAndStopsErring) {
  auto winnow = PrivateWinnow::Create(Small());
  ASSERT_TRUE(winnow) << winnow.error().message;
  const Played played = Play(*winnow, 4000, 1);
  EXPECT_LT(played.mistakes, 200);
  EXPECT_EQ(played.late, 0);
  EXPECT_GT(winnow->batches(), 2U);
}

TEST(PrivateWinnowTest, StatesItsGuaranteeBeforeAnyData) {
  const auto winnow = PrivateWinnow::Create(Small());
  ASSERT_TRUE(winnow);
  EXPECT_EQ(winnow->guarantee().notion(), Notion::kDp);
  EXPECT_EQ(winnow->guarantee().relation(), Relation::kReplace);
  EXPECT_EQ(winnow->guarantee().adversary(), Adversary::kAdaptive);
  EXPECT_EQ(winnow->guarantee().epsilon(), 3);
  EXPECT_LE(winnow->guarantee().delta(), 1e-6);
}

// The sums of all releases, as a state holds them: they are its end, before the
// open batch.
std::vector<std::int64_t> Released(const PrivateWinnow& winnow,
                                   std::size_t coordinates) {
  ByteWriter writer;
  winnow.Save(writer);
  const std::string_view bytes = writer.bytes();
  ByteReader reader(bytes.substr(bytes.size() - 16 * coordinates));
  std::vector<std::int64_t> released;
  for (std::size_t j = 0; j < coordinates; ++j) {
    released.push_back(reader.Number<std::int64_t>());
  }
  return released;
}

// Chi-square of 20,000 numbers: 5 % is five standard deviations.
TEST(PrivateWinnowTest, AReleaseOfNothingIsNoiseOfTheStatedVariance) {
  constexpr std::uint32_t kFeatures = 20'000;
  auto winnow = PrivateWinnow::Create({.epsilon = 3,
                                       .delta = 1e-6,
                                       .features = kFeatures,
                                       .signs = false,
                                       .margin = 0.5,
                                       .horizon = 10'000,
                                       .batch = 1});
  ASSERT_TRUE(winnow);
  SeededRng rng(11);
  for (int t = 0; t < 1000 && winnow->batches() == 0; ++t) {
    winnow->PlayEmptyRound(rng);
  }
  ASSERT_EQ(winnow->batches(), 1U);
  double squares = 0;
  for (const std::int64_t sum : Released(*winnow, kFeatures)) {
    squares += static_cast<double>(sum) * static_cast<double>(sum);
  }
  const double variance = winnow->noise().variance.ToDoubleUp();
  EXPECT_NEAR(squares / kFeatures, variance, 0.05 * variance);
}

// A released batch is not in the next one: right after a release, the open
// batch, the end of a state, holds nothing.
TEST(PrivateWinnowTest, AReleaseEmptiesTheBatch) {
  auto winnow = PrivateWinnow::Create(Small());
  ASSERT_TRUE(winnow);
  SeededRng data(1);
  SeededRng noise(2);
  for (int t = 0; t < 2000 && winnow->batches() < 3; ++t) {
    const Example e = Draw(20, data);
    const auto before = winnow->batches();
    auto round = winnow->Open(e.x, noise);
    ASSERT_TRUE(round);
    if (winnow->batches() > before) {
      const std::string state = SaveToString(*winnow);
      EXPECT_EQ(state.substr(state.size() - 8 * 20), std::string(8 * 20, '\0'));
    }
    winnow->Close(*std::move(round), e.y);
  }
  EXPECT_EQ(winnow->batches(), 3U);
}

TEST(PrivateWinnowTest, UsersOfManyRoundsGetMoreNoise) {
  auto params = Small();
  const auto one = PrivateWinnow::Create(params);
  params.rounds_per_user = 3;
  const auto three = PrivateWinnow::Create(params);
  ASSERT_TRUE(one && three);
  EXPECT_GT(three->noise().sigma, 2 * one->noise().sigma);
  EXPECT_EQ(three->guarantee().rounds_per_user(), 3U);
  EXPECT_LE(three->guarantee().epsilon(), 3.0000001);
  EXPECT_LE(three->guarantee().delta(), 1e-6);
}

TEST(PrivateWinnowTest, MistakesAreFewerThanProved) {
  auto params = Small();
  params.aim = WinnowAim::kProven;
  auto winnow = PrivateWinnow::Create(params);
  ASSERT_TRUE(winnow);
  const WinnowBound bound = winnow->Bound();
  EXPECT_LT(bound.mean_mistakes, bound.mistakes);
  EXPECT_LT(bound.mistakes, 10'000);
  EXPECT_LT(Play(*winnow, 4000, 2).mistakes, bound.mean_mistakes);
}

TEST(PrivateWinnowTest, AResumedRunEqualsAnUninterruptedOne) {
  auto whole = PrivateWinnow::Create(Small());
  auto first = PrivateWinnow::Create(Small());
  ASSERT_TRUE(whole && first);
  SeededRng data(5);
  SeededRng noise_whole(6);
  SeededRng noise_parts(6);
  for (int t = 0; t < 600; ++t) {
    const Example e = Draw(20, data);
    if (t % 150 == 149) {
      const std::string state = SaveToString(*first);
      ByteReader reader(state);
      first = PrivateWinnow::Load(Small(), reader);
      ASSERT_TRUE(first) << first.error().message;
      ASSERT_TRUE(reader.Finish());
    }
    auto a = whole->Open(e.x, noise_whole);
    auto b = first->Open(e.x, noise_parts);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->prediction, b->prediction);
    whole->Close(*std::move(a), e.y);
    first->Close(*std::move(b), e.y);
  }
  EXPECT_GT(whole->batches(), 1U);
  EXPECT_EQ(SaveToString(*whole), SaveToString(*first));
}

TEST(PrivateWinnowTest, RefusesAStateOfOtherParametersAndABrokenOne) {
  auto winnow = PrivateWinnow::Create(Small());
  ASSERT_TRUE(winnow);
  const std::string state = SaveToString(*winnow);
  auto other = Small();
  other.margin = 0.25;
  ByteReader reader(state);
  const auto loaded = PrivateWinnow::Load(other, reader);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kFailedPrecondition);
  ByteReader cut(std::string_view(state).substr(0, state.size() - 3));
  const auto broken = PrivateWinnow::Load(Small(), cut);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::kCorruption);
}

TEST(PrivateWinnowTest, ABadExampleFailsAloneAndTakesItsTick) {
  auto winnow = PrivateWinnow::Create(Small());
  ASSERT_TRUE(winnow);
  SeededRng noise(9);
  const std::string before = SaveToString(*winnow);
  const FeatureVector unsorted = {{3, 1.0}, {3, 1.0}};
  const FeatureVector beyond = {{20, 1.0}};
  const FeatureVector infinite = {{0, HUGE_VAL}};
  EXPECT_FALSE(winnow->Open(unsorted, noise));
  EXPECT_FALSE(winnow->Open(beyond, noise));
  EXPECT_FALSE(winnow->Open(infinite, noise));
  EXPECT_NE(SaveToString(*winnow), before);
  EXPECT_TRUE(winnow->Open({}, noise));
}

std::vector<std::int64_t> MakeBatch(const PrivateWinnow& winnow,
                                    std::size_t size) {
  const std::string state = SaveToString(winnow);
  ByteReader tail(std::string_view(state).substr(state.size() - 8 * size));
  std::vector<std::int64_t> sums(size);
  for (std::int64_t& sum : sums) sum = tail.Number<std::int64_t>();
  return sums;
}

// Whatever comes in, what is added to the sum is no longer than the public
// norm: the sensitivity of the proof, read off the saved state. And it is the
// scaled example, less than a unit off in each coordinate (step 8).
TEST(PrivateWinnowTest, NoExampleIsLongerThanThePublicNorm) {
  auto params = Small();
  params.max_norm = 1.5;
  params.bias = true;
  params.signs = true;
  params.batch = 1'000'000;  // nothing is released
  SeededRng data(11);
  SeededRng noise(12);
  auto winnow = PrivateWinnow::Create(params);
  ASSERT_TRUE(winnow) << winnow.error().message;
  for (int trial = 0; trial < 300; ++trial) {
    FeatureVector x;
    for (std::uint32_t j = 0; j < 20; ++j) {
      const double u = static_cast<double>(data.Next() >> 11) * 0x1p-53;
      x.push_back({j, trial % 3 == 0 ? (u - 0.5) * 4 : (u - 0.5) * 0.8});
    }
    const auto before = MakeBatch(*winnow, 21);
    auto round = winnow->Open(x, noise);
    ASSERT_TRUE(round);
    const bool y = trial % 2 == 0;
    winnow->Close(*std::move(round), y);
    double length = 1;
    for (const Feature& f : x) {
      length += std::pow(std::clamp(f.value, -1.0, 1.0), 2);
    }
    const double factor = std::min(1.0, 1.5 / std::sqrt(length));
    const auto after = MakeBatch(*winnow, 21);
    std::uint64_t norm_squared = 0;
    for (std::size_t j = 0; j < 21; ++j) {
      const std::int64_t units = after[j] - before[j];
      norm_squared += static_cast<std::uint64_t>(units * units);
      const double value = j < 20 ? std::clamp(x[j].value, -1.0, 1.0) : 1;
      const double exact =
          std::ldexp((y ? value : -value) * factor, winnow->noise().scale_bits);
      EXPECT_LT(std::abs(static_cast<double>(units) - exact), 1);
      EXPECT_LE(std::abs(static_cast<double>(units)), std::abs(exact) + 1e-9);
    }
    EXPECT_LE(norm_squared, winnow->noise().norm_squared);
    EXPECT_GT(norm_squared, winnow->noise().norm_squared / 4);
  }
}

// A thousand features of which eight are present; the first five decide.
// A sum just below the threshold is released about every other time: the noisy
// sum is compared with it, not the exact one.
TEST(PrivateWinnowTest, NoiseDecidesWhichSparseSumsAreReleased) {
  PrivateWinnow::Params params = {.epsilon = 3,
                                  .delta = 1e-6,
                                  .features = 1000,
                                  .max_nonzeros = 8,
                                  .margin = 0.5,
                                  .horizon = 10'000};
  const auto planned = PrivateWinnow::Create(params);
  ASSERT_TRUE(planned);
  const std::int64_t unit = std::int64_t{1} << planned->noise().scale_bits;
  const std::int64_t below = (planned->noise().threshold - 1) / unit;
  ASSERT_GT(below, 0);
  params.batch = below;
  const auto fresh = PrivateWinnow::Create(params);
  ASSERT_TRUE(fresh);
  int released = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    PrivateWinnow winnow = fresh->Restarted();
    SeededRng rng(seed);
    // Enough mistakes for the sum, all before the first release.
    for (std::int64_t i = 0; i < below && winnow.batches() == 0; ++i) {
      SeededRng quiet(1000 + seed);
      auto round = winnow.Open(FeatureVector{{7, 1}}, i == 0 ? rng : quiet);
      ASSERT_TRUE(round);
      winnow.Close(*std::move(round), true);
    }
    for (int t = 0; t < 2000 && winnow.batches() == 0; ++t) {
      winnow.PlayEmptyRound(rng);
    }
    released += winnow.hypothesis().Sparse().empty() ? 0 : 1;
  }
  EXPECT_GT(released, 0);
  EXPECT_LT(released, 40);
}

TEST(PrivateWinnowTest, ReleasesOnlyWhatStandsOutOfSparseExamples) {
  const PrivateWinnow::Params params = {.epsilon = 3,
                                        .delta = 1e-6,
                                        .features = 1000,
                                        .max_nonzeros = 8,
                                        .margin = 0.5,
                                        .horizon = 10'000};
  auto winnow = PrivateWinnow::Create(params);
  ASSERT_TRUE(winnow) << winnow.error().message;
  EXPECT_EQ(winnow->Bound().mistakes, HUGE_VAL);
  SeededRng data(41);
  SeededRng noise(42);
  int late = 0;
  for (int t = 0; t < 3000; ++t) {
    Example e = Draw(5, data);
    for (std::uint32_t i = 0; i < 3; ++i) {
      e.x.push_back(
          {100 + 300 * i + static_cast<std::uint32_t>(data.Next() % 300),
           (data.Next() & 1) != 0 ? 1.0 : -1.0});
    }
    if (t == 700) {
      const std::string state = SaveToString(*winnow);
      ByteReader reader(state);
      winnow = PrivateWinnow::Load(params, reader);
      ASSERT_TRUE(winnow) << winnow.error().message;
      EXPECT_EQ(SaveToString(*winnow), state);
    }
    auto round = winnow->Open(e.x, noise);
    ASSERT_TRUE(round);
    late += t >= 2700 && round->prediction != e.y ? 1 : 0;
    winnow->Close(*std::move(round), e.y);
  }
  EXPECT_EQ(late, 0);
  EXPECT_GE(winnow->hypothesis().Sparse().size(), 5U);
  EXPECT_LE(winnow->hypothesis().Sparse().size(), 8U);
}

TEST(PrivateWinnowTest, PublishesNoMoreWeightsThanAskedFor) {
  auto params = Small();
  params.published = 7;
  auto winnow = PrivateWinnow::Create(params);
  ASSERT_TRUE(winnow);
  const Played played = Play(*winnow, 4000, 3);
  EXPECT_LE(winnow->hypothesis().Sparse().size(), 7U);
  EXPECT_GE(winnow->hypothesis().Sparse().size(), 5U);
  EXPECT_EQ(played.late, 0);
}

TEST(PrivateWinnowTest, ProvesNothingWhereWeightsAreLeftOut) {
  auto params = Small();
  params.aim = WinnowAim::kProven;
  params.published = 20;
  auto all = PrivateWinnow::Create(params);
  params.published = 19;
  auto fewer = PrivateWinnow::Create(params);
  ASSERT_TRUE(all && fewer);
  EXPECT_LT(all->Bound().mistakes, 10'000);
  EXPECT_EQ(fewer->Bound().mistakes, HUGE_VAL);
  EXPECT_EQ(fewer->Bound().batches, HUGE_VAL);
  EXPECT_EQ(fewer->Bound().mean_mistakes, HUGE_VAL);
}

TEST(PrivateWinnowTest, AForeignOrUsedRoundChangesNothing) {
  auto wide = Small();
  wide.features = 40;
  auto larger = PrivateWinnow::Create(wide);
  auto winnow = PrivateWinnow::Create(Small());
  ASSERT_TRUE(larger && winnow);
  SeededRng noise(31);
  const FeatureVector beyond = {{39, -1.0}};
  auto foreign = larger->Open(beyond, noise);
  auto own = winnow->Open(FeatureVector{{3, -1.0}}, noise);
  ASSERT_TRUE(foreign && own);
  const std::string before = SaveToString(*winnow);
  winnow->Close(*std::move(foreign), true);
  EXPECT_EQ(SaveToString(*winnow), before);
  winnow->Close(*std::move(own), true);
  const std::string taught = SaveToString(*winnow);
  EXPECT_NE(taught, before);
  winnow->Close(*std::move(own), true);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(SaveToString(*winnow), taught);
}

TEST(PrivateWinnowTest, ASavedRoundTeachesAsTheRoundItself) {
  auto a = PrivateWinnow::Create(Small());
  auto b = PrivateWinnow::Create(Small());
  ASSERT_TRUE(a && b);
  SeededRng noise_a(33);
  SeededRng noise_b(33);
  const FeatureVector x = {{3, -1.0}, {7, 0.5}};
  auto round = a->Open(x, noise_a);
  auto other = b->Open(x, noise_b);
  ASSERT_TRUE(round && other);
  ByteWriter writer;
  other->Save(writer);
  const std::string bytes = std::move(writer).bytes();
  ByteReader reader(bytes);
  auto loaded = PrivateWinnow::Round::Load(reader);
  ASSERT_TRUE(loaded && reader.Finish());
  EXPECT_EQ(loaded->prediction, round->prediction);
  a->Close(*std::move(round), true);
  b->Close(*std::move(loaded), true);
  EXPECT_EQ(SaveToString(*a), SaveToString(*b));
  ByteReader cut(std::string_view(bytes).substr(0, bytes.size() - 1));
  EXPECT_FALSE(PrivateWinnow::Round::Load(cut));
}

TEST(PrivateWinnowTest, TheLongestStepsKeepWeightsFinite) {
  auto params = Small();
  params.signs = true;
  params.learning_rate = 1024;
  auto winnow = PrivateWinnow::Create(params);
  ASSERT_TRUE(winnow);
  Play(*winnow, 500, 5);
  EXPECT_GT(winnow->batches(), 0U);
  for (const float w : winnow->hypothesis().weights()) {
    EXPECT_TRUE(std::isfinite(w));
  }
}

// The sums come last, 8 bytes each, the list of touched features before them.
TEST(PrivateWinnowTest, RefusesSumsThatNoBatchCanHave) {
  auto params = Small();
  const auto dense = PrivateWinnow::Create(params);
  params.max_nonzeros = 8;
  const auto sparse = PrivateWinnow::Create(params);
  ASSERT_TRUE(dense && sparse);
  std::string huge = SaveToString(*dense);
  huge.back() = 0x30;  // above 2^61
  ByteReader first(huge);
  EXPECT_EQ(PrivateWinnow::Load(Small(), first).error().code,
            ErrorCode::kCorruption);
  std::string untouched = SaveToString(*sparse);
  untouched[untouched.size() - 8] = 1;
  ByteReader second(untouched);
  EXPECT_EQ(PrivateWinnow::Load(params, second).error().code,
            ErrorCode::kCorruption);
}

TEST(PrivateWinnowTest, ALateLabelIsJudgedByTheHypothesisOfNow) {
  auto winnow = PrivateWinnow::Create(Small());
  ASSERT_TRUE(winnow);
  SeededRng data(21);
  SeededRng noise(22);
  const Example early = Draw(20, data);
  auto open = winnow->Open(early.x, noise);
  ASSERT_TRUE(open);
  Play(*winnow, 3000, 4);
  const std::string before = SaveToString(*winnow);
  winnow->Close(*std::move(open), early.y);  // right and confident by now
  EXPECT_EQ(SaveToString(*winnow), before);
}

TEST(PrivateWinnowTest, RefusesParametersOutOfRange) {
  for (auto change : {+[](PrivateWinnow::Params& p) { p.features = 0; },
                      +[](PrivateWinnow::Params& p) { p.margin = 0; },
                      +[](PrivateWinnow::Params& p) { p.horizon = 0; },
                      +[](PrivateWinnow::Params& p) { p.failure = 0; },
                      +[](PrivateWinnow::Params& p) { p.confidence = 1; },
                      +[](PrivateWinnow::Params& p) { p.batch = -1; },
                      +[](PrivateWinnow::Params& p) { p.learning_rate = -1; },
                      +[](PrivateWinnow::Params& p) { p.learning_rate = 1e9; },
                      +[](PrivateWinnow::Params& p) { p.max_norm = -1; },
                      +[](PrivateWinnow::Params& p) { p.rounds_per_user = 0; },
                      +[](PrivateWinnow::Params& p) { p.epsilon = 0; }}) {
    auto params = Small();
    change(params);
    const auto winnow = PrivateWinnow::Create(params);
    ASSERT_FALSE(winnow);
    EXPECT_EQ(winnow.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace sotto
