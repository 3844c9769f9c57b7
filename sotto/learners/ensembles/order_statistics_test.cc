#include "sotto/learners/ensembles/order_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The structure together with a sorted vector as reference.
class CheckedStatistics {
 public:
  explicit CheckedStatistics(std::vector<double> numbers)
      : tree_(numbers), sorted_(std::move(numbers)) {
    std::sort(sorted_.begin(), sorted_.end());
  }
  void Insert(double x) {
    tree_.Insert(x);
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), x), x);
  }
  void EraseAt(std::size_t rank) {
    tree_.Erase(sorted_[rank]);
    sorted_.erase(sorted_.begin() + static_cast<std::ptrdiff_t>(rank));
  }
  void ReplaceAt(std::size_t rank, double x) {
    tree_.Replace(sorted_[rank], x);
    sorted_.erase(sorted_.begin() + static_cast<std::ptrdiff_t>(rank));
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), x), x);
  }
  void Check(double x) const {
    ASSERT_EQ(tree_.size(), static_cast<std::int64_t>(sorted_.size()));
    ASSERT_EQ(
        tree_.CountBelow(x),
        std::lower_bound(sorted_.begin(), sorted_.end(), x) - sorted_.begin());
    ASSERT_EQ(
        tree_.CountUpTo(x),
        std::upper_bound(sorted_.begin(), sorted_.end(), x) - sorted_.begin());
  }
  std::size_t size() const { return sorted_.size(); }
  double at(std::size_t rank) const { return sorted_[rank]; }
  const OrderStatistics& tree() const { return tree_; }

 private:
  OrderStatistics tree_;
  std::vector<double> sorted_;
};

double Uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

TEST(OrderStatisticsTest, CountsNothingWhenEmpty) {
  OrderStatistics none;
  EXPECT_EQ(none.CountUpTo(0), 0);
  none.Insert(1);
  none.Erase(1);
  EXPECT_EQ(none.CountUpTo(2), 0);
  none.Insert(-1);
  EXPECT_EQ(none.CountUpTo(-1), 1);
  EXPECT_EQ(none.CountBelow(-1), 0);
}

TEST(OrderStatisticsTest, DistinguishesBelowFromUpTo) {
  const OrderStatistics numbers({3, 1, 2, 2});
  EXPECT_EQ(numbers.CountBelow(2), 1);
  EXPECT_EQ(numbers.CountUpTo(2), 3);
  EXPECT_EQ(numbers.CountUpTo(std::nextafter(2.0, 0.0)), 1);
}

TEST(OrderStatisticsTest, KeepsTheOrderOfSignsZerosAndInfinities) {
  CheckedStatistics checked(
      {-kInfinity, -1e300, -1, -5e-324, -0.0, 0.0, 5e-324, 1, kInfinity});
  for (const double x :
       {-kInfinity, -2.0, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1e308, kInfinity}) {
    checked.Check(x);
  }
  checked.EraseAt(4);
  checked.Check(0.0);
}

// Grows to several blocks and back to nothing.
TEST(OrderStatisticsTest, EqualsASortedVectorWhileItGrowsAndShrinks) {
  std::mt19937_64 random(7);
  CheckedStatistics checked({});
  for (int i = 0; i < 6'000; ++i) {
    checked.Insert(Uniform(random));
    if (i % 16 == 0) checked.Check(Uniform(random));
  }
  while (checked.size() > 0) {
    checked.EraseAt(random() % checked.size());
    if (checked.size() % 16 == 0) checked.Check(Uniform(random));
  }
  checked.Check(0.5);
}

