#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/base/feature_view.h"
#include "sotto/data/streams/schema.h"

namespace sotto::bench {

// How a number's range is cut: evenly, and near the low end by octaves, where
// most of a skewed column is. Cells are in the order of the numbers.
struct CellGrid {
  std::uint32_t even = 16;       // cells of the range; the first is cut up
  std::uint32_t low = 8;         // cells that replace the first
  std::uint32_t per_octave = 1;  // of them
};

// The cell of every column of a row, by the public schema alone.
//
//   ColumnCells columns(schema, {});
//   std::vector<std::uint32_t> cells;
//   columns.Find(x, cells);        // one of columns.size(c) for each column
//
// Threads: const calls may run at the same time.
class ColumnCells {
 public:
  // Requires that every number has a range.
  ColumnCells(const Schema& schema, const CellGrid& grid);

  // Overwrites `cells`. A category without a value is in cell 0.
  void Find(FeatureView x, std::vector<std::uint32_t>& cells) const;

  std::size_t columns() const { return columns_.size(); }
  std::uint32_t size(std::size_t c) const { return columns_[c].cells; }
  // The first cell of a column, if those of all are counted through.
  std::uint32_t first(std::size_t c) const { return columns_[c].first; }
  std::uint32_t total() const { return total_; }
  bool is_number(std::size_t c) const { return columns_[c].is_number; }

 private:
  struct Column {
    std::uint32_t features;  // of the schema's encoding
    std::uint32_t cells;
    std::uint32_t first;
    bool is_number;
    bool is_boolean;
  };

  std::uint32_t FindCell(double place) const;

  CellGrid grid_;
  std::vector<Column> columns_;
  std::uint32_t total_ = 0;
};

}  // namespace sotto::bench
