#include "sotto/ensembles/order_statistics.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <utility>

namespace sotto {
namespace {

// The integer of a NaN: no number has it.
constexpr std::int64_t kUnused = std::numeric_limits<std::int64_t>::max();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// After a bulk load leaves keep room for newcomers.
constexpr std::size_t kLoadedLeaf = 24;
constexpr std::size_t kLoadedBlock = 48;
// A leaf or block this empty looks for a neighbour it fits into.
constexpr std::size_t kSmallLeaf = 8;
constexpr std::size_t kSmallBlock = 16;
constexpr std::size_t kFirstCapacity = 4;

// How many of the first 2^n - 1 sorted keys are < key: n steps without a
// branch that depends on them.
template <std::size_t kSlots>
std::size_t PlaceOf(const std::array<std::int64_t, kSlots>& keys,
                    std::int64_t key) {
  std::size_t place = 0;
#pragma GCC unroll 8
  for (std::size_t step = kSlots / 2; step > 0; step /= 2) {
    place += keys[place + step - 1] < key ? step : 0;
  }
  return place;
}

// The same for any number of keys.
std::size_t PlaceAmong(const std::int64_t* keys, std::size_t count,
                       std::int64_t key) {
  const std::int64_t* base = keys;
  while (count > 0) {
    const std::size_t half = (count + 1) / 2;
    base += base[half - 1] < key ? half : 0;
    count -= half;
  }
  return static_cast<std::size_t>(base - keys);
}

// Always over the whole leaf: no branch to mispredict, and it vectorizes.
template <std::size_t kSlots>
std::int64_t CountLess(const std::array<double, kSlots>& numbers, double x) {
  std::int64_t count = 0;
  for (const double number : numbers) count += number < x ? 1 : 0;
  return count;
}

template <std::size_t kSlots>
std::int64_t CountUp(const std::array<double, kSlots>& numbers, double x) {
  std::int64_t count = 0;
  for (const double number : numbers) count += number <= x ? 1 : 0;
  return count;
}

// The same for what is right of a leaf in its block.
template <std::size_t kSlots>
void ShiftBehind(std::size_t leaf, int change,
                 std::array<std::uint16_t, kSlots>& before) {
  const auto here = static_cast<std::uint16_t>(leaf);
  const auto delta = static_cast<std::uint16_t>(change);
  for (std::uint16_t j = 0; j < kSlots; ++j) {
    before[j] = static_cast<std::uint16_t>(before[j] + (j > here ? delta : 0));
  }
}

}  // namespace

OrderStatistics::Key OrderStatistics::KeyOf(double x) {
  // Adding 0 turns -0 into 0. Negative numbers have their bits in the opposite
  // order.
  const auto bits = std::bit_cast<std::int64_t>(x + 0.0);
  return bits ^ ((bits >> 63) & std::numeric_limits<std::int64_t>::max());
}

std::unique_ptr<OrderStatistics::Block> OrderStatistics::NewBlock(
    std::size_t capacity) {
  auto block = std::make_unique<Block>();
  block->last.fill(kUnused);
  for (std::size_t j = 0; j < kBlockSlots; ++j) {
    block->slot[j] = static_cast<std::uint8_t>(j);
  }
  block->capacity = static_cast<std::uint32_t>(capacity);
  block->leaves = std::make_unique<Leaf[]>(capacity);
  return block;
}

void OrderStatistics::Grow(Block& block) {
  const std::uint32_t capacity = std::min<std::uint32_t>(
      kBlockSlots, std::max<std::uint32_t>(2 * block.capacity, 1));
  auto leaves = std::make_unique<Leaf[]>(capacity);
  std::copy_n(block.leaves.get(), block.capacity, leaves.get());
  block.leaves = std::move(leaves);
  block.capacity = capacity;
}

void OrderStatistics::Append(const double* numbers, std::size_t count, Key last,
                             Block& block) {
  if (block.count == block.capacity) Grow(block);
  const std::size_t j = block.count++;
  auto& slots = block.leaf(j).numbers;
  std::fill(std::copy_n(numbers, count, slots.begin()), slots.end(), kNone);
  block.used[j] = static_cast<std::uint8_t>(count);
  block.last[j] = last;
}

OrderStatistics::OrderStatistics(const std::vector<double>& numbers)
    : size_(static_cast<std::int64_t>(numbers.size())) {
  std::vector<double> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  std::size_t done = 0;
  do {
    const std::size_t leaves =
        (sorted.size() - done + kLoadedLeaf - 1) / kLoadedLeaf;
    auto block = NewBlock(
        std::min(std::max(leaves, kFirstCapacity), std::size_t{kBlockSlots}));
    do {
      const std::size_t used = std::min(kLoadedLeaf, sorted.size() - done);
      const double* first = sorted.data() + done;
      Append(first, used, used > 0 ? KeyOf(first[used - 1]) : kUnused, *block);
      done += used;
    } while (done < sorted.size() && block->count < kLoadedBlock);
    blocks_.push_back(std::move(block));
  } while (done < sorted.size());
  last_.resize(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) Recount(i);
  RecountRoot();
}

// The leaf of the first number >= key, or the last one of all.
OrderStatistics::Spot OrderStatistics::Find(Key key) const {
  const std::size_t i = PlaceAmong(last_.data(), last_.size() - 1, key);
  const Block& block = *blocks_[i];
  // The last leaf of all takes what is beyond it.
  const std::size_t j =
      std::min<std::size_t>(PlaceOf(block.last, key), block.count - 1);
  return {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
          version_};
}

OrderStatistics::Spot OrderStatistics::LocateKey(Key key) const {
  const Spot spot = Find(key);
  const auto& numbers = blocks_[spot.block]->leaf(spot.leaf).numbers;
  constexpr std::size_t kPerLine = 64 / sizeof(double);
  for (std::size_t j = 0; j < kLeafSlots; j += kPerLine) {
    __builtin_prefetch(&numbers[j], 1);
  }
  return spot;
}

std::int64_t OrderStatistics::Before(const Spot& spot) const {
  return std::int64_t{group_before_[spot.block / kGroup]} +
         before_[spot.block] + blocks_[spot.block]->before[spot.leaf];
}

std::int64_t OrderStatistics::CountBelow(double x) const {
  const Spot spot = Find(KeyOf(x));
  return Before(spot) +
         CountLess(blocks_[spot.block]->leaf(spot.leaf).numbers, x);
}

std::int64_t OrderStatistics::CountUpTo(double x) const {
  return CountUpTo(x, Find(KeyOf(x) + 1));
}

std::int64_t OrderStatistics::CountUpTo(double x, const Spot& spot) const {
  return Before(spot) +
         CountUp(blocks_[spot.block]->leaf(spot.leaf).numbers, x);
}

void OrderStatistics::Insert(double x) { Put(x, Find(KeyOf(x))); }

void OrderStatistics::Erase(double x) {
  ShrinkIfSmall(Take(x, Find(KeyOf(x))));
}

void OrderStatistics::Replace(double erased, double inserted) {
  Replace(erased, Find(KeyOf(erased)), inserted, Find(KeyOf(inserted)));
}

void OrderStatistics::Replace(double erased, const Spot& from, double inserted,
                              const Spot& to) {
  const Spot taken =
      Take(erased, from.version == version_ ? from : Find(KeyOf(erased)));
  Put(inserted, to.version == version_ ? to : Find(KeyOf(inserted)));
  if (taken.version == version_) ShrinkIfSmall(taken);
}

OrderStatistics::Spot OrderStatistics::Take(double x, Spot spot) {
  for (;;) {
    Block& block = *blocks_[spot.block];
    auto& numbers = block.leaf(spot.leaf).numbers;
    const std::size_t used = block.used[spot.leaf];
    const auto end = numbers.begin() + used;
    const auto at = std::find(numbers.begin(), end, x);
    if (at != end) {
      *at = *(end - 1);
      *(end - 1) = kNone;
      --block.used[spot.leaf];
      --size_;
      Shift(spot, -1);
      return spot;
    }
    if (++spot.leaf == block.count) {
      spot.leaf = 0;
      ++spot.block;
      assert(spot.block < blocks_.size());
    }
  }
}

void OrderStatistics::Put(double x, Spot spot) {
  while (blocks_[spot.block]->used[spot.leaf] == kLeafSlots) {
    SplitLeaf(spot.block, spot.leaf);
    spot = Find(KeyOf(x));
  }
  Block& block = *blocks_[spot.block];
  block.leaf(spot.leaf).numbers[block.used[spot.leaf]++] = x;
  ++size_;
  Shift(spot, 1);
}

void OrderStatistics::Shift(const Spot& spot, int change) {
  ShiftBehind(spot.leaf, change, blocks_[spot.block]->before);
  const std::size_t group = spot.block / kGroup;
  const std::size_t end = std::min((group + 1) * kGroup, before_.size());
  for (std::size_t i = spot.block + 1; i < end; ++i) before_[i] += change;
  for (std::size_t g = group + 1; g < group_before_.size(); ++g) {
    group_before_[g] += change;
  }
}

void OrderStatistics::SplitLeaf(std::size_t block_index, std::size_t leaf) {
  Block& block = *blocks_[block_index];
  if (block.count == kBlockSlots) return SplitBlock(block_index);
  const std::size_t total = block.used[leaf];
  const std::size_t kept = total / 2;
  auto numbers = block.leaf(leaf).numbers;
  const auto middle = numbers.begin() + kept;
  std::nth_element(numbers.begin(), middle, numbers.begin() + total);
  Append(&*middle, total - kept, block.last[leaf], block);
  // The new leaf comes next to the old one.
  const auto rotate = [&](auto& of) {
    std::rotate(of.begin() + leaf + 1, of.begin() + block.count - 1,
                of.begin() + block.count);
  };
  rotate(block.last);
  rotate(block.used);
  rotate(block.slot);
  block.last[leaf] = KeyOf(*std::max_element(numbers.begin(), middle));
  block.used[leaf] = static_cast<std::uint8_t>(kept);
  std::fill(middle, numbers.end(), kNone);
  block.leaf(leaf).numbers = numbers;
  Recount(block_index);
}

void OrderStatistics::SplitBlock(std::size_t block) {
  Block& lower = *blocks_[block];
  auto upper = NewBlock(kBlockSlots);
  auto rest = NewBlock(kBlockSlots);
  const std::size_t kept = lower.count / 2;
  for (std::size_t j = 0; j < lower.count; ++j) {
    Append(lower.leaf(j).numbers.data(), lower.used[j], lower.last[j],
           j < kept ? *rest : *upper);
  }
  blocks_[block] = std::move(rest);
  const auto next = static_cast<std::ptrdiff_t>(block) + 1;
  blocks_.insert(blocks_.begin() + next, std::move(upper));
  last_.insert(last_.begin() + next, kUnused);
  Recount(block);
  Recount(block + 1);
  RecountRoot();
}

void OrderStatistics::ShrinkIfSmall(const Spot& spot) {
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
    return;
  }
  if (block.used[leaf] == 0) ShrinkBlock(block_index);
}

