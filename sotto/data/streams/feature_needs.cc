#include "sotto/data/streams/feature_needs.h"

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/stream_format.h"

namespace sotto {

void FillEncoding(const FeatureNeeds& needs, const Settings& settings,
                  ReaderParams& params) {
  constexpr int kHashBits = 18;
  const auto format = params.format ? params.format : FormatOfPath(params.path);
  const bool counted = needs.features > 0 && format != StreamFormat::kCsv &&
                       !params.encoding.schema;
  if (counted) params.encoding.features = needs.features;
  if (settings.Has("hash-bits")) return;
  const bool hashed = format == StreamFormat::kVw && !counted;
  params.encoding.hash_bits = !needs.each_costs ? kHashBits
                              : hashed          ? needs.vw_hash_bits
                                                : 0;
}

}  // namespace sotto
