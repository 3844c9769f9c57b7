#include "sotto/audit/program/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sotto {
namespace {

using Noise = std::mt19937_64;
// The facts of one run of a world.
using Program = std::function<std::vector<std::string>(bool other, Noise&)>;

double Uniform(Noise& noise) {
  return static_cast<double>(noise() >> 11) * 0x1p-53;
}
double Laplace(double scale, Noise& noise) {
  const double u = Uniform(noise) - 0.5;
  return -scale * std::copysign(std::log1p(-2 * std::abs(u)), u);
}
bool Response(bool truth, double epsilon, Noise& noise) {
  return (Uniform(noise) < std::exp(epsilon) / (1 + std::exp(epsilon))) ==
         truth;
}

Comparison Compare(const Program& program, std::size_t runs,
                   const ComparisonParams& params, std::uint64_t seed) {
  Noise noise(seed);
  std::vector<FactColumn> columns;
  for (std::size_t i = 0; i < runs; ++i) {
    for (const bool other : {false, true}) {
      const auto facts = program(other, noise);
      columns.resize(std::max(columns.size(), facts.size()));
      for (std::size_t j = 0; j < facts.size(); ++j) {
        columns[j].place = "fact " + std::to_string(j);
        columns[j].word = true;
        auto& values = other ? columns[j].there : columns[j].here;
        values.push_back(FactValue::Of(facts[j]));
      }
    }
  }
  return CompareWorlds(columns, runs, params);
}

ComparisonParams Claim(double epsilon, double alpha = 1e-6 / 8) {
  return {.change = "replaced", .claim = {epsilon, 0}, .alpha = alpha};
}

std::vector<std::string> Words(bool truth, double epsilon, Noise& noise) {
  return {Response(truth, epsilon, noise) ? "yes" : "no"};
}

TEST(ComparisonTest, RandomisedResponseInWordsIsNoViolationAtItsOwnEpsilon) {
  for (const double epsilon : {0.5, 1.0, 3.0}) {
    const Program program = [&](bool other, Noise& noise) {
      return Words(other, epsilon, noise);
    };
    // At a false-alarm rate that would show: 3 of 400 are expected at most.
    int alarms = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      const auto made = Compare(program, 90, Claim(epsilon, 0.0075), seed);
      alarms += made.leaks.empty() ? 0 : 1;
    }
    EXPECT_LE(alarms, 12) << epsilon;  // Poisson of mean 3: below 1e-4
    EXPECT_EQ(Compare(program, 600, Claim(epsilon), 1).Verdict(), "consistent");
  }
}

TEST(ComparisonTest, RandomisedResponseAtTwiceItsEpsilonIsAViolation) {
  const Program program = [](bool other, Noise& noise) {
    return Words(other, 2, noise);
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(Compare(program, 500, Claim(1), seed).Verdict(), "violation");
  }
}

// Laplace noise on a value that differs by 1, of many digits.
std::vector<std::string> Release(bool other, double scale, Noise& noise) {
  return {std::to_string((other ? 1 : 0) + Laplace(scale, noise))};
}

TEST(ComparisonTest, NumbersThatNeverRepeatAreComparedAsNumbers) {
  const Program leaky = [](bool other, Noise& noise) {
    return std::vector<std::string>{
        std::to_string((other ? 1000 : 0) + Uniform(noise))};
  };
  const Comparison made = Compare(leaky, 60, Claim(1), 1);
  ASSERT_EQ(made.Verdict(), "violation");
  EXPECT_NE(made.leaks.front().event.find("its number"), std::string::npos);
  EXPECT_FALSE(made.leaks.front().exact);
  const Program sound = [](bool other, Noise& noise) {
    return Release(other, 1, noise);
  };
  EXPECT_EQ(Compare(sound, 400, Claim(1), 1).Verdict(), "consistent");
}

TEST(ComparisonTest, NumbersThatTogetherTellTooMuchAreFound) {
  // Each of twenty numbers has the noise of one.
  const Program leaky = [](bool other, Noise& noise) {
    std::vector<std::string> facts;
    for (int i = 0; i < 20; ++i) facts.push_back(Release(other, 1, noise)[0]);
    return facts;
  };
  const Comparison made = Compare(leaky, 400, Claim(1), 1);
  ASSERT_EQ(made.Verdict(), "violation");
  EXPECT_EQ(made.leaks.front().place, "all facts together");
}

