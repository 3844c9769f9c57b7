#include "sotto/models/fits/greedy_cover/cover_counts.h"

#include <bit>

namespace sotto {
namespace {

using Bits = CoverData::Bits;

std::size_t Pair(std::size_t i, std::size_t j) { return j * (j - 1) / 2 + i; }
std::size_t Triple(std::size_t i, std::size_t j, std::size_t l) {
  return l * (l - 1) * (l - 2) / 6 + Pair(i, j);
}

std::int64_t CountBoth(const Bits& a, const Bits& b) {
  std::int64_t count = 0;
  for (std::size_t w = 0; w < a.size(); ++w)
    count += std::popcount(a[w] & b[w]);
  return count;
}

// Moves the bits under `mask` to the low end of a word, for many words with the
// same mask: the moves of [Warren] 7-4, "compress", found once.
class Compressor {
 public:
  explicit Compressor(std::uint64_t mask) : mask_(mask) {
    std::uint64_t left = mask;
    std::uint64_t zeros = ~mask << 1;  // zeros to the right of each bit
    for (int step = 0; step < 6; ++step) {
      std::uint64_t parity = zeros;
      for (int shift = 1; shift < 64; shift *= 2) parity ^= parity << shift;
      moves_[static_cast<std::size_t>(step)] = parity & left;
      const std::uint64_t move = moves_[static_cast<std::size_t>(step)];
      left = (left ^ move) | (move >> (1 << step));
      zeros &= ~parity;
    }
  }
  std::uint64_t operator()(std::uint64_t word) const {
    word &= mask_;
    for (int step = 0; step < 6; ++step) {
      const std::uint64_t moved = word & moves_[static_cast<std::size_t>(step)];
      word = (word ^ moved) | (moved >> (1 << step));
    }
    return word;
  }

 private:
  std::uint64_t mask_;
  std::array<std::uint64_t, 6> moves_{};
};

// Appends words of a few bits each to packed words.
class Packer {
 public:
  explicit Packer(std::size_t bits) { packed_.reserve(bits / 64 + 1); }
  void Append(std::uint64_t word, int bits) {
    if (used_ == 0) packed_.push_back(0);
    packed_.back() |= word << used_;
    if (used_ + bits > 64) packed_.push_back(word >> (64 - used_));
    used_ = (used_ + bits) % 64;
  }
  Bits Take() { return std::move(packed_); }

