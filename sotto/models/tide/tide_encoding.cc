#include "sotto/models/tide/tide_encoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

namespace sotto {
namespace {

constexpr std::uint32_t kNoCell = ~std::uint32_t{0};
// A cell has at least this share of what even cells would have.
constexpr double kLeastCell = 0.25;

// Shares of a number's four groups: itself, knots, its logarithm, knots of it.
constexpr std::array<double, 4> kEven = {0.25, 0.25, 0.25, 0.25};
constexpr std::array<double, 4> kCoarse = {0.4, 0.4, 0.1, 0.1};

// log2 of u in [0, 1], straight between powers of two, as a share of kCells
// octaves: exact, and the same on every machine.
double OctavesFromLow(double u) {
  if (!(u > 0x1p-32)) return 0;  // below all octaves
  const auto bits = std::bit_cast<std::uint64_t>(u);
  const int exponent = static_cast<int>(bits >> 52) - 1023;
  const auto mantissa = std::bit_cast<double>(  // in [1, 2)
      (bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  const double log = exponent + (mantissa - 1);
  return std::clamp(1 + log / TideEncoding::kOctaves, 0.0, 1.0);
}

// Public, fixed for good.
std::uint64_t Mix(std::uint64_t value) {
  value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9;
  return value ^ (value >> 32);
}

// The pairs of at most `most` cells, or a public choice of them if there are
// too many. A column's cells have its place in the list.
std::vector<std::pair<std::uint32_t, std::uint32_t>> ChoosePairs(
    const std::vector<std::uint32_t>& columns,
    const std::vector<std::uint64_t>& cells, std::uint64_t most) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t a = 0; a < columns.size(); ++a) {
    for (std::uint32_t b = a + 1; b < columns.size(); ++b) {
      if (cells[a] * cells[b] <= most) pairs.emplace_back(a, b);
    }
  }
  if (pairs.size() > TideEncoding::kMaxPairs) {
    std::ranges::sort(pairs, {}, [&](const auto& pair) {
      return Mix(std::uint64_t{pair.first} * columns.size() + pair.second + 1);
    });
    pairs.resize(TideEncoding::kMaxPairs);
  }
  for (auto& [a, b] : pairs) {
    a = columns[a];
    b = columns[b];
  }
  return pairs;
}

Status CheckSchema(const Schema& schema) {
  if (schema.columns.empty()) {
    return InvalidArgument("tide needs a schema with at least one column");
  }
  for (const SchemaColumn& column : schema.columns) {
    if (column.type == SchemaColumn::Type::kNumber && !column.range) {
      return InvalidArgument("tide needs the range of every number: column " +
                             column.name +
                             " of the schema has none. Give it one, or delete "
                             "the column from the schema: then it is not used");
    }
  }
  return Ok();
}

}  // namespace

Result<TideEncoding> TideEncoding::Create(const Params& params) {
  TideEncoding encoding;
  encoding.cells_ = params.coarse ? kCoarseCells : kCells;
  encoding.hashed_pairs_ = params.hashed_pairs;
  if (params.schema != nullptr) {
    SOTTO_TRY(CheckSchema(*params.schema));
    encoding.AddColumns(*params.schema);
    encoding.first_pair_ = static_cast<std::uint32_t>(encoding.groups_.size());
    if (params.pairs) encoding.AddPairs(params.pair_share);
  } else {
    if (params.features < 1 || params.max_nonzeros < 1) {
      return InvalidArgument("tide needs at least one feature");
    }
    if (params.pairs) {
      return InvalidArgument("pairs of columns need a schema");
    }
    encoding.features_ = std::min(params.features, kMaxCoordinates + 1);
    encoding.max_nonzeros_ = std::min(params.features, params.max_nonzeros);
    encoding.max_entries_ = encoding.max_nonzeros_;
    encoding.AddGroup(TideGroup::Kind::kSparse, encoding.features_, 0, 1);
    encoding.first_pair_ = 1;
  }
  if (encoding.coordinates_ > kMaxCoordinates) {
    return InvalidArgument("tide takes at most 2^21 coordinates, not " +
                           std::to_string(encoding.coordinates_) +
                           ": use fewer hash bits or fewer values");
  }
  return encoding;
}

void TideEncoding::AddGroup(TideGroup::Kind kind, std::uint32_t size,
                            std::uint32_t column, double share) {
  groups_.push_back({.kind = kind,
                     .first = coordinates_,
                     .size = size,
                     .column = column,
                     .share = share});
  dropped_.push_back(false);
  coordinates_ = std::min(coordinates_ + size, kMaxCoordinates + 1);
}

void TideEncoding::AddNumber(std::uint32_t column, bool missing, double share) {
  const std::uint32_t knots = cells_ + 1;
  const auto& parts = cells_ == kCells ? kEven : kCoarse;
  AddGroup(TideGroup::Kind::kLinear, 1, column, share * parts[0]);
  AddGroup(TideGroup::Kind::kHats, knots + (missing ? 1 : 0), column,
           share * parts[1]);
  AddGroup(TideGroup::Kind::kLogLinear, 1, column, share * parts[2]);
  AddGroup(TideGroup::Kind::kLogHats, knots, column, share * parts[3]);
  max_entries_ += 6;
}

void TideEncoding::AddColumns(const Schema& schema) {
  const double share = 1.0 / static_cast<double>(schema.fields());
  std::uint32_t feature = 0;
  for (const SchemaColumn& column : schema.columns) {
    const auto place = static_cast<std::uint32_t>(columns_.size());
    const auto group = static_cast<std::uint32_t>(groups_.size());
    const bool category = column.type == SchemaColumn::Type::kCategory;
    const bool mark = !column.missing_of.empty();
    const bool missing = column.missing && !category;  // has a mark
    const std::uint32_t extra = missing ? 1 : 0;
    std::uint32_t cells = kPairCells + extra;
    if (!mark && column.type == SchemaColumn::Type::kNumber) {
      AddNumber(place, missing, share);
    } else if (!mark) {
      cells = category ? column.features() : 2 + extra;
      AddGroup(TideGroup::Kind::kCategory, cells, place, share);
      ++max_entries_;
    }
    columns_.push_back({column.type, feature, column.features() + extra, group,
                        cells, missing, mark});
    feature += column.features();
  }
  features_ = feature;
}

void TideEncoding::AddPairs(double share_of_all) {
  std::vector<std::uint32_t> columns;
  std::vector<std::uint64_t> cells;
  for (std::uint32_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].mark) continue;
    columns.push_back(c);
    cells.push_back(columns_[c].cells);
  }
  const auto pairs =
      ChoosePairs(columns, cells,
                  hashed_pairs_ ? ~std::uint64_t{0} : std::uint64_t{kMaxGrid});
  if (pairs.empty()) return;
  for (TideGroup& group : groups_) group.share *= 1 - share_of_all;
  const double share = share_of_all / static_cast<double>(pairs.size());
  for (const auto& [a, b] : pairs) {
    const std::uint64_t grid =
        std::uint64_t{columns_[a].cells} * columns_[b].cells;
    AddGroup(
        TideGroup::Kind::kPair,
        static_cast<std::uint32_t>(std::min<std::uint64_t>(grid, kMaxGrid)), a,
        share);
    groups_.back().partner = b;
  }
  max_entries_ += static_cast<std::uint32_t>(pairs.size());
}

