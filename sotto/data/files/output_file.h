#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"

namespace sotto {

// A file that appears whole, under its name, when it is committed: until then
// no one sees it, and if it is not, nothing is left of it. An existing path
// that is not a regular file (a pipe, a device), and "-", are written directly.
// A symbolic link to a file is refused: someone who can place a link must not
// choose the file that is replaced.
//
//   auto file = OutputFile::Create("predictions.txt");
//   LineWriter out(file->fd());
//   ...
//   Status done = file->Commit();
//
// Where a state is saved as the run goes, commit at the first save and write
// on: whatever the state on disk covers is then in the file, also after the
// process was killed. (Flush before you save.)
//
// Threads: not thread-safe.
class OutputFile {
 public:
  // Fails with kInvalidArgument and the system's reason.
  static Result<OutputFile> Create(const std::string& path,
                                   FileSystem& files = RealFiles());
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  int fd() const { return draft_.fd; }
  const std::string& path() const { return path_; }
  // From now on it is under its name; what is written further goes there, too.
  // Fails with kUnavailable. Once is enough.
  Status Commit();

 private:
  OutputFile(FileSystem::TempFile draft, std::string path, bool direct,
             FileSystem& files)
      : draft_(std::move(draft)),
        path_(std::move(path)),
        direct_(direct),
        files_(&files) {}

  FileSystem::TempFile draft_;
  std::string path_;
  bool direct_;  // there is nothing to commit (any more)
  FileSystem* files_;
};

// The whole of a file at once. A failure names the file.
Status WriteOutput(const std::string& path, std::string_view text,
                   FileSystem& files = RealFiles());

}  // namespace sotto
