#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"
#include "sotto/data/streams/schema.h"

namespace sotto {

// Coordinates that stand and fall together: one way to look at one column, or
// at a pair of columns.
struct TideGroup {
  enum class Kind : std::uint8_t {
    kCategory,   // one coordinate a value
    kLinear,     // the number itself, in [-1, 1]
    kHats,       // interpolated between even knots
    kLogLinear,  // its logarithm from the low end of the range, in [-1, 1]
    kLogHats,    // interpolated between knots an octave apart
    kPair,       // one coordinate a pair of cells
    kSparse,     // without a schema: all features
  };
  Kind kind = Kind::kCategory;
  std::uint32_t first = 0;  // coordinate
  std::uint32_t size = 0;
  std::uint32_t column = 0;
  std::uint32_t partner = 0;  // of a pair
  double share = 0;           // of a row's squared length at the start
  // Coordinates may be negative.
  bool has_signs() const {
    return kind == Kind::kLinear || kind == Kind::kLogLinear ||
           kind == Kind::kSparse;
  }
};

// One coordinate of an encoded row.
struct TideFeature {
  double value = 0;
  std::uint32_t index = 0;  // 0 is the constant, which is not listed
  std::uint32_t group = 0;
  friend bool operator==(const TideFeature&, const TideFeature&) = default;
};

// How a row of a table becomes coordinates: a function of the public schema
// alone. In every group a row has length at most 1.
//
//   auto encoding = TideEncoding::Create({.schema = &schema});
//   std::vector<TideFeature> row;
//   encoding->Encode(x, row);      // x as the schema's Encoding gives it
//
// A category is one group; a number has four, so that straight lines are
// learned at once and bends later, on the range and on its logarithm. Pairs of
// columns are cells of a grid. A missing number is one more coordinate of its
// knots, and 0 in its other groups; a missing Boolean is a third value. Without
// a schema all features are one group, scaled to length 1.
//
// Proof:   tide.md, Encoding.
// Threads: immutable; calls may run at the same time.
class TideEncoding {
 public:
  static constexpr double kPairShare = 0.3;  // of all pairs together
  struct Params {
    const Schema* schema = nullptr;
    // Without a schema: every index is below `features`, and the first
    // `max_nonzeros` non-zeros of a row count.
    std::uint32_t features = 0;
    std::uint32_t max_nonzeros = 256;
    bool pairs = false;
    // Share of all pairs together at the start.
    double pair_share = kPairShare;
    // Pairs with more cells than coordinates, which share them. The weights of
    // such a pair do not show how much it adds to its columns.
    bool hashed_pairs = true;
    // Half as many knots, and more weight on the number itself: many classes
    // leave less to learn each bend from.
    bool coarse = false;
  };
  static constexpr std::uint32_t kMaxCoordinates = 1U << 21;
  static constexpr std::uint32_t kCells = 16;  // of a number: 17 knots
  static constexpr std::uint32_t kCoarseCells = 8;
  static constexpr double kOctaves = 16;          // below the top of a range
  static constexpr std::uint32_t kPairCells = 8;  // of a number in a pair
  static constexpr std::uint32_t kMaxPairs = 64;  // groups
  static constexpr std::uint32_t kMaxGrid = 256;  // coordinates of a pair

  // Fails with kInvalidArgument if there is no column, a number has no range,
  // or there would be too many coordinates.
  static Result<TideEncoding> Create(const Params& params);

  // Rows no longer have a coordinate in this pair.
  void DropPair(std::size_t group);
  bool dropped(std::size_t group) const { return dropped_[group]; }
  // Cells of a column in its pairs, and the share of rows that each has by the
  // means of the column's coordinates; never 0, and 1 in all.
  std::vector<double> CellShares(std::uint32_t column,
                                 std::span<const double> means) const;
  // Cells a * cells of its second column + b are the coordinates of the pair,
  // one each: none is shared.
  bool has_own_cells(std::size_t group) const;

  // Overwrites `row`. Values are clamped to [0, 1]; of several values of one
  // category the first counts; what a row lacks is 0, or for a category
  // nothing. Features past the end are left out.
  void Encode(FeatureView x, std::vector<TideFeature>& row) const;

  // The constant included.
  std::uint32_t coordinates() const { return coordinates_; }
  std::uint32_t cells() const { return cells_; }  // of a number
  bool hashed_pairs() const { return hashed_pairs_; }
  std::span<const TideGroup> groups() const { return groups_; }
  // Most entries that a row can have.
  std::uint32_t max_entries() const { return max_entries_; }
  // The shares of groups with signs: two rows' product is at least minus this.
  double signed_share() const;

 private:
  struct Column {
    SchemaColumn::Type type;
    std::uint32_t first;   // feature
    std::uint32_t values;  // features
    std::uint32_t group;   // the first of it
    std::uint32_t cells;   // in pairs, one for a missing field among them
    bool missing;          // the last of its features marks a missing field
    bool mark;             // belongs to the column before
  };

  void AddColumns(const Schema& schema);
  void AddNumber(std::uint32_t column, bool missing, double share);
  void AddPairs(double share);
  void AddGroup(TideGroup::Kind kind, std::uint32_t size, std::uint32_t column,
                double share);
  void EncodeSparse(FeatureView x, std::vector<TideFeature>& row) const;
  void EncodeNumber(const Column& column, double u,
                    std::vector<TideFeature>& row) const;
  // Adds the coordinates of a column that are not part of a pair. Returns its
  // cell. `x` are the features of the column.
  std::uint32_t EncodeColumn(const Column& column, FeatureView x,
                             std::vector<TideFeature>& row) const;
  void EncodePairs(std::span<const std::uint32_t> cells,
                   std::vector<TideFeature>& row) const;

  std::vector<Column> columns_;
  std::vector<TideGroup> groups_;
  std::vector<bool> dropped_;     // by group
  std::uint32_t first_pair_ = 0;  // group
  std::uint32_t cells_ = kCells;  // of a number
  bool hashed_pairs_ = true;
  std::uint32_t coordinates_ = 1;
  std::uint32_t features_ = 0;
  std::uint32_t max_nonzeros_ = 0;
  std::uint32_t max_entries_ = 0;
};

}  // namespace sotto
