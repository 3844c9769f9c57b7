#include "sotto/models/littlestone/finite_class_learner.h"

#include <gtest/gtest.h>

#include <string>

#include "sotto/models/littlestone/finite_class_plan.h"
#include "sotto/testing/sanitized.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::SeededRng;

FiniteClassLearner Learner(const char* kind, std::uint64_t points,
                           double epsilon, std::uint64_t delay = 0) {
  FiniteClassOptions options{.functions = std::make_shared<const FiniteClass>(
                                 *FiniteClass::Named(kind, points)),
                             .user = {epsilon, 1e-6},
                             .delay = delay,
                             .horizon = 20'000};
  return *FiniteClassLearner::Create(*ChooseFiniteClass(options));
}

// An adversary who sees everything published: asks, in each round, a point at
// which the hypothesis is wrong and which leaves the most functions that
// explain all labels so far.
class Adversary {
 public:
  explicit Adversary(const FiniteClass& functions)
      : functions_(functions), space_(functions.All()) {}

  // The label is then the opposite of the prediction. Empty if nothing is left.
  std::optional<std::uint32_t> Ask(const std::vector<bool>& prediction) {
    std::optional<std::uint32_t> best;
    std::size_t most = 0;
    for (std::uint32_t x = 0; x < functions_.points(); ++x) {
      const std::size_t left =
          CountMembers(Restrict(functions_, space_, x, !prediction[x]));
      if (left <= most) continue;
      most = left;
      best = x;
    }
    if (best) space_ = Restrict(functions_, space_, *best, !prediction[*best]);
    return best;
  }

 private:
  const FiniteClass& functions_;
  FiniteClass::Set space_;
};

TEST(FiniteClassLearnerTest, LearnsAgainstAnAdversaryThatSeesItsHypotheses) {
  for (const auto& [kind, points] :
       {std::pair("thresholds", 255), std::pair("points", 256)}) {
    auto learner = Learner(kind, static_cast<std::uint64_t>(points), 2);
    const FiniteClass& functions = *learner.params().functions;
    Adversary adversary(functions);
    SeededRng rng(1);
    int mistakes = 0;
    for (int t = 0; t < (kSanitized ? 2'000 : 20'000); ++t) {
      // The hypothesis may change as the round opens: it is seen only then.
      const auto point = adversary.Ask(learner.hypothesis());
      const auto round = learner.Open(point.value_or(0), rng);
      if (!point) continue;
      const bool y = !learner.hypothesis()[*point];
      mistakes += round.prediction != y ? 1 : 0;
      learner.Close(round, y);
    }
    EXPECT_LT(mistakes, 700) << kind;
    EXPECT_GT(mistakes, 10) << kind;
    EXPECT_LT(learner.changes(), learner.params().weights.size()) << kind;
  }
}

TEST(FiniteClassLearnerTest, BeginsWithTheMajorityOfTheClass) {
  const auto learner = Learner("thresholds", 4, 1);
  EXPECT_EQ(learner.hypothesis(),
            (std::vector<bool>{false, false, true, true}));
  EXPECT_TRUE(learner.drawn().empty());
}

TEST(FiniteClassLearnerTest, LearnsNothingFromLateLabelsAndOtherPoints) {
  const auto state = [](const FiniteClassLearner& learner) {
    ByteWriter writer;
    learner.Save(writer);
    return writer.bytes();
  };
  auto late = Learner("thresholds", 8, 1, 2);
  auto none = Learner("thresholds", 8, 1, 2);
  SeededRng rng(1);
  SeededRng again(1);
  const auto first = late.Open(0, rng);
  none.Open(0, again);
  for (int i = 0; i < 3; ++i) {
    late.PlayEmptyRound(rng);
    none.PlayEmptyRound(again);
  }
  late.Close(first, !first.prediction);  // its turn is over
  EXPECT_EQ(state(late), state(none));
  const auto outside = late.Open(8, rng);
  none.PlayEmptyRound(again);
  EXPECT_FALSE(outside.prediction);
  late.Close(outside, true);
  late.PlayEmptyRound(rng);
  none.PlayEmptyRound(again);
  EXPECT_EQ(state(late), state(none));
  const auto timely = late.Open(0, rng);
  none.Open(0, again);
  late.Close(timely, !timely.prediction);
  EXPECT_NE(state(late), state(none));
}

TEST(FiniteClassLearnerTest, GoesOnFromItsStateAsIfNothingHadHappened) {
  auto learner = Learner("intervals", 12, 4, 3);
  SeededRng rng(2);
  std::vector<FiniteClassLearner::Round> open;
  const auto play = [&](FiniteClassLearner& it, SeededRng& noise, int t) {
    const auto point = static_cast<std::uint32_t>(t % 12);
    const auto round = it.Open(point, noise);
    if (t % 3 != 0) it.Close(round, point >= 4 && point <= 6);
  };
  for (int t = 0; t < 500; ++t) play(learner, rng, t);
  EXPECT_GT(learner.changes(), 0);
  ByteWriter writer;
  learner.Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = FiniteClassLearner::Load(learner.params(), reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  EXPECT_EQ(loaded->hypothesis(), learner.hypothesis());
  SeededRng same(3);
  SeededRng other(3);
  for (int t = 500; t < 1500; ++t) {
    play(learner, same, t);
    play(*loaded, other, t);
    ASSERT_EQ(loaded->drawn(), learner.drawn());
  }
  ByteWriter end;
  ByteWriter loaded_end;
  learner.Save(end);
  loaded->Save(loaded_end);
  EXPECT_EQ(end.bytes(), loaded_end.bytes());
}

TEST(FiniteClassLearnerTest, RefusesDamagedStates) {
  auto learner = Learner("thresholds", 8, 1, 1);
  ByteWriter writer;
  learner.Save(writer);
  const std::string good = writer.bytes();
  for (std::size_t size = 0; size < good.size(); size += 7) {
    ByteReader reader(std::string_view(good).substr(0, size));
    EXPECT_FALSE(FiniteClassLearner::Load(learner.params(), reader));
  }
  std::string bad = good;
  bad[9] = '\x7f';  // changes
  ByteReader reader(bad);
  EXPECT_FALSE(FiniteClassLearner::Load(learner.params(), reader));
}

TEST(FiniteClassLearnerTest, AStateGoesOnWithItsOwnClassOnly) {
  auto learner = Learner("thresholds", 4, 1);
  ByteWriter writer;
  learner.Save(writer);
  const auto load = [&](const char* kind, std::uint64_t points) {
    FiniteClassLearner::Params params = Learner("thresholds", 4, 1).params();
    params.functions =
        std::make_shared<const FiniteClass>(*FiniteClass::Named(kind, points));
    ByteReader reader(writer.bytes());
    return FiniteClassLearner::Load(std::move(params), reader);
  };
  EXPECT_TRUE(load("thresholds", 4));
  const auto other = load("points", 5);  // as many functions
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kFailedPrecondition);
}

TEST(FiniteClassLearnerTest, AStateGoesOnWithItsOwnParametersOnly) {
  const auto learner = Learner("thresholds", 4, 1);
  ByteWriter writer;
  learner.Save(writer);
  const auto load = [&](const auto& change) {
    FiniteClassLearner::Params params = learner.params();
    change(params);
    EXPECT_TRUE(FiniteClassLearner::Create(params));
    ByteReader reader(writer.bytes());
    return FiniteClassLearner::Load(std::move(params), reader).has_value();
  };
  using Params = FiniteClassLearner::Params;
  EXPECT_TRUE(load([](Params&) {}));
  EXPECT_FALSE(load([](Params& p) { p.user.epsilon *= 1.001; }));
  EXPECT_FALSE(
      load([](Params& p) { p.user.delta = p.user.delta * 1.001 + 1e-9; }));
  EXPECT_FALSE(load([](Params& p) { p.stopper *= 0.9; }));
  EXPECT_FALSE(load([](Params& p) { ++p.delay; }));
  EXPECT_FALSE(load([](Params& p) {
    p.rate = *Rational::Create(p.rate.numerator(), p.rate.denominator() + 1);
  }));
}

}  // namespace
}  // namespace sotto
