// Exact checks of DpOnlineLearner on small instances: the distribution of all
// published values (times of calls, stages, every draw), by enumeration, for
// every sequence of a few rounds and every change of one of them. Transcripts
// possible in both worlds are compared with the sum that steps 2 to 4 of
// dp_online_learner.md allow, those of one world alone with step 5, and all
// together with the accounted cost. Broken variants exceed these limits, and
// the program draws from that distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "sotto/models/papers/dp_online_learner.h"
#include "sotto/models/papers/dp_online_test_distribution.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {
using dp_online_law::BrokenVariant;
using dp_online_law::Distribution;
using dp_online_law::Example;
using dp_online_law::FindBottom;
using dp_online_law::Game;
using dp_online_law::kBelow;
using dp_online_law::kNothing;
using dp_online_law::kTick;
using dp_online_law::Labels;
using dp_online_law::Params;
using dp_online_law::Transcript;

Params Small() {
  return {.functions = std::make_shared<const FiniteClass>(
              *FiniteClass::Parse("100\n010\n001\n")),
          .user = {6, 0.49},
          .dimension = 1,
          .teachers = 2,
          .p = 1,
          .stages = 2,
          .tolerance = 0.4,
          .list_size = 2,
          .limit = 1,
          .calls = 1,
          .votes = 1,
          .mistake_rate = 0.7,
          .agreement = 0.5,
          .threshold = 1,
          .sample_rate = 0.5,
          .sample_delta = 1e-9};
}

// Distributions of every sequence of `rounds` rounds, each empty (0) or one of
// four examples on two of the points: the digits of a number, base 5.
constexpr std::size_t kChoices = 5;

std::vector<Distribution> Distributions(Game& game, std::size_t rounds,
                                        const std::vector<std::size_t>& dealt) {
  std::size_t streams = 1;
  for (std::size_t t = 0; t < rounds; ++t) streams *= kChoices;
  std::vector<Distribution> distributions;
  for (std::size_t code = 0; code < streams; ++code) {
    std::vector<Example> stream;
    for (std::size_t t = 0, rest = code; t < rounds; ++t, rest /= kChoices) {
      const std::size_t choice = rest % kChoices;
      stream.push_back(choice == 0
                           ? Example{}
                           : Example{choice > 2 ? 1 : 0, choice % 2 == 1});
    }
    distributions.push_back(game.Play(stream, dealt));
  }
  return distributions;
}

// Calls `compare` with the distributions of every two neighbours, for every
// dealing.
template <typename Compare>
void ForNeighbours(const Params& params, const BrokenVariant& variant,
                   std::size_t rounds, const Compare& compare) {
  Game game(params, variant);
  std::size_t ways = 1;
  for (std::size_t t = 0; t < rounds; ++t) ways *= params.teachers;
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<std::size_t> dealt;
    for (std::size_t t = 0, rest = way; t < rounds; ++t) {
      dealt.push_back(rest % params.teachers);
      rest /= params.teachers;
    }
    const std::vector<Distribution> distributions =
        Distributions(game, rounds, dealt);
    for (std::size_t place = 1; place < distributions.size();
         place *= kChoices) {
      for (std::size_t code = 0; code < distributions.size(); ++code) {
        const std::size_t digit = code / place % kChoices;
        for (std::size_t other = 0; other < kChoices; ++other) {
          if (other == digit) continue;
          compare(distributions[code],
                  distributions[code + other * place - digit * place]);
        }
      }
    }
  }
}

// Maximum number of tests of mistakes in one epoch after the first round, from
// the times of calls.
double MostTests(const Params& params, const Transcript& seen,
                 std::size_t rounds) {
  int first = 1;
  int most = 0;
  std::uint64_t calls = 0;
  for (const int what : seen) {
    if (what < kTick || what >= kBelow) continue;
    most = std::max(most, what - kTick - first + 1);
    first = std::max(first, what - kTick + 1);
    ++calls;
  }
  if (calls < params.calls) {
    most = std::max(most, static_cast<int>(rounds) - first + 1);
  }
  return most;
}

