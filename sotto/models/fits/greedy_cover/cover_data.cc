#include "sotto/models/fits/greedy_cover/cover_data.h"

#include <cassert>

namespace sotto {

CoverData::CoverData(const RuleSpace& space)
    : columns_(space.columns().columns()) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    first_.push_back(space.first_atom(c));
  }
  for (auto& label : bits_) label.resize(space.atoms().size());
}

void CoverData::Add(std::span<const double> row, bool label) {
  assert(row.size() == columns_.size());
  std::vector<Bits>& bits = bits_[label ? 1 : 0];
  std::size_t& rows = rows_[label ? 1 : 0];
  if (rows % 64 == 0) {
    for (Bits& atom : bits) atom.push_back(0);
  }
  const std::size_t word = rows / 64;
  const std::uint64_t bit = std::uint64_t{1} << (rows % 64);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const CoverColumn& column = columns_[c];
    const std::size_t cell = column.FindCell(row[c]);
    switch (column.type) {
      case CoverColumn::Type::kCategory:
        if (cell < column.values.size()) bits[first_[c] + cell][word] |= bit;
        break;
      case CoverColumn::Type::kHashed:
        bits[first_[c] + cell][word] |= bit;
        break;
      case CoverColumn::Type::kBoolean:
        if (cell != 0) bits[first_[c]][word] |= bit;
        break;
      case CoverColumn::Type::kNumber:
        for (std::size_t i = 0; i < cell; ++i) bits[first_[c] + i][word] |= bit;
        break;
    }
  }
  ++rows;
}

}  // namespace sotto
