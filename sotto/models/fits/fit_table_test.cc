#include "sotto/models/fits/fit_table.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sotto/models/fits/stump_fit.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

// Request and batch of the last fit.
struct Seen {
  FitBudget budget;
  std::vector<FitBatch> batches;
};
Seen& LastSeen() {
  static Seen seen;
  return seen;
}

class SpyFit final : public PrivateFit {
 public:
  explicit SpyFit(const FitBudget& budget) : budget_(budget) {}
  FitHypothesis Fit(const FitBatch& batch, Rng&) const override {
    LastSeen().batches.push_back(batch);
    return FitHypothesis::Constant(true);
  }
  Spend spend() const override { return MakePart("spy", budget_.user); }
  double ExpectedError(double) const override { return 0; }
  double RowsFor(double, double) const override { return 1; }
  Json parameters() const override { return {}; }
  std::string Summary() const override { return "spy"; }

 private:
  FitBudget budget_;
};

FitEntry SpyEntry() {
  return {
      .name = "spy",
      .help = "",
      .example = "",
      .options = {},
      .columns = StumpEntry().columns,
      .create = [](const Settings&, const FitColumns&, const FitBudget& budget)
          -> Result<std::unique_ptr<PrivateFit>> {
        LastSeen().budget = budget;
        return std::unique_ptr<PrivateFit>(std::make_unique<SpyFit>(budget));
      }};
}

constexpr const char* kSchema =
    R"({"columns":[{"name":"c1","type":"boolean"}],)"
    R"("label":{"column":"c2","negative":"0","positive":"1"}})";

class FitTableTest : public ::testing::Test {
 protected:
  FitTableTest() {
    LastSeen() = {};
    folder_.Write("s.json", kSchema);
  }
  // Fits a table of one column and a label, by the settings of the relation.
  void Fit(const std::string& relation, const std::string& rows) {
    folder_.Write("t.csv", rows);
    const FitEntry entry = SpyEntry();
    Settings settings(ConcatOptions({PrivacyOptions(), FitOptions()}));
    ASSERT_TRUE(settings.Set("epsilon", "2"));
    ASSERT_TRUE(settings.Set("delta", "1e-6"));
    ASSERT_TRUE(settings.Set("relation", relation));
    ASSERT_TRUE(settings.Set("rounds-per-user", "3"));
    const std::array<std::byte, Key::kBytes> key{};
    const auto fitted = FitTable(entry, settings,
                                 {.path = folder_.path("t.csv"),
                                  .header = false,
                                  .schema = folder_.path("s.json")},
                                 Key::FromBytes(key));
    ASSERT_TRUE(fitted) << fitted.error().message;
    EXPECT_EQ(fitted->guarantee.epsilon(), 2);
    EXPECT_EQ(fitted->guarantee.delta(), 1e-6);
    EXPECT_EQ(ToString(fitted->guarantee.relation()), relation);
    EXPECT_EQ(fitted->guarantee.rounds_per_user(), 3U);
    ASSERT_EQ(LastSeen().batches.size(), 1U);
    EXPECT_EQ(LastSeen().budget.user.epsilon, 2);
    EXPECT_EQ(LastSeen().budget.user.delta, 1e-6);
    EXPECT_EQ(ToString(LastSeen().budget.relation), relation);
    EXPECT_EQ(LastSeen().budget.rounds_per_user, 3U);
  }
  const FitBatch& batch() const { return LastSeen().batches.front(); }

  testing::ScratchFolder folder_;
};

// A fit may choose by the number of rows only where it is public: under
// add-remove it is secret.
TEST_F(FitTableTest, TheNumberOfRowsIsPublicUnderReplacementAlone) {
  const std::string rows = "1,1\n0,0\n1,0\n1,1\n0,1\n";
  Fit("replace", rows);
  EXPECT_EQ(batch().public_places(), 5U);
  LastSeen() = {};
  Fit("add-remove", rows);
  EXPECT_EQ(batch().public_places(), 0U);
  EXPECT_EQ(batch().size(), 5U);
}

// A line that cannot be used keeps its place, so that no number tells of it.
TEST_F(FitTableTest, ABadRowIsAnEmptyPlace) {
  Fit("replace", "1,1\nx,1\n\n0,0\n");
  ASSERT_EQ(batch().size(), 4U);
  EXPECT_EQ(batch().public_places(), 4U);
  const std::vector<int> labels = {1, FitBatch::kEmpty, FitBatch::kEmpty, 0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(batch().label(i), labels[i]);
}

}  // namespace
}  // namespace sotto