// Steps 2 to 4: the tests of one epoch, and whatever was tested and drawn after
// the start.
double ComputeAllowed(const Params& params, const Transcript& seen,
                      std::size_t rounds) {
  double allowed = params.mistake_rate * MostTests(params, seen, rounds);
  bool started = false;
  for (const int what : seen) {
    const bool call = what >= kTick && what < kBelow;
    started = started || call;
    if (!started || call) continue;
    // A draw comes with the test that allowed it, each call's first of them.
    allowed += what == kBelow ? params.agreement : 2 * params.sample_rate;
  }
  std::uint64_t calls = 0;
  for (const int what : seen) calls += what >= kTick && what < kBelow ? 1U : 0U;
  return allowed + static_cast<double>(calls) * params.agreement;
}

struct Worst {
  double excess = -1e9;  // of a log-ratio over what its transcript is allowed
  double alone = 0;      // mass of transcripts that the other world has not
};

Worst MaxLoss(const Params& params, const BrokenVariant& variant,
              std::size_t rounds) {
  Worst worst;
  ForNeighbours(params, variant, rounds,
                [&](const Distribution& here, const Distribution& there) {
                  double alone = 0;
                  for (const auto& [seen, p] : here) {
                    const auto other = there.find(seen);
                    if (other == there.end()) {
                      alone += p;
                      continue;
                    }
                    worst.excess = std::max(
                        worst.excess, std::log(p / other->second) -
                                          ComputeAllowed(params, seen, rounds));
                  }
                  worst.alone = std::max(worst.alone, alone);
                });
  return worst;
}

// Step 5.
double AllowedAlone(const Params& params) {
  return static_cast<double>(params.votes * params.calls) *
         SparseSampleDelta(params.sample_rate, params.list_size,
                           FindBottom(params));
}

constexpr double kSlack = 1e-9;

TEST(DpOnlineGameTest, NoTranscriptLeaksMoreThanIsAllowed) {
  Params two = Small();  // calls; one stage, for the time it takes
  two.calls = 2;
  two.stages = 1;
  Params given = Small();
  given.user = {4, 0.9};
  given.sample_delta = 0.005;
  Params all = Small();  // calls, stages and votes; of one teacher
  all.user = {8, 0.9};
  all.teachers = 1;
  all.calls = 2;
  all.votes = 2;
  for (const auto& [params, rounds] :
       {std::pair(Small(), 2U), std::pair(two, 2U), std::pair(given, 3U),
        std::pair(all, 2U)}) {
    const Worst worst = MaxLoss(params, {}, rounds);
    EXPECT_LE(worst.excess, kSlack);
    EXPECT_LE(worst.alone, AllowedAlone(params));
  }
}

// Two mistakes can leave nothing to list where one leaves two functions, and
// the test of mistakes is quick.
Params Contradicted() {
  Params params = Small();
  params.functions = std::make_shared<const FiniteClass>(
      *FiniteClass::Parse("100\n101\n010\n011\n000\n"));
  params.dimension = 2;
  params.p = 3;
  params.user = {6, 0.9};
  params.limit = 1;
  params.mistake_rate = 1;
  params.agreement = 0.3;
  params.stages = 1;
  params.threshold = -20;
  params.sample_rate = 1.5;
  params.sample_delta = 5e-4;
  return params;
}

TEST(DpOnlineGameTest, AListLongerThanDeclaredLeaksMore) {
  Params params = Contradicted();
  params.teachers = 1;
  params.list_size = 1;
  const double allowed = AllowedAlone(params);
  EXPECT_LE(MaxLoss(params, {}, 3).alone, allowed);
  EXPECT_GT(MaxLoss(params, {.cuts = false}, 3).alone, 1.2 * allowed);
}

TEST(DpOnlineGameTest, ATeacherWhoReadsTwoChunksLeaksMore) {
  const Params params = Contradicted();
  const double allowed = AllowedAlone(params);
  const double alone = MaxLoss(params, {}, 3).alone;
  EXPECT_LE(alone, allowed);
  EXPECT_GT(alone, 0.85 * allowed);  // the bound is nearly attained
  EXPECT_GT(MaxLoss(params, {.reads_two = true}, 3).alone, 1.2 * allowed);
}

