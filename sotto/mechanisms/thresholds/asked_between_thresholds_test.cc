#include "sotto/mechanisms/thresholds/asked_between_thresholds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Asked = AskedBetweenThresholds;
using StopKind = Asked::StopperKind;
using Params = Asked::Params;
using Noise = Asked::Noise;
using Zone = Asked::Zone;

enum class Broken {
  kSound,
  kExactCount,    // the Stopper has no noise
  kNoFlag,        // tests need no stopping query before them
  kAskWithQuery,  // a round without a query asks nothing
};

// ChallengeBT with the Laplace Stopper. Thresholds 0 and gap + 1. The adversary
// asks and tests when he likes. He sees all zones but the hidden one, and the
// halt. Either queries differ by one between the worlds in every test (a
// record), or they are equal and one round holds a query of any zone, or none,
// in either world.
struct AskedGame {
  using Number = double;
  using State = std::monostate;
  using Observation = int;  // 0 to 2: a zone; 3: nothing; +4: halted
  enum class Kind { kAsk, kTest, kHidden };
  enum Hidden { kAbsent = -1, kFree = 0, kMedium = 1 };
  struct Move {
    Kind kind;
    int p;
    int q;
  };
  struct Context {
    bool halted = false;
    bool flag = true;
    bool used = false;
    int count = 0;                       // visible mediums
    std::array<int, 2> hidden = {0, 0};  // by world
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Context&) const = default;
  };

  double theta = 0;
  double stopper_theta = 0;
  int gap = 1;
  int limit = 1;
  bool record = true;
  Broken variant = Broken::kSound;

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{1, {}}};
  }
  std::vector<Move> Moves(const Context& context) const {
    if (context.halted) return {};
    std::vector<Move> moves = {{Kind::kAsk, 0, 0}};
    if (context.flag || variant == Broken::kNoFlag) {
      for (int v = 0; v <= gap; ++v) {
        if (record) moves.push_back({Kind::kTest, v, v + 1});
        if (record) moves.push_back({Kind::kTest, v + 1, v});
        if (!record) moves.push_back({Kind::kTest, v, v});
      }
    }
    if (record || context.used) return moves;
    for (const int p : {kAbsent, kFree, kMedium}) {
      for (const int q : {kAbsent, kFree, kMedium}) {
        moves.push_back({Kind::kHidden, p, q});
      }
    }
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context& context, const State&,
      const Move& move) const {
    const int input = world == World::kP ? move.p : move.q;
    if (move.kind == Kind::kTest) {
      const DiscreteLaplaceDistribution<double> noise(theta);
      const double low = noise.AtMost(-input);
      const double high = noise.AtLeast(gap + 1 - input);
      return {{low, 0, {}}, {1 - low - high, 1, {}}, {high, 2, {}}};
    }
    const bool asked = move.kind == Kind::kAsk || input != kAbsent ||
                       variant != Broken::kAskWithQuery;
    const auto w = static_cast<std::size_t>(world);
    const double halts = asked ? Halts(context.count + context.hidden[w]) : 0;
    return {{1 - halts, 3, {}}, {halts, 3 + 4, {}}};
  }
  Context Next(const Context& context, const Move& move,
               const Observation& seen) const {
    Context next = context;
    next.halted = seen >= 4;
    next.flag = move.kind == Kind::kAsk;
    if (move.kind == Kind::kTest && seen == 1) ++next.count;
    if (move.kind != Kind::kHidden) return next;
    next.used = true;
    next.hidden = {std::max(move.p, 0), std::max(move.q, 0)};
    return next;
  }

 private:
  double Halts(int count) const {
    if (variant == Broken::kExactCount) return count >= limit ? 1 : 0;
    return DiscreteLaplaceDistribution<double>(stopper_theta)
        .AtLeast(limit - count);
  }
};

struct Setting {
  double rate;
  double stopper;
  int gap;
  int limit;
  double epsilon;
};
constexpr std::array kSettings = {Setting{.5, 0.4, 4, 1, 0.6},
                                  Setting{.6, 0.6, 2, 1, 0.7},
                                  Setting{.4, 0.5, 1, 2, 0.8}};

AskedGame MakeGame(const Setting& s, bool record,
                   Broken variant = Broken::kSound) {
  return {.theta = std::exp(-s.rate),
          .stopper_theta = std::exp(-s.stopper),
          .gap = s.gap,
          .limit = s.limit,
          .record = record,
          .variant = variant};
}

