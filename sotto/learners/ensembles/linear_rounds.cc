#include "sotto/learners/ensembles/linear_rounds.h"

#include <algorithm>

namespace sotto {
namespace {

// The features below `dimension`.
FeatureView Below(FeatureView x, std::uint32_t dimension) {
  if (x.empty() || x.back().index < dimension) return x;
  const auto end =
      std::lower_bound(x.begin(), x.end(), dimension,
                       [](const Feature& feature, std::uint32_t i) {
                         return feature.index < i;
                       });
  return x.first(static_cast<std::size_t>(end - x.begin()));
}

// A row costs a tile of eight rounds about as much as three rows cost tiles of
// one: those wait for the latency of a third of the accumulators.
constexpr std::size_t kRowsAloneForOneTogether = 3;

}  // namespace

std::size_t LinearRounds::Pack(std::span<const Ensemble::Step> steps) {
  rows_.clear();
  values_.clear();
  tiles_.clear();
  row_offsets_.clear();
  value_offsets_.clear();
  tile_of_.clear();
  while (size() < std::min(steps.size(), kMaxRounds) &&
         values_.size() < kMaxValues) {
    const std::size_t rounds = std::min(steps.size() - size(), kRoundLanes);
    Views views;
    for (std::size_t r = 0; r < rounds; ++r) {
      views[r] = Below(steps[size() + r].x, dimension_);
    }
    PackTogether(views, rounds);
  }
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    tiles_[t].rows = rows_.data() + row_offsets_[t];
    tiles_[t].values = values_.data() + value_offsets_[t];
  }
  return size();
}

void LinearRounds::PackTogether(const Views& views, std::size_t rounds) {
  values_.resize((values_.size() + kRoundLanes - 1) / kRoundLanes *
                 kRoundLanes);  // To the next cache line.
  rows_begin_ = rows_.size();
  values_begin_ = values_.size();
  std::size_t alone = rounds;  // The bias of each.
  for (const FeatureView& x : views) alone += x.size();
  if (rounds > 1) Merge(views, rounds);
  const std::size_t together = rows_.size() - rows_begin_;
  if (rounds > 1 && kRowsAloneForOneTogether * together <= alone) {
    ShareRows();
    Add(kRoundLanes, rounds);
    return;
  }
  rows_.resize(rows_begin_);
  values_.resize(values_begin_);
  for (std::size_t r = 0; r < rounds; ++r) PackAlone(views[r]);
}

void LinearRounds::PackAlone(FeatureView x) {
  rows_begin_ = rows_.size();
  values_begin_ = values_.size();
  for (const Feature& feature : x) {
    rows_.push_back(feature.index);
    values_.push_back(feature.value);
  }
  rows_.push_back(dimension_);
  values_.push_back(1);
  Add(1, 1);
}

// Appends the union of the rounds, in ascending order, then the bias.
void LinearRounds::Merge(Views views, std::size_t rounds) {
  for (;;) {
    std::uint32_t row = dimension_;
    for (const FeatureView& x : views) {
      if (!x.empty()) row = std::min(row, x.front().index);
    }
    rows_.push_back(row);
    if (row == dimension_) break;
    for (FeatureView& x : views) {
      const bool listed = !x.empty() && x.front().index == row;
      values_.push_back(listed ? x.front().value : 0);
      if (listed) x = x.subspan(1);
    }
  }
  for (std::size_t r = 0; r < kRoundLanes; ++r)
    values_.push_back(r < rounds ? 1 : 0);
}

// Equal rows are kept once: it lets copy_votes take several tiles at a time.
void LinearRounds::ShareRows() {
  if (tiles_.empty()) return;
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(rows_begin_);
  const auto before =
      rows_.begin() + static_cast<std::ptrdiff_t>(row_offsets_.back());
  if (!std::equal(begin, rows_.end(), before,
                  before + static_cast<std::ptrdiff_t>(tiles_.back().size))) {
    return;
  }
  rows_.resize(rows_begin_);
  rows_begin_ = row_offsets_.back();
}

void LinearRounds::Add(std::size_t lanes, std::size_t rounds) {
  row_offsets_.push_back(rows_begin_);
  value_offsets_.push_back(values_begin_);
  tiles_.push_back({.size = (values_.size() - values_begin_) / lanes,
                    .lanes = lanes,
                    .first = tile_of_.size(),
                    .rounds = rounds});
  tile_of_.resize(tile_of_.size() + rounds, tiles_.size() - 1);
}

}  // namespace sotto