TEST(OrderStatisticsTest, EqualsASortedVectorInsertedInOrder) {
  CheckedStatistics checked({});
  for (int i = 0; i < 3'000; ++i) checked.Insert(i);
  for (int i = 0; i < 3'000; ++i) checked.Insert(-i);
  for (int i = -3'000; i < 3'000; i += 101) checked.Check(i);
  while (checked.size() > 100) checked.EraseAt(0);
  for (std::size_t i = 0; i < checked.size(); ++i) checked.Check(checked.at(i));
}

TEST(OrderStatisticsTest, EqualsASortedVectorWithManyEqualNumbers) {
  std::mt19937_64 random(8);
  CheckedStatistics checked(std::vector<double>(6'000, 0.5));
  for (int i = 0; i < 8'000; ++i) {
    checked.ReplaceAt(random() % checked.size(),
                      static_cast<double>(random() % 16) / 16);
    if (i % 16 == 0) checked.Check(static_cast<double>(random() % 33) / 32);
  }
}

// As thresholds do: from one point, out, and together again elsewhere.
TEST(OrderStatisticsTest, EqualsASortedVectorWhileNumbersConcentrate) {
  std::mt19937_64 random(9);
  CheckedStatistics checked(std::vector<double>(6'000, 0.5));
  for (int i = 0; i < 12'000; ++i) {
    const double width = std::exp2(-i / 300.0);
    checked.ReplaceAt(random() % checked.size(),
                      0.618 + width * (Uniform(random) - 0.5));
    if (i % 16 == 0) {
      checked.Check(Uniform(random));
      checked.Check(checked.at(random() % checked.size()));
    }
  }
  EXPECT_LE(checked.tree().memory_bytes(), 32 * checked.size());
}

// As an ensemble does: all spots are found before the first change, which may
// split and join what they point to; some numbers are moved twice.
TEST(OrderStatisticsTest, ReplacesAtSpotsFoundBeforeOtherChanges) {
  for (const int grid : {12, 1 << 20}) {
    std::mt19937_64 random(11);
    std::vector<double> numbers(5'000, 0.5);
    OrderStatistics tree(numbers);
    const auto value = [&] {
      return static_cast<double>(random() % static_cast<unsigned>(grid)) / grid;
    };
    for (int batch = 0; batch < 200; ++batch) {
      std::vector<double> before;
      std::vector<double> after;
      for (int i = 0; i < 64; ++i) {
        double& number = numbers[random() % (i < 32 ? numbers.size() : 8)];
        before.push_back(number);
        number = value();
        after.push_back(number);
      }
      std::vector<OrderStatistics::Position> from(64);
      std::vector<OrderStatistics::Position> to(64);
      tree.Locate(before, from);
      tree.Locate(after, to);
      for (std::size_t i = 0; i < 64; ++i) {
        tree.Replace(before[i], from[i], after[i], to[i]);
      }
      const std::vector<double> asked = {value(), value() + 0.5 / grid};
      std::vector<OrderStatistics::Position> spots(2);
      tree.LocateUpTo(asked, spots);
      for (std::size_t i = 0; i < 2; ++i) {
        const double x = asked[i];
        ASSERT_EQ(tree.CountUpTo(x, spots[i]),
                  std::count_if(numbers.begin(), numbers.end(),
                                [&](double number) { return number <= x; }));
        ASSERT_EQ(tree.CountBelow(x),
                  std::count_if(numbers.begin(), numbers.end(),
                                [&](double number) { return number < x; }));
      }
    }
  }
}

// Numbers beyond the greatest so far, then fewer again: the last leaf of all is
// open above whichever block it is in.
TEST(OrderStatisticsTest, EqualsASortedVectorWhileItsLastBlocksComeAndGo) {
  std::mt19937_64 random(12);
  CheckedStatistics checked({0});
  for (int wave = 0; wave < 4; ++wave) {
    for (int i = 0; i < 4'000; ++i) checked.Insert(wave * 1e4 + i);
    while (checked.size() > 500) {
      checked.EraseAt(checked.size() - 1 - random() % 20);
      if (checked.size() % 64 == 0)
        checked.Check(checked.at(checked.size() - 1));
    }
    checked.Insert(kInfinity);
    checked.Check(kInfinity);
    checked.Check(1e300);
  }
}

// Many leaves that lose all but a few numbers are joined.
TEST(OrderStatisticsTest, GivesMemoryBack) {
  std::mt19937_64 random(10);
  std::vector<double> numbers(50'000);
  for (double& x : numbers) x = Uniform(random);
  OrderStatistics tree(numbers);
  for (std::size_t i = 0; i + 1000 < numbers.size(); ++i)
    tree.Erase(numbers[i]);
  EXPECT_EQ(tree.size(), 1000);
  EXPECT_LE(tree.memory_bytes(), 40'000);
}

}  // namespace
}  // namespace sotto