double Worst(const AskedGame& game, double epsilon, int moves = 8) {
  const auto delta = ExactGame(game, moves).Delta(std::exp(epsilon));
  EXPECT_TRUE(delta) << (delta ? "" : delta.error().message);
  return delta ? *delta : NAN;
}

Params MakeParams(const Setting& s) {
  return {.epsilon = s.epsilon,
          .delta = 0.9,
          .low = 0,
          .high = s.gap + 1,
          .reports = s.limit};
}

// The smallest proved delta, over the numbers of the proof.
double RecordClaim(const Setting& s) {
  double least = 1;
  for (std::int64_t late = 0; late < 12; ++late) {
    least = std::min(
        least, AskedRecordDelta(MakeParams(s), {s.rate, s.stopper, late}));
  }
  return least;
}

TEST(AskedBetweenThresholdsExactTest, ARecordCostsTheTestsAndALateStopper) {
  for (const Setting& s : kSettings) {
    const double worst = Worst(MakeGame(s, true), s.epsilon);
    EXPECT_LE(worst, RecordClaim(s)) << s.rate;
    EXPECT_LT(RecordClaim(s), 0.9);
    EXPECT_GT(worst, 0);
  }
}

TEST(AskedBetweenThresholdsExactTest, AHiddenQueryCostsTheStopper) {
  for (const Setting& s : kSettings) {
    for (const double epsilon : {0.3, s.epsilon, 2.0}) {
      Params params = MakeParams(s);
      params.epsilon = epsilon;
      const double claim = AskedQueryDelta(params, {s.rate, s.stopper, 0});
      const double worst = Worst(MakeGame(s, false), epsilon);
      EXPECT_LE(worst, claim + 1e-12) << s.stopper << " " << epsilon;
    }
    EXPECT_GT(Worst(MakeGame(s, false), 0.3), 0.05);
  }
}

TEST(AskedBetweenThresholdsExactTest, BrokenVariantsAreRefuted) {
  const Setting& s = kSettings[0];
  const Params params = MakeParams(s);
  const double query = AskedQueryDelta(params, {s.rate, s.stopper, 0});
  EXPECT_NEAR(Worst(MakeGame(s, false, Broken::kExactCount), 16), 1, 1e-12);
  EXPECT_GT(Worst(MakeGame(s, false, Broken::kAskWithQuery), s.epsilon), query);
  EXPECT_GT(Worst(MakeGame(s, false, Broken::kAskWithQuery), 16), 0.2);
  EXPECT_LT(Worst(MakeGame(s, false), 16), 1e-6);
  // Without the Flag no one asks, and the number of mediums has no limit.
  const Setting quiet{1, 4.0, 3, 1, 4};
  EXPECT_LE(Worst(MakeGame(quiet, true), 4, 10), RecordClaim(quiet));
  EXPECT_GT(Worst(MakeGame(quiet, true, Broken::kNoFlag), 4, 10),
            RecordClaim(quiet));
}

TEST(AskedBetweenThresholdsTest, LateMediumsAreAsRareAsTheirProbability) {
  // By the product over the counts, from its definition.
  const double theta = std::exp(-0.25);
  const DiscreteLaplaceDistribution<double> noise(theta);
  double product = 1;
  for (int late = 0; late < 9; ++late) {
    product *= 1 - noise.AtLeast(-late);  // count limit + late does not halt
    EXPECT_NEAR(LateProbability(StopKind::kLaplace, 0.25, late) / product, 1,
                1e-9);
    EXPECT_NEAR(LateProbability(StopKind::kOneSided, 0.25, late),
                std::exp(-0.25 * (late + 1)), 1e-9);
  }
  for (const StopKind kind : {StopKind::kLaplace, StopKind::kOneSided}) {
    const std::int64_t late = LeastLate(kind, 0.01, 1e-9);
    EXPECT_LE(LateProbability(kind, 0.01, late), 1e-9);
    EXPECT_GT(LateProbability(kind, 0.01, late - 1), 1e-9);
  }
  EXPECT_EQ(LeastLate(StopKind::kOneSided, 5, 0.5), 0);
}

