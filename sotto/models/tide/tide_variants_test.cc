// The steps alone, written out, with one fault each: what a replay must refute.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sotto/models/tide/tide_test_tools.h"

namespace sotto {
namespace {

// Over two columns of two values.
enum class Fault {
  kNone,
  kNotClipped,
  kMeanOfSameRows,
  kTwoBatches,
  kSharesFromData,
  kSharesBeforeTake,  // public ones, but the rows were measured in others
  kForgetsByData,
};

class Steps {
 public:
  static constexpr int kBits = 14;
  static constexpr double kClip = 0.5;

  Steps(Fault fault, NoiseRecorder& recorder)
      : fault_(fault),
        source_(recorder),
        encoding_(*TideEncoding::Create({.schema = &Columns()})),
        frame_(encoding_),
        batch_(encoding_.coordinates(), 1),
        noise_(TideFilter::ForMemory(4), encoding_.coordinates()) {
    // The second column is known to be set, and so adds nothing to a row.
    std::vector<double> means(encoding_.coordinates(), 0.0);
    means.back() = 1;
    frame_.SetMeans(means);
  }

  static const Schema& Columns() {
    static const Schema kSchema = *Schema::Parse(
        R"({"columns": [{"name": "a", "type": "boolean"},
                        {"name": "b", "type": "boolean"}]})",
        "schema");
    return kSchema;
  }

  static double Declared() {
    return TideStepSensitivity({.coordinates = 5, .max_entries = 2},
                               TideFilter::ForMemory(4), kBits);
  }

  // `residual` is p - y, up to 1 either way.
  void Add(bool a, bool b, double residual) {
    std::vector<TideFeature> row;
    encoding_.Encode(FeatureVector{{0, a ? 1.0 : 0.0}, {1, b ? 1.0 : 0.0}},
                     row);
    const double e = fault_ == Fault::kNotClipped
                         ? residual
                         : std::clamp(residual, -kClip, kClip);
    AddRow(row, e);
    if (fault_ == Fault::kTwoBatches) again_.emplace_back(row, e);
    rows_.push_back(row);
    last_error_ = e;
  }

  void Release() {
    if (fault_ == Fault::kMeanOfSameRows) UseMeansOfRows();
    if (fault_ == Fault::kSharesFromData) UseSharesOfRows();
    if (fault_ == Fault::kSharesBeforeTake) UsePublicShares();
    std::vector<std::int64_t> gradient(encoding_.coordinates());
    batch_.Take(frame_, kTideFineBits, gradient);
    if (fault_ == Fault::kForgetsByData && last_error_ < 0) {
      noise_ = TideNoise(TideFilter::ForMemory(4), encoding_.coordinates());
    }
    testing::SeededRng unused(0);
    noise_.Release(gradient, source_, unused);
    if (fault_ == Fault::kNone) UsePublicShares();
    rows_.clear();
    for (const auto& [row, e] : std::exchange(again_, {})) AddRow(row, e);
  }

 private:
  void AddRow(const std::vector<TideFeature>& row, double e) {
    batch_.Add(row, {&e, 1},
               std::ldexp(frame_.InverseLength(row), kBits + kTideFineBits));
  }
  void UseMeansOfRows() {
    std::vector<double> means(encoding_.coordinates(), 0.0);
    for (const auto& row : rows_) {
      for (const TideFeature& f : row) {
        means[f.index] += f.value / static_cast<double>(rows_.size());
      }
    }
    frame_.SetMeans(means);
  }
  // The column whose first row is set counts for all.
  void UseSharesOfRows() {
    const bool first = !rows_.empty() && rows_.back()[0].index == 2;
    frame_.SetShares(
        std::vector<double>{first ? 0.95 : 0.05, first ? 0.05 : 0.95});
  }

  // The first column counts for more and more.
  void UsePublicShares() {
    const double other = frame_.shares()[1] * 0.7;
    frame_.SetShares(std::vector<double>{1 - other, other});
  }

  Fault fault_;
  double last_error_ = 0;
  RecordedNoise source_;
  TideEncoding encoding_;
  TideFrame frame_;
  TideBatch batch_;
  TideNoise noise_;
  std::vector<std::vector<TideFeature>> rows_;
  std::vector<std::pair<std::vector<TideFeature>, double>> again_;
};

