#include "sotto/service/peers/peer_seal.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/data/files/file_system.h"
#include "sotto/journal/journal_keys.h"
#include "sotto/journal/sealed_record.h"

namespace sotto {
namespace {

constexpr char kEnd = '.';

std::string Associated(std::string_view direction, std::string_view place) {
  ByteWriter writer;
  writer.Text(direction);
  writer.Text(place);
  return std::move(writer).bytes();
}

}  // namespace

std::string PeerSeal::Close(std::string_view direction, std::string_view place,
                            std::string_view plain) const {
  const auto nonce = RandomNonces(1);
  std::string sealed;
  Seal(key_, Associated(direction, place), plain,
       std::span<const std::uint8_t, kNonceBytes>(nonce), sealed);
  sealed += kEnd;
  return sealed;
}

std::optional<std::string> PeerSeal::Open(std::string_view direction,
                                          std::string_view place,
                                          std::string_view sealed) const {
  if (!sealed.ends_with(kEnd)) return std::nullopt;
  sealed.remove_suffix(1);
  std::string plain;
  if (!Unseal(key_, Associated(direction, place), sealed, plain)) {
    return std::nullopt;
  }
  return plain;
}

Key DerivePeerKey(const Key& root) {
  return root.Derive("service-v1", "peers", {});
}

Status WritePeerKey(const std::string& path, const Key& key) {
  FileSystem& files = RealFiles();
  SOTTO_TRY_ASSIGN(const auto there, files.Look(path));
  if (there) {
    SOTTO_TRY_ASSIGN(const Key found, ReadKeyFile(path, files));
    if (std::ranges::equal(found.bytes(), key.bytes())) return Ok();
    return FailedPrecondition(path + " belongs to another key file");
  }
  return WriteKeyFile(path, key, files);
}

std::string LanePlace(std::string_view lane, std::uint64_t number) {
  ByteWriter writer;
  writer.Raw(lane);
  writer.Number(number);
  return std::move(writer).bytes();
}

std::string RandomLane() {
  const auto bytes = RandomNonces(1);
  return std::string(AsText(bytes).substr(0, kLaneBytes));
}

}  // namespace sotto
