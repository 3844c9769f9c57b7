#include "sotto/mechanisms/mirrors/jdp_mirror.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sotto/mechanisms/mirrors/mirror_test_chain.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

// JdpMirror with activation 1/10 and both counters on {1, 2, 3}, in rationals.
MirrorChain<ExactNumber> SmallMirror(const ExactNumber& active) {
  MirrorChain<ExactNumber> chain;
  const ExactNumber p[] = {ExactNumber(1, 4), ExactNumber(1, 2),
                           ExactNumber(1, 4)};
  for (std::size_t k = 1; k <= 3; ++k) {
    chain.Start(p[k - 1], PhaseState(0, k));
    for (std::size_t phase = 0; phase < 2; ++phase) {
      const std::size_t state = PhaseState(phase, k);
      chain.Add(state, 1 - active, false, state);
      if (k > 1) chain.Add(state, active, phase == 1, PhaseState(phase, k - 1));
    }
    chain.Add(PhaseState(0, 1), active * p[k - 1], false, PhaseState(1, k));
  }
  chain.Add(PhaseState(1, 1), active, true, PhaseState(2, 0));
  chain.Add(PhaseState(2, 0), ExactNumber(1), true, PhaseState(2, 0));
  return chain;
}

template <typename Number>
using Distribution = std::vector<Weighted<Number, std::size_t>>;

// The part of `distribution` that is left after one more one, answered
// `answer`; -1: any answer.
template <typename Number>
Distribution<Number> Advance(const MirrorChain<Number>& chain,
                             const Distribution<Number>& distribution,
                             int answer) {
  std::map<std::size_t, Number> sums;
  for (const auto& [weight, state] : distribution) {
    for (const auto& outcome : chain.Step(0, state, 1)) {
      if (answer != -1 && outcome.observation != answer) continue;
      sums[outcome.state] += weight * outcome.probability;
    }
  }
  Distribution<Number> next;
  for (const auto& [state, weight] : sums) next.push_back({weight, state});
  return next;
}

template <typename Number>
Number Total(const Distribution<Number>& distribution) {
  Number sum(0);
  for (const auto& weighted : distribution) sum += weighted.weight;
  return sum;
}

// Pr[view], with a hidden one before position `hidden`; -1: a hidden zero.
ExactNumber Probability(const MirrorChain<ExactNumber>& chain,
                        const std::vector<int>& view, int hidden) {
  Distribution<ExactNumber> distribution = chain.Initial();
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (static_cast<int>(i) == hidden)
      distribution = Advance(chain, distribution, -1);
    distribution = Advance(chain, distribution, view[i]);
  }
  return Total(distribution);
}

TEST(JdpMirrorCounterexampleTest, TheRatioAfterTheLastBottomIsTwoMinusEpsilon) {
  const auto chain = SmallMirror(ExactNumber(1, 10));
  // Bottoms, a top, the last bottom, [hidden step], tops until nothing is left
  // to count.
  const std::vector<std::vector<int>> views = {{0, 1, 0, 1, 1, 1, 1},
                                               {0, 0, 0, 1, 0, 1, 1, 1, 1},
                                               {0, 1, 0, 0, 1, 1, 1, 1},
                                               {0, 1, 1, 0, 1, 1, 1, 1}};
  for (const auto& view : views) {
    const auto hidden = static_cast<int>(view.size()) - 4;
    const ExactNumber zero = Probability(chain, view, -1);
    const ExactNumber one = Probability(chain, view, hidden);
    ASSERT_TRUE(zero > 0);
    EXPECT_TRUE(one / zero == ExactNumber(19, 10));
  }
}

