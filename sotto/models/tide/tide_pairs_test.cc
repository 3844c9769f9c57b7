#include "sotto/models/tide/tide_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sotto/models/tide/private_tide.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

// Columns of four values each.
Schema Table(int columns) {
  std::string text;
  for (int c = 0; c < columns; ++c) {
    text += std::string(c == 0 ? "" : ",") + R"({"name": "c)" +
            std::to_string(c) +
            R"(", "type": "category", "values": ["a", "b", "c", "d"]})";
  }
  return *Schema::Parse(R"({"columns": [)" + text + "]}", "schema");
}

double DrawUniform(Rng& rng) {
  return std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
}

// About normal, of deviation 1.
double DrawNormal(Rng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += DrawUniform(rng);
  return sum;
}

// Weights with noise of deviation 0.1, as the relevance knows.
struct World {
  explicit World(int columns)
      : schema(Table(columns)),
        encoding(*TideEncoding::Create(
            {.schema = &schema, .pairs = true, .pair_share = 0.1})),
        frame(encoding),
        relevance(TideFilter::ForMemory(4), encoding.groups().size(), 1),
        weights(encoding.coordinates()) {
    relevance.Begin(std::vector<double>(encoding.groups().size(), 0.1));
    testing::SeededRng rng(3);
    for (double& weight : weights) weight = 0.1 * DrawNormal(rng);
  }

  // Adds a function of the two values to a pair.
  template <typename Function>
  void Add(std::size_t pair, Function function) {
    const TideGroup& group = encoding.groups()[first_pair() + pair];
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) {
        weights[group.first + static_cast<std::size_t>(4 * a + b)] +=
            function(a, b);
      }
    }
  }
  std::size_t first_pair() const { return schema.columns.size(); }
  // Columns have no evidence unless it is given.
  std::vector<std::size_t> Judge(TidePairs& pairs, std::uint64_t ticks,
                                 double columns = 0) {
    evidence.assign(encoding.groups().size(), 0.0);
    evidence[0] = columns;
    return pairs.Judge(ticks, frame, weights, 1, relevance, evidence);
  }

  Schema schema;
  TideEncoding encoding;
  TideFrame frame;
  TideRelevance relevance;
  std::vector<double> weights;
  std::vector<double> evidence = {};
};

TEST(TidePairsTest, OnlyWhatColumnsDoNotExplainStandsOut) {
  World world(4);
  world.Add(1, [](int a, int b) { return 0.5 * a - 0.7 * b; });
  world.Add(3, [](int a, int b) { return (a + b) % 2 == 0 ? 0.4 : -0.4; });
  TidePairs pairs(world.encoding, 1000);
  EXPECT_TRUE(world.Judge(pairs, 10).empty());
  for (std::size_t p = 0; p < 6; ++p) {
    const double evidence = world.evidence[world.first_pair() + p];
    if (p == 3) {
      EXPECT_GT(evidence, 0.2);
    } else {
      EXPECT_LT(evidence, 0.1) << p;
    }
  }
}