// Algorithm 4 with Algorithms 2 and 3 from their lines, with the noise given.
TEST(AskedBetweenThresholdsTest, AnswersAsTheLinesOfThePaper) {
  const Params params{.epsilon = 2,
                      .delta = 1e-6,
                      .low = 3999,
                      .high = 10'001,
                      .reports = 3000,
                      .printed = true};
  auto test = Asked::Create(params);
  ASSERT_TRUE(test) << test.error().message;
  const Noise noise = test->noise();
  EXPECT_NEAR(noise.stopper_rate, 2 / (8 * std::log(2e6)), 1e-9);
  const double most = 3000 + 4 * std::log(2e6) * std::log(1e12);
  EXPECT_NEAR(1 / noise.rate, 2 * std::sqrt(most * std::log(4e6)), 1e-6);
  const auto tests = FixedWorkLaplace::Create(ExactRate(noise.rate));
  const auto stops = FixedWorkLaplace::Create(ExactRate(noise.stopper_rate));
  ASSERT_TRUE(tests && stops);
  testing::SeededRng here(4);
  testing::SeededRng there(4);
  std::int64_t sum = 0;  // of the Stopper's bits
  bool flag = true;
  bool halted = false;
  std::uint64_t rounds = 0;
  std::array<int, 4> seen = {};
  for (; rounds < 100'000 && !halted; ++rounds) {
    if (rounds % 5 != 4) {  // a stopping query
      flag = true;
      halted = sum + stops->Sample(there) >= 3000;
      ASSERT_EQ(test->Ask(here), halted) << rounds;
      if (halted) break;
    }
    if (rounds % 7 == 6) continue;  // no user
    const auto f = static_cast<std::int64_t>(rounds * 7919 % 40'001);
    std::optional<Zone> answer;
    if (flag) {
      flag = false;
      const std::int64_t n = f + tests->Sample(there);
      answer = n < 4000 ? Zone::kLow : n > 10'000 ? Zone::kHigh : Zone::kMedium;
      sum += answer == Zone::kMedium ? 1 : 0;
    }
    ASSERT_EQ(test->Test(f, here), answer) << rounds;
    ++seen[answer ? static_cast<std::size_t>(*answer) : 3];
  }
  EXPECT_TRUE(halted);
  EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 500);
  EXPECT_NEAR(static_cast<double>(sum), 3000, 600);
  EXPECT_EQ(test->Test(7000, here), std::nullopt);
  EXPECT_TRUE(test->Ask(here));
}

TEST(AskedBetweenThresholdsTest, PrintedNoiseCostsLessThanItIsAllowedTo) {
  Params params{.epsilon = 1,
                .delta = 1e-6,
                .low = 0,
                .high = 20'000,
                .reports = 3000,
                .printed = true};
  const auto printed = Asked::Create(params);
  ASSERT_TRUE(printed) << printed.error().message;
  EXPECT_LT(printed->guarantee().delta(), 1e-6);
  params.printed = false;
  for (const StopKind kind : {StopKind::kLaplace, StopKind::kOneSided}) {
    params.stopper = kind;
    const auto least = Asked::Create(params);
    ASSERT_TRUE(least) << least.error().message;
    EXPECT_LE(least->guarantee().delta(), 1e-6);
    EXPECT_GT(1 / printed->noise().rate, 2 / least->noise().rate);
    EXPECT_GT(1 / printed->noise().stopper_rate,
              4 / least->noise().stopper_rate);
  }
}

