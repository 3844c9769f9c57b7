#include "sotto/models/points/histogram_point_predictor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sotto/testing/replay_rng.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Predictor = HistogramPointPredictor;

HistogramPointDesign Design(double epsilon, PaperNumbers numbers,
                            double delta = 1e-6) {
  const auto design = ChooseHistogramPointDesign({epsilon, delta}, numbers);
  EXPECT_TRUE(design) << (design ? "" : design.error().message);
  return design ? *design : HistogramPointDesign{};
}

Predictor Make(const HistogramPointDesign& design, std::uint64_t patience = 0) {
  auto points = Predictor::Create({.design = design, .patience = patience});
  EXPECT_TRUE(points) << (points ? "" : points.error().message);
  return *std::move(points);
}

// Algorithm 3, from the paper's lines: it keeps the whole stream and goes over
// it again at every step that speaks of the past. Its noise is given: the
// activation and the bin's noise of every round, and what is drawn once.
class Transcription {
 public:
  Transcription(const Predictor& points, std::uint64_t seed)
      : design_(points.params().design),
        threshold_(points.histogram().threshold()),
        mirror_(points.mirror()),
        bin_(*FixedWorkLaplace::Create(
            *RationalBelow(design_.histogram.epsilon / 2))),
        rng_(seed) {
    for (std::uint64_t& length : lengths_) length = mirror_.length.Draw(rng_);
    const auto fake =
        FixedWorkLaplace::Create(*RationalBelow(design_.fake_epsilon));
    fake_noise_ = fake->Sample(rng_);
  }

  bool Answer(std::uint64_t x) {
    active_.push_back(rng_.Next() < mirror_.activation);
    noise_.push_back(bin_.Sample(rng_));
    xs_.push_back(x);
    const std::size_t t = xs_.size();
    if (flag_ == 0 || flag_ == 3) return false;
    const bool top = Mirror(t);
    if (flag_ == 1 && top) {
      std::int64_t fake = fake_noise_;
      std::uint64_t seen = 0;
      for (std::size_t j = 0; j < t && seen < design_.window; ++j) {
        if (xs_[j] != star_) continue;
        ++seen;
        fake += j < ys_.size() && ys_[j] ? 0 : 1;
      }
      flag_ = fake > design_.tolerance ? 3 : 2;
      return flag_ == 2;
    }
    return top;
  }

  void Label(bool y) {
    ys_.push_back(y);
    if (flag_ != 0 || !y || ++count_ < design_.positives) return;
    std::map<std::uint64_t, std::int64_t> bins;
    for (std::size_t j = 0; j < ys_.size(); ++j) {
      if (ys_[j]) ++bins[xs_[j]];
    }
    star_ = kNone;
    std::int64_t largest = threshold_ - 1;
    for (const auto& [x, number] : bins) {
      const auto first = std::ranges::find(xs_, x) - xs_.begin();
      const std::int64_t noisy =
          number + noise_[static_cast<std::size_t>(first)];
      if (noisy <= largest) continue;
      largest = noisy;
      star_ = x;
    }
    flag_ = 1;
    for (std::size_t j = 1; j <= xs_.size(); ++j) {
      if (Mirror(j)) flag_ = 3;
    }
  }

