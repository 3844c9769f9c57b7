#include "sotto/models/tide/tide_encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sotto/models/tide/private_tide.h"
#include "sotto/models/tide/tide_model_file.h"

namespace sotto {
namespace {

Schema Mixed() {
  return *Schema::Parse(R"({"columns": [
      {"name": "colour", "type": "category", "values": ["red", "green", "blue"]},
      {"name": "age", "type": "number", "range": [0, 100]},
      {"name": "member", "type": "boolean"}]})",
                        "schema");
}

std::vector<TideFeature> Encoded(const TideEncoding& encoding, FeatureView x) {
  std::vector<TideFeature> row;
  encoding.Encode(x, row);
  return row;
}

TEST(TideEncodingTest, GroupsFollowTheSchema) {
  const Schema schema = Mixed();
  const auto encoding = TideEncoding::Create({.schema = &schema});
  ASSERT_TRUE(encoding);
  ASSERT_EQ(encoding->groups().size(), 6U);
  EXPECT_EQ(encoding->coordinates(), 1U + 3 + 1 + 17 + 1 + 17 + 2);
  EXPECT_NEAR(encoding->signed_share(), 1.0 / 6, 1e-12);
  EXPECT_EQ(encoding->max_entries(), 8U);
}

TEST(TideEncodingTest, ARowIsAtMostOneLongInEveryGroup) {
  const Schema schema = Mixed();
  const auto encoding =
      TideEncoding::Create({.schema = &schema, .pairs = true});
  ASSERT_TRUE(encoding);
  for (double u = -0.5; u <= 1.5; u += 0.0173) {
    const FeatureVector x = {{0, 1}, {2, 1}, {3, u}, {4, 1}};
    std::vector<double> squares(encoding->groups().size(), 0);
    const auto row = Encoded(*encoding, x);
    EXPECT_LE(row.size(), encoding->max_entries());
    for (const TideFeature& f : row) {
      squares[f.group] += f.value * f.value;
      const TideGroup& group = encoding->groups()[f.group];
      ASSERT_GE(f.index, group.first);
      ASSERT_LT(f.index, group.first + group.size);
      EXPECT_TRUE(group.has_signs() || f.value >= 0);
    }
    for (const double s : squares) EXPECT_LE(s, 1 + 1e-12);
  }
}

TEST(TideEncodingTest, NumbersAreInterpolatedOnTheRangeAndOnItsLogarithm) {
  const Schema schema = *Schema::Parse(
      R"({"columns": [{"name": "u", "type": "number", "range": [0, 1]}]})",
      "schema");
  const auto encoding = TideEncoding::Create({.schema = &schema});
  const FeatureVector x = {{0, 3.0 / 64}};
  const auto row = Encoded(*encoding, x);
  ASSERT_EQ(row.size(), 6U);
  EXPECT_EQ(row[0], (TideFeature{2 * 3.0 / 64 - 1, 1, 0}));
  EXPECT_EQ(row[1], (TideFeature{0.25, 2, 1}));
  EXPECT_EQ(row[2], (TideFeature{0.75, 3, 1}));
  // 3/64 is half way between 2^-5 and 2^-4.
  EXPECT_EQ(row[4], (TideFeature{0.5, 20 + 11, 3}));
  EXPECT_EQ(row[5], (TideFeature{0.5, 20 + 12, 3}));
}

TEST(TideEncodingTest, WhatARowLacksLeavesACategoryEmpty) {
  const Schema schema = Mixed();
  const auto encoding = TideEncoding::Create({.schema = &schema});
  const auto row = Encoded(*encoding, FeatureVector{});
  ASSERT_EQ(row.size(), 7U);  // the number is 0, the Boolean false
  EXPECT_EQ(row.back().index, encoding->coordinates() - 2);
  EXPECT_EQ(Encoded(*encoding, FeatureVector{{99, 1}}), row);
}

TEST(TideEncodingTest, WithoutASchemaTheFirstNonZerosAreScaledToLengthOne) {
  const auto encoding =
      TideEncoding::Create({.features = 10, .max_nonzeros = 2});
  ASSERT_TRUE(encoding);
  const auto row =
      Encoded(*encoding, FeatureVector{{1, 3}, {4, 0}, {5, -4}, {7, 9}});
  ASSERT_EQ(row.size(), 2U);
  EXPECT_DOUBLE_EQ(row[0].value, 0.6);
  EXPECT_DOUBLE_EQ(row[1].value, -0.8);
  EXPECT_EQ(row[1].index, 6U);
  EXPECT_TRUE(Encoded(*encoding, FeatureVector{{3, 0}}).empty());
}

TEST(TideEncodingTest, LargePairsAreHashedAndManyAreChosenFrom) {
  Schema schema;
  for (int c = 0; c < 20; ++c) {
    SchemaColumn column;
    column.name = std::to_string(c);
    column.type = SchemaColumn::Type::kCategory;
    for (int v = 0; v < 40; ++v) column.values.push_back(std::to_string(v));
    schema.columns.push_back(column);
  }
  const auto encoding =
      TideEncoding::Create({.schema = &schema, .pairs = true});
  ASSERT_TRUE(encoding);
  EXPECT_EQ(encoding->groups().size(), 20U + TideEncoding::kMaxPairs);
  EXPECT_EQ(encoding->groups().back().size, TideEncoding::kMaxGrid);
  double shares = 0;
  for (const TideGroup& group : encoding->groups()) shares += group.share;
  EXPECT_NEAR(shares, 1, 1e-9);
}

