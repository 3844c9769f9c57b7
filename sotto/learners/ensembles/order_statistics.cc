#include "sotto/learners/ensembles/order_statistics.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

namespace sotto {
namespace {

// The integer of a NaN: no number has it.
constexpr std::int64_t kUnused = std::numeric_limits<std::int64_t>::max();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// After a bulk load leaves keep room for insertions.
constexpr std::size_t kLoadedLeaf = 24;
constexpr std::size_t kLoadedBlock = 48;
// A leaf or block this empty is joined to a neighbour.
constexpr std::size_t kSmallLeaf = 8;
constexpr std::size_t kSmallBlock = 16;
// Fewer free leaves than this are not worth moving the others.
constexpr std::size_t kSpareLeaves = 8;

// All bits if so. A conditional expression would be compiled to a branch, and
// such a search takes each wrong one time in two.
std::size_t MaskIf(bool condition) {
  return std::size_t{0} - static_cast<std::size_t>(condition);
}

// How many of 8 sorted keys, without the last, are < key: three steps without a
// branch that depends on them.
std::size_t PlaceOfEight(const std::int64_t* keys, std::int64_t key) {
  std::size_t place = MaskIf(keys[3] < key) & 4;
  place += MaskIf(keys[place + 1] < key) & 2;
  return place + (MaskIf(keys[place] < key) & 1);
}

// The same for any number of keys.
std::size_t PlaceAmong(const std::int64_t* keys, std::size_t count,
                       std::int64_t key) {
  const std::int64_t* base = keys;
  while (count > 0) {
    const std::size_t half = (count + 1) / 2;
    base += MaskIf(base[half - 1] < key) & half;
    count -= half;
  }
  return static_cast<std::size_t>(base - keys);
}

// Two numbers at a time, which every processor of this kind compares at once;
// written out because compilers do not see it.
using Pair = double __attribute__((vector_size(16)));
using PairCount = std::int64_t __attribute__((vector_size(16)));

Pair LoadPair(const double* at) {
  Pair pair;
  std::memcpy(&pair, at, sizeof(pair));
  return pair;
}

// Always over the whole leaf: no branch to mispredict.
template <std::size_t kSlots>
std::int64_t CountLess(const std::array<double, kSlots>& numbers, double x) {
  PairCount count = {0, 0};
  for (std::size_t j = 0; j < kSlots; j += 2) {
    count -= LoadPair(&numbers[j]) < Pair{x, x};  // True is -1.
  }
  return count[0] + count[1];
}

template <std::size_t kSlots>
std::int64_t CountUp(const std::array<double, kSlots>& numbers, double x) {
  PairCount count = {0, 0};
  for (std::size_t j = 0; j < kSlots; j += 2) {
    count -= LoadPair(&numbers[j]) <= Pair{x, x};
  }
  return count[0] + count[1];
}

// Adds to all behind a place, always over the whole array, for the same reason.
template <typename Count>
void ShiftBehind(std::size_t place, std::size_t size, int change,
                 Count* before) {
  const auto here = static_cast<Count>(place);
  for (std::size_t j = 0; j < size; ++j) {
    const int added = static_cast<Count>(j) > here ? change : 0;
    before[j] = static_cast<Count>(before[j] + added);
  }
}

}  // namespace

OrderStatistics::Key OrderStatistics::MakeKey(double x) {
  // Adding 0 turns -0 into 0. Negative numbers have their bits in the opposite
  // order.
  const auto bits = std::bit_cast<std::int64_t>(x + 0.0);
  return bits ^ ((bits >> 63) & std::numeric_limits<std::int64_t>::max());
}

std::unique_ptr<OrderStatistics::Block> OrderStatistics::NewBlock() {
  auto block = std::make_unique<Block>();
  block->last.fill(kUnused);
  return block;
}

std::uint32_t OrderStatistics::NewLeaf(const double* numbers,
                                       std::size_t count) {
  if (free_.empty()) {
    // An eighth more at a time: twice as much would be too much memory.
    if (leaves_.size() == leaves_.capacity()) {
      leaves_.reserve(leaves_.size() + leaves_.size() / 8 + 2);
    }
    free_.push_back(static_cast<std::uint32_t>(leaves_.size()));
    leaves_.emplace_back();
  }
  const std::uint32_t leaf = free_.back();
  free_.pop_back();
  auto& slots = leaves_[leaf].numbers;
  std::fill(std::copy_n(numbers, count, slots.begin()), slots.end(), kNone);
  return leaf;
}

void OrderStatistics::Append(std::uint32_t leaf, std::size_t used, Key last,
                             Block& block) {
  block.leaf[block.count] = leaf;
  block.used[block.count] = static_cast<std::uint8_t>(used);
  block.last[block.count++] = last;
}

OrderStatistics::OrderStatistics(const std::vector<double>& numbers)
    : size_(static_cast<std::int64_t>(numbers.size())) {
  std::vector<double> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  leaves_.reserve(sorted.size() / kLoadedLeaf + 1);
  std::size_t done = 0;
  do {
    auto block = NewBlock();
    do {
      const std::size_t used = std::min(kLoadedLeaf, sorted.size() - done);
      const double* first = sorted.data() + done;
      Append(NewLeaf(first, used), used,
             used > 0 ? MakeKey(first[used - 1]) : kUnused, *block);
      done += used;
    } while (done < sorted.size() && block->count < kLoadedBlock);
    blocks_.push_back(std::move(block));
  } while (done < sorted.size());
  last_.resize(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) Recount(i);
  RecountRoot();
}

std::array<double, OrderStatistics::kLeafSlots>& OrderStatistics::NumbersAt(
    const Position& spot) {
  return leaves_[blocks_[spot.block]->leaf[spot.leaf]].numbers;
}

const std::array<double, OrderStatistics::kLeafSlots>&
OrderStatistics::NumbersAt(const Position& spot) const {
  return leaves_[blocks_[spot.block]->leaf[spot.leaf]].numbers;
}

// The leaf of the first number >= key, or the last one of all.
OrderStatistics::Position OrderStatistics::Find(Key key) const {
  const std::size_t i = PlaceAmong(last_.data(), last_.size() - 1, key);
  const Block& block = *blocks_[i];
  const std::size_t eight = kFan * PlaceOfEight(block.top.data(), key);
  const std::size_t j = eight + PlaceOfEight(&block.last[eight], key);
  return {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
          block.version, root_version_};
}

void OrderStatistics::Locate(std::span<const double> numbers,
                             std::span<Position> spots) const {
  LocateAll<0>(numbers, spots);
}

void OrderStatistics::LocateUpTo(std::span<const double> numbers,
                                 std::span<Position> spots) const {
  LocateAll<1>(numbers, spots);
}

// Find for all of them, level by level: each level fetches what the next one
// reads.
template <int kAfter>
void OrderStatistics::LocateAll(std::span<const double> numbers,
                                std::span<Position> spots) const {
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const Key key = MakeKey(numbers[n]) + kAfter;
    const std::size_t i = PlaceAmong(last_.data(), last_.size() - 1, key);
    spots[n] = {static_cast<std::uint32_t>(i), 0, 0, root_version_};
    __builtin_prefetch(blocks_[i]->top.data());
  }
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const Key key = MakeKey(numbers[n]) + kAfter;
    const Block& block = *blocks_[spots[n].block];
    const std::size_t eight = kFan * PlaceOfEight(block.top.data(), key);
    spots[n].leaf = static_cast<std::uint32_t>(eight);
    __builtin_prefetch(&block.last[eight]);
    __builtin_prefetch(&block.before[eight]);
    __builtin_prefetch(&block.leaf[eight]);
    __builtin_prefetch(&block.version);
    spots[n].block_version = block.version;
  }
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const Key key = MakeKey(numbers[n]) + kAfter;
    const Block& block = *blocks_[spots[n].block];
    spots[n].leaf += static_cast<std::uint32_t>(
        PlaceOfEight(&block.last[spots[n].leaf], key));
    const auto& leaf = NumbersAt(spots[n]);
    for (std::size_t j = 0; j < kLeafSlots; j += kFan) {
      __builtin_prefetch(&leaf[j], 1);
    }
  }
}

