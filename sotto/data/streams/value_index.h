#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// The values of a category and what each stands for, found by their text: for
// few short values that are looked up for every row.
//
//   ValueIndex values;
//   values.Insert("red", 7);
//   values.Find("red");        // 7
//
// Threads: const calls may run at the same time.
class ValueIndex {
 public:
  // Nothing if it is there already.
  void Insert(std::string_view value, std::uint32_t index) {
    if (Find(value)) return;
    if (2 * (size_ + 1) > slots_.size()) Grow();
    Place({.hash = Hash(value),
           .first = static_cast<std::uint32_t>(text_.size()),
           .size = static_cast<std::uint32_t>(value.size()),
           .index = index,
           .used = true});
    text_ += value;
    ++size_;
  }

  std::optional<std::uint32_t> Find(std::string_view value) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint64_t hash = Hash(value);
    for (std::size_t i = hash & (slots_.size() - 1); slots_[i].used;
         i = (i + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[i];
      if (slot.hash == hash && ToText(slot) == value) return slot.index;
    }
    return std::nullopt;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t first = 0;  // of its text
    std::uint32_t size = 0;
    std::uint32_t index = 0;
    bool used = false;
  };

  std::string_view ToText(const Slot& slot) const {
    return std::string_view(text_).substr(slot.first, slot.size);
  }
  void Place(const Slot& slot) {
    std::size_t i = slot.hash & (slots_.size() - 1);
    while (slots_[i].used) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.used) Place(slot);
    }
  }

  template <typename T>
  static std::uint64_t Load(const char* at) {
    T word;
    std::memcpy(&word, at, sizeof(word));
    return word;
  }
  // Blocks of eight bytes, the last of which may overlap the one before.
  static std::uint64_t Hash(std::string_view text) {
    const char* const end = text.data() + text.size();
    std::uint64_t hash = text.size() * 0x9e3779b97f4a7c15;
    const auto mix = [&hash](std::uint64_t block) {
      hash = (hash ^ block) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    };
    if (text.size() >= 8) {
      const char* at = text.data();
      for (; end - at > 8; at += 8) mix(Load<std::uint64_t>(at));
      mix(Load<std::uint64_t>(end - 8));
    } else if (text.size() >= 4) {
      mix(Load<std::uint32_t>(text.data()) << 32 |
          Load<std::uint32_t>(end - 4));
    } else {
      for (const char c : text) mix(static_cast<unsigned char>(c));
    }
    return hash;
  }

  std::string text_;  // of all values, one after the other
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace sotto
