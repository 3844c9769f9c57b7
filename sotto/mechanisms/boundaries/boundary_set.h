#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sotto/base/bytes.h"

namespace sotto {

// The `size` smallest of the numbers that are added, for asking how many of
// them lie above a number. Where there are fewer, the missing ones are taken to
// lie above everything: a set that is nearly empty says that everything lies
// outside.
//
//   BoundarySet set(1000);
//   for (double value : values) set.Add(value);
//   set.Settle();
//   set.CountAbove(0.5);    // max(0, 1000 - #{values <= 0.5})
//
// Adding is cheap on average and never expensive: new numbers are sorted a part
// at a time, as they are added, and no more than two sizes are ever kept.
//
// Threads: not thread-safe.
class BoundarySet {
 public:
  static constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;

  // Requires 0 <= size <= kMaxSize.
  explicit BoundarySet(std::int64_t size = 0) : size_(size), total_(size) {}
  // The set of `sorted` and `beyond` further numbers above everything; nothing
  // may be added. Requires that together they are at most `size`.
  static BoundarySet Of(std::int64_t size, std::vector<double> sorted,
                        std::int64_t beyond);

  // Requires a number.
  void Add(double value) {
    if (value >= bar_) return;
    fresh_.push_back(value);
    if (fresh_.size() >= chunk()) Settle();
  }
  // To be called between Add and CountAbove.
  void Settle();
  std::int64_t CountAbove(double value) const {
    return total_ - static_cast<std::int64_t>(AtMost(value));
  }

  std::int64_t size() const { return size_; }
  // How many were kept of those that were added: secret.
  std::size_t kept() const { return values_.size() + fresh_.size(); }

  // The state holds the numbers.
  void Save(ByteWriter& writer) const;
  // Returns false if the bytes do not hold a set of this size.
  bool Load(std::int64_t size, ByteReader& reader);

 private:
  std::size_t chunk() const;
  std::size_t AtMost(double value) const;
  void SetBar();

  std::int64_t size_;
  std::int64_t total_;          // of those that lie above minus infinity
  std::vector<double> values_;  // sorted, the smallest
  std::vector<double> fresh_;   // not yet among them
  double bar_ = std::numeric_limits<double>::infinity();
};

}  // namespace sotto
