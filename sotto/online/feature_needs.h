#pragma once

#include <cstdint>

#include "sotto/base/settings.h"
#include "sotto/data/streams/example_reader.h"

namespace sotto {

// What a model needs to know of the features.
struct FeatureNeeds {
  // It keeps numbers for every feature, so that each costs memory (or noise):
  // strings get no buckets unless the user asks for them.
  bool each_costs = false;
  std::uint32_t features = 0;  // as the user says; 0: as the stream says
  int vw_hash_bits = 10;       // of vw, whose names are all hashed
};

// Puts that into `params`, where the user has not said --hash-bits.
void FillEncoding(const FeatureNeeds& needs, const Settings& settings,
                  ExampleReader::Params& params);

}  // namespace sotto