// Features: red 0, other 1, missing 2; age 3, its mark 4; member 5, its mark 6.
Schema WithGaps() {
  return *Schema::Parse(R"({"columns": [
      {"name": "colour", "type": "category", "values": ["red"],
       "missing": true, "other": true},
      {"name": "age", "type": "number", "range": [0, 100], "missing": true},
      {"name": "member", "type": "boolean", "missing": true}]})",
                        "schema");
}

// No sensitivity changes: every group of a row with gaps is at most 1 long, and
// the new coordinates are not negative.
// Three pairs of a number, a Boolean and forty values; one of them has 320
// cells, more than coordinates.
TEST(TideEncodingTest, PairsThatShareCoordinatesCanBeLeftOut) {
  std::string values;
  for (int v = 0; v < 40; ++v) {
    values += std::string(v == 0 ? "" : ",") + "\"v" + std::to_string(v) + "\"";
  }
  const Schema schema = *Schema::Parse(
      R"({"columns": [{"name": "u", "type": "number", "range": [0, 1]},
                      {"name": "b", "type": "boolean"},
                      {"name": "c", "type": "category", "values": [)" +
          values + "]}]}",
      "schema");
  for (const bool hashed : {true, false}) {
    const auto encoding = *TideEncoding::Create(
        {.schema = &schema, .pairs = true, .hashed_pairs = hashed});
    std::size_t pairs = 0;
    double share = 0;
    for (std::size_t g = 0; g < encoding.groups().size(); ++g) {
      const TideGroup& group = encoding.groups()[g];
      share += group.share;
      if (group.kind != TideGroup::Kind::kPair) continue;
      ++pairs;
      EXPECT_TRUE(hashed || encoding.has_own_cells(g));
    }
    EXPECT_EQ(pairs, hashed ? 3U : 2U);
    EXPECT_NEAR(share, 1, 1e-12);
    // A published model says which, or it would be read with other weights.
    const auto tide = *PrivateTide::Create(
        {.epsilon = 1,
         .delta = 1e-6,
         .encoding = {
             .schema = &schema, .pairs = true, .hashed_pairs = hashed}});
    const auto read =
        TideFromJson(TideToJson(tide.hypothesis(), &schema, tide.guarantee()));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->hypothesis.frame.encoding().coordinates(),
              encoding.coordinates());
  }
}

TEST(TideEncodingTest, AMissingFieldIsOneCoordinateOfItsOwnGroup) {
  const Schema schema = WithGaps();
  const auto encoding =
      TideEncoding::Create({.schema = &schema, .pairs = true});
  ASSERT_TRUE(encoding);
  // One group for the category and the Boolean, four for the number, and a pair
  // for each two of three columns: marks have no group.
  ASSERT_EQ(encoding->groups().size(), 1U + 4 + 1 + 3);
  EXPECT_EQ(encoding->groups()[2].size, TideEncoding::kCells + 2);
  const auto there =
      Encoded(*encoding, FeatureVector{{0, 1}, {3, 0.5}, {5, 1}});
  const auto gone = Encoded(*encoding, FeatureVector{{2, 1}, {4, 1}, {6, 1}});
  EXPECT_EQ(there.size(), 1U + 6 + 1 + 3);
  EXPECT_EQ(gone.size(), 1U + 1 + 1 + 3);
  for (const auto& row : {there, gone}) {
    std::vector<double> squares(encoding->groups().size(), 0);
    for (const TideFeature& f : row) {
      const TideGroup& group = encoding->groups()[f.group];
      ASSERT_GE(f.index, group.first);
      ASSERT_LT(f.index, group.first + group.size);
      squares[f.group] += f.value * f.value;
    }
    for (const double s : squares) EXPECT_LE(s, 1 + 1e-12);
  }
  const TideGroup& hats = encoding->groups()[2];
  EXPECT_EQ(gone[1], (TideFeature{1, hats.first + hats.size - 1, 2}));
  const TideGroup& member = encoding->groups()[5];
  EXPECT_EQ(gone[2], (TideFeature{1, member.first + 2, 5}));
  // Marks that are 0 change nothing.
  EXPECT_EQ(there,
            Encoded(*encoding,
                    FeatureVector{{0, 1}, {3, 0.5}, {4, 0}, {5, 1}, {6, 0}}));
}

TEST(TideEncodingTest, RefusesWhatItCannotEncode) {
  const Schema no_range = *Schema::Parse(
      R"({"columns": [{"name": "u", "type": "number"}]})", "schema");
  const auto refused = TideEncoding::Create({.schema = &no_range});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("column u"), std::string::npos);
  EXPECT_FALSE(TideEncoding::Create({}));
  EXPECT_FALSE(TideEncoding::Create({.features = 10, .pairs = true}));
  EXPECT_FALSE(TideEncoding::Create({.features = 1U << 22}));
}

}  // namespace
}  // namespace sotto
