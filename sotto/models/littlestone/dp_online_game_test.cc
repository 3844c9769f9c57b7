// Exact checks of DpOnlineLearner on small instances: the law of all that is
// published (times of calls, stages, every draw), by enumeration, for every
// sequence of a few rounds and every change of one of them. Transcripts that
// both worlds can have against the sum of what steps 2 to 4 of
// dp_online_learner.md allow them, those of one world alone against step 5, and
// all together against what is accounted; broken twins exceed them; and the
// program draws from that law.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "sotto/models/littlestone/dp_online_learner.h"
#include "sotto/models/littlestone/dp_online_plan.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Labels = TeacherLists::Labels;
using Params = DpOnlineLearner::Params;

// A point and a label; nobody came if the point is negative.
struct Example {
  int point = -1;
  bool y = false;
};

// What is done otherwise than the page says; each is a broken twin.
struct Twin {
  bool cuts = true;          // lists to what was declared
  bool reads_two = false;    // a mistake is handed to two teachers
  std::int64_t counted = 1;  // what the test of agreement counts for a teacher
  bool keeps = false;        // mistakes stay after they were handed out
};

// What may be seen: kTick + t is a call at tick t, kBelow a test of agreement
// that failed, kNothing a draw of nothing, other numbers what was drawn.
using Transcript = std::vector<int>;
constexpr int kTick = 1000;
constexpr int kBelow = 2000;
constexpr int kNothing = 3000;
using Law = std::map<Transcript, double>;

std::int64_t BottomOf(const Params& params) {
  const auto learner = DpOnlineLearner::Create(params);
  if (learner) return learner->sample().bottom();
  ADD_FAILURE() << learner.error().message;
  return 0;
}

class Game {
 public:
  Game(const Params& params, const Twin& twin)
      : params_(params),
        twin_(twin),
        stopper_(*ExactStopper::Create(params.stopper)),
        bottom_(BottomOf(params)),
        lists_({.functions = params.functions,
                .dimension = params.dimension,
                .list_size = twin.cuts ? params.list_size : 100}) {}

  // Given whose the mistake of each round will be, which is drawn whatever is
  // in the rounds; a transcript may belong to one world alone under some of
  // these and to both under others.
  Law Play(const std::vector<Example>& examples,
           const std::vector<std::size_t>& dealt) {
    law_.clear();
    examples_ = examples;
    dealt_ = dealt;
    State state{.handed =
                    std::vector<std::vector<TeacherRows>>(params_.teachers)};
    for (std::size_t x = 0; x < params_.functions->points(); ++x) {
      state.labels.push_back(2 * CountOf(params_.functions->Ones(x)) >
                             params_.functions->size());
    }
    Train(0, false, state);
    return law_;
  }
  int NumberOf(const Labels& labels) {
    return numbers_.try_emplace(labels, static_cast<int>(numbers_.size()))
        .first->second;
  }

 private:
  struct Mistake {
    std::uint32_t point = 0;
    bool label = false;
    std::size_t teacher = 0;
  };
  struct State {
    std::vector<double> survives = {};  // with each threshold; the last: rest
    std::vector<Mistake> mistakes = {};
    std::vector<std::vector<TeacherRows>> handed = {};
    std::vector<bool> labels = {};
    std::uint64_t stage = 1;
    std::uint64_t changes = 0;
    double probability = 1;
    Transcript seen = {};
  };
  using Lists = std::vector<std::vector<SparseSample::Item>>;

