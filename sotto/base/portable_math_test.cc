#include "sotto/base/portable_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Distance from the true value, in units of its last place. long double has
// eleven bits more.
double UnitsOff(double value, long double truth) {
  const auto rounded = static_cast<double>(truth);
  const double unit =
      std::nextafter(std::abs(rounded), kInfinity) - std::abs(rounded);
  return static_cast<double>(std::abs(value - truth) / unit);
}

TEST(PortableMathTest, TheExponentialIsWithinTwoUnits) {
  double worst = 0;
  for (int i = -70'000; i <= 70'000; ++i) {
    const double x = i * 0.0100371;
    worst = std::max(
        worst, UnitsOff(PortableExp(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 2);
}

TEST(PortableMathTest, TheLogarithmIsWithinTwoUnits) {
  double worst = 0;
  for (int i = 1; i <= 100'000; ++i) {
    for (const double x : {i * 1e-5, i * 3.7e-3, i * 1e17, 1 + i * 1e-9}) {
      worst = std::max(worst, UnitsOff(PortableLog(x),
                                       std::log(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 2);
}

TEST(PortableMathTest, EndsAreThoseOfTheLibrary) {
  EXPECT_EQ(PortableExp(0), 1);
  EXPECT_EQ(PortableExp(kInfinity), kInfinity);
  EXPECT_EQ(PortableExp(-kInfinity), 0);
  EXPECT_EQ(PortableExp(710), kInfinity);
  EXPECT_EQ(PortableExp(-746), 0);
  EXPECT_GT(PortableExp(-745), 0);
  EXPECT_TRUE(std::isnan(PortableExp(std::nan(""))));
  EXPECT_EQ(PortableLog(1), 0);
  EXPECT_EQ(PortableLog(0), -kInfinity);
  EXPECT_EQ(PortableLog(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(PortableLog(-1)));
  EXPECT_TRUE(std::isnan(PortableLog(std::nan(""))));
  EXPECT_NEAR(PortableLog(5e-324), -744.4400719213812, 1e-12);
}

// Recorded: another compiler or processor must give these very bits.
TEST(PortableMathTest, BitsAreThoseRecorded) {
  std::uint64_t hash = 14695981039346656037U;
  const auto add = [&](double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    hash = (hash ^ bits) * 1099511628211U;
  };
  for (int i = -20'000; i <= 20'000; ++i) {
    add(PortableExp(i * 0.00171));
    add(PortableLog(std::abs(i) * 0.0173 + 0.001));
  }
  EXPECT_EQ(hash, 6828187528746841820U);
}

}  // namespace
}  // namespace sotto
