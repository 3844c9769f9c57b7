#include "sotto/data/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace sotto {
namespace {

// Where a link leads; the path itself if it is none or leads nowhere.
std::string Target(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

Result<OutputFile> OutputFile::Create(const std::string& path,
                                      FileSystem& files) {
  if (path == "-") {
    return OutputFile({STDOUT_FILENO, ""}, path, /*direct=*/true, files);
  }
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
      return InvalidArgument("cannot write " + path + ": " +
                             std::strerror(errno));
    }
    return OutputFile({fd, ""}, path, /*direct=*/true, files);
  }
  std::string target = Target(path);
  auto draft = files.CreateDraft(target);
  if (!draft) return InvalidArgument(draft.error().message);
  return OutputFile(*std::move(draft), std::move(target), /*direct=*/false,
                    files);
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
