#include "extension/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace sotto::python {
namespace {

Error Unavailable(const char* what) {
  return {ErrorCode::kUnavailable,
          std::string(what) + ": " + std::strerror(errno)};
}

}  // namespace

Result<MemoryFile> MemoryFile::Create(std::string_view content) {
  MemoryFile file(::memfd_create("sotto", MFD_CLOEXEC));
  if (file.fd_ < 0) return Unavailable("no file in memory can be had");
  while (!content.empty()) {
    const ssize_t written = ::write(file.fd_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Unavailable("a file in memory");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

MemoryFile::~MemoryFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(fd_);
}

}  // namespace sotto::python