// Five batches of eight rows; one row of the second differs, in its label and,
// unless the worlds' rows are the same, in its first column.
double MovedBy(Fault fault, bool same_row = false) {
  const auto run = [fault, same_row](World world, NoiseRecorder& noise) {
    Steps steps(fault, noise);
    for (int k = 0; k < 5; ++k) {
      for (int i = 0; i < 8; ++i) {
        const bool differs = k == 1 && i == 7;
        const bool other = differs && world == World::kQ;
        steps.Add(differs && (same_row || !other), true, other ? -1 : 1);
      }
      steps.Release();
    }
  };
  const auto tape = [](int round, int index) {
    return HashNoise(round, index, 5);
  };
  NoiseRecorder p(tape);
  run(World::kP, p);
  NoiseRecorder q(tape, p);
  run(World::kQ, q);
  return Distance(p, q) / Steps::Declared();
}

TEST(TideVariantsTest, BrokenVariantsMoveFurtherThanDeclared) {
  for (const bool same_row : {false, true}) {
    EXPECT_LE(MovedBy(Fault::kNone, same_row), 1);
    EXPECT_GT(MovedBy(Fault::kNone, same_row), same_row ? 0.9 : 0.7);
  }
  EXPECT_GT(MovedBy(Fault::kNotClipped), 1.2);
  EXPECT_GT(MovedBy(Fault::kMeanOfSameRows), 1.1);
  EXPECT_GT(MovedBy(Fault::kTwoBatches, true), 1.2);
  EXPECT_GT(MovedBy(Fault::kSharesFromData), 1.2);
  EXPECT_GT(MovedBy(Fault::kSharesBeforeTake, true), 1.05);
  EXPECT_GT(MovedBy(Fault::kForgetsByData, true), 1.2);
}

// The distance of one batch with one row of three classes, of label 0 or 1, of
// what is declared for it.
double MovedByClass(bool each_class_alone) {
  constexpr int kBits = 20;
  constexpr double kClip = 0.5;
  const LabelType type = {.kind = LabelType::Kind::kClasses,
                          .names = {"a", "b", "c"}};
  const auto encoding = *TideEncoding::Create({.schema = &Steps::Columns()});
  const TideFrame frame(encoding);
  std::vector<TideFeature> row;
  encoding.Encode(FeatureVector{{0, 1}}, row);
  std::vector<std::vector<std::int64_t>> gradients;
  for (const std::uint32_t y : {0U, 1U}) {
    const std::vector<double> scores = {20, 20, 0};  // the last is out
    std::vector<double> errors(3);
    TideErrors(type, scores, Label::OfClass(y), each_class_alone ? 2 : kClip,
               errors);
    for (double& e : errors) e = std::clamp(e, -kClip, kClip);
    TideBatch batch(encoding.coordinates(), 3);
    batch.Add(row, errors,
              std::ldexp(frame.InverseLength(row), kBits + kTideFineBits));
    gradients.emplace_back(std::size_t{encoding.coordinates()} * 3);
    batch.Take(frame, kTideFineBits, gradients.back());
  }
  double squares = 0;
  for (std::size_t i = 0; i < gradients[0].size(); ++i) {
    squares += std::pow(gradients[0][i] - gradients[1][i], 2);
  }
  const auto size = static_cast<double>(gradients[0].size());
  return std::sqrt(squares) / (std::ldexp(1, kBits) + 0.5 + std::sqrt(size));
}

TEST(TideVariantsTest, ClassesClippedOneByOneMoveFurtherThanDeclared) {
  EXPECT_LE(MovedByClass(false), 1);
  EXPECT_GT(MovedByClass(false), 0.999);
  EXPECT_GT(MovedByClass(true), 1.4);
}

}  // namespace
}  // namespace sotto
