#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace sotto {

// The names of one row so far, to notice one that comes twice. Clearing costs
// nothing, so one set serves all rows.
class NameSet {
 public:
  void Clear() {
    ++stamp_;
    size_ = 0;
  }
  // False if it is there already. The text must stay until Clear.
  bool Insert(std::string_view name) {
    if (2 * size_ >= slots_.size()) Grow();
    const std::size_t hash = std::hash<std::string_view>()(name);
    for (std::size_t i = hash & (slots_.size() - 1);;
         i = (i + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[i];
      if (slot.stamp != stamp_) {
        slot = {stamp_, hash, name};
        ++size_;
        return true;
      }
      if (slot.hash == hash && slot.name == name) return false;
    }
  }

 private:
  struct Slot {
    std::uint64_t stamp = 0;  // of the row it belongs to
    std::size_t hash = 0;
    std::string_view name;
  };

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.stamp != stamp_) continue;
      std::size_t i = slot.hash & (slots_.size() - 1);
      while (slots_[i].stamp == stamp_) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint64_t stamp_ = 1;
  std::size_t size_ = 0;
};

}  // namespace sotto
