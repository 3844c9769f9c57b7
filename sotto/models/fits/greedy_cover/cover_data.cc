#include "sotto/models/fits/greedy_cover/cover_data.h"

#include <cassert>

namespace sotto {

CoverData::CoverData(const RuleSpace& space) : columns_(space.columns()) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    first_.push_back(space.first_atom(c));
  }
  for (auto& label : bits_) label.resize(space.atoms().size());
}

void CoverData::Add(std::span<const std::uint32_t> codes, bool label) {
  assert(codes.size() == columns_.size());
  std::vector<Bits>& bits = bits_[label ? 1 : 0];
  std::size_t& rows = rows_[label ? 1 : 0];
  if (rows % 64 == 0) {
    for (Bits& atom : bits) atom.push_back(0);
  }
  const std::size_t word = rows / 64;
  const std::uint64_t bit = std::uint64_t{1} << (rows % 64);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const FitColumn& column = columns_[c];
    // All atoms up to the code's hold for cuts, one for everything else.
    std::uint32_t end = codes[c];
    std::uint32_t begin = 0;
    if (column.kind == FitColumn::Kind::kCategory ||
        column.kind == FitColumn::Kind::kHashed) {
      begin = codes[c];
      end = begin + (begin < column.choices() ? 1 : 0);
    }
    for (std::uint32_t i = begin; i < end; ++i) {
      bits[first_[c] + i][word] |= bit;
    }
  }
  ++rows;
}

}  // namespace sotto
