#include "bench/baselines/column_cells.h"

#include <algorithm>
#include <cmath>

namespace sotto::bench {

ColumnCells::ColumnCells(const Schema& schema, const CellGrid& grid)
    : grid_(grid) {
  for (const SchemaColumn& column : schema.columns) {
    const auto values = static_cast<std::uint32_t>(
        std::max<std::size_t>(1, column.values.size()));
    Column made{.features = values,
                .cells = values,
                .first = total_,
                .is_number = column.type == SchemaColumn::Type::kNumber,
                .is_boolean = column.type == SchemaColumn::Type::kBoolean};
    if (made.is_number) made.cells = grid.low + grid.even - 1;
    if (made.is_boolean) made.cells = 2;
    total_ += made.cells;
    columns_.push_back(made);
  }
}

std::uint32_t ColumnCells::FindCell(double place) const {
  const auto even = static_cast<std::uint32_t>(place * grid_.even);
  if (even > 0) return grid_.low + std::min(even, grid_.even - 1) - 1;
  if (place <= 0) return 0;
  const double octaves = -std::log2(place * grid_.even);  // above 0
  const double down = std::floor(octaves * grid_.per_octave);
  return grid_.low - 1 -
         static_cast<std::uint32_t>(std::min(down, grid_.low - 1.0));
}

void ColumnCells::Find(FeatureView x, std::vector<std::uint32_t>& cells) const {
  cells.assign(columns_.size(), 0);
  auto feature = x.begin();
  std::uint32_t first = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    const std::uint32_t end = first + column.features;
    for (; feature != x.end() && feature->index < end; ++feature) {
      if (column.is_number) {
        cells[c] = FindCell(feature->value);
      } else if (column.is_boolean) {
        cells[c] = feature->value > 0.5 ? 1 : 0;
      } else {
        cells[c] = feature->index - first;
      }
    }
    first = end;
  }
}

}  // namespace sotto::bench