TEST(TidePairsTest, HalfOfThePairsGoUntilFourAreLeft) {
  World world(6);  // 15 pairs
  world.Add(9, [](int a, int b) { return (a + b) % 2 == 0 ? 0.4 : -0.4; });
  TidePairs pairs(world.encoding, 1000);
  std::size_t left = 15;
  for (const std::uint64_t ticks : {999, 1000, 1500, 2000, 4000, 8000}) {
    const auto drop = world.Judge(pairs, ticks);
    for (const std::size_t g : drop) {
      EXPECT_NE(g, world.first_pair() + 9);
      world.frame.DropPair(g);
      world.relevance.Drop(g);
    }
    left -= drop.size();
    EXPECT_EQ(left, ticks < 1000 ? 15U : ticks < 2000 ? 7U : 4U) << ticks;
    const auto shares = pairs.FirstShares(world.frame);
    double sum = 0;
    for (const double share : shares) sum += share;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(TidePairsTest, TheShareOfPairsFollowsTheirPartInTheEvidence) {
  World world(3);
  TidePairs pairs(world.encoding, 1000);
  const auto of_pairs = [&] {
    const auto shares = pairs.FirstShares(world.frame);
    return shares[3] + shares[4] + shares[5];
  };
  EXPECT_NEAR(of_pairs(), 0.1, 1e-12);
  world.Add(0, [](int a, int b) { return (a + b) % 2 == 0 ? 0.6 : -0.6; });
  // As much as asked for until the first half would go.
  world.Judge(pairs, 1, 1e9);
  EXPECT_NEAR(of_pairs(), 0.1, 1e-9);
  world.Judge(pairs, 2);  // all of the evidence
  EXPECT_NEAR(of_pairs(), (0.1 + TideEncoding::kPairShare) / 2, 1e-9);
  // A state remembers the share, and when the first half goes.
  ByteWriter writer;
  pairs.Save(writer);
  TidePairs loaded(world.encoding, 1000);
  ByteReader reader(writer.bytes());
  ASSERT_TRUE(loaded.Load(reader));
  EXPECT_EQ(loaded.FirstShares(world.frame), pairs.FirstShares(world.frame));
  // One part in twenty, twice that of the share; and nothing.
  const double own = world.evidence[3];
  EXPECT_NEAR(own, 0.6, 0.1);
  for (int t = 0; t < 40; ++t) world.Judge(pairs, 2000, 19 * own);
  EXPECT_NEAR(of_pairs(), 0.1, 0.02);
  for (int t = 0; t < 40; ++t) world.Judge(pairs, 2000, 1e9);
  EXPECT_NEAR(of_pairs(), 0.02, 1e-6);
}

TEST(TidePairsTest, PairsThatWereAskedForKeepTheirShare) {
  World world(3);
  const auto encoding =
      *TideEncoding::Create({.schema = &world.schema, .pairs = true});
  TidePairs pairs(encoding, 10);
  for (int t = 0; t < 40; ++t) world.Judge(pairs, 2000, 1e9);
  const auto shares = pairs.FirstShares(world.frame);
  EXPECT_NEAR(shares[3] + shares[4] + shares[5], TideEncoding::kPairShare,
              1e-9);
}

// Noise alone, drawn 4,000 times over cells of uneven shares, stands out by 2.5
// deviations about as often as it should. A frequency of that many draws has a
// deviation of 0.0025, and the bounds are 6 of them away: a false alarm has
// probability below 1e-6.
TEST(TidePairsTest, NoiseIsJudgedByItsOwnMeanAndDeviation) {
  World world(2);
  std::vector<double> means(world.encoding.coordinates(), 0.0);
  const std::vector<double> uneven = {0.55, 0.25, 0.15, 0.05};
  for (std::size_t j = 0; j < 8; ++j) means[1 + j] = uneven[j % 4];
  world.frame.SetMeans(means);
  testing::SeededRng rng(12);
  constexpr int kDraws = 4000;
  double above = 0;
  double strong = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    for (double& weight : world.weights) weight = 0.1 * DrawNormal(rng);
    TidePairs pairs(world.encoding, 1e9);
    world.Judge(pairs, 1);
    above += world.evidence[2] > 0 ? 1 : 0;
    strong += world.evidence[2] * world.evidence[2];
  }
  // A sum of squares of which few count is skewed: more often than a normal
  // variable, which is there in 0.6 % of draws.
  EXPECT_NEAR(above / kDraws, 0.025, 0.015);
  EXPECT_GT(strong, 0);
}

// A number's knots tell the shares of its cells.
TEST(TidePairsTest, CellsHaveTheSharesThatMeansTell) {
  const Schema schema = *Schema::Parse(
      R"({"columns": [{"name": "u", "type": "number", "range": [0, 1]},
                      {"name": "v", "type": "number", "range": [0, 1],
                       "missing": true}]})",
      "schema");
  for (const bool coarse : {false, true}) {
    const auto encoding = *TideEncoding::Create(
        {.schema = &schema, .pairs = true, .coarse = coarse});
    std::vector<double> means(encoding.coordinates(), 0.0);
    std::vector<TideFeature> row;
    constexpr int kRows = 1000;
    for (int t = 0; t < kRows; ++t) {
      const double u = 0.5 + t / (2.0 * kRows);  // the upper half
      encoding.Encode(FeatureVector{{0, u}, {1, u}}, row);
      for (const TideFeature& f : row) means[f.index] += f.value / kRows;
    }
    const auto shares = encoding.CellShares(0, means);
    ASSERT_EQ(shares.size(), 8U);
    for (std::size_t c = 0; c < 8; ++c) {
      EXPECT_NEAR(shares[c], c < 4 ? 0.03 : 0.21, 0.05) << c;
    }
  }
}

