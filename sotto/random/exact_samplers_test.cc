#include "sotto/random/exact_samplers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "sotto/testing/scripted_rng.h"

namespace sotto {
namespace {

using testing::ScriptedRng;

// Explores every run of a sampler that reads only the low 3 bits of each word:
// the exact probability of every result that takes at most `depth` words.
class DecisionTree {
 public:
  using Sampler = std::function<std::int64_t(Rng&)>;

  DecisionTree(Sampler sampler, int depth)
      : sampler_(std::move(sampler)), depth_(depth) {
    Explore(1.0);
  }

  // Exact: sums of powers of 1/8, which doubles hold.
  double Lower(std::int64_t result) const {
    const auto found = closed_.find(result);
    return found == closed_.end() ? 0 : found->second;
  }
  double Upper(std::int64_t result) const { return Lower(result) + open_; }
  double open() const { return open_; }

 private:
  void Explore(double mass) {
    // Each word carries its index in bits that the sampler ignores, so the next
    // word shows how many were used. Words after the path are arbitrary, as
    // long as the sampler ends.
    std::vector<std::uint64_t> script;
    for (std::uint64_t i = 0; i < 64; ++i) {
      const std::uint64_t choice = i < path_.size() ? path_[i] : i * 5 % 8;
      script.push_back(choice | ((i + 1) << 32));
    }
    ScriptedRng rng(script);
    const std::int64_t result = sampler_(rng);
    const std::uint64_t next = rng.Next() >> 32;
    ASSERT_NE(next, 0u) << "the script was too short";
    const std::uint64_t used = next - 1;
    if (used <= path_.size()) {
      closed_[result] += mass;
    } else if (static_cast<int>(path_.size()) == depth_) {
      open_ += mass;
    } else {
      for (std::uint64_t choice = 0; choice < 8; ++choice) {
        path_.push_back(choice);
        Explore(mass / 8);
        path_.pop_back();
      }
    }
  }

  Sampler sampler_;
  int depth_;
  std::vector<std::uint64_t> path_;
  std::map<std::int64_t, double> closed_;
  double open_ = 0;
};

void ExpectBrackets(const DecisionTree& tree, std::int64_t result,
                    double probability) {
  EXPECT_LE(tree.Lower(result), probability + 1e-12) << result;
  EXPECT_GE(tree.Upper(result), probability - 1e-12) << result;
}

TEST(UniformBelowTest, EveryValueHasExactlyTheSameProbability) {
  for (std::uint64_t n = 2; n <= 8; ++n) {
    const DecisionTree tree(
        [n](Rng& rng) {
          return static_cast<std::int64_t>(UniformBelow(n, rng));
        },
        4);
    for (std::int64_t v = 0; v < static_cast<std::int64_t>(n); ++v) {
      EXPECT_EQ(tree.Lower(v), tree.Lower(0));
    }
    EXPECT_EQ(tree.Lower(static_cast<std::int64_t>(n)), 0);
    EXPECT_LT(tree.open(), 0.03);
  }
}

TEST(UniformBelowTest, UsesTwoWordsWhereOneIsTooFew) {
  const Uint128 n = (Uint128{5} << 64) + 3;
  ScriptedRng rng({2, 5, 9, 4});
  EXPECT_EQ(UniformBelow(n, rng), (Uint128{5} << 64) + 2);
  EXPECT_EQ(UniformBelow(n, rng), (Uint128{4} << 64) + 9);
  ScriptedRng rejecting({3, 5, 1, 1});
  EXPECT_EQ(UniformBelow(n, rejecting), (Uint128{1} << 64) + 1);
}

TEST(BernoulliTest, HasExactlyTheRationalProbability) {
  const DecisionTree tree([](Rng& rng) { return Bernoulli(3, 8, rng); }, 2);
  EXPECT_EQ(tree.Lower(1), 3.0 / 8);
  EXPECT_EQ(tree.open(), 0);
}

TEST(BernoulliExpTest, TheDecisionTreeBracketsTheExactProbability) {
  for (const auto& [a, b] : std::vector<std::pair<unsigned, unsigned>>{
           {0, 1}, {1, 8}, {1, 2}, {3, 4}, {1, 1}, {5, 4}, {5, 2}}) {
    const DecisionTree tree(
        [a = a, b = b](Rng& rng) { return BernoulliExp(a, b, rng); }, 5);
    ExpectBrackets(tree, 1, std::exp(-1.0 * a / b));
    ExpectBrackets(tree, 0, -std::expm1(-1.0 * a / b));
    EXPECT_LT(tree.open(), 0.2);
  }
}

// The bracket is narrow enough to tell rates apart.
TEST(BernoulliExpTest, TheBracketRefutesAWrongRate) {
  const DecisionTree tree([](Rng& rng) { return BernoulliExp(1, 2, rng); }, 5);
  EXPECT_GT(tree.Lower(1), std::exp(-0.6));
  EXPECT_LT(tree.Upper(1), std::exp(-0.4));
}

TEST(BernoulliExpTest, LargeParametersDoNotOverflow) {
  ScriptedRng rng({});
  const Uint128 huge = ~Uint128{0};
  EXPECT_TRUE(BernoulliExp(0, huge, rng));
  // All-zero words make every Bernoulli of positive probability succeed, so
  // e^-1 comes out by parity; a huge rate must still end.
  ScriptedRng ones(std::vector<std::uint64_t>(64, ~std::uint64_t{0}));
  EXPECT_FALSE(BernoulliExp(huge, 1, ones));
}

TEST(ExactGeometricTest, TheDecisionTreeBracketsTheDistribution) {
  const auto sampler = ExactGeometric::Create(*Rational::Create(1, 2));
  ASSERT_TRUE(sampler);
  const DecisionTree tree([&](Rng& rng) { return sampler->Sample(rng); }, 5);
  const double t = std::exp(-0.5);
  for (int g = 0; g < 6; ++g) {
    ExpectBrackets(tree, g, (1 - t) * std::pow(t, g));
  }
  EXPECT_GT(tree.Lower(0), 0.2);
}

TEST(ExactLaplaceTest, TheDecisionTreeBracketsTheDistribution) {
  const auto sampler = ExactLaplace::Create(*Rational::Create(3, 1));
  ASSERT_TRUE(sampler);
  const DecisionTree tree([&](Rng& rng) { return sampler->Sample(rng); }, 5);
  const double t = std::exp(-3.0);
  const double zero = (1 - t) / (1 + t);
  for (int z = -2; z <= 2; ++z) {
    ExpectBrackets(tree, z, zero * std::pow(t, std::abs(z)));
  }
}

TEST(ExactSamplersTest, RefuseParametersOutOfRange) {
  EXPECT_FALSE(ExactGeometric::Create(*Rational::Create(65, 1)));
  EXPECT_FALSE(
      ExactLaplace::Create(*Rational::Create(1, (std::uint64_t{1} << 48) + 1)));
  EXPECT_FALSE(ExactGaussian::Create(
      *Rational::Create((std::uint64_t{1} << 55) + 1, 1u << 20)));
  EXPECT_FALSE(ExactGaussian::Create(
      *Rational::Create(1, (std::uint64_t{1} << 55) + 1)));
  EXPECT_FALSE(
      ExactGaussian::Create(*Rational::Create(std::uint64_t{1} << 40, 1)));
}

}  // namespace
}  // namespace sotto
