#include "sotto/data/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace sotto {
namespace {

// /dev/stdout and /dev/fd/3 are links, and what they lead to is written.
bool IsDescriptor(const std::string& path) {
  return path.starts_with("/dev/std") || path.starts_with("/dev/fd/");
}

Result<int> OpenToWrite(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd >= 0) return fd;
  return InvalidArgument("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace

Result<OutputFile> OutputFile::Create(const std::string& path,
                                      FileSystem& files) {
  if (path == "-") {
    return OutputFile({STDOUT_FILENO, ""}, path, /*direct=*/true, files);
  }
  struct stat there {};
  struct stat link {};
  const bool is_link =
      ::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
  const bool special =
      ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
  if (special || (is_link && IsDescriptor(path))) {
    SOTTO_TRY_ASSIGN(const int fd, OpenToWrite(path));
    return OutputFile({fd, ""}, path, /*direct=*/true, files);
  }
  if (is_link) {
    return InvalidArgument(
        path + " is a symbolic link and is not followed: name its target");
  }
  auto draft = files.CreateDraft(path);
  if (!draft) return InvalidArgument(draft.error().message);
  return OutputFile(*std::move(draft), path, /*direct=*/false, files);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : draft_(std::exchange(other.draft_, {})),
      path_(std::move(other.path_)),
      direct_(other.direct_),
      files_(other.files_) {}

OutputFile::~OutputFile() {
  if (draft_.fd != STDOUT_FILENO) files_->Discard(draft_);
}

Status OutputFile::Commit() {
  if (direct_) return Ok();
  Status published = files_->Publish(draft_, path_);
  if (published) direct_ = true;
  return published;
}

Status WriteOutput(const std::string& path, std::string_view text,
                   FileSystem& files) {
  SOTTO_TRY_ASSIGN(auto file, OutputFile::Create(path, files));
  if (const Status written = WriteWhole(files, file.fd(), text); !written) {
    return Error{written.error().code, path + ": " + written.error().message};
  }
  return file.Commit();
}

}  // namespace sotto