std::int64_t OrderStatistics::Before(const Position& spot) const {
  return std::int64_t{group_before_[spot.block / kGroup]} +
         before_[spot.block] + blocks_[spot.block]->before[spot.leaf];
}

std::int64_t OrderStatistics::CountBelow(double x) const {
  const Position spot = Find(MakeKey(x));
  return Before(spot) + CountLess(NumbersAt(spot), x);
}

std::int64_t OrderStatistics::CountUpTo(double x) const {
  return CountUpTo(x, Find(MakeKey(x) + 1));
}

std::int64_t OrderStatistics::CountUpTo(double x, const Position& spot) const {
  return Before(spot) + CountUp(NumbersAt(spot), x);
}

bool OrderStatistics::IsCurrent(const Position& spot) const {
  return spot.root_version == root_version_ &&
         spot.block_version == blocks_[spot.block]->version;
}

void OrderStatistics::Insert(double x) { Put(x, Find(MakeKey(x))); }

void OrderStatistics::Erase(double x) {
  ShrinkIfSmall(Take(x, Find(MakeKey(x))));
}

void OrderStatistics::Replace(double erased, double inserted) {
  Replace(erased, Find(MakeKey(erased)), inserted, Find(MakeKey(inserted)));
}

void OrderStatistics::Replace(double erased, const Position& from,
                              double inserted, const Position& to) {
  const Position taken =
      Take(erased, IsCurrent(from) ? from : Find(MakeKey(erased)));
  Put(inserted, IsCurrent(to) ? to : Find(MakeKey(inserted)));
  if (IsCurrent(taken)) ShrinkIfSmall(taken);
}