  double Weight(std::int64_t m) const {
    return static_cast<double>(stopper_.weights()(
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, m))));
  }
  // All from some on are alike, for so few rounds.
  std::vector<double> Thresholds() const {
    const std::size_t equal = stopper_.weights().flat() + 10;
    std::vector<double> law;
    double total = 0;
    for (std::size_t rho = 0; rho <= equal; ++rho) {
      law.push_back(Weight(static_cast<std::int64_t>(rho)));
      if (rho == equal) {
        law.back() *= static_cast<double>(ExactStopper::kThresholds - equal);
      }
      total += law.back();
    }
    for (double& p : law) p /= total;
    return law;
  }
  bool Halted(const State& state) const {
    return state.changes == params_.calls || state.stage > params_.stages;
  }

  // The tick before round t: the mistake of round t - 1 goes to a teacher.
  void Step(std::size_t t, const State& state) {
    const Example before = t > 0 ? examples_[t - 1] : Example{};
    const auto x = static_cast<std::size_t>(std::max(before.point, 0));
    if (before.point < 0 || state.labels[x] == before.y || Halted(state)) {
      Test(t, state);
      return;
    }
    State next = state;
    next.mistakes.push_back(
        {static_cast<std::uint32_t>(x), before.y, dealt_[t - 1]});
    Test(t, next);
  }

  void Test(std::size_t t, State state) {
    if (!Halted(state)) {
      State halted = state;
      double halts = 0;
      const auto count = static_cast<std::int64_t>(state.mistakes.size());
      for (std::size_t rho = 0; rho < state.survives.size(); ++rho) {
        const auto m = params_.limit + static_cast<std::int64_t>(rho) - count;
        const double hazard = Weight(m) / Weight(0);
        halts += state.survives[rho] * hazard;
        state.survives[rho] *= 1 - hazard;
      }
      halted.probability *= halts;
      halted.seen.push_back(kTick + static_cast<int>(t));
      Call(t, halted);
    }
    Next(t, state);
  }

  void Next(std::size_t t, const State& state) {
    if (t < examples_.size()) {
      Step(t + 1, state);
      return;
    }
    double alive = 1;
    if (!Halted(state)) {
      alive = 0;
      for (const double p : state.survives) alive += p;
    }
    law_[state.seen] += state.probability * alive;
  }

  void Call(std::size_t t, State state) {
    for (auto& handed : state.handed) handed.emplace_back();
    for (const Mistake& mistake : state.mistakes) {
      const std::pair row(mistake.point, mistake.label);
      state.handed[mistake.teacher].back().push_back(row);
      if (!twin_.reads_two) continue;
      state.handed[(mistake.teacher + 1) % params_.teachers].back().push_back(
          row);
    }
    if (!twin_.keeps) state.mistakes.clear();
    ++state.changes;
    Train(t, true, state);
  }

  // At the start the first tick comes afterwards.
  void Done(std::size_t t, bool later, State state) {
    state.survives = Thresholds();
    if (later) {
      Next(t, state);
    } else {
      Step(0, state);
    }
  }

  void Train(std::size_t t, bool later, State state) {
    if (state.stage > params_.stages) {
      Done(t, later, state);
      return;
    }
    const std::uint64_t tolerance =
        StageTolerance(params_.tolerance, params_.dimension, state.stage);
    Lists lists;
    for (const auto& handed : state.handed) {
      FiniteClass::Set kept = params_.functions->All();
      for (const TeacherRows& rows : handed) {
        kept[0] &= KeptBy(*params_.functions, rows, tolerance)[0];
      }
      lists.push_back(lists_.Of(kept, params_.p << state.stage));
    }
    const std::int64_t missing =
        params_.threshold - twin_.counted * TopFrequency(lists);
    const double e = std::exp(-params_.agreement);
    const double above =
        missing > 0
            ? std::pow(e, static_cast<double>(missing)) / (1 + e)
            : 1 - std::pow(e, static_cast<double>(1 - missing)) / (1 + e);
    State agreed = state;
    agreed.probability *= above;
    Draw(t, later, lists, agreed, {});
    state.probability *= 1 - above;
    state.seen.push_back(kBelow);
    ++state.stage;
    Train(t, later, state);
  }

  void Draw(std::size_t t, bool later, const Lists& lists, const State& state,
            const std::vector<int>& drawn) {
    if (drawn.size() == params_.votes) {
      State next = state;
      Publish(drawn, next);
      Done(t, later, next);
      return;
    }
    std::map<SparseSample::Item, double> scores;
    for (const auto& list : lists) {
      for (const auto item : list) ++scores[item];
    }
    const double rate = params_.sample_rate;
    const double nothing = std::exp(rate * static_cast<double>(bottom_));
    double sum = nothing;
    for (const auto& [item, score] : scores) sum += std::exp(rate * score);
    const auto go = [&](int what, double weight) {
      State next = state;
      next.probability *= weight / sum;
      next.seen.push_back(what);
      auto more = drawn;
      more.push_back(what);
      Draw(t, later, lists, next, more);
    };
    go(kNothing, nothing);
    for (const auto& [item, score] : scores) {
      go(NumberOf(lists_.labels(item)), std::exp(rate * score));
    }
  }

  void Publish(const std::vector<int>& drawn, State& state) {
    std::vector<const Labels*> labels;
    for (const auto& [known, number] : numbers_) {
      for (const int what : drawn) {
        if (what == number) labels.push_back(&known);
      }
    }
    for (std::size_t x = 0; x < state.labels.size(); ++x) {
      std::size_t ones = 0;
      for (const Labels* known : labels) ones += (*known)[x] ? 1U : 0U;
      state.labels[x] = labels.empty()
                            ? 2 * CountOf(params_.functions->Ones(x)) >
                                  params_.functions->size()
                            : 2 * ones > labels.size();
    }
  }

  Params params_;
  Twin twin_;
  ExactStopper stopper_;
  std::int64_t bottom_;
  TeacherLists lists_;
  std::map<Labels, int> numbers_;
  std::vector<Example> examples_;
  std::vector<std::size_t> dealt_;
  Law law_;
};

