#include "sotto/models/pop/pop_round.h"

#include <cmath>

namespace sotto {
namespace {

Error Corrupt() { return Corruption("the saved round of pop makes no sense"); }

void WriteFeatures(FeatureView x, ByteWriter& writer) {
  writer.Number(static_cast<std::uint64_t>(x.size()));
  for (const Feature& feature : x) {
    writer.Number(feature.index);
    writer.Real(feature.value);
  }
}

// Learners may use an index without looking, as the readers of streams keep
// them below the number of features.
Result<FeatureVector> ReadFeatures(ByteReader& reader, std::uint64_t features) {
  const auto size = reader.Number<std::uint64_t>();
  if (size > reader.RoomFor(12)) return Corrupt();
  FeatureVector x;
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto index = reader.Number<std::uint32_t>();
    const double value = reader.Real();
    if (!std::isfinite(value) || index >= features ||
        (!x.empty() && x.back().index >= index)) {
      return Corrupt();
    }
    x.push_back({index, value});
  }
  return x;
}

}  // namespace

void PopRound::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint8_t>((answer.prediction ? 1 : 0) |
                                          (answer.paid ? 2 : 0)));
  writer.Number(phase);
  writer.Number(generation);
  writer.Number(copy);
  WriteFeatures(x, writer);
}

Result<PopRound> PopRound::Load(ByteReader& reader, std::uint64_t features) {
  PopRound round;
  const auto flags = reader.Number<std::uint8_t>();
  round.answer = {(flags & 1) != 0, (flags & 2) != 0};
  round.phase = reader.Number<std::uint64_t>();
  round.generation = reader.Number<std::uint64_t>();
  round.copy = reader.Number<std::int64_t>();
  SOTTO_TRY_ASSIGN(auto x, ReadFeatures(reader, features));
  if (reader.failed() || flags > 3 || round.copy < 0 ||
      round.generation < round.phase) {
    return Corrupt();
  }
  round.x = std::move(x);
  return round;
}

}  // namespace sotto