void OrderStatistics::JoinLeaves(Block& block, std::size_t left) {
  std::copy_n(block.leaf(left + 1).numbers.begin(), block.used[left + 1],
              block.leaf(left).numbers.begin() + block.used[left]);
  block.used[left] =
      static_cast<std::uint8_t>(block.used[left] + block.used[left + 1]);
  block.last[left] = block.last[left + 1];
  // Its slot becomes the first free one.
  const auto rotate = [&](auto& of) {
    std::rotate(of.begin() + left + 1, of.begin() + left + 2,
                of.begin() + block.count);
  };
  rotate(block.last);
  rotate(block.used);
  rotate(block.slot);
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
    Append(upper.leaf(j).numbers.data(), upper.used[j], upper.last[j], lower);
  }
  Recount(left);
}

void OrderStatistics::Recount(std::size_t block_index) {
  ++version_;
  Block& block = *blocks_[block_index];
  std::size_t before = 0;
  for (std::size_t j = 0; j < block.count; ++j) {
    block.before[j] = static_cast<std::uint16_t>(before);
    before += block.used[j];
  }
  last_[block_index] = block.last[block.count - 1];
}

void OrderStatistics::RecountRoot() {
  ++version_;
  before_.resize(blocks_.size());
  group_before_.resize((blocks_.size() + kGroup - 1) / kGroup);
  std::int32_t all = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (i % kGroup == 0) group_before_[i / kGroup] = all;
    before_[i] = all - group_before_[i / kGroup];
    const Block& block = *blocks_[i];
    const std::size_t end = block.count - 1;
    all += block.before[end] + block.used[end];
  }
}

std::size_t OrderStatistics::memory_bytes() const {
  std::size_t bytes =
      last_.capacity() * sizeof(Key) +
      (before_.capacity() + group_before_.capacity()) * sizeof(std::int32_t) +
      blocks_.capacity() * sizeof(blocks_[0]);
  for (const auto& block : blocks_) {
    bytes += sizeof(Block) + block->capacity * sizeof(Leaf);
  }
  return bytes;
}

}  // namespace sotto
