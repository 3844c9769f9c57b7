#include "output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "sotto/streams/line_io.h"

namespace sotto::app {
namespace {

std::string Reason(const std::string& path) {
  return "cannot write " + path + ": " + std::strerror(errno);
}

}  // namespace

Result<OutputFile> OutputFile::Create(const std::string& path) {
  if (path == "-") return OutputFile(STDOUT_FILENO, path, "");
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return InvalidArgument(Reason(path));
    return OutputFile(fd, path, "");
  }
  const auto slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  std::string hidden =
      path.substr(0, name) + "." + path.substr(name) + ".XXXXXX";
  const int fd = ::mkostemp(hidden.data(), O_CLOEXEC);
  if (fd < 0) return InvalidArgument(Reason(path));
  return OutputFile(fd, path, std::move(hidden));
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      hidden_(std::exchange(other.hidden_, {})) {}

OutputFile::~OutputFile() {
  if (!hidden_.empty()) ::unlink(hidden_.c_str());
  if (fd_ >= 0 && fd_ != STDOUT_FILENO) ::close(fd_);
}

Status OutputFile::Commit() {
  if (hidden_.empty()) return Ok();
  if (::rename(hidden_.c_str(), path_.c_str()) != 0) {
    return Error{ErrorCode::kUnavailable, Reason(path_)};
  }
  hidden_.clear();
  return Ok();
}

Status WriteOutput(const std::string& path, std::string_view text) {
  auto file = OutputFile::Create(path);
  if (!file) return file.error();
  LineWriter writer(file->fd());
  writer.Text(text);
  if (Status written = writer.Flush(); !written) {
    return Error{written.error().code, path + ": " + written.error().message};
  }
  return file->Commit();
}

}  // namespace sotto::app
