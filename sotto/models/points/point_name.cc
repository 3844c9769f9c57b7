#include "sotto/models/points/point_name.h"

#include "sotto/random/key.h"

namespace sotto {
namespace {

// Public: it tells the names of rows apart from other hashes, and hides
// nothing.
Key RowKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  return Key::FromBytes(bytes).Derive("points-v1", "row", {});
}

}  // namespace

// Unlisted features are 0, so a listed 0 is dropped, -0 too.
PointName PointKey(FeatureView x) {
  static const Key kKey = RowKey();
  ByteWriter writer;
  for (const Feature& feature : x) {
    if (feature.value == 0) continue;
    writer.Number(feature.index);
    writer.Real(feature.value);
  }
  return kKey.Hash(writer.bytes());
}

void SavePointName(const PointName& name, ByteWriter& writer) {
  for (const std::uint64_t word : name) writer.Number(word);
}

PointName LoadPointName(ByteReader& reader) {
  PointName name;
  for (std::uint64_t& word : name) word = reader.Number<std::uint64_t>();
  return name;
}

void PointRound::Save(ByteWriter& writer) const {
  SavePointName(name, writer);
  writer.Number(static_cast<std::uint8_t>(counts));
  writer.Number(tick);
}

Result<PointRound> PointRound::Load(ByteReader& reader) {
  PointRound round;
  round.name = LoadPointName(reader);
  const auto counts = reader.Number<std::uint8_t>();
  round.counts = counts == 1;
  round.tick = reader.Number<std::uint64_t>();
  if (reader.failed() || counts > 1) {
    return Corruption("the saved points make no sense");
  }
  return round;
}

}  // namespace sotto
