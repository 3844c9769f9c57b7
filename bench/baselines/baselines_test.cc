#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/baselines/column_cells.h"
#include "bench/baselines/course.h"
#include "bench/baselines/dp_ebm.h"
#include "bench/baselines/hoeffding_tree.h"
#include "bench/baselines/linear_players.h"
#include "bench/baselines/model_runs.h"
#include "bench/baselines/naive_bayes.h"
#include "bench/baselines/prefix_noise.h"
#include "bench/baselines/simple_players.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

Schema NumberAndCategory() {
  SchemaColumn number{.name = "u", .values = {}, .range = {{0, 1}}};
  SchemaColumn category{.name = "c",
                        .type = SchemaColumn::Type::kCategory,
                        .values = {"a", "b", "c"},
                        .range = {}};
  return {.columns = {number, category},
          .label = SchemaLabel{.column = "y", .type = {}}};
}

// The label is whether u is above 0.3; the category says nothing.
TableStream Threshold(std::size_t rows) {
  TableStream stream{.name = "threshold",
                     .schema = NumberAndCategory(),
                     .features = 4,
                     .rows = {},
                     .labels = {}};
  testing::SeededRng rng(5);
  for (std::size_t i = 0; i < rows; ++i) {
    const double u = std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
    const auto value = static_cast<std::uint32_t>(rng.Next() % 3);
    stream.rows.push_back({{0, u}, {1 + value, 1}});
    stream.labels.emplace_back(u > 0.3);
  }
  return stream;
}

double ComputeLoss(Result<std::unique_ptr<Player>> player,
                   const TableStream& stream) {
  EXPECT_TRUE(player);
  return PlayStream(**player, stream).loss;
}

TEST(ColumnCellsTest, CellsAreInTheOrderOfTheNumbers) {
  const Schema schema = NumberAndCategory();
  const ColumnCells columns(schema, {.even = 4, .low = 3, .per_octave = 1});
  std::vector<std::uint32_t> cells;
  std::vector<std::uint32_t> seen;
  for (const double u : {0.0, 0.02, 0.1, 0.2, 0.26, 0.6, 0.8, 1.0}) {
    columns.Find(FeatureVector{{0, u}, {2, 1}}, cells);
    seen.push_back(cells[0]);
    EXPECT_EQ(cells[1], 1U);
  }
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 0, 1, 2, 3, 4, 5, 5}));
  EXPECT_EQ(columns.size(0), 6U);
  EXPECT_EQ(columns.total(), 9U);
}

