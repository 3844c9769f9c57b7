// Statistics of a file are those of their classes: the same epsilon, the same
// rows per user, the same noise, and only the rows that a user may have.
#include "sotto/frontend/range_once.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/number_text.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/range_options.h"
#include "sotto/mechanisms/ranges/range_histogram.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

class RangeOnceTest : public ::testing::TestWithParam<const char*> {
 protected:
  RangeOnceTest() {
    std::string lines;
    for (int i = 0; i < 200; ++i) {
      numbers_.push_back((i * 7) % 50 * 0.5);
      lines += Shortest(numbers_.back()) + "\n";
    }
    numbers_.push_back(kNothing);
    folder_.Write("numbers", lines + "none\n");
    // Every user has four rows, some of them without a number.
    std::string table = "name,hours\n";
    for (int i = 0; i < 40; ++i) {
      table += "u" + std::to_string(i / 4) + "," +
               (i % 8 == 5 ? std::string("?") : std::to_string(i % 25)) + "\n";
    }
    folder_.Write("table.csv", table);
  }

  std::string_view kind() const { return GetParam(); }
  bool quantiles() const { return kind() == kRangeQuantileKind; }

  Settings Make(
      const std::vector<std::pair<std::string, std::string>>& words) const {
    Settings settings(ConcatOptions({RangeOptions(kind()), BudgetOptions()}));
    std::vector<std::pair<std::string, std::string>> all = {
        {"epsilon", "0.75"}, {"range", "0..25"}, {"seed", "3"}};
    if (quantiles()) all.emplace_back("at", "0.25,0.5");
    all.insert(all.end(), words.begin(), words.end());
    for (const auto& [name, text] : all) {
      EXPECT_TRUE(settings.Set(name, text)) << name;
    }
    return settings;
  }
  Settings OfLines(const char* rounds) const {
    return Make(
        {{"data", folder_.path("numbers")}, {"rounds-per-user", rounds}});
  }

  // The same statistic of these numbers, by its class.
  template <typename Statistic>
  static auto Release(Result<Statistic> made,
                      const std::vector<double>& numbers, Rng& rng) {
    EXPECT_TRUE(made);
    for (const double number : numbers) made->Add(number);
    return made->Release(rng);
  }
  std::string ByClass(const Settings& settings, std::uint64_t rows,
                      const std::vector<double>& numbers) const {
    ChaChaRng rng(*LineKey(settings, kind()));
    std::ostringstream text;
    if (quantiles()) {
      const auto grid = *RangeGrid::Create(0, 25, 10'000);
      for (const double answer :
           Release(RangeQuantiles::Create({.epsilon = 0.75,
           .at = *ParseQuantiles("0.25,0.5"),
           .grid = grid,
           .rows_per_user = rows}),
                   numbers, rng)) {
        text << Shortest(answer) << "\n";
      }
      return std::move(text).str();
    }
    if (kind() == kHistogramKind) {
      const auto grid = *RangeGrid::Create(0, 25, 20);
      const auto counts =
          Release(RangeHistogram::Create(
                      {.epsilon = 0.75, .grid = grid, .rows_per_user = rows}),
                  numbers, rng);
      for (std::size_t i = 0; i < counts.size(); ++i) {
        text << Shortest(1.25 * static_cast<double>(i)) << " "
             << Shortest(1.25 * static_cast<double>(i + 1)) << " " << counts[i]
             << "\n";
      }
      return std::move(text).str();
    }
    const auto of =
        kind() == kSumKind ? RangeTotal::Kind::kSum : RangeTotal::Kind::kMean;
    return Shortest(Release(RangeTotal::Create({.epsilon = 0.75,
                                                .low = 0,
                                                .high = 25,
                                                .rows_per_user = rows,
                                                .kind = of}),
                            numbers, rng)) +
           "\n";
  }

  testing::ScratchFolder folder_;
  std::vector<double> numbers_;
};

TEST_P(RangeOnceTest, AFileIsAnsweredByItsClass) {
  for (const auto& [text, rows] : {std::pair("1", 1U), std::pair("3", 3U)}) {
    const Settings settings = OfLines(text);
    const auto answer = AnswerOnce(settings, kind());
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->text, ByClass(settings, rows, numbers_));
    EXPECT_EQ(answer->guarantee.epsilon(), 0.75);
    EXPECT_EQ(answer->guarantee.rounds_per_user(), rows);
    EXPECT_LE(Total(answer->guarantee.spend()).epsilon, 0.75);
    EXPECT_GE(Total(answer->guarantee.spend()).epsilon, 0.74);
  }
}

// A user has four rows: three of them count, and the noise is for three.
TEST_P(RangeOnceTest, AUserOfATableHasTheRowsThatTheNoiseIsFor) {
  std::vector<double> numbers;
  for (int i = 0; i < 40; ++i) {
    numbers.push_back(i % 4 < 3 && i % 8 != 5 ? i % 25 : kNothing);
  }
  const Settings settings = Make({{"data", folder_.path("table.csv")},
                                  {"column", "hours"},
                                  {"user", "name"},
                                  {"rounds-per-user", "3"}});
  const auto answer = AnswerOnce(settings, kind());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, ByClass(settings, 3, numbers));
}

TEST_P(RangeOnceTest, ItsBudgetIsChargedBeforeTheFileIsRead) {
  const std::string path = folder_.path("known.budget");
  ASSERT_TRUE(BudgetFile::Create(
      path, {.people = "p", .limits = {.limit = {1, 1e-6}}}));
  Settings settings(ConcatOptions({RangeOptions(kind()), BudgetOptions()}));
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{
           {"epsilon", "0.75"},
           {"range", "0..25"},
           {"data", folder_.path(".")},  // can be opened, and not be read
           {"rounds-per-user", "2"},
           {"budget", path}}) {
    ASSERT_TRUE(settings.Set(name, text)) << name;
  }
  if (quantiles()) {
    ASSERT_TRUE(settings.Set("at", "0.5"));
  }
  EXPECT_FALSE(AnswerOnce(settings, kind()));
  const auto record = BudgetFile::Read(path);
  ASSERT_TRUE(record);
  ASSERT_EQ(record->entries().size(), 1U);
  // A quantile or a histogram of rows that come and go costs twice for rows
  // that are replaced, unless its class promises that already.
  EXPECT_GE(record->entries()[0].cost.epsilon, 0.75);
  EXPECT_LE(record->entries()[0].cost.epsilon, 1.5);
  // No second release of this size fits.
  const auto again = AnswerOnce(settings, kind());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kBudgetExhausted);
}

INSTANTIATE_TEST_SUITE_P(All, RangeOnceTest,
                         ::testing::Values("range-quantile", "histogram", "sum",
                                           "mean"),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace sotto