TEST(AskedBetweenThresholdsTest, RefusesWhatThePaperAndTheBudgetRefuse) {
  const Params sound{
      .epsilon = 1, .delta = 1e-6, .low = 0, .high = 20'000, .reports = 3000};
  const auto code = [](const Params& params) {
    const auto test = Asked::Create(params);
    EXPECT_FALSE(test);
    return test ? ErrorCode::kCorruption : test.error().code;
  };
  Params bad = sound;
  bad.delta = 0;
  EXPECT_EQ(code(bad), ErrorCode::kInvalidArgument);
  bad = sound;
  bad.high = 1;
  EXPECT_EQ(code(bad), ErrorCode::kInvalidArgument);
  bad = sound;
  bad.printed = true;
  bad.reports = 500;  // erratum 9
  EXPECT_EQ(code(bad), ErrorCode::kInvalidArgument);
  bad = sound;
  bad.printed = true;
  bad.high = 5000;
  EXPECT_EQ(code(bad), ErrorCode::kInvalidArgument);
  bad = sound;
  bad.printed = true;
  bad.stopper = StopKind::kOneSided;
  EXPECT_EQ(code(bad), ErrorCode::kInvalidArgument);
  // Each of the two noises by itself.
  const Noise least = Asked::Create(sound)->noise();
  for (const auto& [tests, stops] : {std::pair{1.1, 1.0}, {1.0, 1.1}}) {
    const auto dear =
        Asked::Create(sound, {.rate = tests * least.rate,
                              .stopper_rate = stops * least.stopper_rate,
                              .late = least.late});
    ASSERT_FALSE(dear);
    EXPECT_EQ(dear.error().code, ErrorCode::kBudgetExhausted);
  }
}

TEST(AskedBetweenThresholdsTest, ContinuesFromItsState) {
  for (const StopKind kind : {StopKind::kLaplace, StopKind::kOneSided}) {
    const Params params{.epsilon = 4,
                        .delta = 1e-3,
                        .low = 0,
                        .high = 40,
                        .reports = 60,
                        .stopper = kind};
    auto straight = Asked::Create(params);
    ASSERT_TRUE(straight);
    auto saved = straight;
    testing::SeededRng here(2);
    testing::SeededRng there(2);
    for (int i = 0; i < 1000 && !straight->halted(); ++i) {
      ByteWriter writer;
      saved->Save(writer);
      ByteReader reader(writer.bytes());
      saved = Asked::Load(params, reader);
      ASSERT_TRUE(saved) << saved.error().message;
      ASSERT_TRUE(reader.Finish());
      if (i % 3 == 0) {
        ASSERT_EQ(straight->Ask(here), saved->Ask(there)) << i;
      } else {
        ASSERT_EQ(straight->Test(20, here), saved->Test(20, there)) << i;
      }
    }
    EXPECT_TRUE(straight->halted());
    ByteWriter writer;
    straight->Save(writer);
    Params other = params;
    other.reports = 61;
    ByteReader reader(writer.bytes());
    EXPECT_EQ(Asked::Load(other, reader).error().code,
              ErrorCode::kFailedPrecondition);
    ByteReader cut(std::string_view(writer.bytes()).substr(0, 70));
    EXPECT_FALSE(Asked::Load(params, cut));
  }
}

// The solved game is the code that runs; false alarm 1e-6.
TEST(AskedBetweenThresholdsStatisticalTest, TheCodeAnswersByThisDistribution) {
  const Setting s{.5, 1, 1, 1, 6};
  Params params = MakeParams(s);
  const auto fresh = Asked::Create(
      params, {.rate = s.rate, .stopper_rate = s.stopper, .late = 3});
  ASSERT_TRUE(fresh) << fresh.error().message;
  const AskedGame game = MakeGame(s, true);
  using Kind = AskedGame::Kind;
  const std::vector<AskedGame::Move> script = {
      {Kind::kTest, 1, 1}, {Kind::kAsk, 0, 0},  {Kind::kTest, 0, 0},
      {Kind::kAsk, 0, 0},  {Kind::kTest, 2, 2}, {Kind::kAsk, 0, 0}};
  std::map<std::pair<std::string, AskedGame::Context>, double> now = {
      {{"", game.Start()}, 1}};
  for (const auto& move : script) {
    decltype(now) next;
    for (const auto& [at, weight] : now) {
      if (at.second.halted) {
        next[at] += weight;
        continue;
      }
      for (const auto& o : game.Step(World::kP, at.second, {}, move)) {
        next[{at.first + std::to_string(o.observation),
              game.Next(at.second, move, o.observation)}] +=
            weight * o.probability;
      }
    }
    now = std::move(next);
  }
  std::map<std::string, std::size_t> places;
  std::vector<double> expected = {0};  // first: all rare ones
  for (const auto& [at, weight] : now) {
    if (weight < 1e-3) {
      expected[0] += weight;
      places[at.first] = 0;
      continue;
    }
    places[at.first] = expected.size();
    expected.push_back(weight);
  }
  std::vector<std::uint64_t> seen(expected.size());
  testing::SeededRng rng(3);
  for (int i = 0; i < 200'000; ++i) {
    Asked test = *fresh;
    std::string view;
    for (const auto& move : script) {
      if (test.halted()) break;
      if (move.kind == Kind::kAsk) {
        view += test.Ask(rng) ? "7" : "3";
      } else {
        view += std::to_string(static_cast<int>(*test.Test(move.p, rng)));
      }
    }
    ASSERT_TRUE(places.contains(view)) << view;
    ++seen[places[view]];
  }
  EXPECT_GT(ChiSquaredPValue(seen, expected), 1e-6);
}

}  // namespace
}  // namespace sotto
