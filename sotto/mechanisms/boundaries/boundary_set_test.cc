#include "sotto/mechanisms/boundaries/boundary_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

std::int64_t ByCounting(const std::vector<double>& added, double value,
                        std::int64_t size) {
  const auto at_most = std::count_if(added.begin(), added.end(),
                                     [&](double x) { return x <= value; });
  return std::max<std::int64_t>(0, size - at_most);
}

TEST(BoundarySetTest, CountsAsIfEverythingWereKept) {
  testing::SeededRng rng(1);
  for (const std::int64_t size : {0, 1, 2, 7, 100, 1000}) {
    BoundarySet set(size);
    std::vector<double> added;
    for (int i = 0; i < 3000; ++i) {
      added.push_back(static_cast<double>(rng.Next() % 400) / 8 - 20);
      set.Add(added.back());
      if (i % 601 != 0) continue;
      set.Settle();
      for (double value = -21; value < 31; value += 0.37) {
        ASSERT_EQ(set.CountAbove(value), ByCounting(added, value, size));
      }
    }
    EXPECT_LE(set.kept(), static_cast<std::size_t>(2 * size + 64));
  }
}

TEST(BoundarySetTest, OneRecordMovesNoCountByMoreThanOne) {
  // All multisets of at most three of three values, and all neighbours.
  const std::vector<double> values = {0, 1, 2};
  std::vector<std::vector<double>> all = {{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == 3) continue;
    for (const double value : values) {
      all.push_back(all[i]);
      all.back().push_back(value);
    }
  }
  const auto count = [](const std::vector<double>& data, std::int64_t size,
                        double at) {
    BoundarySet set(size);
    for (const double value : data) set.Add(value);
    set.Settle();
    return set.CountAbove(at);
  };
  for (const auto& data : all) {
    for (std::size_t out = 0; out < data.size(); ++out) {
      std::vector<double> other = data;
      other.erase(other.begin() + static_cast<std::ptrdiff_t>(out));
      for (const std::int64_t size : {1, 2, 3}) {
        for (const double at : {-0.5, 0.0, 1.0, 2.0}) {
          const std::int64_t with = count(data, size, at);
          EXPECT_LE(std::abs(with - count(other, size, at)), 1);
          for (const double value : values) {
            std::vector<double> replaced = other;
            replaced.push_back(value);
            EXPECT_LE(std::abs(with - count(replaced, size, at)), 1);
          }
        }
      }
    }
  }
}

TEST(BoundarySetTest, ASavedSetIsTheSame) {
  BoundarySet set(10);
  for (int i = 0; i < 100; ++i) set.Add((i * 37) % 101);
  ByteWriter writer;
  set.Save(writer);
  BoundarySet loaded;
  ByteReader reader(writer.bytes());
  ASSERT_TRUE(loaded.Load(10, reader));
  EXPECT_TRUE(reader.Finish());
  for (BoundarySet* each : {&set, &loaded}) {
    each->Add(3.5);
    each->Settle();
  }
  for (double value = -1; value < 20; ++value) {
    EXPECT_EQ(set.CountAbove(value), loaded.CountAbove(value));
  }
  ByteReader smaller(writer.bytes());
  EXPECT_FALSE(loaded.Load(9, smaller));
}

}  // namespace
}  // namespace sotto
