#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/files/file_system.h"

namespace sotto::testing {

// The real file system, with injected faults.
//
//   testing::FaultyFileSystem files;
//   files.FailAt(3, "No space left on device");   // the fourth call
//   files.WriteAtMost(5);                         // bytes at a time
//   files.LoseUnsynced([] { return true; });      // the power went
//
// Discarding a draft and closing a file never fail.
// Threads: calls may come from several threads.
class FaultyFileSystem final : public FileSystem {
 public:
  explicit FaultyFileSystem(FileSystem& real = RealFiles()) : real_(real) {}

  // Makes one future call fail; the next call is 0.
  void FailAt(std::size_t call, std::string reason) {
    fail_at_ = steps_.size() + call;
    reason_ = std::move(reason);
  }
  // Every call of this name from now on.
  void FailEvery(std::string step, std::string reason) {
    fail_every_ = std::move(step);
    reason_ = std::move(reason);
  }
  // Kills the process instead of a future call of this name; the next one is 0.
  void KillAt(std::string step, std::size_t call) {
    kill_step_ = std::move(step);
    kill_in_ = call;
  }
  // Ends the first two.
  void FailNoMore() {
    fail_at_.reset();
    fail_every_.clear();
  }
  void WriteAtMost(std::size_t bytes) { most_ = bytes; }
  // Syncs of files whose path starts with this report success and do nothing.
  void IgnoreSyncsUnder(std::string prefix) { ignored_ = std::move(prefix); }
  // Syncs cost no time: enough where LoseUnsynced stands for the disk.
  void SkipRealSyncs() { skip_syncs_ = true; }
  // The power goes: `lost` is asked for each 512-byte sector of what WriteAt
  // wrote, newest first until it says no, and for each name that was published
  // or removed, if it was not synced. What a failed sync covered stays unsynced
  // until it is written and synced again. Close what is open first.
  void LoseUnsynced(const std::function<bool()>& lost);
  // Names of the calls so far: "look", "read", "create", "write", "sync",
  // "publish", "sync folder", "open", "write at", "preallocate", "sync data",
  // "lock", "mark", "truncate", "create folder", "list", "remove".
  const std::vector<std::string>& steps() const { return steps_; }

  Result<std::optional<Facts>> Look(const std::string& path) override;
  Result<std::string> Read(const std::string& path,
                           std::uint64_t most) override;
  Result<TempFile> CreateDraft(const std::string& path) override;
  Result<std::size_t> Write(int fd, std::string_view bytes) override;
  Status Sync(int fd) override;
  Status Publish(TempFile& draft, const std::string& path) override;
  Status SyncParentFolder(const std::string& path) override;
  Status PublishNew(TempFile& draft, const std::string& path) override;
  Result<TempFile> LockToRead(const std::string& path) override {
    if (const auto fault = Step("lock")) return *fault;
    return real_.LockToRead(path);
  }
  Result<bool> IsAt(int fd, const std::string& path) override {
    if (const auto fault = Step("look")) return *fault;
    return real_.IsAt(fd, path);
  }
  Status Overwrite(int fd, std::uint64_t place,
                   std::string_view bytes) override {
    if (const auto fault = Step("mark")) return *fault;
    return real_.Overwrite(fd, place, bytes);
  }
  Status Truncate(int fd, std::uint64_t size) override {
    if (const auto fault = Step("truncate")) return *fault;
    return real_.Truncate(fd, size);
  }
  void Discard(TempFile& draft) override;
  Result<int> OpenToUpdate(const std::string& path) override;
  Result<std::size_t> WriteAt(int fd, std::string_view bytes,
                              std::uint64_t offset) override;
  Status Preallocate(int fd, std::uint64_t bytes) override;
  Status SyncData(int fd) override;
  void Close(int fd) override { real_.Close(fd); }
  Result<int> Lock(const std::string& path) override;
  Status CreateFolder(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& folder) override;
  Status Remove(const std::string& path) override;

 private:
  // Bytes that were at a place before an unsynced write.
  struct OldBytes {
    std::string path;
    std::uint64_t offset = 0;
    std::string bytes;
    bool sync_failed = false;
  };
  // The file that had a name before it was published or removed.
  struct OldName {
    std::string path;
    std::optional<std::string> bytes;
  };

  std::optional<Error> Step(std::string name);
  void RememberName(const std::string& path);
  void TakeName(int fd, const std::string& path);
  void BytesSynced(const std::string& path);

  FileSystem& real_;
  std::mutex mutex_;
  std::vector<std::string> steps_;
  std::optional<std::size_t> fail_at_;
  std::string fail_every_;
  std::string kill_step_;  // empty: none
  std::size_t kill_in_ = 0;
  std::string reason_;
  std::size_t most_ = std::string_view::npos;
  std::string ignored_;
  bool skip_syncs_ = false;
  std::map<int, std::string> paths_;
  std::vector<OldBytes> old_bytes_;
  std::vector<OldName> old_names_;
};

}  // namespace sotto::testing
