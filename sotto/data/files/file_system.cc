#include "sotto/data/files/file_system.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>

namespace sotto {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr mode_t kFolderOfOwner = 0700;

Error SystemError(const std::string& what, const std::string& path) {
  return {ErrorCode::kUnavailable,
          "cannot " + what + " " + path + ": " + std::strerror(errno)};
}

std::string ParentFolder(const std::string& path) {
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// The start of the names of drafts: ".run.state.draft" for "run.state".
std::string DraftPrefix(const std::string& path) {
  return "." + std::filesystem::path(path).filename().string() + ".draft";
}

// A new name in the same folder.
std::string HiddenName(const std::string& path) {
  std::array<unsigned char, 8> random{};
  randombytes_buf(random.data(), random.size());
  std::array<char, 2 * random.size() + 1> digits{};
  sodium_bin2hex(digits.data(), digits.size(), random.data(), random.size());
  return (std::filesystem::path(path).parent_path() /
          (DraftPrefix(path) + "-" + digits.data()))
      .string();
}

bool TryLock(int fd) {
  int locked = -1;
  do {
    locked = ::flock(fd, LOCK_EX | LOCK_NB);
  } while (locked != 0 && errno == EINTR);
  // On a file system without locks no one has one.
  return locked == 0 || (errno != EWOULDBLOCK && errno != EACCES);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Result<std::string> ReadFrom(int fd, const std::string& path,
                             std::uint64_t size) {
  std::string bytes;
  try {
    bytes.resize(size);
  } catch (const std::exception&) {  // bad_alloc or length_error
    return Unavailable("cannot read " + path + ": not enough memory for its " +
                       std::to_string(size) + " bytes");
  }
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read", path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

class Machine final : public FileSystem {
 public:
  explicit Machine(bool nameless) : nameless_(nameless) {}

  Result<std::optional<Facts>> Look(const std::string& path) override {
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0) {
      return std::optional(
          Facts{.regular = S_ISREG(info.st_mode),
                .link = S_ISLNK(info.st_mode),
                .size = static_cast<std::uint64_t>(info.st_size),
                .device = info.st_dev,
                .inode = info.st_ino,
                .mode = info.st_mode & 07777u});
    }
    if (errno == ENOENT) return std::optional<Facts>();
    return SystemError("look at", path);
  }

  Result<std::string> Read(const std::string& path,
                           std::uint64_t most) override {
    // O_NONBLOCK: a pipe without a writer is not waited for.
    const Descriptor file(
        ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return SystemError("open", path);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return SystemError("look at", path);
    if (!S_ISREG(info.st_mode)) {
      return Unavailable("cannot read " + path + ": it is not a regular file");
    }
    return ReadFrom(file.get(), path,
                    std::min(most, static_cast<std::uint64_t>(info.st_size)));
  }

  Result<TempFile> CreateDraft(const std::string& path) override {
    const std::string folder = ParentFolder(path);
    if (IsFirstDraft(path)) RemoveOldDrafts(folder, path);
    // Without /proc a file that has no name could not be given one.
    int fd = -1;
    if (nameless_ && ::access("/proc/self/fd", X_OK) == 0) {
      fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly);
    }
    std::string hidden;
    if (fd < 0) {
      hidden = HiddenName(path);
      fd = ::open(hidden.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
                  kOwnerOnly);
    }
    if (fd < 0) return SystemError("create a file beside", path);
    TryLock(fd);  // No one else has it open.
    return TempFile{fd, std::move(hidden)};
  }

  Result<std::size_t> Write(int fd, std::string_view bytes) override {
    while (true) {
      const ssize_t written = ::write(fd, bytes.data(), bytes.size());
      if (written > 0) return static_cast<std::size_t>(written);
      if (written < 0 && errno == EINTR) continue;
      return Unavailable(std::string("cannot write: ") +
                         (written < 0 ? std::strerror(errno) : "nothing goes"));
    }
  }

  Status Sync(int fd) override {
    if (::fsync(fd) == 0) return Ok();
    return Unavailable(std::string("cannot sync: ") + std::strerror(errno));
  }

  Status Publish(TempFile& draft, const std::string& path) override {
    if (draft.hidden.empty()) {
      const std::string hidden = HiddenName(path);
      if (!LinkTo(draft, hidden)) return SystemError("name the draft of", path);
      draft.hidden = hidden;
    }
    if (::rename(draft.hidden.c_str(), path.c_str()) != 0) {
      return SystemError("replace", path);
    }
    draft.hidden.clear();
    return Ok();
  }

  Status PublishNew(TempFile& draft, const std::string& path) override {
    if (!LinkTo(draft, path)) {
      if (errno != EEXIST) return SystemError("create", path);
      return FailedPrecondition(path +
                                " was created by another process meanwhile");
    }
    if (!draft.hidden.empty()) ::unlink(draft.hidden.c_str());
    draft.hidden.clear();
    return Ok();
  }

  Status SyncParentFolder(const std::string& path) override {
    const Descriptor folder(
        ::open(ParentFolder(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0 && ::fsync(folder.get()) == 0) return Ok();
    return SystemError("sync the folder of", path);
  }

  void Discard(TempFile& draft) override {
    if (!draft.hidden.empty()) ::unlink(draft.hidden.c_str());
    if (draft.fd >= 0) ::close(draft.fd);
    draft = {};
  }

  Result<int> OpenToUpdate(const std::string& path) override {
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return SystemError("open", path);
    return fd;
  }

  Result<std::size_t> WriteAt(int fd, std::string_view bytes,
                              std::uint64_t offset) override {
    while (true) {
      const ssize_t written =
          ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (written > 0) {
        // The disk begins now, not at the sync: two files that are synced at
        // once then share one flush. A failure shows at the sync.
        ::sync_file_range(fd, static_cast<off_t>(offset), written,
                          SYNC_FILE_RANGE_WRITE);
        return static_cast<std::size_t>(written);
      }
      if (written < 0 && errno == EINTR) continue;
      return Unavailable(std::string("cannot write: ") +
                         (written < 0 ? std::strerror(errno) : "nothing goes"));
    }
  }

  Status Preallocate(int fd, std::uint64_t bytes) override {
    const int reason = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    if (reason == 0) return Ok();
    return Unavailable(std::string("cannot reserve room: ") +
                       std::strerror(reason));
  }

  Status SyncData(int fd) override {
    if (::fdatasync(fd) == 0) return Ok();
    return Unavailable(std::string("cannot sync: ") + std::strerror(errno));
  }

  void Close(int fd) override {
    if (fd >= 0) ::close(fd);
  }

  Result<int> Lock(const std::string& path) override {
    const int fd = ::open(
        path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
    if (fd < 0) return SystemError("open", path);
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    const bool taken = errno == EWOULDBLOCK;
    const Error error = SystemError("lock", path);
    ::close(fd);
    if (!taken) return error;
    return FailedPrecondition(path + " is locked: another process is using it");
  }

  Status CreateFolder(const std::string& path) override {
    if (::mkdir(path.c_str(), kFolderOfOwner) == 0) return Ok();
    if (errno == EEXIST && std::filesystem::is_directory(path)) return Ok();
    return SystemError("create the folder", path);
  }

  Result<std::vector<std::string>> List(const std::string& folder) override {
    std::error_code error;
    std::vector<std::string> names;
    std::filesystem::directory_iterator entry(folder, error);
    while (!error && entry != std::filesystem::directory_iterator()) {
      std::string name = entry->path().filename().string();
      if (name.front() != '.') names.push_back(std::move(name));
      entry.increment(error);
    }
    if (error) {
      return Unavailable("cannot list " + folder + ": " + error.message());
    }
    std::ranges::sort(names);
    return names;
  }

  Status Remove(const std::string& path) override {
    if (::unlink(path.c_str()) == 0) return Ok();
    return SystemError("remove", path);
  }

  Result<TempFile> LockToRead(const std::string& path) override {
    TempFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), ""};
    if (file.fd < 0) return SystemError("open", path);
    if (TryLock(file.fd)) return file;
    Discard(file);
    return FailedPrecondition(path + " is in use by another process");
  }

  Result<bool> IsAt(int fd, const std::string& path) override {
    struct stat here {};
    struct stat there {};
    if (::fstat(fd, &here) != 0) return SystemError("look at", path);
    if (::stat(path.c_str(), &there) != 0) {
      if (errno == ENOENT) return false;
      return SystemError("look at", path);
    }
    return here.st_dev == there.st_dev && here.st_ino == there.st_ino;
  }

  Status Overwrite(int fd, std::uint64_t place,
                   std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written =
          ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(place));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return SystemError("write", "the state");
      place += static_cast<std::uint64_t>(written);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return Ok();
  }

  Status Truncate(int fd, std::uint64_t size) override {
    if (::ftruncate(fd, static_cast<off_t>(size)) == 0) return Ok();
    return SystemError("truncate", "the state");
  }

 private:
  static bool LinkTo(const TempFile& draft, const std::string& path) {
    if (!draft.hidden.empty()) {
      return ::link(draft.hidden.c_str(), path.c_str()) == 0;
    }
    const std::string self = "/proc/self/fd/" + std::to_string(draft.fd);
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
  }

  bool IsFirstDraft(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return cleaned_.insert(path).second;
  }

  // Removes drafts of processes that are no more: theirs have no lock.
  static void RemoveOldDrafts(const std::string& folder,
                              const std::string& path) {
    const std::string prefix = DraftPrefix(path);
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(prefix)) continue;
      const std::string draft = entry.path().string();
      const Descriptor file(::open(
          draft.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
      if (file.get() >= 0 && TryLock(file.get())) ::unlink(draft.c_str());
    }
  }

  bool nameless_;
  std::mutex mutex_;
  std::set<std::string> cleaned_;  // paths whose old drafts are removed
};

}  // namespace

FileSystem& RealFiles() {
  static Machine machine(/*nameless=*/true);
  return machine;
}

FileSystem& FilesWithNamedDrafts() {
  static Machine machine(/*nameless=*/false);
  return machine;
}

Status WriteWhole(FileSystem& files, int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    SOTTO_TRY_ASSIGN(const auto written, files.Write(fd, bytes));
    bytes.remove_prefix(written);
  }
  return Ok();
}

Status WriteWholeAt(FileSystem& files, int fd, std::string_view bytes,
                    std::uint64_t offset) {
  while (!bytes.empty()) {
    SOTTO_TRY_ASSIGN(const auto written, files.WriteAt(fd, bytes, offset));
    bytes.remove_prefix(written);
    offset += written;
  }
  return Ok();
}

Result<int> PublishNewFile(FileSystem& files, const std::string& path,
                           std::string_view bytes, std::uint64_t reserve) {
  SOTTO_TRY_ASSIGN(auto draft, files.CreateDraft(path));
  const auto publish = [&]() -> Status {
    if (reserve > 0) SOTTO_TRY(files.Preallocate(draft.fd, reserve));
    SOTTO_TRY(WriteWhole(files, draft.fd, bytes));
    SOTTO_TRY(files.Sync(draft.fd));
    SOTTO_TRY(files.Publish(draft, path));
    return files.SyncParentFolder(path);
  };
  if (const auto published = publish(); !published) {
    files.Discard(draft);
    return published.error();
  }
  return std::exchange(draft.fd, -1);
}

}  // namespace sotto
