#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/bytes.h"

namespace sotto {

// The rows that one fit sees: secret. A place may be empty: it does not count,
// but takes the same work, so that work depends only on the number of places.
//
//   FitBatch batch(columns.size());
//   batch.Add(codes, true);
//   batch.PadTo(64);
//
// Threads: not thread-safe.
class FitBatch {
 public:
  // Label of an empty place; other places have 0 or 1.
  static constexpr std::uint8_t kEmpty = 2;

  explicit FitBatch(std::size_t columns) : columns_(columns) {}

  std::size_t columns() const { return columns_; }
  std::size_t size() const { return labels_.size(); }
  std::uint32_t code(std::size_t row, std::size_t column) const {
    return codes_[row * columns_ + column];
  }
  std::span<const std::uint32_t> row(std::size_t row) const {
    return std::span(codes_).subspan(row * columns_, columns_);
  }
  std::uint8_t label(std::size_t row) const { return labels_[row]; }

  // Returns true if the row of a round is held out of fits, for a choice among
  // several: one round in four, by the public clock.
  static bool HeldOut(std::uint64_t tick) { return tick % 4 == 3; }
  // Requires: one code a column.
  void Add(std::span<const std::uint32_t> codes, bool label,
           bool held_out = false) {
    codes_.insert(codes_.end(), codes.begin(), codes.end());
    labels_.push_back(label ? 1 : 0);
    held_out_.push_back(held_out ? 1 : 0);
  }
  // Public number of places; 0 if it is not public. There may be more.
  std::size_t public_places() const { return public_places_; }
  void SetPublicPlaces(std::size_t places) { public_places_ = places; }
  // Adds empty places until there are `places`.
  void PadTo(std::size_t places) {
    if (size() >= places) return;
    codes_.resize(places * columns_, 0);
    labels_.resize(places, kEmpty);
    held_out_.resize(places, 0);
  }
  void Clear() {
    codes_.clear();
    labels_.clear();
    held_out_.clear();
  }
  // The same places, empty but for those held out, or for those not.
  FitBatch Only(bool held_out) const {
    FitBatch only = *this;
    for (std::size_t i = 0; i < size(); ++i) {
      if ((held_out_[i] != 0) != held_out) only.labels_[i] = kEmpty;
    }
    return only;
  }
  // Rows [begin, end) as a separate batch.
  FitBatch Part(std::size_t begin, std::size_t end) const {
    FitBatch part(columns_);
    for (std::size_t i = begin; i < end; ++i) {
      part.codes_.insert(part.codes_.end(), row(i).begin(), row(i).end());
      part.labels_.push_back(labels_[i]);
      part.held_out_.push_back(held_out_[i]);
    }
    return part;
  }

  // The bytes are as secret as the rows.
  void Save(ByteWriter& writer) const {
    writer.Number(static_cast<std::uint64_t>(size()));
    for (const std::uint32_t code : codes_) writer.Number(code);
    for (const std::uint8_t label : labels_) writer.Number(label);
    for (const std::uint8_t part : held_out_) writer.Number(part);
  }
  // False if the bytes make no sense.
  bool Load(ByteReader& reader) {
    const auto places = reader.Number<std::uint64_t>();
    if (places > reader.RoomFor(4 * columns_ + 2)) return false;
    Clear();
    for (std::uint64_t i = 0; i < places * columns_; ++i) {
      codes_.push_back(reader.Number<std::uint32_t>());
    }
    for (std::uint64_t i = 0; i < places; ++i) {
      labels_.push_back(reader.Number<std::uint8_t>());
      if (labels_.back() > kEmpty) return false;
    }
    for (std::uint64_t i = 0; i < places; ++i) {
      held_out_.push_back(reader.Number<std::uint8_t>());
    }
    return !reader.failed();
  }

 private:
  std::size_t columns_;
  std::size_t public_places_ = 0;
  std::vector<std::uint32_t> codes_;
  std::vector<std::uint8_t> labels_;
  std::vector<std::uint8_t> held_out_;
};

}  // namespace sotto
