#include "sotto/learners/learner_row.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace sotto {
namespace {

TEST(LearnerRowTest, EveryRowSaysWhatItIs) {
  std::set<std::string_view> names;
  for (const LearnerRow& row : Learners()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_NE(row.facts, nullptr);
    EXPECT_NE(row.make, nullptr);
    EXPECT_EQ(FindLearner(row.name), &row);
    EXPECT_NE(LearnerHelp().find(row.name), std::string_view::npos);
    std::set<std::string_view> keys;
    for (const LearnerKey* key : row.keys) {
      EXPECT_TRUE(keys.insert(key->name).second) << key->name;
      EXPECT_FALSE(key->help.empty()) << key->name;
      EXPECT_FALSE(key->expected.empty()) << key->name;
    }
  }
  EXPECT_EQ(FindLearner("nobody"), nullptr);
}

TEST(LearnerRowTest, NoKeyTakesWhatIsNotFinite) {
  for (const LearnerRow& row : Learners()) {
    for (const LearnerKey* key : row.keys) {
      for (const char* value : {"nan", "-nan", "inf", "-inf", "1e999", ""}) {
        LearnerSpec spec;
        spec.name = std::string(row.name);
        EXPECT_FALSE(key->set(*key, value, spec))
            << row.name << ":" << key->name << "=" << value;
      }
    }
  }
}

TEST(LearnerRowTest, ALearnerThatLooksAtOneNumberNeedsNoCountOfFeatures) {
  for (const LearnerRow& row : Learners()) {
    LearnerSpec spec;
    spec.name = std::string(row.name);
    const LearnerFacts facts = FactsOf(spec);
    EXPECT_FALSE(facts.one_number && facts.needs_features) << row.name;
    EXPECT_TRUE(row.program || facts.one_number || facts.needs_features);
  }
}

}  // namespace
}  // namespace sotto
