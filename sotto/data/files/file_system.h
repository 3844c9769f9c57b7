#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// The machine's files: a seam, so that a test can let any step fail. Failures
// are kUnavailable with the system's reason unless it is said otherwise.
//
//   FileSystem& files = RealFiles();
//   auto draft = files.CreateDraft(path);
//   Status written = WriteWhole(files, draft->fd, bytes);
//   Status published = files.Publish(*draft, path);
//   files.Discard(*draft);                    // always
//
// Threads: calls for different files may run at the same time.
class FileSystem {
 public:
  struct Facts {
    bool regular = false;
    bool link = false;  // then nothing else is said
    std::uint64_t size = 0;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    unsigned mode = 0;  // permission bits
  };
  // A new file that is not under its name yet. It is locked (flock) from its
  // creation until it is discarded. Where the system can, it has no name at
  // all, and nothing is left of it if the process is killed. Elsewhere, and for
  // the moment in which it is published, it is a hidden file beside the path,
  // with a random name; a hidden file without a lock is what a killed process
  // left, and the next draft of the path removes it.
  struct TempFile {
    int fd = -1;
    std::string hidden;  // its name, if it has one
  };

  FileSystem() = default;
  virtual ~FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  // The file at the path itself, links not followed; nothing if there is
  // nothing.
  virtual Result<std::optional<Facts>> Look(const std::string& path) = 0;
  // Reads at most `most` bytes from the beginning of a regular file.
  virtual Result<std::string> Read(const std::string& path,
                                   std::uint64_t most) = 0;

  // For `path`, in its folder, readable by its owner only.
  virtual Result<TempFile> CreateDraft(const std::string& path) = 0;
  // How many bytes were written: at least one, maybe not all.
  virtual Result<std::size_t> Write(int fd, std::string_view bytes) = 0;
  virtual Status Sync(int fd) = 0;
  // Puts the draft at the path, in the place of what was there, in one step. It
  // can be written on. After a failure the path is as it was.
  virtual Status Publish(TempFile& draft, const std::string& path) = 0;
  // The same, but fails with kFailedPrecondition if there is something at the
  // path.
  virtual Status PublishNew(TempFile& draft, const std::string& path) = 0;
  virtual Status SyncParentFolder(const std::string& path) = 0;
  // Closes the draft; if it was not published, nothing is left of it.
  virtual void Discard(TempFile& draft) = 0;

  // The rest is for files that are written in place, such as a journal's.

  // An existing regular file, for WriteAt. A link is refused.
  virtual Result<int> OpenToUpdate(const std::string& path) = 0;
  // How many bytes were written: at least one, maybe not all.
  virtual Result<std::size_t> WriteAt(int fd, std::string_view bytes,
                                      std::uint64_t offset) = 0;
  // Makes the file at least this long; new bytes are zero.
  virtual Status Preallocate(int fd, std::uint64_t bytes) = 0;
  // Syncs the bytes and the length, not the times.
  virtual Status SyncData(int fd) = 0;
  virtual void Close(int fd) = 0;
  // Locks the file, which is made if needed, until the descriptor is closed.
  // Fails with kFailedPrecondition if another descriptor holds the lock.
  virtual Result<int> Lock(const std::string& path) = 0;
  // Readable by its owner only. One that exists is fine.
  virtual Status CreateFolder(const std::string& path) = 0;
  // Names in the folder, sorted, hidden ones left out.
  virtual Result<std::vector<std::string>> List(const std::string& folder) = 0;
  virtual Status Remove(const std::string& path) = 0;
  // Opens the regular file at the path, to read, and locks it. Fails with
  // kFailedPrecondition if another process has locked it.
  virtual Result<TempFile> LockToRead(const std::string& path) = 0;
  // Returns true if the path names this file.
  virtual Result<bool> IsAt(int fd, const std::string& path) = 0;
  // Overwrites bytes of a published draft, or cuts it to `size`.
  virtual Status Overwrite(int fd, std::uint64_t place,
                           std::string_view bytes) = 0;
  virtual Status Truncate(int fd, std::uint64_t size) = 0;
};

// The machine's own.
FileSystem& RealFiles();
// The same, as where every file must have a name: for tests.
FileSystem& FilesWithNamedDrafts();

// All of the bytes, in as many steps as it takes.
Status WriteWhole(FileSystem& files, int fd, std::string_view bytes);
Status WriteWholeAt(FileSystem& files, int fd, std::string_view bytes,
                    std::uint64_t offset);
// A new file that appears whole at the path, written and synced, its folder
// synced. Returns its descriptor, for WriteAt. `reserve`: least length.
Result<int> PublishNewFile(FileSystem& files, const std::string& path,
                           std::string_view bytes, std::uint64_t reserve = 0);

}  // namespace sotto