// The event "the last bottom comes right before the hidden step", at the
// published parameters: slope 1/2 and P(1) = 1e-7. Its probability, and with it
// delta at any epsilon' below ln(2 - epsilon), is a constant times epsilon.
TEST(JdpMirrorCounterexampleTest, ThePapersGuaranteeIsRefutedAtSmallEpsilon) {
  const auto design = JdpDesign::Published(/*activation=*/0.1, 0.5, 61);
  ASSERT_TRUE(design);
  const auto end = static_cast<double>(design->length.Probability(1));
  EXPECT_LT(end, 1.1e-7);
  const auto chain = MakeChain<double>(*design);
  Distribution<double> distribution = chain.Initial();
  for (int i = 0; i < 620; ++i) distribution = Advance(chain, distribution, -1);
  Distribution<double> zero = Advance(chain, distribution, 0);
  Distribution<double> one = Advance(chain, zero, -1);
  for (int i = 0; i < 62; ++i) {
    zero = Advance(chain, zero, 1);
    one = Advance(chain, one, 1);
  }
  EXPECT_NEAR(Total(one) / Total(zero), 1.9, 1e-5);
  // Five times the epsilon, ten thousand times the delta: still not private.
  const double delta = Total(one) - std::exp(5 * 0.1) * Total(zero);
  EXPECT_GT(delta, 10000 * end);
  EXPECT_TRUE(std::isinf(ComputeDelta(*design, 5 * 0.1).one_over_zero));
}

TEST(JdpMirrorTest, TheExactGameStaysBelowTheTheorem) {
  const struct {
    double slope;
    std::size_t size;
    double activation;
  } rows[] = {{1.5, 7, 0.6},  {1.5, 7, 0.3}, {1.5, 7, 0.1}, {0.5, 5, 0.6},
              {0.5, 5, 0.3},  {1.0, 6, 0.4}, {0.3, 4, 0.9}, {0.8, 3, 0.7},
              {3.0, 5, 0.05}, {1.2, 5, 0.38}};
  double used = 0;
  for (const auto& row : rows) {
    const auto design =
        JdpDesign::Published(row.activation, row.slope, row.size);
    ASSERT_TRUE(design);
    const double bound =
        std::max(2 - row.activation,
                 1 - row.activation + 2 * row.activation * std::exp(row.slope));
    const double epsilon = std::log(bound) + 1e-12;
    const JdpDeltas claim = ComputeDelta(*design, epsilon);
    ExactGame game(ChallengeDistribution(MakeChain<double>(*design)), 10);
    const auto forward = game.Delta(std::exp(epsilon), Direction::kPOverQ);
    const auto backward = game.Delta(std::exp(epsilon), Direction::kQOverP);
    ASSERT_TRUE(forward && backward);
    EXPECT_LE(*forward, claim.one_over_zero + game.ErrorBound(bound));
    EXPECT_LE(*backward, claim.zero_over_one + game.ErrorBound(bound));
    used = std::max(used, *forward / claim.one_over_zero);
  }
  EXPECT_GT(used, 0.5);
}

// The exact delta, one over zero, of a design of any size. Only a hidden one
// before the first top has an excess (jdp_mirror.md, steps 2 to 4), so its
// place is fixed in advance and the adaptive game is a maximum over places. A
// view then matters through n, the bottoms before the first top, and A, the
// tops before the last bottom; given n, each A has weight (1 - a) sigma(A).
class ExactJdpDelta {
 public:
  ExactJdpDelta(const JdpDesign& design, double bound)
      : active_(static_cast<double>(design.active())), bound_(bound) {
    const auto size = static_cast<std::size_t>(design.length.last());
    for (std::size_t i = 0; i <= size + 1; ++i) {
      p_.push_back(static_cast<double>(design.length.Probability(i)));
    }
    sigma_.assign(size + 2, 0);
    for (std::size_t i = size; i-- > 0;) {
      sigma_[i] = active_ * (p_[i + 1] + sigma_[i + 1]);
    }
    std::vector<double> binomial(size + 1);  // For n = 0, 1, ...
    binomial[0] = 1;
    for (std::size_t n = 0; n < kLongest; ++n) {
      b_.push_back(0);
      b1_.push_back(0);
      for (std::size_t r = 0; r <= size; ++r) {
        b_[n] += binomial[r] * p_[r];
        b1_[n] += binomial[r] * p_[r + 1];
      }
      for (std::size_t r = size; r > 0; --r) {
        binomial[r] += active_ * (binomial[r - 1] - binomial[r]);
      }
      binomial[0] *= 1 - active_;
    }
  }

  double Worst() const {
    double worst = 0;
    for (std::size_t g = 0; g < kLongest / 2; ++g) {
      worst = std::max(worst, At(g));
    }
    return worst;
  }

