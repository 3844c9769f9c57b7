#include "sotto/online/hash_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sotto/base/int128.h"

namespace sotto {

HashTable::Hash HashTable::HashAt(std::size_t i) const {
  Hash hash;
  std::memcpy(hash.data(), Slot(i), kHashBytes);
  return hash;
}

void HashTable::Put(std::size_t i, const Hash& hash) {
  std::memcpy(Slot(i), hash.data(), kHashBytes);
}

std::size_t HashTable::Home(const Hash& hash) const {
  return static_cast<std::size_t>(Uint128{hash[0]} * homes_ >> 64);
}

std::size_t HashTable::Search(const Hash& hash) const {
  std::size_t i = homes_ == 0 ? 0 : Home(hash);
  for (; i < slots(); ++i) {
    const Hash found = HashAt(i);
    if (Empty(found) || found >= hash) break;
  }
  return i;
}

std::uint8_t* HashTable::Find(const Hash& hash) const {
  const Hash key = Stored(hash);
  const std::size_t i = Search(key);
  return i < slots() && HashAt(i) == key ? ValueAt(i) : nullptr;
}

bool HashTable::Full() const { return (size_ + 1) * 50 > homes_ * 47; }

std::uint8_t* HashTable::Insert(const Hash& hash) {
  const Hash key = Stored(hash);
  std::size_t i = Search(key);
  if (i < slots() && HashAt(i) == key) return ValueAt(i);
  if (Full()) {
    Rebuild(homes_ + homes_ / 4 + 8, spare_);
    i = Search(key);
  }
  std::size_t end = i;  // of the cluster
  while (end < slots() && !Empty(HashAt(end))) ++end;
  if (end == slots()) {
    Rebuild(homes_, 2 * spare_);
    return Insert(key);
  }
  std::memmove(Slot(i + 1), Slot(i), (end - i) * width());
  Put(i, key);
  std::memset(ValueAt(i), 0, value_bytes_);
  ++size_;
  return ValueAt(i);
}

void HashTable::Erase(const Hash& hash) {
  const Hash key = Stored(hash);
  const std::size_t i = Search(key);
  if (i >= slots() || HashAt(i) != key) return;
  // The next slots move back until one is empty or stands at its home.
  std::size_t end = i + 1;
  while (end < slots() && !Empty(HashAt(end)) && Home(HashAt(end)) < end) ++end;
  std::memmove(Slot(i), Slot(i + 1), (end - i - 1) * width());
  std::memset(Slot(end - 1), 0, width());
  --size_;
}

void HashTable::Reserve(std::size_t size) {
  const std::size_t homes = size + size / 8 + 8;
  if (homes > homes_) Rebuild(homes, spare_);
}

void HashTable::Rebuild(std::size_t homes, std::size_t spare) {
  HashTable grown(value_bytes_);
  grown.homes_ = homes;
  grown.spare_ = spare;
  grown.array_ = std::make_unique<std::uint8_t[]>(grown.bytes());
  std::size_t next = 0;  // all slots from here on are empty
  for (std::size_t i = 0; i < slots(); ++i) {
    const Hash hash = HashAt(i);
    if (Empty(hash)) continue;
    next = std::max(next, grown.Home(hash));
    if (next >= grown.slots()) return Rebuild(homes, 2 * spare);
    std::memcpy(grown.Slot(next++), Slot(i), width());
  }
  grown.size_ = size_;
  *this = std::move(grown);
}

}  // namespace sotto
