#include "sotto/learners/learner_spec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "sotto/learners/learner_test_tools.h"
#include "sotto/learners/linear_learner.h"

namespace sotto {
namespace {

TEST(LearnerSpecTest, MakesEveryLearner) {
  for (const char* text :
       {"threshold", "threshold:range=-1..2.5", "interval", "point",
        "stump:features=10", "halving:class=thresholds/256",
        "soa:class=points/64", "agnostic:class=intervals/8",
        "winnow:features=100,negations=1",
        "confident-winnow:features=9,margin=0.2,confidence=0,rate=0.1",
        "perceptron:features=100", "logistic:features=100,rate=0.1",
        "decision-list:features=20", "experts:features=10"}) {
    const auto spec = LearnerSpec::Parse(text);
    ASSERT_TRUE(spec) << spec.error().message;
    auto learner = MakeLearner(*spec);
    ASSERT_TRUE(learner) << learner.error().message;
    // A copy is independent and learns.
    AnyLearner copy = *learner;
    const FeatureVector x{{0, 1}};
    for (int t = 0; t < 10; ++t) copy.Update(x, !copy.Predict(x));
    EXPECT_EQ(ExtractFacts(*spec).needs_features, spec->features > 0) << text;
    const auto again = LearnerSpec::Parse(spec->ToText());
    ASSERT_TRUE(again) << spec->ToText();
    EXPECT_EQ(again->ToText(), spec->ToText());
  }
}

TEST(LearnerSpecTest, ReadsWhatWasTyped) {
  const auto spec = LearnerSpec::Parse("stump:range=-1..2.5,features=7");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->range.low, -1);
  EXPECT_EQ(spec->range.high, 2.5);
  EXPECT_EQ(spec->features, 7);
  EXPECT_EQ(spec->ToText(), "stump:features=7,range=-1..2.5");
  const auto own = LearnerSpec::Parse("exec:./mine --fast a=b,c");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->name, "exec");
  EXPECT_EQ(own->command, "./mine --fast a=b,c");
  EXPECT_EQ(own->ToText(), "exec:./mine --fast a=b,c");
  EXPECT_FALSE(MakeLearner(*own));
}

TEST(LearnerSpecTest, RefusesWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"treshold", "Choose one of threshold, interval"},
      {"", "exec:COMMAND"},
      {"threshold:rate=1", "it has range"},
      {"point:range=0..1", "it has none"},
      {"logistic:rate", "needs a value"},
      {"threshold:range=1..0", "LOW..HIGH"},
      {"threshold:range=0..inf", "LOW..HIGH"},
      {"threshold:range=5", "LOW..HIGH"},
      {"perceptron:features=0", "whole number from 1"},
      {"perceptron:features=1.5", "whole number from 1"},
      {"logistic:rate=-1", "positive"},
      {"logistic:rate=nan", "positive"},
      {"logistic:rate=inf", "positive"},
      {"logistic:rate=1e999", "positive"},
      {"confident-winnow:margin=nan", "positive"},
      {"confident-winnow:margin=2", "at most 1"},
      {"confident-winnow:confidence=-nan", "below 1"},
      {"confident-winnow:confidence=1", "below 1"},
      {"threshold:range=nan..1", "LOW..HIGH"},
      {"perceptron:features=nan", "whole number from 1"},
      {"winnow:negations=yes", "0 or 1"},
      {"halving", "needs a class"},
      {"halving:class=thresholds", "thresholds/N"},
      {"halving:class=circles/3", "no class is called 'circles'"},
      {"halving:class=thresholds/0", "expected thresholds:N"},
      {"halving:class=@/no/such/file", "cannot read /no/such/file"},
      {"exec:", "needs a command"},
      {"exec", "needs a command"},
  };
  for (const auto& [text, reason] : cases) {
    const auto spec = LearnerSpec::Parse(text);
    ASSERT_FALSE(spec) << text;
    EXPECT_NE(spec.error().message.find(reason), std::string::npos)
        << text << " gave: " << spec.error().message;
  }
}

TEST(LearnerSpecTest, NeedsTheNumberOfFeaturesOnlyToMake) {
  auto spec = LearnerSpec::Parse("perceptron");
  ASSERT_TRUE(spec);
  EXPECT_TRUE(ExtractFacts(*spec).needs_features);
  EXPECT_FALSE(MakeLearner(*spec));
  spec->features = 3;
  EXPECT_TRUE(MakeLearner(*spec));
}

TEST(LearnerSpecTest, ReadsAClassFromAFile) {
  const std::string path = ::testing::TempDir() + "learner_spec_class.txt";
  std::ofstream(path) << "0011\n0111\n1111\n";
  const auto spec = LearnerSpec::Parse("soa:class=@" + path);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->functions->size(), 3);
  EXPECT_EQ(ExtractFacts(*spec).mistake_bound, 1);
  std::ofstream(path) << "0011\n01x1\n";
  const auto bad = LearnerSpec::Parse("soa:class=@" + path);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, path + ", line 2, column 3: expected 0 or 1");
  std::remove(path.c_str());
}

TEST(LearnerSpecTest, HasTheBounds) {
  const std::pair<const char*, double> cases[] = {
      {"threshold", 53},
      {"interval", 106},
      {"point", 1},
      {"halving:class=thresholds/256", 8},
      {"soa:class=points/64", 1},
      {"soa:class=intervals/15", 6},
      {"stump:features=10", 1079},
      {"decision-list:features=20", 1722},
      {"confident-winnow:features=9,margin=0.5,confidence=0,nonnegative=1",
       8 * std::log(10.0)},
  };
  for (const auto& [text, bound] : cases) {
    const auto facts = ExtractFacts(*LearnerSpec::Parse(text));
    ASSERT_TRUE(facts.mistake_bound) << text;
    EXPECT_DOUBLE_EQ(*facts.mistake_bound, bound) << text;
  }
  for (const char* text : {"perceptron:features=3", "stump", "exec:./mine"}) {
    EXPECT_FALSE(ExtractFacts(*LearnerSpec::Parse(text)).mistake_bound) << text;
  }
}

TEST(LearnerSpecTest, TheLearnerOutlivesItsSpec) {
  auto learner = [] {
    const auto spec = LearnerSpec::Parse("halving:class=thresholds/9");
    return *MakeLearner(*spec);
  }();
  learner.Update(Number(3), true);
  EXPECT_TRUE(learner.Predict(Number(4)));
}

}  // namespace
}  // namespace sotto