void TideEncoding::DropPair(std::size_t group) {
  assert(groups_[group].kind == TideGroup::Kind::kPair);
  dropped_[group] = true;
}

bool TideEncoding::has_own_cells(std::size_t group) const {
  const TideGroup& pair = groups_[group];
  const std::uint64_t grid =
      std::uint64_t{columns_[pair.column].cells} * columns_[pair.partner].cells;
  return grid <= pair.size;
}

std::vector<double> TideEncoding::CellShares(
    std::uint32_t column, std::span<const double> means) const {
  const Column& about = columns_[column];
  const bool number = about.type == SchemaColumn::Type::kNumber;
  const TideGroup& group = groups_[about.group + (number ? 1 : 0)];
  const auto own = means.subspan(group.first, group.size);
  std::vector<double> shares(about.cells, 0.0);
  if (!number) std::ranges::copy(own, shares.begin());
  // A knot's hat reaches half a cell of the knots to either side.
  for (std::uint32_t k = 0; number && k <= cells_; ++k) {
    for (const double side : {k - 0.5, k + 0.5}) {
      const double inside = std::clamp(side, 0.5, cells_ - 0.5);
      shares[static_cast<std::size_t>(inside * kPairCells / cells_)] +=
          own[k] / 2;
    }
  }
  if (number && about.missing) shares.back() = own.back();
  const double least = kLeastCell / static_cast<double>(about.cells);
  double sum = 0;
  for (double& share : shares) sum += share = std::max(share, least);
  for (double& share : shares) share /= sum;
  return shares;
}

