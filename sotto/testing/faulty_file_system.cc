#include "sotto/testing/faulty_file_system.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

namespace sotto::testing {
namespace {

constexpr std::uint64_t kSector = 512;
constexpr const char* kDraft = " (draft)";

std::filesystem::path Folder(const std::string& path) {
  return std::filesystem::path(path).parent_path();
}

std::optional<std::string> Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The bytes at a place, zeros behind the end of the file.
std::string BytesAt(const std::string& path, std::uint64_t offset,
                    std::size_t size) {
  std::string bytes(size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  if (file) file.read(bytes.data(), static_cast<std::streamsize>(size));
  return bytes;
}

void PutBytes(const std::string& path, std::uint64_t offset,
              std::string_view bytes) {
  if (!std::filesystem::exists(path)) return;
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

std::optional<Error> FaultyFileSystem::Step(std::string name) {
  if (name == kill_step_ && kill_in_-- == 0) ::kill(::getpid(), SIGKILL);
  const bool fails = fail_at_ == steps_.size() || fail_every_ == name;
  steps_.push_back(std::move(name));
  if (!fails) return std::nullopt;
  return Unavailable(reason_);
}

Result<std::optional<FileSystem::Facts>> FaultyFileSystem::Look(
    const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("look")) return *fault;
  return real_.Look(path);
}

Result<std::string> FaultyFileSystem::Read(const std::string& path,
                                           std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("read")) return *fault;
  return real_.Read(path, most);
}

Result<FileSystem::TempFile> FaultyFileSystem::CreateDraft(
    const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("create")) return *fault;
  SOTTO_TRY_ASSIGN(auto draft, real_.CreateDraft(path));
  paths_[draft.fd] = path + kDraft;
  return draft;
}

Result<std::size_t> FaultyFileSystem::Write(int fd, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("write")) return *fault;
  return real_.Write(fd, bytes.substr(0, most_));
}

Status FaultyFileSystem::Sync(int fd) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("sync")) return *fault;
  if (!skip_syncs_) SOTTO_TRY(real_.Sync(fd));
  BytesSynced(paths_[fd]);
  return Ok();
}

Status FaultyFileSystem::Publish(TempFile& draft, const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("publish")) return *fault;
  RememberName(path);
  TakeName(draft.fd, path);
  return real_.Publish(draft, path);
}

Status FaultyFileSystem::PublishNew(TempFile& draft, const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("publish")) return *fault;
  RememberName(path);
  TakeName(draft.fd, path);
  return real_.PublishNew(draft, path);
}

Status FaultyFileSystem::SyncParentFolder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("sync folder")) return *fault;
  std::erase_if(old_names_, [&](const OldName& name) {
    return Folder(name.path) == Folder(path);
  });
  return skip_syncs_ ? Ok() : real_.SyncParentFolder(path);
}

void FaultyFileSystem::Discard(TempFile& draft) {
  const std::lock_guard lock(mutex_);
  const std::string path = paths_[draft.fd];
  if (path.ends_with(kDraft)) {
    std::erase_if(old_bytes_,
                  [&](const OldBytes& old) { return old.path == path; });
  }
  real_.Discard(draft);
}

Result<int> FaultyFileSystem::OpenToUpdate(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("open")) return *fault;
  SOTTO_TRY_ASSIGN(const auto fd, real_.OpenToUpdate(path));
  paths_[fd] = path;
  return fd;
}

Result<std::size_t> FaultyFileSystem::WriteAt(int fd, std::string_view bytes,
                                              std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("write at")) return *fault;
  const std::string_view first = bytes.substr(0, most_);
  old_bytes_.push_back(
      {paths_[fd], offset, BytesAt(paths_[fd], offset, first.size())});
  return real_.WriteAt(fd, first, offset);
}

Status FaultyFileSystem::Preallocate(int fd, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("preallocate")) return *fault;
  return real_.Preallocate(fd, bytes);
}

