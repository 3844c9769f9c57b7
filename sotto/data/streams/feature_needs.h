#pragma once

#include <cstdint>

#include "sotto/base/settings.h"

namespace sotto {

struct ReaderParams;

// A model's demands on the encoding of features.
struct FeatureNeeds {
  // Each feature costs memory or noise: strings get no buckets unless the user
  // asks for them.
  bool each_costs = false;
  std::uint32_t features = 0;  // set by the user; 0: taken from the stream
  int vw_hash_bits = 10;       // for vw, which hashes all names
};

// Puts them into `params`, unless the user has set --hash-bits.
void FillEncoding(const FeatureNeeds& needs, const Settings& settings,
                  ReaderParams& params);

}  // namespace sotto