 private:
  static constexpr std::size_t kLongest = 500;

  double At(std::size_t g) const {
    double sum = 0;
    double second = b_[g];  // All active ones so far came before the hidden.
    for (std::size_t n = g; n < kLongest; ++n) {
      const double first = (1 - active_) * b_[n] + active_ * b1_[n];
      for (std::size_t tops = 1; tops + 1 < p_.size(); ++tops) {
        sum += (1 - active_) *
               std::max(0.0, (first - bound_ * b_[n]) * sigma_[tops] +
                                 active_ * second * sigma_[tops + 1]);
      }
      const double joined =
          n == g ? second * sigma_[0] : active_ * second * sigma_[1];
      sum += std::max(0.0, (first - bound_ * b_[n]) * sigma_[0] + joined);
      second *= 1 - active_;
    }
    return sum;
  }

  double active_;
  double bound_;
  std::vector<double> p_;
  std::vector<double> sigma_;
  std::vector<double> b_;
  std::vector<double> b1_;
};

TEST(JdpMirrorTest, TheSumOverViewsAgreesWithTheExactGame) {
  const auto design = JdpDesign::Published(0.5, 1, 3);
  ASSERT_TRUE(design);
  const double bound = 1 - 0.5 + 2 * 0.5 * std::exp(1.0);
  const double exact = ExactJdpDelta(*design, bound).Worst();
  ExactGame game(ChallengeDistribution(MakeChain<double>(*design)), 13);
  const auto seen = game.Delta(bound, Direction::kPOverQ);
  ASSERT_TRUE(seen);
  EXPECT_LE(*seen, exact + game.ErrorBound(bound));  // A shorter stream.
  EXPECT_GT(*seen, 0.98 * exact);
}

TEST(JdpMirrorTest, TheExactDeltaOfTheShippedDesignsIsBelowTheClaim) {
  for (const double epsilon : {0.5, 0.65, 0.75}) {
    const auto mirror = JdpMirror::Create({.epsilon = epsilon, .delta = 1e-6});
    ASSERT_TRUE(mirror);
    const double exact =
        ExactJdpDelta(mirror->design(), std::exp(epsilon)).Worst();
    EXPECT_LE(exact, mirror->guarantee().delta());
    EXPECT_GT(exact, 0.1 * mirror->guarantee().delta());
  }
}

TEST(JdpMirrorTest, MakesAsFewMistakesAsTheTableSays) {
  const struct {
    double epsilon;
    double mistakes;
  } rows[] = {{0.75, 81}, {0.65, 102}, {0.5, 163}};
  for (const auto& row : rows) {
    const auto mirror =
        JdpMirror::Create({.epsilon = row.epsilon, .delta = 1e-6});
    ASSERT_TRUE(mirror);
    EXPECT_LE(mirror->expected_mistakes(), row.mistakes);
    EXPECT_LE(mirror->guarantee().delta(), 1e-6);
  }
  EXPECT_FALSE(JdpMirror::Create({.epsilon = 0.4, .delta = 1e-6}));
}

// Printed lines: [Counters] Alg. 2: counters of active ones.
TEST(JdpMirrorTest, DelayedMirrorNeedsKActiveOnesMore) {
  const JdpMirror::Params params{.epsilon = 0.65, .delta = 1e-6};
  auto delayed = params;
  delayed.first_count = 201;
  const auto plain = JdpMirror::Create(params);
  auto mirror = JdpMirror::Create(delayed);
  ASSERT_TRUE(plain && mirror);
  const auto active = static_cast<double>(mirror->design().active());
  EXPECT_NEAR(mirror->expected_mistakes(),
              plain->expected_mistakes() + 200 / active, 1e-6);
  testing::SeededRng rng(6);
  for (int i = 0; i < 201; ++i) EXPECT_FALSE(mirror->Next(true, rng));
}

TEST(JdpMirrorTest, AnExactDelayIsExact) {
  auto mirror =
      JdpMirror::Create({.epsilon = 0.65, .delta = 1e-6, .delay = 300});
  ASSERT_TRUE(mirror);
  testing::SeededRng rng(7);
  for (int i = 0; i < 300; ++i) EXPECT_FALSE(mirror->Next(true, rng));
  for (int i = 0; i < 3000; ++i) mirror->Next(true, rng);
  EXPECT_TRUE(mirror->Next(true, rng));
  EXPECT_FALSE(mirror->Next(false, rng));
}

