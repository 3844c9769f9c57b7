// Accounting of the online learners of this directory, against the formulas of
// their pages written out: finite_class_learner.md, step 5, and
// dp_online_learner.md, step 6. In each instance another part is the largest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/papers/dp_online_learner.h"

namespace sotto {
namespace {

// Moment of randomised response.
double StopperMoment(double order, double epsilon) {
  const double larger = 1 / (1 + std::exp(-epsilon));
  const double x = (order - 1) * epsilon;
  return std::log(larger * std::exp(x) + (1 - larger) * std::exp(-x));
}

// The least over a fine grid of orders.
double Convert(const std::function<double(double)>& moment, double epsilon) {
  double least = 1;
  for (double order = 1.001; order < 400; order *= 1.001) {
    least = std::min(least, std::exp(moment(order) - (order - 1) * epsilon) *
                                std::pow(1 - 1 / order, order - 1) / order);
  }
  return least;
}

double FiniteClassFormula(const FiniteClassLearner::Params& params,
                          double epsilon) {
  const double rate = params.rate.ToDoubleUp() *
                      (params.relation == Relation::kReplace ? 2 : 1);
  double rho = 0;
  for (std::size_t a = 0; a < params.weights.size(); ++a) {
    const double range = rate * params.weights[a];
    const auto later = static_cast<double>(params.weights.size() - a);
    rho = std::max(
        rho, static_cast<double>(params.votes) * later * range * range / 8);
  }
  return Convert(
      [&](double order) {
        return StopperMoment(order, params.stopper) + order * (order - 1) * rho;
      },
      epsilon);
}

TEST(LittlestoneDeltaTest, OfTheFiniteClassLearnerIsThatOfItsPage) {
  for (const auto relation : {Relation::kReplace, Relation::kAddRemove}) {
    for (const double stopper : {0.001, 0.6}) {
      for (const auto& weights : std::vector<std::vector<std::uint32_t>>{
               {100}, {90, 100, 150}, {10, 10, 80, 200}}) {
        const FiniteClassLearner::Params params{
            .relation = relation,
            .stopper = stopper,
            .votes = 5,
            .rate = *Rational::Create(1, 1024),
            .weights = weights};
        for (const double epsilon : {0.7, 1.5}) {
          const double expected = FiniteClassFormula(params, epsilon);
          EXPECT_NEAR(FiniteClassDelta(params, epsilon) / expected, 1, 1e-3);
        }
      }
    }
  }
}

// ln R of a stopped process: stopped_process.md, step 2.
double TargetMoment(double order, double rate) {
  const double x = std::expm1((order - 1) * rate) * std::expm1(order * rate);
  return x >= 1 ? 1e9 : -std::log1p(-x);
}

double DpOnlineFormula(const DpOnlineLearner::Params& params, double epsilon) {
  const auto draws = static_cast<double>(params.votes * params.calls);
  const auto moment = [&](double order) {
    return TargetMoment(order, params.mistake_rate) +
           static_cast<double>(params.stages) *
               TargetMoment(order, params.agreement) +
           order * (order - 1) * draws * params.sample_rate *
               params.sample_rate / 2;
  };
  return Convert(moment, epsilon) +
         (1 + std::exp(epsilon)) * draws * params.sample_delta;
}

TEST(LittlestoneDeltaTest, OfDpOlIsThatOfItsPage) {
  const DpOnlineLearner::Params small{.stages = 3,
                                      .calls = 4,
                                      .votes = 5,
                                      .mistake_rate = 0.01,
                                      .agreement = 0.001,
                                      .sample_rate = 0.001,
                                      .sample_delta = 1e-12};
  for (const auto& enlarge : std::vector<void (*)(DpOnlineLearner::Params&)>{
           [](auto& p) { p.mistake_rate = 0.15; },
           [](auto& p) { p.agreement = 0.15; },
           [](auto& p) { p.sample_rate = 0.1; },
           [](auto& p) { p.sample_delta = 1e-4; },
           [](auto& p) {
             p.mistake_rate = 0.05;
             p.agreement = 0.08;
             p.sample_rate = 0.06;
             p.sample_delta = 1e-6;
           }}) {
    DpOnlineLearner::Params params = small;
    enlarge(params);
    for (const double epsilon : {0.5, 1.0}) {
      const double expected = DpOnlineFormula(params, epsilon);
      EXPECT_GT(expected, 1e-9);
      EXPECT_NEAR(DpOnlineDelta(params, epsilon) / expected, 1, 1e-3);
    }
  }
}

}  // namespace
}  // namespace sotto