Status FaultyFileSystem::SyncData(int fd) {
  const std::lock_guard lock(mutex_);
  const std::string& path = paths_[fd];
  if (const auto fault = Step("sync data")) {
    for (OldBytes& old : old_bytes_) old.sync_failed |= old.path == path;
    return *fault;
  }
  if (!ignored_.empty() && path.starts_with(ignored_)) return Ok();
  if (!skip_syncs_) SOTTO_TRY(real_.SyncData(fd));
  BytesSynced(path);
  return Ok();
}

Result<int> FaultyFileSystem::Lock(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("lock")) return *fault;
  return real_.Lock(path);
}

Status FaultyFileSystem::CreateFolder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("create folder")) return *fault;
  return real_.CreateFolder(path);
}

Result<std::vector<std::string>> FaultyFileSystem::List(
    const std::string& folder) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("list")) return *fault;
  return real_.List(folder);
}

Status FaultyFileSystem::Remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = Step("remove")) return *fault;
  RememberName(path);
  return real_.Remove(path);
}

void FaultyFileSystem::RememberName(const std::string& path) {
  old_names_.push_back({path, Contents(path)});
}

// The bytes of the draft are those of the file of that name now.
void FaultyFileSystem::TakeName(int fd, const std::string& path) {
  const std::string draft = std::exchange(paths_[fd], path);
  for (OldBytes& old : old_bytes_) {
    if (old.path == draft) old.path = path;
  }
}

// Makes the bytes that were written since the last sync durable. Of the bytes
// that a failed sync covered, only those that were written again are.
void FaultyFileSystem::BytesSynced(const std::string& path) {
  std::vector<OldBytes> kept;
  for (std::size_t i = 0; i < old_bytes_.size(); ++i) {
    const OldBytes& old = old_bytes_[i];
    if (old.path == path && !old.sync_failed) continue;
    std::vector<OldBytes> parts{old};
    for (std::size_t j = i + 1; old.path == path && j < old_bytes_.size();
         ++j) {
      const OldBytes& later = old_bytes_[j];
      if (later.path != path || later.sync_failed) continue;
      std::vector<OldBytes> left;
      for (const OldBytes& part : parts) {
        const std::uint64_t end = part.offset + part.bytes.size();
        const std::uint64_t from = std::clamp(later.offset, part.offset, end);
        const std::uint64_t to =
            std::clamp(later.offset + later.bytes.size(), from, end);
        if (from > part.offset) {
          left.push_back({path, part.offset,
                          part.bytes.substr(0, from - part.offset), true});
        }
        if (to < end) {
          left.push_back({path, to, part.bytes.substr(to - part.offset), true});
        }
      }
      parts = std::move(left);
    }
    std::ranges::move(parts, std::back_inserter(kept));
  }
  old_bytes_ = std::move(kept);
}

// A sector of the disk holds what it held at some moment: of the writes to it
// the last few are lost.
void FaultyFileSystem::LoseUnsynced(const std::function<bool()>& lost) {
  const std::lock_guard lock(mutex_);
  std::set<std::pair<std::string, std::uint64_t>> settled;
  std::ranges::reverse(old_bytes_);
  for (const OldBytes& old : std::exchange(old_bytes_, {})) {
    std::uint64_t at = old.offset;
    const std::uint64_t end = old.offset + old.bytes.size();
    while (at < end) {
      const std::uint64_t sector = at / kSector;
      const std::uint64_t next = std::min(end, (sector + 1) * kSector);
      if (!settled.contains({old.path, sector}) && lost()) {
        PutBytes(old.path, at, old.bytes.substr(at - old.offset, next - at));
      } else {
        settled.insert({old.path, sector});
      }
      at = next;
    }
  }
  std::ranges::reverse(old_names_);
  for (const OldName& old : std::exchange(old_names_, {})) {
    if (!lost()) continue;
    std::filesystem::remove(old.path);
    if (old.bytes) std::ofstream(old.path, std::ios::binary) << *old.bytes;
  }
}

}  // namespace sotto::testing