double TideEncoding::signed_share() const {
  double sum = 0;
  for (const TideGroup& group : groups_) {
    if (group.has_signs()) sum += group.share;
  }
  return sum;
}

void TideEncoding::EncodeSparse(FeatureView x,
                                std::vector<TideFeature>& row) const {
  double squares = 0;
  for (const Feature& feature : x) {
    if (row.size() == max_nonzeros_ || feature.index >= features_) break;
    // Larger ones would overflow the length.
    const double value = std::clamp(feature.value, -0x1p500, 0x1p500);
    if (value == 0) continue;
    row.push_back({value, feature.index + 1, 0});
    squares += value * value;
  }
  if (!(squares > 0x1p-1000)) {
    row.clear();
    return;
  }
  const double scale = 1 / std::sqrt(squares);
  for (TideFeature& feature : row) feature.value *= scale;
}

void TideEncoding::EncodeNumber(const Column& column, double u,
                                std::vector<TideFeature>& row) const {
  std::uint32_t group = column.group;
  for (const double v : {u, OctavesFromLow(u)}) {
    row.push_back({2 * v - 1, groups_[group].first, group});
    ++group;
    const double place = v * cells_;
    const auto knot = std::min(cells_ - 1, static_cast<std::uint32_t>(place));
    const double above = place - knot;
    row.push_back({1 - above, groups_[group].first + knot, group});
    row.push_back({above, groups_[group].first + knot + 1, group});
    ++group;
  }
}

void TideEncoding::EncodePairs(std::span<const std::uint32_t> cells,
                               std::vector<TideFeature>& row) const {
  for (std::uint32_t g = first_pair_; g < groups_.size(); ++g) {
    if (dropped_[g]) continue;
    const TideGroup& group = groups_[g];
    const std::uint32_t a = cells[group.column];
    const std::uint32_t b = cells[group.partner];
    if (a == kNoCell || b == kNoCell) continue;
    const std::uint64_t columns = columns_[group.partner].cells;
    const std::uint64_t cell = a * columns + b;
    const std::uint64_t place =
        has_own_cells(g) ? cell : (Mix(cell + 1) >> 20) % group.size;
    row.push_back({1, group.first + static_cast<std::uint32_t>(place), g});
  }
}

std::uint32_t TideEncoding::EncodeColumn(const Column& column, FeatureView x,
                                         std::vector<TideFeature>& row) const {
  const double value = x.empty() ? 0 : std::clamp(x.front().value, 0.0, 1.0);
  const std::uint32_t marked = column.first + column.values - 1;
  const bool missing = column.missing && ValueAt(x, marked) > 0;
  std::uint32_t cell = kNoCell;
  if (missing) {
    cell = column.cells - 1;
  } else if (column.type == SchemaColumn::Type::kNumber) {
    EncodeNumber(column, value, row);
    return std::min(kPairCells - 1,
                    static_cast<std::uint32_t>(value * kPairCells));
  } else if (column.type == SchemaColumn::Type::kBoolean) {
    cell = value > 0.5 ? 1 : 0;
  } else if (value > 0) {
    cell = x.front().index - column.first;
  }
  if (cell == kNoCell) return cell;
  const bool number = column.type == SchemaColumn::Type::kNumber;
  const std::uint32_t group = column.group + (number ? 1 : 0);
  const std::uint32_t place = number ? cells_ + 1 : cell;
  row.push_back({1, groups_[group].first + place, group});
  return cell;
}

void TideEncoding::Encode(FeatureView x, std::vector<TideFeature>& row) const {
  row.clear();
  if (columns_.empty()) return EncodeSparse(x, row);
  std::vector<std::uint32_t> cells;
  const bool pairs = first_pair_ < groups_.size();
  if (pairs) cells.assign(columns_.size(), kNoCell);
  std::size_t begin = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    if (column.mark) continue;
    std::size_t end = begin;
    while (end < x.size() && x[end].index < column.first + column.values) ++end;
    const std::uint32_t cell =
        EncodeColumn(column, x.subspan(begin, end - begin), row);
    if (pairs) cells[c] = cell;
    begin = end;
  }
  if (pairs) EncodePairs(cells, row);
}

}  // namespace sotto
