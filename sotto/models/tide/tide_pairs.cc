#include "sotto/models/tide/tide_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace sotto {
namespace {

// Deviations of its noise from which a pair counts as evidence, the share of
// all pairs together for a part of all evidence, and the least one once the
// first half is dropped (tide.md, Constants).
constexpr double kCounts = 2.5;
constexpr double kSharePerPart = 2;
constexpr double kLeastShare = 0.02;
constexpr double kInertia = 0.5;
constexpr double kHalvingGrowth = 2;

// The squared length, weighted by shares m that sum to 1, that noise of
// variance 1 in every cell has once its mean is taken off: its mean, and half
// of its variance. Both are products over the two columns of a table.
struct NoiseLeft {
  explicit NoiseLeft(std::span<const double> shares) {
    double squares = 0;
    double cubes = 0;
    for (const double m : shares) {
      squares += m * m;
      cubes += m * m * m;
    }
    mean = 1 - squares;
    half_variance = squares - 2 * cubes + squares * squares;
  }
  double mean = 0;
  double half_variance = 0;
};

// Subtracts the means of rows and columns, in the weights of `rows` and
// `columns`, which are each 1 in all.
void TakeOffMeans(std::span<double> table, std::span<const double> rows,
                  std::span<const double> columns) {
  const std::size_t width = columns.size();
  for (std::size_t a = 0; a < rows.size(); ++a) {
    const auto row = table.subspan(a * width, width);
    const double mean =
        std::inner_product(row.begin(), row.end(), columns.begin(), 0.0);
    for (double& value : row) value -= mean;
  }
  for (std::size_t b = 0; b < width; ++b) {
    double mean = 0;
    for (std::size_t a = 0; a < rows.size(); ++a) {
      mean += rows[a] * table[a * width + b];
    }
    for (std::size_t a = 0; a < rows.size(); ++a) table[a * width + b] -= mean;
  }
}

}  // namespace

TidePairs::TidePairs(const TideEncoding& encoding, double halving)
    : first_halving_(halving), next_halving_(halving) {
  for (const TideGroup& group : encoding.groups()) {
    if (group.kind == TideGroup::Kind::kPair) first_share_ += group.share;
  }
  share_ = first_share_;
}

// The weighted squared length of what is left is compared with what noise alone
// would leave. Cells that are shared by a hash tell nothing.
TidePairs::Finding TidePairs::Examine(const TideFrame& frame, std::size_t group,
                                      std::span<const double> weights,
                                      std::uint32_t outputs, double variance) {
  const TideEncoding& encoding = frame.encoding();
  if (!encoding.has_own_cells(group) || !(variance > 0)) return {};
  const TideGroup& pair = encoding.groups()[group];
  const auto rows = encoding.CellShares(pair.column, frame.means());
  const auto columns = encoding.CellShares(pair.partner, frame.means());
  std::vector<double> table(rows.size() * columns.size());
  double length = 0;
  for (std::uint32_t c = 0; c < outputs; ++c) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = weights[(pair.first + i) * outputs + c];
    }
    TakeOffMeans(table, rows, columns);
    for (std::size_t i = 0; i < table.size(); ++i) {
      length += rows[i / columns.size()] * columns[i % columns.size()] *
                table[i] * table[i];
    }
  }
  const NoiseLeft a(rows);
  const NoiseLeft b(columns);
  const double deviation =
      variance * std::sqrt(2 * outputs * a.half_variance * b.half_variance);
  const double excess = length - variance * outputs * a.mean * b.mean;
  if (!(deviation > 0)) return {};
  return {.deviations = excess / deviation, .excess = excess};
}

std::vector<std::size_t> TidePairs::Judge(std::uint64_t rounds,
                                          const TideFrame& frame,
                                          std::span<const double> weights,
                                          std::uint32_t outputs,
                                          const TideRelevance& relevance,
                                          std::span<double> evidence) {
  std::vector<std::pair<double, std::size_t>> ranks;
  double of_pairs = 0;
  const auto groups = frame.encoding().groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].kind != TideGroup::Kind::kPair) continue;
    evidence[g] = 0;
    if (frame.encoding().dropped(g)) continue;
    const Finding found =
        Examine(frame, g, weights, outputs, relevance.variance(g));
    ranks.emplace_back(-found.deviations, g);
    if (found.deviations <= kCounts) continue;
    const double deviation = found.excess / found.deviations;
    evidence[g] = std::sqrt(found.excess - deviation);
    of_pairs += evidence[g];
  }
  if (ranks.empty()) return {};
  const double all = std::accumulate(evidence.begin(), evidence.end(), 0.0);
  FollowEvidence(rounds, all > 0 ? of_pairs / all : 0);
  std::vector<std::size_t> drop = ChooseDropped(rounds, std::move(ranks));
  for (const std::size_t g : drop) evidence[g] = 0;
  return drop;
}

// Half way to twice the pairs' part in all evidence. Until the first half is
// dropped they have at least what they began with, so that they can be
// judged. A large first share is one that was asked for, and stays.
void TidePairs::FollowEvidence(std::uint64_t rounds, double part) {
  const bool trial = first_share_ < TideEncoding::kPairShare &&
                     static_cast<double>(rounds) >= first_halving_;
  const double least = trial ? kLeastShare : first_share_;
  const double wanted =
      std::max(least, std::min(kSharePerPart * part, TideEncoding::kPairShare));
  share_ = kInertia * share_ + (1 - kInertia) * wanted;
}

std::vector<std::size_t> TidePairs::ChooseDropped(
    std::uint64_t rounds, std::vector<std::pair<double, std::size_t>> ranks) {
  std::vector<std::size_t> drop;
  if (static_cast<double>(rounds) < next_halving_) return drop;
  next_halving_ *= kHalvingGrowth;
  std::ranges::sort(ranks);
  const std::size_t keep = std::max(kLeastPairs, ranks.size() / 2);
  for (std::size_t i = keep; i < ranks.size(); ++i) {
    drop.push_back(ranks[i].second);
  }
  return drop;
}

std::vector<double> TidePairs::FirstShares(const TideFrame& frame) const {
  const auto groups = frame.encoding().groups();
  std::vector<double> shares(groups.size(), 0.0);
  double columns = 0;
  double left = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].kind != TideGroup::Kind::kPair) {
      columns += groups[g].share;
    } else if (!frame.encoding().dropped(g)) {
      left += 1;
    }
  }
  const double of_columns = left > 0 ? 1 - share_ : 1;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const bool pair = groups[g].kind == TideGroup::Kind::kPair;
    if (!pair) shares[g] = groups[g].share / columns * of_columns;
    if (pair && !frame.encoding().dropped(g)) shares[g] = share_ / left;
  }
  return shares;
}

void TidePairs::Save(ByteWriter& writer) const {
  writer.Real(share_);
  writer.Real(next_halving_);
}

Status TidePairs::Load(ByteReader& reader) {
  share_ = reader.Real();
  next_halving_ = reader.Real();
  if (!(share_ >= 0 && share_ <= 1) || !(next_halving_ > 0) ||
      reader.failed()) {
    return Corruption("the pairs of tide make no sense");
  }
  return Ok();
}

}  // namespace sotto
