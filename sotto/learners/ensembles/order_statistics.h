#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sotto/learners/ensembles/huge_pages.h"

namespace sotto {

// A multiset of numbers that answers how many of them are below x.
//
//   OrderStatistics numbers({0.5, 0.5, 0.5});
//   numbers.Replace(0.5, 0.25);
//   numbers.CountUpTo(0.3);  // 1
//
// A tree of three levels (root, blocks, leaves) with running counts on the way
// down; no search has a branch that depends on data. Cost and design:
// ensembles.md. Numbers may be infinite, never NaN; 0 and -0 are the same
// number. At most 2^31 - 1 of them.
//
// Threads: const calls may run at the same time.
class OrderStatistics {
 public:
  explicit OrderStatistics(const std::vector<double>& numbers = {});

  std::int64_t size() const { return size_; }
  // How many are < x; how many are <= x.
  std::int64_t CountBelow(double x) const;
  std::int64_t CountUpTo(double x) const;

  void Insert(double x);
  // Requires that x is there.
  void Erase(double x);
  // Erases one and inserts the other.
  void Replace(double erased, double inserted);

  // The place of a number in the tree. Locate finds many in one call: the
  // searches overlap and hide memory latency. The calls below equal those
  // without a Position. That of CountUpTo must be from LocateUpTo of the same
  // x, with no change since; those of Replace from Locate of the same numbers,
  // and changes since cost time only.
  struct Position {
    std::uint32_t block;
    std::uint32_t leaf;
    std::uint32_t block_version;
    std::uint32_t root_version;
  };
  // Require spots.size() == numbers.size(). Some ten to a hundred are best.
  void Locate(std::span<const double> numbers, std::span<Position> spots) const;
  void LocateUpTo(std::span<const double> numbers,
                  std::span<Position> spots) const;
  std::int64_t CountUpTo(double x, const Position& spot) const;
  void Replace(double erased, const Position& from, double inserted,
               const Position& to);

  // Heap memory.
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kLeafSlots = 32;
  static constexpr std::size_t kBlockSlots = 64;
  static constexpr std::size_t kFan = 8;  // Keys in a cache line.
  static constexpr std::size_t kGroup = 32;

  // On the way down numbers are integers in the same order: they compare
  // faster, and "up to x" is "below the integer after x".
  using Key = std::int64_t;
  // In any order; unused slots are NaN, which no comparison counts.
  struct alignas(64) Leaf {
    std::array<double, kLeafSlots> numbers;
  };
  struct alignas(64) Block {
    std::array<Key, kFan> top;  // Each kFan-th of `last`.
    // No number of a leaf is greater than its `last`, none further right less.
    std::array<Key, kBlockSlots> last;
    std::array<std::uint16_t, kBlockSlots> before;  // Numbers to the left.
    std::array<std::uint8_t, kBlockSlots> used;     // Numbers in each leaf.
    std::array<std::uint32_t, kBlockSlots> leaf;    // Where it is in leaves_.
    std::uint32_t count = 0;                        // Number of leaves.
    std::uint32_t version = 0;  // Version of its shape, for Position.
  };

  static Key MakeKey(double x);
  static std::unique_ptr<Block> NewBlock();
  // A leaf with these numbers, in leaves_.
  std::uint32_t NewLeaf(const double* numbers, std::size_t count);
  static void Append(std::uint32_t leaf, std::size_t used, Key last,
                     Block& block);
  std::array<double, kLeafSlots>& NumbersAt(const Position& spot);
  const std::array<double, kLeafSlots>& NumbersAt(const Position& spot) const;

  Position Find(Key key) const;
  bool IsCurrent(const Position& spot) const;
  template <int kAfter>
  void LocateAll(std::span<const double> numbers,
                 std::span<Position> spots) const;
  static void RefreshTop(Block& block);
  std::int64_t Before(const Position& spot) const;
  // Erases x from its leaf, which may be to the right of the spot if there are
  // others equal to it; returns where it was.
  Position Take(double x, Position spot);
  // Inserts x; splits what is full.
  void Put(double x, Position spot);
  // Adds `change` to the counts of everything to the right of the spot.
  void Shift(const Position& spot, int change);
  void SplitLeaf(std::size_t block, std::size_t leaf);
  void SplitBlock(std::size_t block);
  // Joins a leaf (a block) that is nearly empty to a neighbour, if it fits.
  void ShrinkIfSmall(const Position& spot);
  void Shrink(std::size_t block, std::size_t leaf);
  void JoinLeaves(Block& block, std::size_t left);
  void ShrinkBlock(std::size_t block);
  void JoinBlocks(std::size_t left);
  // Recomputes the running counts.
  void Recount(std::size_t block);
  void RecountRoot();
  // Releases memory if many leaves are free.
  void CompactIfSparse();

  std::int64_t size_ = 0;
  std::uint32_t root_version_ = 0;
  // The root: for each block `last` of its last leaf, and the numbers to its
  // left, in its group and in the groups before. There is always a block and it
  // always has a leaf.
  std::vector<Key> last_;
  std::vector<std::int32_t> before_;
  std::vector<std::int32_t> group_before_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Leaf, HugePageAllocator<Leaf>> leaves_;
  std::vector<std::uint32_t> free_;  // Indices into leaves_.
};

}  // namespace sotto