Params Small() {
  return {.functions = std::make_shared<const FiniteClass>(
              *FiniteClass::Parse("100\n010\n001\n")),
          .user = {4, 0.49},
          .dimension = 1,
          .teachers = 2,
          .p = 1,
          .stages = 2,
          .tolerance = 0.4,
          .list_size = 2,
          .limit = 2,
          .calls = 1,
          .votes = 1,
          .stopper = 0.7,
          .agreement = 0.5,
          .threshold = 2,
          .sample_rate = 0.5,
          .sample_delta = 1e-9};
}

// Of every sequence of so many rounds, each empty (0) or one of four examples
// on two of the points: the digits of a number, base 5.
constexpr std::size_t kChoices = 5;

std::vector<Law> Laws(Game& game, std::size_t rounds,
                      const std::vector<std::size_t>& dealt) {
  std::size_t streams = 1;
  for (std::size_t t = 0; t < rounds; ++t) streams *= kChoices;
  std::vector<Law> laws;
  for (std::size_t code = 0; code < streams; ++code) {
    std::vector<Example> stream;
    for (std::size_t t = 0, rest = code; t < rounds; ++t, rest /= kChoices) {
      const std::size_t choice = rest % kChoices;
      stream.push_back(choice == 0
                           ? Example{}
                           : Example{choice > 2 ? 1 : 0, choice % 2 == 1});
    }
    laws.push_back(game.Play(stream, dealt));
  }
  return laws;
}

// Calls `compare` with the laws of every two neighbours, for every dealing.
template <typename Compare>
void ForNeighbours(const Params& params, const Twin& twin, std::size_t rounds,
                   const Compare& compare) {
  Game game(params, twin);
  std::size_t ways = 1;
  for (std::size_t t = 0; t < rounds; ++t) ways *= params.teachers;
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<std::size_t> dealt;
    for (std::size_t t = 0, rest = way; t < rounds; ++t) {
      dealt.push_back(rest % params.teachers);
      rest /= params.teachers;
    }
    const std::vector<Law> laws = Laws(game, rounds, dealt);
    for (std::size_t place = 1; place < laws.size(); place *= kChoices) {
      for (std::size_t code = 0; code < laws.size(); ++code) {
        const std::size_t digit = code / place % kChoices;
        for (std::size_t other = 0; other < kChoices; ++other) {
          if (other == digit) continue;
          compare(laws[code], laws[code + other * place - digit * place]);
        }
      }
    }
  }
}

