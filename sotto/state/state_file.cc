#include "sotto/state/state_file.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "sotto/base/bytes.h"

namespace sotto {
namespace {

constexpr std::string_view kMagic = "SOTTO-STATE-1\n";
constexpr std::size_t kHashBytes = 32;
constexpr off_t kMaxBytes = off_t{1} << 30;

std::string Hash(std::string_view bytes) {
  std::array<unsigned char, kHashBytes> hash;
  crypto_generichash(hash.data(), hash.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()),
                     bytes.size(), nullptr, 0);
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

std::string Encode(const SavedState& state) {
  ByteWriter writer;
  writer.Text(state.kind);
  writer.Number(state.version);
  writer.Text(state.payload);
  std::string bytes(kMagic);
  bytes += writer.bytes();
  return bytes + Hash(bytes);
}

Error SystemError(const std::string& what, const std::string& path) {
  return {ErrorCode::kUnavailable,
          "cannot " + what + " " + path + ": " + std::strerror(errno)};
}

Error Damaged(const std::string& path, const std::string& why) {
  return {ErrorCode::kCorruption, path + ": " + why};
}

// Closes on every path; the rename below happens only after a good sync.
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

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A new file beside `path`, readable by its owner only; `name` receives its
// name.
int OpenTemporary(const std::string& path, std::string& name) {
  name = path + ".XXXXXX";
  return ::mkostemp(name.data(), O_CLOEXEC);
}

Status WriteSynced(int file, const std::string& name, std::string_view bytes) {
  if (!WriteAll(file, bytes)) return SystemError("write", name);
  if (::fsync(file) != 0) return SystemError("sync", name);
  return Ok();
}

// A state replaces a state, never a device, a pipe, a link or a folder.
Status CheckReplaceable(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? Ok() : Status(SystemError("look at", path));
  }
  if (S_ISREG(info.st_mode)) return Ok();
  return InvalidArgument(path + " exists and is not a regular file");
}

// The whole of a regular file that is not too large to be a state.
Result<std::string> ReadRegular(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return SystemError("open", path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return SystemError("look at", path);
  if (!S_ISREG(info.st_mode)) return Damaged(path, "not a regular file");
  if (info.st_size > kMaxBytes) return Damaged(path, "too large for a state");
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read", path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

Status SyncFolderOf(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const Descriptor directory(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || ::fsync(directory.get()) != 0) {
    return SystemError("sync the folder of", path);
  }
  return Ok();
}

}  // namespace

Status CheckStateCanBeWritten(const std::string& path) {
  if (Status status = CheckReplaceable(path); !status) return status;
  std::string temporary;
  const Descriptor file(OpenTemporary(path, temporary));
  if (file.get() < 0) return SystemError("create", temporary);
  ::unlink(temporary.c_str());
  return Ok();
}

Status WriteStateFile(const std::string& path, const SavedState& state) {
  if (Status status = CheckReplaceable(path); !status) return status;
  std::string temporary;
  const Descriptor file(OpenTemporary(path, temporary));
  if (file.get() < 0) return SystemError("create", temporary);
  if (Status status = WriteSynced(file.get(), temporary, Encode(state));
      !status) {
    ::unlink(temporary.c_str());
    return status;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error error = SystemError("replace", path);
    ::unlink(temporary.c_str());
    return error;
  }
  return SyncFolderOf(path);
}

Result<SavedState> ReadStateFile(const std::string& path, std::string_view kind,
                                 std::uint32_t version) {
  const auto bytes = ReadRegular(path);
  if (!bytes) return bytes.error();
  const std::string_view view(*bytes);
  if (!view.starts_with(kMagic)) {
    return Damaged(path, "not a Sotto state file (expected it to start with " +
                             std::string(kMagic.substr(0, 13)) + ")");
  }
  if (view.size() < kMagic.size() + kHashBytes) {
    return Damaged(path, "the state file is cut short");
  }
  const std::string_view body = view.substr(0, view.size() - kHashBytes);
  if (Hash(body) != view.substr(body.size())) {
    return Damaged(path, "the state file is damaged: its checksum is wrong");
  }
  ByteReader reader(body.substr(kMagic.size()));
  SavedState state;
  state.kind = reader.Text();
  state.version = reader.Number<std::uint32_t>();
  state.payload = reader.Text();
  if (!reader.Finish()) return Damaged(path, "the state file is malformed");
  if (state.kind != kind) {
    return Damaged(path, "a state of '" + state.kind + "', expected one of '" +
                             std::string(kind) + "'");
  }
  if (state.version != version) {
    return Damaged(path, "state version " + std::to_string(state.version) +
                             ", this program reads version " +
                             std::to_string(version));
  }
  return state;
}

}  // namespace sotto
