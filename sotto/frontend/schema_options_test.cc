// `sotto schema --private-ranges`: whose rows count, what is charged and
// stated.
#include "sotto/frontend/schema_options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sotto/data/budgets/budget_file.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

class SchemaOptionsTest : public ::testing::Test {
 protected:
  // Every user has three rows: 1, then 100, then 10,000.
  SchemaOptionsTest() {
    std::string table = "name,hours,y\n";
    for (int i = 0; i < 300; ++i) {
      for (const char* hours : {"1", "100", "10000"}) {
        table += "u" + std::to_string(i) + "," + hours + ",1\n";
      }
    }
    folder_.Write("table.csv", table);
    EXPECT_TRUE(BudgetFile::Create(
        budget_, {.people = "p", .limits = {.limit = {20, 1e-2}}}));
  }
  Result<MadeSchema> Make(const Words& more) const {
    Settings settings(SchemaOptions());
    Words words = {{"private-ranges", folder_.path("table.csv")},
                   {"user", "name"},
                   {"label", "y"},
                   {"labels", "0,1"},
                   {"epsilon", "8"},
                   {"delta", "1e-3"},
                   {"seed", "1"}};
    if (!more.empty() && more.front().first == "budget") words.pop_back();
    words.insert(words.end(), more.begin(), more.end());
    for (const auto& [name, text] : words) {
      EXPECT_TRUE(settings.Set(name, text)) << name;
    }
    return MakeSchema(settings);
  }

  testing::ScratchFolder folder_;
  const std::string budget_ = folder_.path("known.budget");
};

TEST_F(SchemaOptionsTest, AUserHasAsManyRowsAsTheNoiseIsFor) {
  double before = 0;
  for (const auto& [rounds, most] : std::vector<std::pair<std::string, double>>{
           {"1", 1}, {"2", 100}, {"3", 10'000}}) {
    const auto made = Make({{"rounds-per-user", rounds}});
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_EQ(made->schema.columns[0].name, "hours");
    const auto range = made->schema.columns[0].range;
    ASSERT_TRUE(range);
    EXPECT_GE(range->second, most);
    EXPECT_LE(range->second, 2 * most);
    ASSERT_TRUE(made->schema.spent);
    EXPECT_LE(made->schema.spent->epsilon, 8);
    EXPECT_GE(made->schema.spent->epsilon, 7.9);
    // More rows a user, more noise for each.
    EXPECT_GT(range->second, before);
    before = range->second;
    EXPECT_NE(made->notes.find(rounds), std::string::npos) << made->notes;
  }
}

TEST_F(SchemaOptionsTest, RangesAreChargedBeforeRowsAreRead) {
  ASSERT_TRUE(Make({{"budget", budget_}, {"group", "north"}}));
  auto record = BudgetFile::Read(budget_);
  ASSERT_TRUE(record);
  ASSERT_EQ(record->entries().size(), 1U);
  EXPECT_EQ(record->entries()[0].cost, (ApproximateDp{8, 1e-3}));
  EXPECT_EQ(record->entries()[0].group, "north");
  const auto refused = Make({{"budget", budget_}, {"epsilon", "15"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
}

}  // namespace
}  // namespace sotto
