#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace sotto {

// An allocator for large arrays that are read in random order: asks for pages
// of 2 MiB, so that an access misses the cache at most, and not the
// processor's table of pages as well.
//
//   std::vector<double, HugePageAllocator<double>> numbers(1'000'000);
//
// Where the system has no such pages, or the array is small, it is an ordinary
// allocator.
template <typename T>
class HugePageAllocator {
 public:
  using value_type = T;

  HugePageAllocator() = default;
  template <typename U>
  // Containers convert it to other types.
  HugePageAllocator(const HugePageAllocator<U>& /*other*/) {}  // NOLINT

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, AlignmentFor(bytes));
    // A refusal changes only the running time.
    if (bytes >= kPage) ::madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    ::operator delete(memory, AlignmentFor(count * sizeof(T)));
  }
  friend bool operator==(const HugePageAllocator& /*a*/,
                         const HugePageAllocator& /*b*/) {
    return true;
  }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  static std::align_val_t AlignmentFor(std::size_t bytes) {
    return std::align_val_t{bytes >= kPage ? kPage : alignof(T)};
  }
};

}  // namespace sotto