TEST(ComparisonTest, ABitInALowDigitIsFound) {
  const Program last = [](bool other, Noise& noise) {
    const auto whole = 2 * static_cast<std::int64_t>(Laplace(1e6, noise));
    return std::vector<std::string>{std::to_string(whole + (other ? 1 : 0))};
  };
  EXPECT_EQ(Compare(last, 100, Claim(1), 1).Verdict(), "violation");
  const Program sixth = [](bool other, Noise& noise) {
    const double cut = std::floor(Laplace(1, noise) * 5e5) / 5e5;
    return std::vector<std::string>{std::to_string(cut + (other ? 1e-6 : 0))};
  };
  EXPECT_EQ(Compare(sixth, 100, Claim(1), 1).Verdict(), "violation");
}

TEST(ComparisonTest, ANoiseThatIsUsedTwiceIsFound) {
  const Program leaky = [](bool other, Noise& noise) {
    const double drawn = Laplace(1, noise);
    return std::vector<std::string>{std::to_string(drawn),
                                    std::to_string(drawn + (other ? 1 : 0))};
  };
  EXPECT_EQ(Compare(leaky, 100, Claim(1), 1).Verdict(), "violation");
}

TEST(ComparisonTest, ABitThatIsSplitOverTwoFactsIsFound) {
  const Program numbers = [](bool other, Noise& noise) {
    const bool pad = Uniform(noise) < 0.5;
    return std::vector<std::string>{pad ? "1" : "0", pad != other ? "1" : "0"};
  };
  EXPECT_EQ(Compare(numbers, 100, Claim(1), 1).Verdict(), "violation");
  const Program words = [](bool other, Noise& noise) {
    const bool pad = Uniform(noise) < 0.5;
    return std::vector<std::string>{pad ? "a" : "b", pad != other ? "c" : "d"};
  };
  EXPECT_EQ(Compare(words, 100, Claim(1), 1).Verdict(), "violation");
}

TEST(ComparisonTest, FactsWithoutNoiseAreCertainAfterAsManyRunsAsItSays) {
  const Program program = [](bool other, Noise&) {
    return std::vector<std::string>{other ? "11" : "12"};
  };
  const Comparison few = Compare(program, 6, Claim(1), 1);
  EXPECT_EQ(few.Verdict(), "inconclusive");
  ASSERT_EQ(few.suspicions.size(), 1u);
  EXPECT_EQ(Compare(program, few.runs_needed, Claim(1), 1).Verdict(),
            "violation");
  EXPECT_EQ(Compare(program, few.runs_needed - 2, Claim(1), 1).Verdict(),
            "inconclusive");
  ComparisonParams exact = Claim(1);
  exact.exact_words = true;
  EXPECT_EQ(Compare(program, 1, exact, 1).Verdict(), "violation");
}

TEST(ComparisonTest, SilenceIsConsistentOnlyIfALeakWouldHaveBeenNoticed) {
  const Program silent = [](bool, Noise&) {
    return std::vector<std::string>{"ok"};
  };
  const Comparison few = Compare(silent, 40, Claim(1), 1);
  EXPECT_EQ(few.Verdict(), "inconclusive");
  EXPECT_GT(few.detectable, 2);
  EXPECT_EQ(Compare(silent, few.runs_needed, Claim(1), 1).Verdict(),
            "consistent");
}

TEST(ComparisonTest, EventsAreChosenWithoutTheCountedRuns) {
  // Only the counted runs differ: nothing is there to choose.
  std::size_t run = 0;
  const Program late = [&](bool other, Noise&) {
    const std::size_t i = run++ / 2;
    return std::vector<std::string>{i >= 40 && other ? "b" : "a"};
  };
  const Comparison made = Compare(late, 120, Claim(1), 1);
  EXPECT_TRUE(made.leaks.empty());
  EXPECT_EQ(made.epsilon_lower, 0);
}

TEST(ComparisonTest, WorldsThatShareTheirNoiseNeedMoreRuns) {
  ComparisonParams shared = Claim(1);
  shared.independent = false;
  const Program program = [](bool other, Noise&) {
    return std::vector<std::string>{other ? "11" : "12"};
  };
  const auto needed = Compare(program, 6, Claim(1), 1).runs_needed;
  EXPECT_EQ(Compare(program, needed, shared, 1).Verdict(), "inconclusive");
  EXPECT_GT(Compare(program, 6, shared, 1).runs_needed, needed);
}

}  // namespace
}  // namespace sotto