 private:
  Bits packed_;
  int used_ = 0;
};

}  // namespace

CoverCounts::CoverCounts(const CoverData& data, std::uint32_t literals)
    : data_(&data), literals_(literals) {
  const std::size_t atoms = data.atoms();
  for (const std::size_t label : {std::size_t{0}, std::size_t{1}}) {
    Counts& counts = counts_[label];
    counts.singles.resize(atoms);
    if (literals >= 2 && atoms >= 2) counts.pairs.resize(Pair(0, atoms));
    if (literals >= 3 && atoms >= 3) counts.triples.resize(Triple(0, 1, atoms));
    const std::size_t rows = data.rows(label != 0);
    alive_[label].assign((rows + 63) / 64, ~std::uint64_t{0});
    if (rows % 64 != 0) alive_[label].back() >>= 64 - rows % 64;
    Count(label, alive_[label], +1);
  }
}

CoverCounts::Bits CoverCounts::Covered(std::size_t label,
                                       const Conjunction& conjunction) const {
  Bits covered = alive_[label];
  for (std::size_t i = 0; i < conjunction.size; ++i) {
    const Bits& atom = data_->bits(label != 0, conjunction.atoms[i]);
    const std::uint64_t flip =
        conjunction.sign(i) ? std::uint64_t{0} : ~std::uint64_t{0};
    for (std::size_t w = 0; w < covered.size(); ++w) {
      covered[w] &= atom[w] ^ flip;
    }
  }
  return covered;
}

void CoverCounts::Cover(const Conjunction& conjunction) {
  for (const std::size_t label : {std::size_t{0}, std::size_t{1}}) {
    const Bits covered = Covered(label, conjunction);
    for (std::size_t w = 0; w < covered.size(); ++w) {
      alive_[label][w] &= ~covered[w];
    }
    Count(label, covered, -1);
  }
}

void CoverCounts::Count(std::size_t label, const Bits& rows,
                        std::int64_t sign) {
  Counts& counts = counts_[label];
  std::int64_t total = 0;
  for (const std::uint64_t word : rows) total += std::popcount(word);
  if (total == 0) return;
  counts.all += sign * total;
  if (literals_ == 1) {
    for (std::size_t a = 0; a < data_->atoms(); ++a) {
      counts.singles[a] += sign * CountBoth(data_->bits(label != 0, a), rows);
    }
    return;
  }
  // Sets of atoms outnumber atoms: packing the rows that move pays for itself.
  std::vector<Packer> packers(data_->atoms(),
                              Packer(static_cast<std::size_t>(total)));
  for (std::size_t w = 0; w < rows.size(); ++w) {
    if (rows[w] == 0) continue;
    const Compressor compress(rows[w]);
    const int bits = std::popcount(rows[w]);
    for (std::size_t a = 0; a < packers.size(); ++a) {
      packers[a].Append(compress(data_->bits(label != 0, a)[w]), bits);
    }
  }
  std::vector<Bits> packed;
  packed.reserve(packers.size());
  for (Packer& packer : packers) packed.push_back(packer.Take());
  CountSets(counts, packed, sign);
}

void CoverCounts::CountSets(Counts& counts, const std::vector<Bits>& atoms,
                            std::int64_t sign) const {
  Bits both;
  for (std::size_t j = 0; j < atoms.size(); ++j) {
    counts.singles[j] += sign * CountBoth(atoms[j], atoms[j]);
    for (std::size_t i = 0; i < j; ++i) {
      counts.pairs[Pair(i, j)] += sign * CountBoth(atoms[i], atoms[j]);
    }
    if (literals_ < 3) continue;
    for (std::size_t i = 0; i < j; ++i) {
      both.resize(atoms[j].size());
      for (std::size_t w = 0; w < both.size(); ++w) {
        both[w] = atoms[i][w] & atoms[j][w];
      }
      for (std::size_t l = j + 1; l < atoms.size(); ++l) {
        counts.triples[Triple(i, j, l)] += sign * CountBoth(both, atoms[l]);
      }
    }
  }
}

// Rows for which all atoms in `which` hold.
std::int64_t CoverCounts::Held(std::size_t label,
                               const Conjunction& conjunction,
                               unsigned which) const {
  const Counts& counts = counts_[label];
  std::array<std::size_t, Conjunction::kMaxLiterals> atoms{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < conjunction.size; ++i) {
    if (((which >> i) & 1) != 0) atoms[size++] = conjunction.atoms[i];
  }
  switch (size) {
    case 0:
      return counts.all;
    case 1:
      return counts.singles[atoms[0]];
    case 2:
      return counts.pairs[Pair(atoms[0], atoms[1])];
    default:
      return counts.triples[Triple(atoms[0], atoms[1], atoms[2])];
  }
}

std::array<std::int64_t, 2> CoverCounts::Of(
    const Conjunction& conjunction) const {
  const unsigned all = (1U << conjunction.size) - 1;
  const unsigned negated = all & ~unsigned{conjunction.signs};
  std::array<std::int64_t, 2> result{};
  for (const std::size_t label : {std::size_t{0}, std::size_t{1}}) {
    // All subsets of the negated atoms, with alternating signs.
    unsigned subset = negated;
    for (;;) {
      const std::int64_t sign = std::popcount(subset) % 2 == 0 ? 1 : -1;
      result[label] +=
          sign * Held(label, conjunction, unsigned{conjunction.signs} | subset);
      if (subset == 0) break;
      subset = (subset - 1) & negated;
    }
  }
  return result;
}

}  // namespace sotto
