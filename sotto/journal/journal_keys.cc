#include "sotto/journal/journal_keys.h"

#include <sodium.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace sotto {
namespace {

constexpr std::string_view kDomain = "journal-v1";
constexpr std::string_view kKeyFile = "SOTTO-KEY-1\n";
constexpr std::size_t kKeyFileBytes = kKeyFile.size() + 2 * Key::kBytes + 1;
constexpr unsigned kOthersMayUse = 077;

std::span<const std::byte> Bytes(const Lineage& lineage) {
  return std::as_bytes(std::span(lineage));
}

std::string EncodeKey(const Key& key) {
  std::string hex(2 * Key::kBytes + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(),
                 reinterpret_cast<const unsigned char*>(key.bytes().data()),
                 Key::kBytes);
  hex.back() = '\n';
  return std::string(kKeyFile) + hex;
}

std::optional<Key> DecodeKey(std::string_view text) {
  if (text.size() != kKeyFileBytes || !text.starts_with(kKeyFile) ||
      text.back() != '\n') {
    return std::nullopt;
  }
  const std::string_view hex = text.substr(kKeyFile.size(), 2 * Key::kBytes);
  std::array<std::byte, Key::kBytes> bytes;
  std::size_t size = 0;
  const int failed = sodium_hex2bin(
      reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), hex.data(),
      hex.size(), nullptr, &size, nullptr);
  if (failed != 0 || size != bytes.size()) return std::nullopt;
  return Key::FromBytes(bytes);
}

}  // namespace

JournalKeys JournalKeys::Derive(const Key& root, const Lineage& lineage) {
  const auto derive = [&](std::string_view purpose) {
    return root.Derive(kDomain, purpose, {Bytes(lineage)});
  };
  JournalKeys keys{derive("names"),
                   derive("noise"),
                   derive("tickets"),
                   derive("sealing"),
                   {}};
  const Key name = derive("name of the sealing key");
  for (std::size_t i = 0; i < keys.sealing_id.size(); ++i) {
    keys.sealing_id[i] = std::to_integer<std::uint8_t>(name.bytes()[i]);
  }
  return keys;
}

Status WriteKeyFile(const std::string& path, const Key& key,
                    FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto there, files.Look(path));
  if (there) {
    return FailedPrecondition(path + " exists; a key is never replaced");
  }
  SOTTO_TRY_ASSIGN(const int fd, PublishNewFile(files, path, EncodeKey(key)));
  files.Close(fd);
  return Ok();
}

Result<Key> CreateKeyFile(const std::string& path, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto key, Key::Generate());
  SOTTO_TRY(WriteKeyFile(path, key, files));
  return key;
}

Result<Key> ReadKeyFile(const std::string& path, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto facts, files.Look(path));
  if (facts && facts->regular && (facts->mode & kOthersMayUse) != 0) {
    return FailedPrecondition(path + " can be read by others; run 'chmod 600 " +
                              path + "'");
  }
  SOTTO_TRY_ASSIGN(const auto text, files.Read(path, kKeyFileBytes + 1));
  const auto key = DecodeKey(text);
  if (key) return *key;
  return Corruption(path + " is not a key file");
}

}  // namespace sotto