TEST(DpOnlineGameTest, AFrequencyOfSensitivityTwoLeaksMore) {
  Params params = Small();
  params.user = {6, 0.49};
  params.mistake_rate = 0.1;
  params.sample_rate = 0.001;
  params.agreement = 0.3;
  EXPECT_LE(MaxLoss(params, {}, 2).excess, kSlack);
  EXPECT_GT(MaxLoss(params, {.counted = 2}, 2).excess, 0.05);
}

TEST(DpOnlineGameTest, MistakesHandedOutAgainLeakMore) {
  Params params = Small();
  params.teachers = 1;
  params.stages = 1;
  params.calls = 2;
  params.sample_rate = 0.001;
  params.agreement = 0.001;
  params.limit = 3;
  const double excess = MaxLoss(params, {}, 3).excess;
  EXPECT_LE(excess, kSlack);
  EXPECT_GT(excess, -0.02);  // the rate of the test is nearly attained
  EXPECT_GT(MaxLoss(params, {.keeps = true}, 3).excess, 0.1);
}

// Functions are 1 at a, at c, or at a, b and c: a teacher who is given b, or
// both a and c, lists the last. In the worlds with and without b.
double AloneOfAll(const Params& params, const BrokenVariant& variant) {
  Game game(params, variant);
  const std::vector<Example> with = {{0, true}, {1, true}, {2, true}};
  const std::vector<Example> without = {{0, true}, {}, {2, true}};
  Distribution here;
  Distribution there;
  for (std::size_t way = 0; way < 8; ++way) {
    const std::vector<std::size_t> dealt = {way % 2, way / 2 % 2, way / 4};
    for (const auto& [seen, p] : game.Play(with, dealt)) here[seen] += p / 8;
    for (const auto& [seen, p] : game.Play(without, dealt)) {
      there[seen] += p / 8;
    }
  }
  double alone = 0;
  for (const auto& [seen, p] : here) alone += there.contains(seen) ? 0 : p;
  return alone;
}

// Line 20: a mistake fewer, and another one changes its teacher.
TEST(DpOnlineGameTest, AnEvenSplitLeaksMoreThanOneList) {
  Params params = Contradicted();
  params.functions = std::make_shared<const FiniteClass>(
      *FiniteClass::Parse("0000\n1000\n0010\n1110\n"));
  params.p = 4;
  params.list_size = 1;
  params.limit = 2;
  params.sample_rate = 2;
  const double allowed = AllowedAlone(params);
  EXPECT_LE(AloneOfAll(params, {}), allowed);
  EXPECT_GT(AloneOfAll(params, {.splits = true}), 1.5 * allowed);
}

double DeltaAt(const Distribution& p, const Distribution& q, double epsilon) {
  double delta = 0;
  for (const auto& [seen, mass] : p) {
    const auto other = q.find(seen);
    const double there = other == q.end() ? 0 : other->second;
    delta += std::max(0.0, mass - std::exp(epsilon) * there);
  }
  return delta;
}

TEST(DpOnlineGameTest, DeltasAreNoLargerThanAccounted) {
  for (Params params : {Small(), Contradicted()}) {
    params.mistake_rate = 0.2;
    params.agreement = 0.2;
    for (const double epsilon : {0.3, 1.0, 2.0}) {
      double worst = 0;
      ForNeighbours(params, {}, 2,
                    [&](const Distribution& here, const Distribution& there) {
                      worst = std::max(worst, DeltaAt(here, there, epsilon));
                    });
      EXPECT_LE(worst, DpOnlineDelta(params, epsilon));
      EXPECT_TRUE(epsilon > 1 || worst > 0);
    }
  }
}