// Labels that only the first two columns together tell.
TEST(TidePairsTest, ARunFindsThePairThatTellsTheLabel) {
  const Schema schema = Table(5);  // ten pairs
  auto tide = *PrivateTide::Create(
      {.epsilon = 4,
       .delta = 1e-6,
       .encoding = {.schema = &schema, .pairs = true, .pair_share = 0.08},
       .schedule = {.halving = 6000}});
  testing::SeededRng rng(8);
  int wrong = 0;
  constexpr int kRows = 30'000;
  for (int t = 0; t < kRows; ++t) {
    FeatureVector x;
    std::uint32_t parity = 0;
    for (std::uint32_t c = 0; c < 5; ++c) {
      const auto value = static_cast<std::uint32_t>(rng.Next() % 4);
      x.push_back({4 * c + value, 1});
      if (c < 2) parity += value;
    }
    const bool y = parity % 2 == 0;
    const auto answer = tide.Play(x, Label(y), rng);
    ASSERT_TRUE(answer);
    if (t >= kRows / 2 && answer->prediction != Label(y)) ++wrong;
  }
  EXPECT_LT(wrong, kRows / 2 / 20);
  const auto shares = tide.hypothesis().frame.shares();
  EXPECT_GT(shares[5], 0.2);  // columns 0 and 1
  EXPECT_EQ(std::ranges::count(shares, 0.0), 6);
}

// Saved after pairs were dropped, a run continues as if it had not been.
TEST(TidePairsTest, AStateKeepsWhichPairsAreLeft) {
  const Schema schema = Table(5);
  const PrivateTide::Params params = {
      .epsilon = 4,
      .delta = 1e-6,
      .encoding = {.schema = &schema, .pairs = true, .pair_share = 0.08},
      .schedule = {.batch = 10, .halving = 1600}};
  auto tide = *PrivateTide::Create(params);
  testing::SeededRng rng(8);
  const auto play = [](PrivateTide& model, Rng& source, int t) {
    const auto value = static_cast<std::uint32_t>(t % 4);
    const FeatureVector x = {{value, 1}, {4 + (value * 7 + 1) % 4, 1}};
    return *model.Play(x, Label(t % 3 == 0), source)->probability;
  };
  for (int t = 0; t < 2000; ++t) play(tide, rng, t);
  EXPECT_EQ(std::ranges::count(tide.hypothesis().frame.shares(), 0.0), 5);
  ByteWriter writer;
  tide.Save(writer);
  ByteReader reader(writer.bytes());
  auto resumed = PrivateTide::Load(params, reader);
  ASSERT_TRUE(resumed);
  testing::SeededRng one(4);
  testing::SeededRng two(4);
  for (int t = 0; t < 3000; ++t) {
    ASSERT_EQ(play(tide, one, t), play(*resumed, two, t)) << t;
  }
  EXPECT_EQ(std::ranges::count(tide.hypothesis().frame.shares(), 0.0), 6);
  PrivateTide::Params other = params;
  other.schedule.halving = 1700;
  ByteReader again(writer.bytes());
  EXPECT_FALSE(PrivateTide::Load(other, again));
}

// The first answers after pairs were dropped come from a release that was made
// with them.
TEST(TidePairsTest, AStateAnswersTheSameInTheRoundsAfterPairsAreDropped) {
  const Schema schema = Table(5);
  const PrivateTide::Params params = {
      .epsilon = 4,
      .delta = 1e-6,
      .encoding = {.schema = &schema, .pairs = true, .pair_share = 0.08},
      .schedule = {.batch = 10, .halving = 1600}};
  auto tide = *PrivateTide::Create(params);
  testing::SeededRng rng(8);
  int dropped = 0;
  for (int t = 0; t < 1900; ++t) {
    const auto value = static_cast<std::uint32_t>(t % 4);
    const FeatureVector x = {{value, 1}, {4 + (value * 7 + 1) % 4, 1}};
    ASSERT_TRUE(tide.Play(x, Label(t % 3 == 0), rng));
    if (t < 1550) continue;
    ByteWriter writer;
    tide.Save(writer);
    ByteReader reader(writer.bytes());
    const auto resumed = PrivateTide::Load(params, reader);
    ASSERT_TRUE(resumed);
    const TideAnswer one = tide.hypothesis().Predict(x);
    const TideAnswer two = resumed->hypothesis().Predict(x);
    ASSERT_EQ(one.probability, two.probability) << t;
    ByteWriter again;
    resumed->Save(again);
    ASSERT_EQ(again.bytes(), writer.bytes()) << t;
    dropped += std::ranges::count(tide.hypothesis().frame.shares(), 0.0) > 0;
  }
  EXPECT_GT(dropped, 50);
}

}  // namespace
}  // namespace sotto