double MeanSquare(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

TEST(PrefixNoiseTest, ATreesNodesAreWeightedByPrecision) {
  testing::SeededRng rng(3);
  TreeNoise noise(40'000, 7);
  EXPECT_DOUBLE_EQ(noise.reach(), std::sqrt(3.0));
  // One leaf; a pair; a pair and a leaf; a pair of pairs.
  for (const double expected : {1.0, 2.0 / 3, 2.0 / 3 + 1, 4.0 / 7}) {
    noise.Next(rng);
    EXPECT_NEAR(MeanSquare(noise.values()), expected, 0.05 * expected);
  }
}

TEST(PrefixNoiseTest, TheSquareRootSpreadsNoiseAsItSpreadsSteps) {
  testing::SeededRng rng(3);
  SquareRootNoise noise(20'000, 64);
  for (int step = 0; step < 64; ++step) noise.Next(rng);
  const double squares = noise.reach() * noise.reach();
  EXPECT_NEAR(squares, 1 + std::log(64) / 3.14159, 0.3);
  EXPECT_NEAR(MeanSquare(noise.values()), squares, 0.1 * squares);
}

TEST(CourseTest, LossesAreMeansOfWhatCameBefore) {
  CourseRecorder recorder({});
  for (int i = 0; i < 150; ++i) {
    recorder.Add({Label(i < 100), 0.5}, Label(true));
  }
  const Course course = recorder.Finish();
  EXPECT_DOUBLE_EQ(course.loss, 100.0 / 3);
  EXPECT_NEAR(*course.log_loss, std::log(2), 1e-12);
  ASSERT_EQ(course.curve.size(), 3U);
  EXPECT_EQ(course.curve[0].rows, 100U);
  EXPECT_EQ(course.curve[0].loss, 0);
  EXPECT_EQ(course.curve[1].rows, 134U);
  EXPECT_EQ(course.curve[2].rows, 150U);
  const Courses two = Average({course, Course{course}});
  EXPECT_DOUBLE_EQ(two.mean.loss, course.loss);
  EXPECT_NEAR(two.deviation, 0, 1e-5);
}

TEST(BaselinesTest, AllLearnAThreshold) {
  const TableStream stream = Threshold(8000);
  const Schema& schema = stream.schema;
  HoeffdingTree tree(schema, {});
  EXPECT_LT(PlayStream(tree, stream).loss, 4);
  EXPECT_GT(tree.nodes(), 1U);
  EXPECT_LT(ComputeLoss(AdaptiveRegression::Create(schema, {}), stream), 4);
  EXPECT_LT(ComputeLoss(NaiveBayes::Create(schema, {.rows = 8000}), stream), 4);
  Constant constant(Constant::FindBest(stream));
  EXPECT_NEAR(PlayStream(constant, stream).loss, 30, 2);
}

// More noise, more mistakes: an implementation without noise would fail.
TEST(BaselinesTest, PrivacyCosts) {
  const TableStream stream = Threshold(8000);
  const Schema& schema = stream.schema;
  const auto ftrl = [&](double epsilon) {
    return ComputeLoss(
        TreeFtrl::Create(
            schema,
            {.epsilon = epsilon, .rate = 0.3, .rows = 8000, .batch = 8}),
        stream);
  };
  const auto bayes = [&](double epsilon) {
    return ComputeLoss(
        NaiveBayes::Create(schema, {.epsilon = epsilon, .rows = 8000}), stream);
  };
  EXPECT_LT(ftrl(10), 8);
  EXPECT_GT(ftrl(0.05), 15);
  EXPECT_LT(bayes(10), 8);
  EXPECT_GT(bayes(0.05), 15);
}

// The first epoch is answered by the constant 0, which is wrong on 70 %.
TEST(BaselinesTest, BoostingLearnsByEpochs) {
  const TableStream stream = Threshold(8000);
  const auto loss = [&](double epsilon, bool continued) {
    return ComputeLoss(DpEbm::Create(stream.schema, {.epsilon = epsilon,
                                                     .continued = continued}),
                       stream);
  };
  for (const bool continued : {false, true}) {
    EXPECT_LT(loss(10, continued), 15);
    EXPECT_GT(loss(0.05, continued), 25);
  }
  EXPECT_LT(loss(10, true), loss(10, false));
}

// One number decides, and nearly all of its values are close to the low end.
// The others say nothing and rise with time: the cells of an epoch are new.
TableStream SkewedNumbers(std::size_t rows) {
  constexpr std::uint32_t kColumns = 6;
  TableStream stream{.name = "skewed",
                     .schema = NumberAndCategory(),
                     .features = kColumns,
                     .rows = {},
                     .labels = {}};
  auto& columns = stream.schema.columns;
  columns.assign(kColumns, SchemaColumn(columns.front()));
  testing::SeededRng rng(6);
  for (std::size_t i = 0; i < rows; ++i) {
    const double v = std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
    const double time = static_cast<double>(i) / static_cast<double>(rows);
    FeatureVector x = {{0, std::pow(v, 4)}};
    for (std::uint32_t c = 1; c < kColumns; ++c) x.push_back({c, time});
    stream.rows.push_back(std::move(x));
    stream.labels.emplace_back(v > 0.45);
  }
  return stream;
}

TEST(BaselinesTest, BoostingLearnsFromSkewedNumbers) {
  const TableStream stream = SkewedNumbers(16'000);
  for (const bool continued : {false, true}) {
    EXPECT_LT(ComputeLoss(DpEbm::Create(stream.schema, {.epsilon = 3,
                                                        .continued = continued,
                                                        .leaves = 8}),
                          stream),
              10);
  }
}

TEST(BaselinesTest, TheMedianOfNumbers) {
  RunningMedian median(
      {.kind = LabelType::Kind::kNumber, .names = {}, .low = 0, .high = 100});
  for (const double y : {10.0, 90.0, 20.0, 30.0, 95.0}) {
    median.Learn({}, Label::OfNumber(y));
  }
  EXPECT_NEAR(median.Tell({}).label.number(), 30, 0.1);
}

TEST(ModelRunsTest, AModelIsRunAndPlannedByItsOptions) {
  const TableStream stream = Threshold(3000);
  const ModelOptions tide{.model = "tide", .epsilon = 3, .horizon = 3000};
  const auto one = RunModel(tide, stream, 1);
  const auto again = RunModel(tide, stream, 1);
  ASSERT_TRUE(one && again);
  EXPECT_LT(one->loss, 25);
  EXPECT_EQ(one->loss, again->loss);
  EXPECT_TRUE(one->log_loss);
  const ModelOptions winnow{.model = "winnow",
                            .options = {{"margin", "0.1"}, {"bias", "true"}},
                            .horizon = 3000};
  EXPECT_EQ(OptionText(winnow), "--margin 0.1 --bias");
  const auto forecast = PlanModel(winnow, 4);
  ASSERT_TRUE(forecast);
  EXPECT_GT(forecast->mistakes.value_or(0), 0);
  EXPECT_FALSE(RunModel({.model = "nonesuch"}, stream, 1));
}

TEST(TableStreamTest, ReadsATableByItsSchema) {
  const std::string folder = ::testing::TempDir();
  std::ofstream(folder + "/tiny.schema.json")
      << R"({"label": {"column": "y", "negative": "0", "positive": "1"},)"
      << R"( "columns": [{"name": "u", "type": "number", "range": [0, 4]},)"
      << R"( {"name": "c", "type": "category", "values": ["a", "b"]}]})";
  std::ofstream(folder + "/tiny.csv.gz") << "c,u,y\nb,1,1\na,9,0\n";
  const auto stream = ReadTableStream(folder, "tiny", 0);
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->features, 3U);
  ASSERT_EQ(stream->rows.size(), 2U);
  EXPECT_EQ(stream->rows[0], (FeatureVector{{0, 0.25}, {2, 1}}));
  EXPECT_EQ(stream->rows[1], (FeatureVector{{0, 1}, {1, 1}}));
  EXPECT_TRUE(stream->labels[0].positive());
  EXPECT_FALSE(stream->labels[1].positive());
  EXPECT_FALSE(ReadTableStream(folder, "absent", 0));
}

}  // namespace
}  // namespace sotto::bench
