#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/result.h"

namespace sotto {

// The name of a point, 128 bits.
using PointName = std::array<std::uint64_t, 2>;

// Name of a row: a hash, under a public key, of its features that are not 0.
// Two rows out of n have one name with a probability of about n^2 / 2^129.
PointName PointKey(FeatureView x);

void SavePointName(const PointName& name, ByteWriter& writer);
// The caller checks reader.failed().
PointName LoadPointName(ByteReader& reader);

// The first 64 bits of a name are as good as random, unless an adversary
// chose them, who can then slow us down.
struct PointNameHash {
  std::size_t operator()(const PointName& name) const {
    return static_cast<std::size_t>(name[0]);
  }
};

// State of a round until its label comes.
struct PointRound {
  PointName name = {};
  bool counts = false;  // among the first rounds of its point
  std::uint64_t tick = 0;

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<PointRound> Load(ByteReader& reader);
  friend bool operator==(const PointRound&, const PointRound&) = default;
};

}  // namespace sotto
