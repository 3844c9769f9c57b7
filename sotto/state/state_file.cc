#include "sotto/state/state_file.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sotto/base/bytes.h"

namespace sotto {
namespace {

constexpr std::string_view kMagic = "SOTTO-STATE-1\n";
constexpr std::size_t kHashBytes = 32;

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

Status WriteSynced(const std::string& path, std::string_view bytes) {
  constexpr mode_t kOwnerOnly = 0600;
  ::unlink(path.c_str());
  const Descriptor file(::open(
      path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly));
  if (file.get() < 0) return SystemError("create", path);
  if (!WriteAll(file.get(), bytes)) return SystemError("write", path);
  if (::fsync(file.get()) != 0) return SystemError("sync", path);
  return Ok();
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

Status WriteStateFile(const std::string& path, const SavedState& state) {
  const std::string temporary = path + ".tmp";
  if (Status status = WriteSynced(temporary, Encode(state)); !status) {
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
  std::ifstream file(path, std::ios::binary);
  if (!file) return SystemError("open", path);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::string_view view(bytes);
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
