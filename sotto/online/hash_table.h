#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace sotto {

// A map from 128-bit keyed hashes to a few bytes each, in one array.
//
//   HashTable counts(1);                            // one byte a hash
//   std::uint8_t* count = counts.Insert(key.Hash(name));
//   if (*count < limit) ++*count;
//
// Open addressing with slots in the order of their hashes: no pointers, no
// wrap-around, and iteration gives the same order whatever the history. The
// load is between 0.75 and 0.94 once the table has grown, so a slot of w bytes
// costs at most w / 0.75. The table grows by 1.25; while it does, both arrays
// exist, at most 2.25 / 0.94 times the bytes of all slots in use.
//
// Hashes must be pseudo-random to anyone who chooses the inputs: then no choice
// of inputs makes a search longer than another.
//
// Threads: not thread-safe.
class HashTable {
 public:
  using Hash = std::array<std::uint64_t, 2>;

  explicit HashTable(std::size_t value_bytes) : value_bytes_(value_bytes) {}

  // The bytes of a hash, or null.
  std::uint8_t* Find(const Hash& hash) const;
  // The bytes of a hash, which are 0 if it is new. Valid until the next Insert
  // or Erase.
  std::uint8_t* Insert(const Hash& hash);
  void Erase(const Hash& hash);
  // Makes room for this many hashes. Needed before hashes are inserted in their
  // order, which would otherwise crowd the front of a small table.
  void Reserve(std::size_t size);

  std::size_t size() const { return size_; }
  // Memory of the array.
  std::size_t bytes() const { return slots() * width(); }

  // Calls visit(hash, bytes) in the order of the hashes.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (std::size_t i = 0; i < slots(); ++i) {
      const Hash hash = HashAt(i);
      if (!Empty(hash)) visit(hash, ValueAt(i));
    }
  }

 private:
  static constexpr std::size_t kHashBytes = sizeof(Hash);

  // All zeros mark an empty slot.
  static bool Empty(const Hash& hash) { return hash[0] == 0 && hash[1] == 0; }
  // The hash that is all zeros takes the place of another.
  static Hash Stored(const Hash& hash) {
    return Empty(hash) ? Hash{0, 1} : hash;
  }

  std::size_t width() const { return kHashBytes + value_bytes_; }
  std::size_t slots() const { return homes_ == 0 ? 0 : homes_ + spare_; }
  std::uint8_t* Slot(std::size_t i) const { return array_.get() + i * width(); }
  std::uint8_t* ValueAt(std::size_t i) const { return Slot(i) + kHashBytes; }
  Hash HashAt(std::size_t i) const;
  void Put(std::size_t i, const Hash& hash);
  // The first place where a hash may stand. Grows with the hash.
  std::size_t Home(const Hash& hash) const;
  // Where the hash stands or has to be inserted; slots() if behind the end.
  std::size_t Search(const Hash& hash) const;
  bool Full() const;
  void Rebuild(std::size_t homes, std::size_t spare);

  std::size_t value_bytes_;
  std::size_t size_ = 0;
  std::size_t homes_ = 0;   // slots that a hash can point to
  std::size_t spare_ = 16;  // slots behind them, for the last cluster
  std::unique_ptr<std::uint8_t[]> array_;
};

}  // namespace sotto