TEST(JdpMirrorTest, ASavedStateGoesOnWhereItStopped) {
  const JdpMirror::Params params{.epsilon = 0.65, .delta = 1e-6, .delay = 3};
  for (const int before : {0, 2, 20, 110, 3000}) {
    auto mirror = JdpMirror::Create(params);
    testing::SeededRng rng(8);
    for (int i = 0; i < before; ++i) mirror->Next(true, rng);
    ByteWriter writer;
    mirror->Save(writer);
    ByteReader reader(writer.bytes());
    auto loaded = JdpMirror::Load(params, reader);
    ASSERT_TRUE(loaded);
    testing::SeededRng rng_a(9);
    testing::SeededRng rng_b(9);
    for (int i = 0; i < 500; ++i) {
      EXPECT_EQ(mirror->Next(true, rng_a), loaded->Next(true, rng_b));
    }
  }
}

TEST(JdpMirrorTest, RefusesStatesThatItDidNotWrite) {
  const JdpMirror::Params params{.epsilon = 0.65, .delta = 1e-6, .delay = 3};
  ByteWriter fresh;
  JdpMirror::Create(params)->Save(fresh);
  const auto loads = [&](std::uint8_t drawn,
                         const std::vector<std::uint64_t>& left) {
    ByteWriter tail;
    tail.Number(drawn);
    for (const std::uint64_t n : left) tail.Number(n);
    const std::string head = fresh.bytes().substr(0, fresh.bytes().size() - 25);
    const std::string bytes = head + tail.bytes();
    ByteReader reader(bytes);
    return static_cast<bool>(JdpMirror::Load(params, reader));
  };
  EXPECT_TRUE(loads(0, {0, 0, 0}));
  EXPECT_TRUE(loads(1, {2, 5, 5}));
  EXPECT_TRUE(loads(1, {0, 5, 5}));
  EXPECT_TRUE(loads(1, {0, 0, 5}));
  EXPECT_TRUE(loads(1, {0, 0, 0}));
  EXPECT_FALSE(loads(1, {3, 5, 5}));
  EXPECT_FALSE(loads(1, {2, 0, 5}));
  EXPECT_FALSE(loads(1, {0, 5, 0}));
  EXPECT_FALSE(loads(1, {0, 5000, 5}));
  EXPECT_FALSE(loads(1, {0, 0, 5000}));
  EXPECT_FALSE(loads(0, {0, 5, 5}));
  EXPECT_FALSE(loads(2, {0, 5, 5}));
  EXPECT_FALSE(loads(1, {0, 5}));
}

TEST(JdpMirrorTest, AStateGoesOnUnderItsOwnDesignOnly) {
  const JdpMirror::Params params{.epsilon = 0.65, .delta = 1e-2};
  const auto design = JdpDesign::Published(/*activation=*/0.4, 0.1, 80);
  ASSERT_TRUE(design);
  auto mirror = JdpMirror::Create(params, *design);
  ASSERT_TRUE(mirror) << mirror.error().message;
  testing::SeededRng rng(10);
  for (int i = 0; i < 30; ++i) mirror->Next(true, rng);
  ByteWriter writer;
  mirror->Save(writer);
  ByteReader best(writer.bytes());
  EXPECT_EQ(JdpMirror::Load(params, best).error().code,
            ErrorCode::kFailedPrecondition);
  ByteReader more(writer.bytes());
  auto delayed = params;
  delayed.first_count = 2;
  EXPECT_EQ(JdpMirror::Load(delayed, *design, more).error().code,
            ErrorCode::kFailedPrecondition);
  ByteReader own(writer.bytes());
  auto loaded = JdpMirror::Load(params, *design, own);
  ASSERT_TRUE(loaded);
  testing::SeededRng rng_a(11);
  testing::SeededRng rng_b(11);
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(mirror->Next(true, rng_a), loaded->Next(true, rng_b));
  }
}

}  // namespace
}  // namespace sotto