OrderStatistics::Position OrderStatistics::Take(double x, Position spot) {
  for (;;) {
    Block& block = *blocks_[spot.block];
    auto& numbers = NumbersAt(spot);
    const std::size_t used = block.used[spot.leaf];
    const auto end = numbers.begin() + used;
    const auto at = std::find(numbers.begin(), end, x);
    if (at != end) {
      *at = *(end - 1);
      *(end - 1) = kNone;
      --block.used[spot.leaf];
      --size_;
      Shift(spot, -1);
      spot.block_version = block.version;
      return spot;
    }
    if (++spot.leaf == block.count) {
      spot.leaf = 0;
      ++spot.block;
      assert(spot.block < blocks_.size());
    }
  }
}

void OrderStatistics::Put(double x, Position spot) {
  while (blocks_[spot.block]->used[spot.leaf] == kLeafSlots) {
    SplitLeaf(spot.block, spot.leaf);
    spot = Find(MakeKey(x));
  }
  Block& block = *blocks_[spot.block];
  NumbersAt(spot)[block.used[spot.leaf]++] = x;
  ++size_;
  Shift(spot, 1);
}

void OrderStatistics::Shift(const Position& spot, int change) {
  ShiftBehind(spot.leaf, kBlockSlots, change,
              blocks_[spot.block]->before.data());
  const std::size_t group = spot.block / kGroup;
  ShiftBehind(spot.block % kGroup, kGroup, change, &before_[group * kGroup]);
  ShiftBehind(group, group_before_.size(), change, group_before_.data());
}

void OrderStatistics::SplitLeaf(std::size_t block_index, std::size_t leaf) {
  Block& block = *blocks_[block_index];
  if (block.count == kBlockSlots) return SplitBlock(block_index);
  const std::size_t total = block.used[leaf];
  const std::size_t kept = total / 2;
  auto numbers = leaves_[block.leaf[leaf]].numbers;
  const auto middle = numbers.begin() + kept;
  std::nth_element(numbers.begin(), middle, numbers.begin() + total);
  Append(NewLeaf(&*middle, total - kept), total - kept, block.last[leaf],
         block);
  // The new leaf comes next to the old one.
  const auto rotate = [&](auto& of) {
    std::rotate(of.begin() + leaf + 1, of.begin() + block.count - 1,
                of.begin() + block.count);
  };
  rotate(block.last);
  rotate(block.used);
  rotate(block.leaf);
  block.last[leaf] = MakeKey(*std::max_element(numbers.begin(), middle));
  block.used[leaf] = static_cast<std::uint8_t>(kept);
  std::fill(middle, numbers.end(), kNone);
  leaves_[block.leaf[leaf]].numbers = numbers;
  Recount(block_index);
}

void OrderStatistics::SplitBlock(std::size_t block) {
  Block& lower = *blocks_[block];
  auto upper = NewBlock();
  const std::uint32_t kept = lower.count / 2;
  for (std::size_t j = kept; j < lower.count; ++j) {
    Append(lower.leaf[j], lower.used[j], lower.last[j], *upper);
  }
  std::fill(lower.last.begin() + kept, lower.last.end(), kUnused);
  lower.count = kept;
  const auto next = static_cast<std::ptrdiff_t>(block) + 1;
  blocks_.insert(blocks_.begin() + next, std::move(upper));
  last_.insert(last_.begin() + next, kUnused);
  Recount(block);
  Recount(block + 1);
  RecountRoot();
}

void OrderStatistics::ShrinkIfSmall(const Position& spot) {
  if (blocks_[spot.block]->used[spot.leaf] < kSmallLeaf) {
    Shrink(spot.block, spot.leaf);
  }
}

void OrderStatistics::Shrink(std::size_t block_index, std::size_t leaf) {
  Block& block = *blocks_[block_index];
  // An empty leaf fits into any neighbour.
  for (const std::size_t left : {leaf, leaf - 1}) {
    if (left >= block.count - 1) continue;  // Also if leaf 0 has no left one.
    const std::size_t sum =
        std::size_t{block.used[left]} + block.used[left + 1];
    if (block.used[leaf] > 0 && sum > kLoadedLeaf) continue;
    JoinLeaves(block, left);
    Recount(block_index);
    if (block.count < kSmallBlock) ShrinkBlock(block_index);
    return CompactIfSparse();
  }
  if (block.used[leaf] == 0) ShrinkBlock(block_index);
}