// Steps 2 to 4: the Stopper, and whatever was tested and drawn after the start.
double AllowedOf(const Params& params, const Transcript& seen) {
  double allowed = params.stopper;
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

Worst WorstOf(const Params& params, const Twin& twin, std::size_t rounds) {
  Worst worst;
  ForNeighbours(params, twin, rounds, [&](const Law& here, const Law& there) {
    double alone = 0;
    for (const auto& [seen, p] : here) {
      const auto other = there.find(seen);
      if (other == there.end()) {
        alone += p;
        continue;
      }
      worst.excess = std::max(
          worst.excess, std::log(p / other->second) - AllowedOf(params, seen));
    }
    worst.alone = std::max(worst.alone, alone);
  });
  return worst;
}

// Step 5.
double AllowedAlone(const Params& params) {
  return static_cast<double>(params.votes * params.calls) *
         SparseSampleDelta(params.sample_rate, params.list_size,
                           BottomOf(params));
}

constexpr double kSlack = 1e-9;

TEST(DpOnlineGameTest, NoTranscriptTellsMoreThanIsAllowed) {
  Params two = Small();  // calls; one stage, for the time it takes
  two.calls = 2;
  two.stages = 1;
  Params given = Small();
  given.sample_delta = 0.005;
  for (const auto& [params, rounds] :
       {std::pair(Small(), 2U), std::pair(two, 2U), std::pair(given, 3U)}) {
    const Worst worst = WorstOf(params, {}, rounds);
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
  params.user = {6, 0.49};
  params.limit = 1;
  params.stopper = 3;
  params.agreement = 0.3;
  params.stages = 1;
  params.threshold = -20;
  params.sample_rate = 1.5;
  params.sample_delta = 5e-4;
  return params;
}

TEST(DpOnlineGameTest, AListLongerThanDeclaredTellsMore) {
  Params params = Contradicted();
  params.teachers = 1;
  params.list_size = 1;
  const double allowed = AllowedAlone(params);
  EXPECT_LE(WorstOf(params, {}, 3).alone, allowed);
  EXPECT_GT(WorstOf(params, {.cuts = false}, 3).alone, 1.2 * allowed);
}

TEST(DpOnlineGameTest, ATeacherWhoReadsTwoChunksTellsMore) {
  const Params params = Contradicted();
  const double allowed = AllowedAlone(params);
  EXPECT_LE(WorstOf(params, {}, 3).alone, allowed);
  EXPECT_GT(WorstOf(params, {.reads_two = true}, 3).alone, 1.2 * allowed);
}

TEST(DpOnlineGameTest, AFrequencyOfSensitivityTwoTellsMore) {
  Params params = Small();
  params.user = {6, 0.49};
  params.stopper = 0.1;
  params.sample_rate = 0.001;
  params.agreement = 0.3;
  EXPECT_LE(WorstOf(params, {}, 2).excess, kSlack);
  EXPECT_GT(WorstOf(params, {.counted = 2}, 2).excess, 0.05);
}

TEST(DpOnlineGameTest, MistakesHandedOutAgainTellMore) {
  Params params = Small();
  params.teachers = 1;
  params.stages = 1;
  params.calls = 2;
  params.sample_rate = 0.001;
  params.agreement = 0.001;
  params.limit = 3;
  EXPECT_LE(WorstOf(params, {}, 3).excess, kSlack);
  EXPECT_GT(WorstOf(params, {.keeps = true}, 3).excess, 0.1);
}

double DeltaAt(const Law& p, const Law& q, double epsilon) {
  double delta = 0;
  for (const auto& [seen, mass] : p) {
    const auto other = q.find(seen);
    const double there = other == q.end() ? 0 : other->second;
    delta += std::max(0.0, mass - std::exp(epsilon) * there);
  }
  return delta;
}

TEST(DpOnlineGameTest, DeltasAreNoLargerThanAccounted) {
  for (const Params& params : {Small(), Contradicted()}) {
    for (const double epsilon : {0.3, 1.0, 2.0}) {
      double worst = 0;
      ForNeighbours(params, {}, 2, [&](const Law& here, const Law& there) {
        worst = std::max(worst, DeltaAt(here, there, epsilon));
      });
      EXPECT_LE(worst, DpOnlineDelta(params, epsilon));
      EXPECT_TRUE(epsilon > 1 || worst > 0);
    }
  }
}

// Learns, with parameters by hand; and goes on from a saved state as it would
// have.
Params ByHand() {
  const auto params =
      ChooseDpOnline({.functions = std::make_shared<const FiniteClass>(
                          *FiniteClass::Named("thresholds", 7)),
                      .user = {8, 1e-3},
                      .stages = 2,
                      .calls = 4,
                      .votes = 5,
                      .limit = 300});
  EXPECT_TRUE(params) << (params ? "" : params.error().message);
  return *params;
}

std::uint64_t MistakesOf(DpOnlineLearner& learner, std::uint64_t begin,
                         std::uint64_t end, Rng& rng) {
  std::uint64_t mistakes = 0;
  for (std::uint64_t t = begin; t < end; ++t) {
    const auto x = static_cast<std::uint32_t>(t * 5 % 7);
    const bool y = x >= 6;
    const auto round = learner.Open(x, rng);
    mistakes += round.told != y ? 1 : 0;
    learner.Close(round, y);
  }
  return mistakes;
}

TEST(DpOnlineLearnerTest, LearnsWithParametersByHand) {
  auto learner = DpOnlineLearner::Create(ByHand());
  ASSERT_TRUE(learner) << learner.error().message;
  testing::SeededRng rng(1);
  const std::uint64_t mistakes = MistakesOf(*learner, 0, 6000, rng);
  EXPECT_GT(mistakes, 300U);
  EXPECT_LT(mistakes, 1400U);
  EXPECT_EQ(MistakesOf(*learner, 6000, 7000, rng), 0U);
  EXPECT_GT(learner->changes(), 0U);
}

TEST(DpOnlineLearnerTest, GoesOnFromASavedState) {
  Params params = ByHand();
  params.delay = 3;
  auto learner = *DpOnlineLearner::Create(params);
  testing::SeededRng rng(1);
  MistakesOf(learner, 0, 2500, rng);
  ASSERT_GT(learner.changes(), 0U);
  ByteWriter writer;
  learner.Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = DpOnlineLearner::Load(params, reader);
  ASSERT_TRUE(loaded) << loaded.error().message;
  testing::SeededRng one(2);
  testing::SeededRng other(2);
  EXPECT_EQ(MistakesOf(learner, 2500, 4000, one),
            MistakesOf(*loaded, 2500, 4000, other));
  EXPECT_EQ(learner.hypothesis(), loaded->hypothesis());
  ByteWriter first;
  ByteWriter second;
  learner.Save(first);
  loaded->Save(second);
  EXPECT_EQ(first.bytes(), second.bytes());
  for (std::size_t cut = 0; cut < writer.bytes().size(); cut += 997) {
    ByteReader damaged(std::string_view(writer.bytes()).substr(0, cut));
    EXPECT_FALSE(DpOnlineLearner::Load(params, damaged));
  }
}

TEST(DpOnlineLearnerTest, RefusesWhatCostsMoreThanTheBudget) {
  for (const auto& spoil : std::vector<void (*)(Params&)>{
           [](Params& p) { p.sample_rate *= 4; },
           [](Params& p) { p.stopper = 8; }, [](Params& p) { p.agreement = 2; },
           [](Params& p) { p.sample_delta = 1e-4; },
           [](Params& p) { p.rounds_per_user = 4; },
           [](Params& p) { p.calls = 0; }, [](Params& p) { p.votes = 0; },
           [](Params& p) { p.limit = 0; }, [](Params& p) { p.period = 0; },
           [](Params& p) { p.stages = 0; }, [](Params& p) { p.teachers = 0; },
           [](Params& p) { p.tolerance = 1; }}) {
    Params params = ByHand();
    ASSERT_TRUE(DpOnlineLearner::Create(params));
    spoil(params);
    EXPECT_FALSE(DpOnlineLearner::Create(params));
  }
}

TEST(DpOnlineLearnerTest, RoundsOutsideTheClassAreEmpty) {
  auto one = *DpOnlineLearner::Create(ByHand());
  auto other = *DpOnlineLearner::Create(ByHand());
  testing::SeededRng rng(3);
  testing::SeededRng same(3);
  for (int t = 0; t < 300; ++t) {
    one.Close(one.Open(7, rng), true);
    other.Tick(same);
  }
  ByteWriter first;
  ByteWriter second;
  one.Save(first);
  other.Save(second);
  EXPECT_EQ(first.bytes(), second.bytes());
}

// Each frequency within 6 standard deviations and a little.
TEST(DpOnlineGameStatisticalTest, TheLearnerDrawsFromTheLaw) {
  const Params params = Contradicted();
  const std::vector<Example> stream = {{0, true}, {1, true}, {0, false}};
  Game game(params, {});
  Law law;
  for (std::size_t way = 0; way < 8; ++way) {
    for (const auto& [seen, p] :
         game.Play(stream, {way % 2, way / 2 % 2, way / 4})) {
      law[seen] += p / 8;
    }
  }
  constexpr int kRuns = 1'500;
  std::map<Transcript, int> counts;
  testing::SeededRng rng(5);
  for (int run = 0; run < kRuns; ++run) {
    auto learner = *DpOnlineLearner::Create(params);
    Transcript seen;
    std::uint64_t changes = 0;
    const auto note = [&] {
      if (learner.drawn().empty()) seen.push_back(kNothing);
      for (const Labels& labels : learner.drawn()) {
        seen.push_back(game.NumberOf(labels));
      }
    };
    for (std::size_t t = 0; t <= stream.size(); ++t) {
      const Example example = t < stream.size() ? stream[t] : Example{2, false};
      const auto round =
          learner.Open(static_cast<std::uint32_t>(example.point), rng);
      if (t == 0 && learner.changes() == 0) note();
      if (learner.changes() != changes) {
        if (t == 0) seen.push_back(-1);  // the first draw is not known any more
        changes = learner.changes();
        seen.push_back(kTick + static_cast<int>(t));
        note();
      }
      learner.Close(round, example.y);
    }
    ++counts[seen];
  }
  double covered = 0;
  for (const auto& [seen, p] : law) {
    if (seen.size() > 1 && seen[1] == kTick) continue;  // at the first tick
    covered += p;
    EXPECT_NEAR(counts[seen], p * kRuns, 6 * std::sqrt(p * kRuns) + 12);
  }
  EXPECT_GT(covered, 0.7);
}

}  // namespace
}  // namespace sotto
