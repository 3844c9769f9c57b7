#include "bench/baselines/dp_ebm.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/baselines/prefix_noise.h"
#include "bench/harness/measure.h"
#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/models/tide/tide_hypothesis.h"

namespace sotto::bench {
namespace {

// The part of the squared budget for the counts of cells.
constexpr double kCounts = 0.1;
// Rows that every leaf is taken to have besides, in deviations of the noise.
constexpr double kRidge = 4;

double Logistic(double score) { return 1 / (1 + std::exp(-score)); }

double FindAim(const LabelType& type, const Label& y) {
  if (type.kind == LabelType::Kind::kTwo) return y.positive() ? 1 : 0;
  return FindTidePlace(type, y.number());
}

}  // namespace

// Another row is in another cell of every column, and its residual moves one
// leaf by twice the clip, or two by the clip.
DpEbm::DpEbm(const Schema& schema, const Params& params, double sigma)
    : params_(params),
      label_(schema.label->type),
      columns_(schema, params.grid),
      rng_(params.seed),
      count_deviation_(
          sigma *
          std::sqrt(2 * static_cast<double>(columns_.columns()) / kCounts)),
      sum_deviation_(sigma * 2 * params.clip *
                     std::sqrt(params.passes *
                               (1 + static_cast<double>(columns_.columns())) /
                               (1 - kCounts))),
      tables_(1 + columns_.total()),
      epoch_(params.first_epoch) {}

Result<std::unique_ptr<Player>> DpEbm::Create(const Schema& schema,
                                              const Params& params) {
  if (schema.label->type.kind == LabelType::Kind::kClasses) {
    return InvalidArgument("DP-EBM is for two labels or a number");
  }
  SOTTO_TRY_ASSIGN(const auto sigma,
                   GaussianSigma(params.epsilon, params.delta, 1));
  return std::unique_ptr<Player>(new DpEbm(schema, params, sigma));
}

double DpEbm::Score(const std::vector<std::uint32_t>& cells) const {
  double score = tables_[0];
  for (std::size_t c = 0; c < cells.size(); ++c) {
    score += tables_[1 + columns_.first(c) + cells[c]];
  }
  return score;
}

Prediction DpEbm::Tell(FeatureView x) {
  columns_.Find(x, cells_);
  const double score = Score(cells_);
  if (label_.kind == LabelType::Kind::kTwo) {
    return {score > 0, Logistic(score)};
  }
  return {Label::OfNumber(label_.low +
                          Logistic(score) * (label_.high - label_.low))};
}

void DpEbm::Learn(FeatureView, const Label& y) {
  rows_.push_back({cells_, FindAim(label_, y), 0});
  if (static_cast<double>(rows_.size()) >= epoch_) EndEpoch();
}

void DpEbm::EndEpoch() {
  if (!params_.continued) std::ranges::fill(tables_, 0.0);
  for (Row& row : rows_) row.score = Score(row.cells);
  const std::vector<double> counts = CountCells();
  for (std::uint32_t pass = 0; pass < params_.passes; ++pass) {
    for (std::size_t c = 0; c <= columns_.columns(); ++c) Boost(c, counts);
  }
  rows_.clear();
  epoch_ *= params_.growth;
}

// Rows of the constant, which are public, and of all cells.
std::vector<double> DpEbm::CountCells() {
  std::vector<double> counts(tables_.size(), 0.0);
  for (const Row& row : rows_) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      counts[1 + columns_.first(c) + row.cells[c]] += 1;
    }
  }
  for (double& count : counts) count += count_deviation_ * Normal(rng_);
  counts[0] = static_cast<double>(rows_.size());
  return counts;
}

// The leaf of every cell: numbers are cut at random places, as often between
// any two rows by the noisy counts, categories are thrown.
std::vector<std::uint32_t> DpEbm::DrawLeaves(std::size_t column,
                                             std::span<const double> counts) {
  std::vector<std::uint32_t> leaves(counts.size(), 0);
  if (!columns_.is_number(column)) {
    for (std::uint32_t& leaf : leaves) {
      leaf = static_cast<std::uint32_t>(rng_.Next() % params_.leaves);
    }
    return leaves;
  }
  std::vector<double> before;  // rows in the cells up to this one
  double rows = 0;
  for (const double count : counts) {
    rows += std::max(0.0, count - count_deviation_);
    before.push_back(rows);
  }
  for (std::uint32_t cut = 1; cut < params_.leaves; ++cut) {
    const double place = Uniform(rng_) * rows;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (before[i] > place) ++leaves[i];
    }
  }
  return leaves;
}

// One tree over the cells of a column; the last column is the constant.
void DpEbm::Boost(std::size_t column, const std::vector<double>& counts) {
  const bool constant = column == columns_.columns();
  const std::size_t first = constant ? 0 : 1 + columns_.first(column);
  const std::vector<std::uint32_t> leaves =
      constant ? std::vector<std::uint32_t>{0}
               : DrawLeaves(column, std::span(counts).subspan(
                                        first, columns_.size(column)));
  std::vector<double> sums(params_.leaves, 0.0);
  std::vector<double> rows(params_.leaves, 0.0);
  for (const Row& row : rows_) {
    const std::size_t cell = constant ? 0 : row.cells[column];
    sums[leaves[cell]] +=
        std::clamp(row.aim - Logistic(row.score), -params_.clip, params_.clip);
  }
  for (double& sum : sums) sum += sum_deviation_ * Normal(rng_);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    rows[leaves[i]] += counts[first + i];
  }
  // Steps of Newton's, at a slope of 1/4, that the noise of a leaf without rows
  // hardly moves: later rows may be where none was.
  const double ridge = kRidge * std::max(sum_deviation_, count_deviation_);
  const auto step = [&](std::size_t i) {
    return 4 * params_.rate * sums[leaves[i]] /
           (std::max(0.0, rows[leaves[i]]) + ridge);
  };
  for (std::size_t i = 0; i < leaves.size(); ++i) tables_[first + i] += step(i);
  for (Row& row : rows_) {
    row.score += step(constant ? 0 : row.cells[column]);
  }
}

}  // namespace sotto::bench