void OrderStatistics::JoinLeaves(Block& block, std::size_t left) {
  const std::uint32_t joined = block.leaf[left + 1];
  std::copy_n(leaves_[joined].numbers.begin(), block.used[left + 1],
              leaves_[block.leaf[left]].numbers.begin() + block.used[left]);
  free_.push_back(joined);
  block.used[left] =
      static_cast<std::uint8_t>(block.used[left] + block.used[left + 1]);
  block.last[left] = block.last[left + 1];
  const auto rotate = [&](auto& of) {
    std::rotate(of.begin() + left + 1, of.begin() + left + 2,
                of.begin() + block.count);
  };
  rotate(block.last);
  rotate(block.used);
  rotate(block.leaf);
  block.last[--block.count] = kUnused;
}

void OrderStatistics::ShrinkBlock(std::size_t block) {
  const auto drop = [this](std::size_t i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    blocks_.erase(blocks_.begin() + at);
    last_.erase(last_.begin() + at);
    RecountRoot();
  };
  if (blocks_.size() == 1) return;
  if (blocks_[block]->count == 1 && blocks_[block]->used[0] == 0) {
    free_.push_back(blocks_[block]->leaf[0]);
    return drop(block);
  }
  for (const std::size_t left : {block, block - 1}) {
    if (left >= blocks_.size() - 1) continue;
    if (blocks_[left]->count + blocks_[left + 1]->count > kLoadedBlock) {
      continue;
    }
    JoinBlocks(left);
    return drop(left + 1);
  }
}

void OrderStatistics::JoinBlocks(std::size_t left) {
  Block& lower = *blocks_[left];
  const Block& upper = *blocks_[left + 1];
  for (std::size_t j = 0; j < upper.count; ++j) {
    Append(upper.leaf[j], upper.used[j], upper.last[j], lower);
  }
  Recount(left);
}

void OrderStatistics::Recount(std::size_t block_index) {
  Block& block = *blocks_[block_index];
  ++block.version;
  std::size_t before = 0;
  for (std::size_t j = 0; j < block.count; ++j) {
    block.before[j] = static_cast<std::uint16_t>(before);
    before += block.used[j];
  }
  last_[block_index] = block.last[block.count - 1];
  RefreshTop(block);
}

// Without a loop: g++ 12 would take the function for one without effect and
// drop the call (docs/decisions/0009-a-loop-that-gcc-drops.md).
void OrderStatistics::RefreshTop(Block& block) {
  static_assert(kFan == 8 && kBlockSlots == kFan * kFan);
  const auto& last = block.last;
  block.top = {last[7],  last[15], last[23], last[31],
               last[39], last[47], last[55], last[63]};
}

void OrderStatistics::RecountRoot() {
  ++root_version_;
  // The last leaf of all takes whatever is greater than the others' numbers.
  blocks_.back()->last[blocks_.back()->count - 1] = kUnused;
  last_.back() = kUnused;
  RefreshTop(*blocks_.back());
  group_before_.resize((blocks_.size() + kGroup - 1) / kGroup);
  before_.resize(group_before_.size() * kGroup);
  std::int32_t all = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (i % kGroup == 0) group_before_[i / kGroup] = all;
    before_[i] = all - group_before_[i / kGroup];
    const Block& block = *blocks_[i];
    const std::size_t end = block.count - 1;
    all += block.before[end] + block.used[end];
  }
}

void OrderStatistics::CompactIfSparse() {
  if (free_.size() <= leaves_.size() / 3 + kSpareLeaves) return;
  decltype(leaves_) leaves;
  leaves.reserve(leaves_.size() - free_.size() + kSpareLeaves);
  for (const auto& block : blocks_) {
    for (std::size_t j = 0; j < block->count; ++j) {
      leaves.push_back(leaves_[block->leaf[j]]);
      block->leaf[j] = static_cast<std::uint32_t>(leaves.size() - 1);
    }
  }
  leaves_ = std::move(leaves);
  free_ = {};
}

std::size_t OrderStatistics::memory_bytes() const {
  return last_.capacity() * sizeof(Key) +
         (before_.capacity() + group_before_.capacity()) *
             sizeof(std::int32_t) +
         blocks_.capacity() * sizeof(blocks_[0]) +
         blocks_.size() * sizeof(Block) + leaves_.capacity() * sizeof(Leaf) +
         free_.capacity() * sizeof(free_[0]);
}

}  // namespace sotto