  int flag() const { return flag_; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  // The answer of Delayed-Mirror to the t-th bit, over all bits before it.
  bool Mirror(std::size_t t) const {
    if (xs_[t - 1] != star_) return false;
    std::uint64_t first = lengths_[0] + design_.first_count - 1;
    std::uint64_t second = lengths_[1];
    for (std::size_t j = 0; j < t; ++j) {
      if (xs_[j] != star_) continue;
      if (first > 0) {
        first -= active_[j] ? 1 : 0;
        if (j + 1 == t) return false;
      } else if (second > 0) {
        second -= active_[j] ? 1 : 0;
        if (j + 1 == t) return active_[j];
      } else if (j + 1 == t) {
        return true;
      }
    }
    return false;
  }

  HistogramPointDesign design_;
  std::int64_t threshold_;
  JdpDesign mirror_;
  FixedWorkLaplace bin_;
  testing::SeededRng rng_;
  std::array<std::uint64_t, 2> lengths_ = {0, 0};
  std::int64_t fake_noise_ = 0;
  std::vector<bool> active_;
  std::vector<std::int64_t> noise_;
  std::vector<std::uint64_t> xs_;
  std::vector<bool> ys_;
  int flag_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t star_ = kNone;
};

// Streams of several kinds: how often the point comes, how often its label is
// wrong, how many other points with labels 1 there are.
struct Kind {
  std::uint64_t every = 1;
  std::uint64_t wrong = 0;  // each so-many-th label of the point is 0
  std::uint64_t others = 0;
};

std::pair<std::uint64_t, bool> At(const Kind& kind, std::uint64_t t) {
  if (t % kind.every != 0) {
    const std::uint64_t x = 1 + t % 7;
    return {x, kind.others != 0 && t % kind.others == 0};
  }
  const bool wrong = kind.wrong != 0 && t / kind.every % kind.wrong == 0;
  return {0, !wrong};
}

// The transcription takes time quadratic in a stream's length: 200 short ones,
// 1e5 rounds in all.
TEST(HistogramPointPredictorTest, AnswersAsTheLinesOfThePaper) {
  const std::vector<Kind> kinds = {{1, 0, 0},  {2, 0, 0},  {2, 9, 0},
                                   {3, 2, 11}, {5, 40, 6}, {3, 30, 0}};
  std::map<int, int> flags;
  std::uint64_t rounds = 0;
  std::uint64_t ones = 0;
  const Predictor printed = Make(Design(8, PaperNumbers::kPrinted, 1e-2));
  const Predictor least = Make(Design(8, PaperNumbers::kLeast, 1e-2));
  for (std::uint64_t seed = 0; rounds < 100'000; ++seed) {
    const Kind& kind = kinds[seed % kinds.size()];
    Predictor points = seed % 4 == 3 ? printed : least;
    Transcription lines(points, seed);
    testing::SeededRng rng(seed);
    for (std::uint64_t t = 0; t < 500; ++t, ++rounds) {
      const auto [x, y] = At(kind, t);
      const auto opened = points.Open({x, 0}, rng);
      ASSERT_EQ(opened.prediction, lines.Answer(x)) << seed << " " << t;
      ones += opened.prediction ? 1 : 0;
      points.Close(opened.round, y);
      lines.Label(y);
    }
    ++flags[lines.flag()];
  }
  EXPECT_GT(ones, 10'000u);
  EXPECT_GE(flags.size(), 3u);  // the stream's ways end differently
}

// The samplers have the scales that the parts name: 2/e_h for bins, 1/e_f.
TEST(HistogramPointPredictorTest, DrawsTheNoiseThatItsPartsName) {
  const HistogramPointDesign design = Design(3, PaperNumbers::kLeast);
  Predictor points = Make(design);
  testing::ReplayRng rng(1);
  for (std::uint64_t t = 1; t <= 20; ++t) {
    rng.BeginRound(t, false);
    points.Close(points.Open({t % 3, 0}, rng).round, true);
  }
  rng.End();
  std::map<double, int> scales;
  for (const auto& round : rng.rounds()) {
    for (const auto& drawn : round.drawn) ++scales[drawn.scale];
  }
  ASSERT_EQ(scales.size(), 2u);
  for (const auto& [scale, draws] : scales) {
    const double named =
        draws == 1 ? 1 / design.fake_epsilon : 2 / design.histogram.epsilon;
    EXPECT_NEAR(scale, named, 1e-6 * named);
    EXPECT_TRUE(draws == 1 || draws == 20);
  }
}

// An empty round draws as much as any other, and labels draw nothing.
TEST(HistogramPointPredictorTest, EveryRoundDrawsAsMuch) {
  const HistogramPointDesign design = Design(3, PaperNumbers::kLeast, 1e-2);
  Predictor points = Make(design);
  Predictor empty = Make(design);
  testing::SeededRng here(3);
  testing::SeededRng there(3);
  for (int t = 0; t < 400; ++t) {
    const auto opened = points.Open({0, 0}, here);
    points.Close(opened.round, true);
    empty.PlayEmptyRound(there);
    ASSERT_EQ(here.Next(), there.Next()) << t;
  }
  EXPECT_GE(points.flag(), 1);
  EXPECT_EQ(empty.flag(), 0);
}

// Plays one stream twice, the second time saved and loaded before every round.
// Returns the answers 1.
int PlaySaved(const Predictor& fresh, std::uint64_t seed) {
  Predictor straight = fresh;
  Predictor saved = fresh;
  testing::SeededRng here(seed);
  testing::SeededRng there(seed);
  std::vector<std::pair<PointRound, bool>> waiting;
  int ones = 0;
  for (std::uint64_t t = 0; t < 250; ++t) {
    ByteWriter writer;
    saved.Save(writer);
    ByteReader reader(writer.bytes());
    auto loaded = Predictor::Load(fresh.params(), reader);
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    EXPECT_TRUE(reader.Finish());
    if (!loaded) return 0;
    saved = *std::move(loaded);
    const auto [x, y] = At({2, 0, 0}, t);
    const auto opened = straight.Open({x, 0}, here);
    const auto again = saved.Open({x, 0}, there);
    EXPECT_EQ(opened.prediction, again.prediction) << t;
    EXPECT_EQ(opened.round, again.round);
    EXPECT_EQ(straight.flag(), saved.flag());
    ones += opened.prediction ? 1 : 0;
    waiting.emplace_back(opened.round, y);
    if (t < 2) continue;
    straight.Close(waiting[t - 2].first, waiting[t - 2].second);
    saved.Close(waiting[t - 2].first, waiting[t - 2].second);
  }
  return ones;
}

TEST(HistogramPointPredictorTest, ContinuesFromItsStateAtEveryRound) {
  const Predictor fresh = Make(Design(8, PaperNumbers::kLeast, 1e-2), 2);
  int ones = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    ones += PlaySaved(fresh, seed);
  }
  EXPECT_GT(ones, 10);
}

TEST(HistogramPointPredictorTest, RefusesAStateOfOtherNumbersOrAForgedOne) {
  const HistogramPointDesign design = Design(3, PaperNumbers::kLeast);
  Predictor points = Make(design);
  testing::SeededRng rng(1);
  points.Close(points.Open({4, 0}, rng).round, true);
  ByteWriter writer;
  points.Save(writer);
  HistogramPointDesign other = design;
  ++other.tolerance;
  ByteReader reader(writer.bytes());
  const auto refused = Predictor::Load({.design = other}, reader);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  for (std::size_t cut = 0; cut < writer.bytes().size(); cut += 3) {
    const std::string start = writer.bytes().substr(0, cut);
    ByteReader part(start);
    EXPECT_FALSE(Predictor::Load({.design = design}, part)) << cut;
  }
}

TEST(HistogramPointPredictorTest, ALabelCountsWithinThePatienceOnly) {
  const HistogramPointDesign design = Design(8, PaperNumbers::kLeast, 1e-2);
  for (const std::uint64_t delay : {2, 3}) {
    Predictor points = Make(design, 2);
    testing::SeededRng rng(9);
    std::vector<PointRound> rounds;
    for (std::uint64_t t = 0; t < 200; ++t) {
      rounds.push_back(points.Open({0, 0}, rng).round);
      if (t >= delay) points.Close(rounds[t - delay], true);
    }
    EXPECT_EQ(points.flag() == 0, delay == 3);
  }
}

// Mistakes at the point, of the numbers of the paper and of the least ones.
TEST(HistogramPointPredictorTest, MistakesOfBothSetsOfNumbers) {
  struct Row {
    double epsilon;
    PaperNumbers numbers;
    double low;
    double high;
  };
  for (const Row& row : {Row{1, PaperNumbers::kPrinted, 1500, 2900},
                         Row{3, PaperNumbers::kPrinted, 400, 785},
                         Row{1, PaperNumbers::kLeast, 350, 517},
                         Row{3, PaperNumbers::kLeast, 70, 119}}) {
    const HistogramPointDesign design = Design(row.epsilon, row.numbers);
    const Predictor points = Make(design);
    const ApproximateDp cost = Total(points.spend());
    EXPECT_LE(cost.epsilon, row.epsilon);
    EXPECT_GT(cost.epsilon, 0.99 * row.epsilon);
    EXPECT_LE(cost.delta, 1e-6);
    EXPECT_GT(points.expected_mistakes(), row.low);
    EXPECT_LT(points.expected_mistakes(), row.high);
    EXPECT_GT(points.SuccessProbability(1), 0.9);
    RecordProperty(
        std::to_string(row.epsilon) +
            (row.numbers == PaperNumbers::kPrinted ? " printed" : " least"),
        std::to_string(points.expected_mistakes()));
  }
}

// With shares of epsilon that are set beforehand: mistakes of the printed
// numbers, and of the least.
struct FixedShares {
  double histogram = 0;
  double mirror = 0;
  double fake = 0;
  double printed = 0;
  double least = 0;
};

// The searched shares are why both are lower: histogram_point_predictor.md,
// "Numbers".
TEST(HistogramPointPredictorTest, SearchedSharesCostFewerMistakes) {
  constexpr double kThird = 1e-6 / 3;
  for (const FixedShares& shares :
       {FixedShares{0.25, 0.6, 0.15, 2818, 448}, {1, 1, 1, 750, 108}}) {
    const double epsilon = shares.histogram + shares.mirror + shares.fake;
    const auto histogram =
        SparseHistogram::Create({.epsilon = shares.histogram, .delta = kThird});
    const auto slope = JdpShape::WithSlope(shares.mirror, kThird, 0.5);
    const auto best = JdpShape::Best(shares.mirror, kThird);
    ASSERT_TRUE(histogram && slope && best);
    const auto k =
        static_cast<std::uint64_t>(histogram->CountFor(kPointMissed));
    HistogramPointDesign printed{.shape = *slope, .positives = k};
    printed.first_count = static_cast<std::uint64_t>(
        std::ceil(20 * slope->activation * static_cast<double>(k)));
    EXPECT_NEAR(printed.ExpectedMistakes(), shares.printed,
                0.02 * shares.printed);
    EXPECT_GT(printed.ExpectedMistakes(),
              1.4 * Design(epsilon, PaperNumbers::kPrinted).ExpectedMistakes());
    // Each event has half of a third of delta, in both worlds.
    const double event = kThird / (1 + std::exp(epsilon)) / 2;
    HistogramPointDesign least{.shape = *best, .positives = k};
    while (LaplaceTail(shares.fake, least.tolerance + 1) > kPointMissed) {
      ++least.tolerance;
    }
    std::int64_t margin = 0;
    while (LaplaceTail(shares.fake, margin) > event) ++margin;
    least.window = k + static_cast<std::uint64_t>(least.tolerance + margin);
    const auto mirror =
        JdpDesign::Published(best->activation, best->slope, best->size);
    ASSERT_TRUE(mirror);
    while (EarlyTop(*mirror, least.first_count, least.window) > event) {
      ++least.first_count;
    }
    EXPECT_NEAR(least.ExpectedMistakes(), shares.least, 0.03 * shares.least);
    EXPECT_GT(least.ExpectedMistakes(),
              Design(epsilon, PaperNumbers::kLeast).ExpectedMistakes());
  }
}

// Over all streams of active and inactive rounds: before the first "top" come
// K - 1 active ones and a length of them.
TEST(HistogramPointPredictorTest, AnEarlyTopIsAsLikelyAsItsStreams) {
  const auto mirror = JdpDesign::Published(0.4, 0.5, 3);
  ASSERT_TRUE(mirror);
  const auto active = static_cast<double>(mirror->active());
  for (const std::uint64_t first_count : {1U, 2U, 4U}) {
    for (const std::uint64_t window : {2U, 6U, 11U}) {
      double early = 0;
      for (std::uint64_t bits = 0; bits < 1U << window; ++bits) {
        const int ones = std::popcount(bits);
        const auto rest = static_cast<double>(window) - ones;
        const double weight =
            std::pow(active, ones) * std::pow(1 - active, rest);
        for (std::uint64_t length = 1; length <= 3; ++length) {
          if (static_cast<std::uint64_t>(ones) < first_count + length) continue;
          early +=
              weight * static_cast<double>(mirror->length.Probability(length));
        }
      }
      EXPECT_NEAR(EarlyTop(*mirror, first_count, window), early,
                  1e-8 * early + 1e-299)
          << first_count << " of " << window;
    }
  }
}

// All is over if the mirror said "top" before the histogram ran, also where any
// number of fake labels would pass.
TEST(HistogramPointPredictorTest, ATopBeforeTheHistogramEndsIt) {
  HistogramPointDesign design = Design(3, PaperNumbers::kLeast);
  design.tolerance = 1'000'000;
  for (const std::uint64_t every : {1U, 50U}) {
    if (every > 1) design.first_count = 1;
    Predictor points = Make(design);
    testing::SeededRng rng(3);
    int ones = 0;
    for (std::uint64_t t = 0; t < 60 * design.positives; ++t) {
      const auto opened = points.Open({0, 0}, rng);
      ones += opened.prediction ? 1 : 0;
      points.Close(opened.round, t % every == 0);
    }
    EXPECT_EQ(points.flag(), every == 1 ? 2 : 3) << every;
    EXPECT_EQ(ones > 0, every == 1) << every;
  }
}

// With patience, the mirror skips as many rounds of the point as may still get
// a label: the answers are those after as many empty rounds.
TEST(HistogramPointPredictorTest, TheMirrorWaitsForThePatience) {
  HistogramPointDesign design = Design(3, PaperNumbers::kLeast);
  design.positives = 80;
  design.window = 200;
  design.tolerance = 1'000'000;
  constexpr std::uint64_t kPatience = 3;
  int ones = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Predictor patient = Make(design, kPatience);
    Predictor other = Make(design);
    testing::SeededRng here(seed);
    testing::SeededRng there(seed);
    for (std::uint64_t t = 0; t < kPatience; ++t) {
      patient.Open({0, 0}, here);
      other.PlayEmptyRound(there);
    }
    for (int t = 0; t < 400; ++t) {
      const auto one = patient.Open({0, 0}, here);
      const auto two = other.Open({0, 0}, there);
      ASSERT_EQ(one.prediction, two.prediction) << seed << " " << t;
      patient.Close(one.round, true);
      other.Close(two.round, true);
      ones += one.prediction ? 1 : 0;
    }
  }
  EXPECT_GT(ones, 1'000);
}

// The sum of the noise's probabilities, and what a simulation that fails costs
// in both worlds, of the design's own numbers.
TEST(HistogramPointPredictorTest, StatesTheSimulationThatFails) {
  for (const std::int64_t margin : {0, 1, 7}) {
    double tail = 0;
    for (std::int64_t z = margin; z < margin + 400; ++z) {
      tail += std::tanh(0.15) * std::exp(-0.3 * static_cast<double>(z));
    }
    EXPECT_NEAR(LaplaceTail(0.3, margin), tail, 1e-9 * tail);
  }
  const HistogramPointDesign design = Design(1, PaperNumbers::kLeast);
  const Predictor points = Make(design);
  const double margin = static_cast<double>(design.window - design.positives) -
                        static_cast<double>(design.tolerance);
  const double missed =
      EarlyTop(points.mirror(), design.first_count, design.window) +
      std::exp(-design.fake_epsilon * margin) /
          (1 + std::exp(-design.fake_epsilon));
  const Spend& simulation = points.spend().parts.back();
  EXPECT_EQ(simulation.name, "simulation");
  const double stated = Total(simulation).delta;
  const double both = (1 + std::exp(Total(points.spend()).epsilon)) * missed;
  EXPECT_NEAR(stated, both, 1e-4 * both);
}

TEST(HistogramPointPredictorTest, TheMeanOfRunsIsTheExpectation) {
  const HistogramPointDesign design = Design(3, PaperNumbers::kLeast);
  const Predictor fresh = Make(design);
  testing::SeededRng rng(11);
  double mistakes = 0;
  int learned = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    Predictor points = fresh;
    int here = 0;
    for (int t = 0; t < 1500; ++t) {
      const auto opened = points.Open({0, 0}, rng);
      here += opened.prediction ? 0 : 1;
      points.Close(opened.round, true);
    }
    if (points.flag() != 2) continue;
    ++learned;
    mistakes += here;
  }
  EXPECT_NEAR(learned, kRuns * fresh.SuccessProbability(1), 40);
  EXPECT_NEAR(mistakes / learned, fresh.expected_mistakes(),
              0.05 * fresh.expected_mistakes());
}

