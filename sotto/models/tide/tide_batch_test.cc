#include "sotto/models/tide/tide_batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/models/tide/tide_calibration.h"
#include "sotto/models/tide/tide_start.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

Schema OneNumber() {
  return *Schema::Parse(
      R"({"columns": [{"name": "u", "type": "number", "range": [0, 1]}]})",
      "schema");
}

// Sum released for `rows` rows of the largest possible error, with the constant
// as their only feature.
std::int64_t ComputeSum(std::int64_t rows) {
  const Schema schema = OneNumber();
  const auto encoding = *TideEncoding::Create({.schema = &schema});
  TideBatch batch(encoding.coordinates(), 1);
  const double error = 0.5;
  for (std::int64_t i = 0; i < rows; ++i) batch.Add({}, {&error, 1}, 0x1p41);
  std::vector<std::int64_t> gradient(encoding.coordinates());
  batch.Take(TideFrame(encoding), kTideFineBits, gradient);
  return gradient[0];
}

TEST(TideBatchTest, NoNumberOfRowsMakesASumWrap) {
  constexpr std::int64_t kRows = std::int64_t{1} << 23;  // times 2^40: 2^63
  EXPECT_EQ(ComputeSum(kRows), TideBatch::kMaxGradient);
  EXPECT_EQ(ComputeSum(kRows), ComputeSum(kRows - 1));
}

// A batch with given sums, as loaded from a state.
TideBatch Loaded(const std::vector<Int128>& sums, Int128 total) {
  ByteWriter writer;
  for (const Int128 sum : sums) writer.Number(sum);
  writer.Number(total);
  writer.Number(Int128{0});  // labels
  TideBatch batch(sums.size(), 1);
  ByteReader reader(writer.bytes());
  EXPECT_TRUE(batch.Load(reader) && reader.Finish());
  return batch;
}

TEST(TideBatchTest, LargeSumsThatCancelLeaveTheirExactDifference) {
  const Schema schema = OneNumber();
  const auto encoding = *TideEncoding::Create({.schema = &schema});
  TideFrame frame(encoding);
  std::vector<double> means(encoding.coordinates(), 0.0);
  means[1] = -0.5;
  frame.SetMeans(means);
  for (const int bits : {40, 60, 80, 94}) {
    for (const double left : {-7e9 - 1, -1.0, 0.0, 5.0, 123456789.0}) {
      std::vector<Int128> sums(encoding.coordinates(), 0);
      const Int128 total = Int128{1} << bits;
      sums[1] = static_cast<Int128>(left) * 0x1000 - total / 2;
      std::vector<std::int64_t> gradient(encoding.coordinates());
      Loaded(sums, total).Take(frame, kTideFineBits, gradient);
      // The scale is a little less than 1/2: a number's groups have a quarter.
      const double exact = left * frame.scale(0);
      EXPECT_NEAR(static_cast<double>(gradient[1]), exact, 0.5 + 1e-6) << bits;
    }
  }
}

// Towards zero: no row is longer in integers than it is in reals, which is what
// the noise of the first release is for.
TEST(TideStartTest, ARowIsNoLongerThanItsNumbers) {
  class Seen final : public TideNoiseSource {
   public:
    void Add(std::span<std::int64_t> values, Rng&) override {
      all.insert(all.end(), values.begin(), values.end());
    }
    std::vector<std::int64_t> all;
  };
  const Schema schema = OneNumber();
  const auto encoding = *TideEncoding::Create({.schema = &schema});
  const TideFrame frame(encoding);
  constexpr int kBits = 4;
  const double unit = std::ldexp(frame.scale(0), kBits);
  for (const double sixteenths : {-1.9, -1.4, -0.7, 0.6, 1.4, 2.9}) {
    TideStart start(frame, 1, kBits, false);
    const TideFeature feature{
        .value = sixteenths / unit, .index = 1, .group = 0};
    start.AddRow({&feature, 1});
    const double error = 0.5;
    start.AddLabel({}, {&error, 1});
    Seen seen;
    testing::SeededRng unused(0);
    start.Release(seen, unused);
    ASSERT_GE(seen.all.size(), 2U);
    EXPECT_EQ(seen.all[1], std::trunc(sixteenths)) << sixteenths;
  }
}

TEST(TideBatchTest, SumsOutOfRangeAreRefused) {
  ByteWriter writer;
  writer.Number(Int128{1} << 96);
  writer.Number(Int128{0});
  TideBatch batch(1, 1);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(batch.Load(reader).error().code, ErrorCode::kCorruption);
}

}  // namespace
}  // namespace sotto