// More teachers than the least score of a draw, so that functions are drawn
// after a call in most runs, and tests of agreement fail in many.
Params Agreeing(std::uint64_t delay) {
  Params params = Contradicted();
  params.user = {5, 0.99};
  params.delay = delay;
  params.teachers = 10;
  params.stages = 2;
  params.calls = 2;
  params.threshold = 8;
  params.agreement = 0.5;
  params.mistake_rate = 1;
  params.sample_rate = 1;
  params.sample_delta = 1e-3;
  return params;
}

// Over all dealings of three mistakes to ten teachers, who are all alike: all
// to one, two to one, or each to another.
Distribution ComputeDistribution(Game& game,
                                 const std::vector<Example>& stream) {
  const std::vector<std::pair<std::vector<std::size_t>, double>> dealings = {
      {{0, 0, 0}, 0.01},
      {{0, 0, 1}, 0.09},
      {{0, 1, 0}, 0.09},
      {{1, 0, 0}, 0.09},
      {{0, 1, 2}, 0.72}};
  Distribution distribution;
  for (const auto& [dealt, share] : dealings) {
    for (const auto& [seen, p] : game.Play(stream, dealt)) {
      // After a call in the first round, the draws before it are unknown.
      const bool first = std::ranges::count(seen, kTick) > 0;
      distribution[first ? Transcript{kTick} : seen] += share * p;
    }
  }
  return distribution;
}

// Transcript that the program shows. Stages are never revisited.
Transcript Observe(Game& game, const Params& params,
                   const std::vector<Example>& stream, Rng& rng) {
  auto learner = *DpOnlineLearner::Create(params);
  Transcript seen;
  std::uint64_t changes = 0;
  std::uint64_t stage = 1;
  const auto note = [&] {
    EXPECT_GE(learner.stage(), stage);
    for (; stage < learner.stage(); ++stage) seen.push_back(kBelow);
    if (learner.stage() > params.stages) return;
    if (learner.drawn().empty()) seen.push_back(kNothing);
    for (const Labels& labels : learner.drawn()) {
      seen.push_back(game.ToNumber(labels));
    }
  };
  std::vector<DpOnlineLearner::Round> open;
  for (std::size_t t = 0; t <= stream.size(); ++t) {
    // Labels come as late as they may.
    if (t > params.delay) {
      learner.Close(open[t - 1 - params.delay], stream[t - 1 - params.delay].y);
    }
    const int point = t < stream.size() ? stream[t].point : 2;
    open.push_back(learner.Open(static_cast<std::uint32_t>(point), rng));
    if (t == 0 && learner.changes() > 0) return {kTick};
    if (t == 0) note();
    if (learner.changes() == changes) continue;
    changes = learner.changes();
    seen.push_back(kTick + static_cast<int>(t));
    note();
  }
  return seen;
}

// alpha = 1e-6 each.
TEST(DpOnlineGameStatisticalTest, TheLearnerDrawsFromTheDistribution) {
  const std::vector<Example> stream = {{0, true}, {1, true}, {0, false}};
  constexpr int kRuns = 2'000;
  testing::SeededRng rng(5);
  for (const std::uint64_t delay : {0, 1}) {
    const Params params = Agreeing(delay);
    Game game(params, {});
    Distribution distribution = ComputeDistribution(game, stream);
    std::map<Transcript, std::uint64_t> counts;
    for (int run = 0; run < kRuns; ++run) {
      ++counts[Observe(game, params, stream, rng)];
    }
    std::vector<std::uint64_t> seen = {0};  // the first: all that are rare
    std::vector<double> expected = {0};
    for (const auto& [transcript, p] : distribution) {
      const bool rare = p * kRuns < 10;
      if (!rare) seen.push_back(0);
      if (!rare) expected.push_back(0);
      (rare ? seen.front() : seen.back()) += counts[transcript];
      (rare ? expected.front() : expected.back()) += p;
      counts.erase(transcript);
    }
    EXPECT_TRUE(counts.empty()) << "what the law does not have";
    EXPECT_GT(seen.size(), 20U);
    EXPECT_GT(ChiSquaredPValue(seen, expected), 1e-6) << "delay " << delay;
  }
}

}  // namespace
}  // namespace sotto
