#include "sotto/service/events/history_file.h"

#include <cstdint>
#include <span>
#include <string_view>

#include "sotto/data/files/file_system.h"
#include "sotto/journal/sealed_record.h"

namespace sotto {
namespace {

constexpr std::string_view kPlace = "sotto-history-1";
constexpr std::uint64_t kLongest = std::uint64_t{64} << 20;

std::string SealedPath(const std::string& folder) {
  return folder + "/history";
}

std::optional<Json> ParseObject(std::string_view text) {
  auto json = Json::Parse(text);
  if (!json || json->object() == nullptr) return std::nullopt;
  return *std::move(json);
}

std::optional<Json> TakeClearHistory(const std::string& folder) {
  const std::string path = folder + "/history.json";
  const auto text = RealFiles().Read(path, kLongest);
  if (!text) return std::nullopt;
  static_cast<void>(RealFiles().Remove(path));
  return ParseObject(*text);
}

}  // namespace

Status WriteHistory(const std::string& folder, const Key& key,
                    const Json& history) {
  std::string sealed;
  const auto nonce = RandomNonces(1);
  Seal(key, kPlace, history.Dump(), std::span(nonce).first<kNonceBytes>(),
       sealed);
  FileSystem& files = RealFiles();
  const std::string path = SealedPath(folder);
  SOTTO_TRY_ASSIGN(auto draft, files.CreateDraft(path));
  Status written = WriteWhole(files, draft.fd, sealed);
  if (written) written = files.Publish(draft, path);
  files.Discard(draft);
  return written;
}

std::optional<Json> ReadHistory(const std::string& folder, const Key& key) {
  if (auto clear = TakeClearHistory(folder)) return clear;
  const auto sealed = RealFiles().Read(SealedPath(folder), kLongest);
  std::string text;
  if (!sealed || !Unseal(key, kPlace, *sealed, text)) return std::nullopt;
  return ParseObject(text);
}

}  // namespace sotto