// The promise is of the numbers in use: each one that hides less costs more.
TEST(HistogramPointPredictorTest, NumbersThatHideLessCostMore) {
  const HistogramPointDesign design = Design(3, PaperNumbers::kLeast);
  const double delta = Total(Make(design).spend()).delta;
  HistogramPointDesign fewer = design;
  fewer.first_count -= 3;
  EXPECT_GT(Total(Make(fewer).spend()).delta, delta * 1.2);
  HistogramPointDesign narrow = design;
  narrow.window -= 3;
  EXPECT_GT(Total(Make(narrow).spend()).delta, delta * 1.2);
  HistogramPointDesign lenient = design;
  lenient.tolerance += 3;
  EXPECT_GT(Total(Make(lenient).spend()).delta, delta * 1.2);
  HistogramPointDesign longer = design;
  longer.positives += 3;
  EXPECT_GT(Total(Make(longer).spend()).delta, delta * 1.2);
}

TEST(HistogramPointPredictorTest, SaysWhatTheMirrorNeeds) {
  EXPECT_FALSE(
      ChooseHistogramPointDesign({0.45, 1e-6}, PaperNumbers::kPrinted));
  EXPECT_FALSE(ChooseHistogramPointDesign({0.4, 1e-6}, PaperNumbers::kLeast));
  EXPECT_TRUE(ChooseHistogramPointDesign({0.7, 1e-6}, PaperNumbers::kPrinted));
  EXPECT_TRUE(ChooseHistogramPointDesign({0.5, 1e-6}, PaperNumbers::kLeast));
  EXPECT_TRUE(ChooseHistogramPointDesign({40, 1e-6}, PaperNumbers::kLeast));
  EXPECT_FALSE(ChooseHistogramPointDesign({3, 1e-13}, PaperNumbers::kLeast));
}

}  // namespace
}  // namespace sotto
