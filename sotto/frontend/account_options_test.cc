// `sotto account`: every option that is given changes the answer, and a mixture
// is the composition of what it lists.
#include "sotto/frontend/account_options.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/tight_composition.h"
#include "sotto/frontend/account_mixture.h"

namespace sotto {
namespace {

// Options, each with another value.
struct Word {
  std::string name;
  std::string text;
  std::string other;
};

const std::vector<std::vector<Word>>& Questions() {
  static const std::vector<std::vector<Word>> kAll = {
      {{"mechanism", "gaussian", "laplace"},
       {"noise-scale", "20", "21"},
       {"compositions", "3", "4"},
       {"delta", "1e-6", "1e-7"}},
      {{"mechanism", "pure", "laplace"},
       {"epsilon-each", "0.1", "0.11"},
       {"compositions", "3", "4"},
       {"epsilon", "0.2", "0.25"}},
      {{"mechanism", "discrete-gaussian", "gaussian"},
       {"target-epsilon", "1", "1.1"},
       {"delta", "1e-6", "1e-7"}},
      {{"mechanism", "pop", "between-thresholds"},
       {"noise-scale", "100", "90"},
       {"reports", "20", "21"},
       {"gap", "50", "20"},
       {"stopper", "0.2", "0.1"},
       {"epsilon", "0.5", "0.6"},
       {"method", "renyi", "exact"}},
      {{"compose", "laplace:20*100,pure:0.1", "laplace:20*100,pure:0.2"},
       {"delta", "1e-6", "1e-7"}},
      {{"compose", "gaussian:50*10,dp:0.5/1e-7", "gaussian:50*10,dp:0.5/1e-6"},
       {"epsilon", "1", "1.1"}}};
  return kAll;
}

// The answer, or why there is none; `other` names the option that differs.
std::string Ask(const std::vector<Word>& words, const std::string& other) {
  Settings settings(AccountOptions());
  for (const Word& word : words) {
    EXPECT_TRUE(
        settings.Set(word.name, word.name == other ? word.other : word.text));
  }
  const auto answer = AskAccount(settings);
  if (!answer) return answer.error().message;
  return AccountJson(settings, *answer).Dump() +
         AccountSentence(settings, *answer);
}

TEST(AccountOptionsTest, EveryOptionChangesTheAnswer) {
  std::set<std::string> asked;
  for (const std::vector<Word>& words : Questions()) {
    const std::string answer = Ask(words, "");
    EXPECT_NE(answer.find("epsilon"), std::string::npos) << answer;
    for (const Word& word : words) {
      asked.insert(word.name);
      EXPECT_NE(Ask(words, word.name), answer) << word.name;
    }
  }
  for (const Option& option : AccountOptions()) {
    EXPECT_TRUE(asked.contains(std::string(option.name))) << option.name;
  }
}

TEST(AccountOptionsTest, AMixtureIsTheCompositionOfItsParts) {
  const auto laplace = PrivacyLoss::Laplace(20);
  const auto dp = PrivacyLoss::ApproximateDp(0.5, 1e-7);
  ASSERT_TRUE(laplace && dp);
  const std::vector<LossTerm> terms = {{*laplace, 30}, {*dp, 1}};
  const std::string text = "laplace:20*30,dp:0.5/1e-7";
  const auto epsilon = MixtureEpsilon(text, 1e-6);
  ASSERT_TRUE(epsilon);
  EXPECT_EQ(epsilon->delta, 1e-6);
  EXPECT_EQ(epsilon->epsilon, *TightEpsilon(terms, 1e-6));
  const auto delta = MixtureDelta(text, 1.25);
  ASSERT_TRUE(delta);
  EXPECT_EQ(delta->epsilon, 1.25);
  EXPECT_EQ(delta->delta, *TightDelta(terms, 1.25));
}

}  // namespace
}  // namespace sotto
