#include "sotto/learners/learner_entry.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace sotto {
namespace {

TEST(LearnerEntryTest, EveryEntryDescribesItself) {
  std::set<std::string_view> names;
  for (const LearnerEntry& entry : Learners()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.help.empty()) << entry.name;
    EXPECT_NE(entry.facts, nullptr);
    EXPECT_NE(entry.make, nullptr);
    EXPECT_EQ(FindLearner(entry.name), &entry);
    EXPECT_NE(LearnerHelp().find(entry.name), std::string_view::npos);
    std::set<std::string_view> keys;
    for (const LearnerKey* key : entry.keys) {
      EXPECT_TRUE(keys.insert(key->name).second) << key->name;
      EXPECT_FALSE(key->help.empty()) << key->name;
      EXPECT_FALSE(key->expected.empty()) << key->name;
    }
  }
  EXPECT_EQ(FindLearner("nobody"), nullptr);
}

TEST(LearnerEntryTest, NoKeyTakesWhatIsNotFinite) {
  for (const LearnerEntry& entry : Learners()) {
    for (const LearnerKey* key : entry.keys) {
      for (const char* value : {"nan", "-nan", "inf", "-inf", "1e999", ""}) {
        LearnerSpec spec;
        spec.name = std::string(entry.name);
        EXPECT_FALSE(key->set(*key, value, spec))
            << entry.name << ":" << key->name << "=" << value;
      }
    }
  }
}

TEST(LearnerEntryTest, ALearnerThatLooksAtOneNumberNeedsNoCountOfFeatures) {
  for (const LearnerEntry& entry : Learners()) {
    LearnerSpec spec;
    spec.name = std::string(entry.name);
    const LearnerFacts facts = ExtractFacts(spec);
    EXPECT_FALSE(facts.one_number && facts.needs_features) << entry.name;
    EXPECT_TRUE(entry.program || facts.one_number || facts.needs_features);
  }
}

}  // namespace
}  // namespace sotto
