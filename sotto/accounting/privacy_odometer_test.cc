#include "sotto/accounting/privacy_odometer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace sotto {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0.1;  // losses are multiples of it
constexpr int kRounds = 14;
constexpr std::array<int, 2> kMoves = {3, 10};  // epsilons, in units

// The best result of an adversary who picks one of two randomized responses
// each round, knowing the loss so far. `Reading` maps the numbers of charges of
// each kind to the epsilon shown.
template <typename Reading>
class OdometerGame {
 public:
  explicit OdometerGame(Reading reading) : reading_(reading) {}

  // Pr_P[the loss exceeds the reading after some charge].
  double Overrun() { return Overrun({0, 0}, 0); }
  // sup over stopping rules of E_P[(1 - e^{reading - loss})_+], which is the
  // largest P(S) - E_Q[e^reading 1_S].
  double Stopped() { return Stopped({0, 0}, 0); }

 private:
  using Asked = std::array<int, 2>;

  double Shown(const Asked& asked) {
    const auto [entry, fresh] = shown_.try_emplace(asked, 0.0);
    if (fresh) entry->second = reading_(asked);
    return entry->second;
  }

  template <typename Next>
  double BestMove(const Asked& asked, int loss, Next next) {
    double best = 0;
    if (asked[0] + asked[1] == kRounds) return best;
    for (std::size_t j = 0; j < kMoves.size(); ++j) {
      Asked then = asked;
      ++then[j];
      const double truth = 1 / (1 + std::exp(-kUnit * kMoves[j]));
      best = std::max(best, truth * next(then, loss + kMoves[j]) +
                                (1 - truth) * next(then, loss - kMoves[j]));
    }
    return best;
  }

  double Overrun(const Asked& asked, int loss) {
    if (kUnit * loss > Shown(asked) + 1e-12) return 1;
    const auto key = std::tuple(0, asked, loss);
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    return known_[key] = BestMove(asked, loss, [&](const Asked& a, int l) {
             return Overrun(a, l);
           });
  }

  double Stopped(const Asked& asked, int loss) {
    const auto key = std::tuple(1, asked, loss);
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    const double stop =
        std::max(0.0, 1 - std::exp(Shown(asked) - kUnit * loss));
    const double go_on = BestMove(
        asked, loss, [&](const Asked& a, int l) { return Stopped(a, l); });
    return known_[key] = std::max(stop, go_on);
  }

  Reading reading_;
  std::map<Asked, double> shown_;
  std::map<std::tuple<int, Asked, int>, double> known_;
};

std::vector<double> GameOrders() { return {1.5, 2, 3, 5, 9}; }

TEST(RenyiOdometerTest, IsRightAtAllTimesAgainstEveryAdaptiveAdversary) {
  for (const double delta : {0.01, 0.1, 0.3}) {
    const auto reading = [&](const std::array<int, 2>& asked) {
      auto odometer = RenyiOdometer::Create({GameOrders(), delta});
      for (std::size_t j = 0; j < asked.size(); ++j) {
        for (int i = 0; i < asked[j]; ++i) {
          if (!odometer->Charge(PureCurve(kUnit * kMoves[j]))) return kNan;
        }
      }
      return odometer->Epsilon();
    };
    OdometerGame game(reading);
    const double overrun = game.Overrun();
    EXPECT_LE(overrun, delta);
    EXPECT_GT(overrun, 0);
    EXPECT_LE(game.Stopped(), delta);
  }
}

// Broken: converts what was spent so far as if the moment of reading had been
// fixed in advance, at the order that looks best now.
TEST(RenyiOdometerTest, TheGameRefutesReadingAFilterAsAnOdometer) {
  constexpr double kDelta = 0.1;
  const auto reading = [&](const std::array<int, 2>& asked) {
    const RenyiCurve spent =
        PureCurve(kUnit * kMoves[0])
            .Repeated(asked[0])
            .ComposedWith(PureCurve(kUnit * kMoves[1]).Repeated(asked[1]));
    double epsilon = kInf;
    for (int i = 1; i < 39; ++i) {
      const double order = std::pow(1.1, i);
      epsilon = std::min(
          epsilon, EpsilonAtOrder(order, spent.LogMomentAt(order), kDelta));
    }
    return epsilon;
  };
  OdometerGame game(reading);
  EXPECT_GT(game.Overrun(), 2 * kDelta);
  EXPECT_GT(game.Stopped(), kDelta);
}

TEST(RenyiOdometerTest, GrowsFromZeroWithEveryCharge) {
  auto odometer = RenyiOdometer::Create({{2, 8, 32}, 1e-6});
  ASSERT_TRUE(odometer);
  EXPECT_EQ(odometer->Epsilon(), 0);
  double before = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(odometer->Charge(GaussianCurve(20)));
    EXPECT_GT(odometer->Epsilon(), before);
    before = odometer->Epsilon();
  }
  // Order 8: 100 * 8 * 7 / 800 = 7 and ln(3e6), over 7.
  EXPECT_NEAR(odometer->Epsilon(), (7 + std::log(3e6)) / 7, 1e-12);
}

TEST(RenyiOdometerTest, LosesAnOrderRatherThanItsValidity) {
  auto odometer = RenyiOdometer::Create({{2, 8}, 1e-6});
  const RenyiCurve low([](double order) { return order < 4 ? 0.1 : kInf; });
  ASSERT_TRUE(odometer->Charge(low));
  EXPECT_NEAR(odometer->Epsilon(), 0.1 + std::log(2e6), 1e-12);
  const RenyiOdometer::State before = odometer->state();
  const RenyiCurve high([](double order) { return order > 4 ? 0.1 : kInf; });
  EXPECT_EQ(odometer->Charge(high).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(odometer->state(), before);
  ASSERT_TRUE(RenyiOdometer::Restore(before));
  EXPECT_EQ(RenyiOdometer::Restore(before)->Epsilon(), odometer->Epsilon());
}

TEST(RenyiOdometerTest, RejectsParametersOutsideTheContract) {
  EXPECT_FALSE(RenyiOdometer::Create({{}, 1e-6}));
  EXPECT_FALSE(RenyiOdometer::Create({{2, 1}, 1e-6}));
  EXPECT_FALSE(RenyiOdometer::Create({{2, 2}, 1e-6}));
  EXPECT_FALSE(RenyiOdometer::Create({{2}, 0}));
  EXPECT_FALSE(RenyiOdometer::Create({{2}, kNan}));
  EXPECT_EQ(RenyiOdometer::Restore({{2}, {-1}, 1e-6}).error().code,
            ErrorCode::kCorruption);
  EXPECT_FALSE(RenyiOdometer::Restore({{2}, {}, 1e-6}));
}

TEST(PureOdometerTest, AddsWhatWasSpentAndRefusesWhatIsNoCost) {
  PureOdometer odometer;
  ASSERT_TRUE(odometer.Charge({0.5}));
  ASSERT_TRUE(odometer.Charge({0.25}));
  EXPECT_FALSE(odometer.Charge({-1}));
  EXPECT_FALSE(odometer.Charge({kNan}));
  EXPECT_FALSE(odometer.Charge({kInf}));
  EXPECT_EQ(odometer.Epsilon(), 0.75);
}

}  // namespace
}  // namespace sotto
