#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/files/file_system.h"

namespace sotto::testing {

// The machine's files, with faults where a test wants them.
//
//   testing::FaultyFileSystem files;
//   files.FailAt(3, "No space left on device");   // the fourth call
//   files.WriteAtMost(5);                         // bytes at a time
//
// Discarding a draft never fails. Threads: not thread-safe.
class FaultyFileSystem final : public FileSystem {
 public:
  explicit FaultyFileSystem(FileSystem& real = RealFiles()) : real_(real) {}

  // Of the calls to come, from 0; that one only.
  void FailAt(std::size_t call, std::string reason) {
    fail_at_ = steps_.size() + call;
    reason_ = std::move(reason);
  }
  void WriteAtMost(std::size_t bytes) { most_ = bytes; }
  // The calls so far: "look", "read", "create", "write", "sync", "publish",
  // "sync folder", "lock", "mark", "truncate".
  const std::vector<std::string>& steps() const { return steps_; }

  Result<std::optional<Facts>> Look(const std::string& path) override {
    if (const auto fault = Step("look")) return *fault;
    return real_.Look(path);
  }
  Result<std::string> Read(const std::string& path,
                           std::uint64_t most) override {
    if (const auto fault = Step("read")) return *fault;
    return real_.Read(path, most);
  }
  Result<TempFile> CreateDraft(const std::string& path) override {
    if (const auto fault = Step("create")) return *fault;
    return real_.CreateDraft(path);
  }
  Result<std::size_t> Write(int fd, std::string_view bytes) override {
    if (const auto fault = Step("write")) return *fault;
    return real_.Write(fd, bytes.substr(0, most_));
  }
  Status Sync(int fd) override {
    if (const auto fault = Step("sync")) return *fault;
    return real_.Sync(fd);
  }
  Status Publish(TempFile& draft, const std::string& path) override {
    if (const auto fault = Step("publish")) return *fault;
    return real_.Publish(draft, path);
  }
  Status PublishNew(TempFile& draft, const std::string& path) override {
    if (const auto fault = Step("publish")) return *fault;
    return real_.PublishNew(draft, path);
  }
  Result<TempFile> Lock(const std::string& path) override {
    if (const auto fault = Step("lock")) return *fault;
    return real_.Lock(path);
  }
  Result<bool> IsAt(int fd, const std::string& path) override {
    if (const auto fault = Step("look")) return *fault;
    return real_.IsAt(fd, path);
  }
  Status WriteAt(int fd, std::uint64_t place, std::string_view bytes) override {
    if (const auto fault = Step("mark")) return *fault;
    return real_.WriteAt(fd, place, bytes);
  }
  Status Truncate(int fd, std::uint64_t size) override {
    if (const auto fault = Step("truncate")) return *fault;
    return real_.Truncate(fd, size);
  }
  Status SyncParentFolder(const std::string& path) override {
    if (const auto fault = Step("sync folder")) return *fault;
    return real_.SyncParentFolder(path);
  }
  void Discard(TempFile& draft) override { real_.Discard(draft); }

 private:
  std::optional<Error> Step(std::string name) {
    const bool fails = fail_at_ == steps_.size();
    steps_.push_back(std::move(name));
    if (!fails) return std::nullopt;
    return Error{ErrorCode::kUnavailable, reason_};
  }

  FileSystem& real_;
  std::vector<std::string> steps_;
  std::optional<std::size_t> fail_at_;
  std::string reason_;
  std::size_t most_ = std::string_view::npos;
};

}  // namespace sotto::testing
