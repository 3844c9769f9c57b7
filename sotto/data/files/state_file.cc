#include "sotto/data/files/state_file.h"

#include <sodium.h>

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "sotto/base/bytes.h"

namespace sotto {
namespace {

constexpr std::string_view kMagic = "SOTTO-STATE-1\n";
constexpr std::size_t kHashBytes = 32;
constexpr std::string_view kMarkMagic = "SOTTO-IN-USE-1\n";
constexpr std::size_t kMarkHashBytes = 8;
constexpr std::size_t kMarkBytes = kMarkMagic.size() + 16 + kMarkHashBytes;
constexpr std::size_t kMaxKind = 100;
constexpr std::uint64_t kMaxHead = kMagic.size() + 8 + kMaxKind + 4 + 8;
constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();

// The hash of pieces, one after the other.
std::string Hash(std::initializer_list<std::string_view> pieces) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, kHashBytes);
  for (const std::string_view piece : pieces) {
    crypto_generichash_update(
        &state, reinterpret_cast<const unsigned char*>(piece.data()),
        piece.size());
  }
  std::string hash(kHashBytes, '\0');
  crypto_generichash_final(
      &state, reinterpret_cast<unsigned char*>(hash.data()), hash.size());
  return hash;
}

// All that stands before the payload.
std::string Head(const SavedState& state) {
  ByteWriter writer;
  writer.Text(state.kind);
  writer.Number(state.version);
  writer.Number(static_cast<std::uint64_t>(state.payload.size()));
  return std::string(kMagic) + writer.bytes();
}

Error Damaged(const std::string& path, const std::string& why) {
  return {ErrorCode::kCorruption, path + ": " + why};
}

// A state replaces a state, never a device, a pipe, a link or a folder.
Status CheckReplaceable(const std::string& path, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto there, files.Look(path));
  if (!there.has_value() || there->regular) return Ok();
  return InvalidArgument(path + " exists and is not a regular file");
}

Status Replace(const std::string& path, const SavedState& state,
               FileSystem& files) {
  SOTTO_TRY(CheckReplaceable(path, files));
  SOTTO_TRY_ASSIGN(auto draft, files.CreateDraft(path));
  Status status = WriteStateDraft(state, "", draft.fd, files);
  if (status) status = files.Publish(draft, path);
  files.Discard(draft);
  return status;
}

// The head of a state, whose payload has not been read: its size is known.
struct HeadRead {
  SavedState state;
  std::uint64_t bytes = 0;
  std::uint64_t payload = 0;
};

Result<HeadRead> ReadHead(const std::string& path, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto bytes, files.Read(path, kMaxHead));
  if (!bytes.starts_with(kMagic)) {
    return Damaged(path, "not a Sotto state file (expected it to start with " +
                             std::string(kMagic.substr(0, 13)) + ")");
  }
  ByteReader reader(std::string_view(bytes).substr(kMagic.size()));
  HeadRead head;
  head.state.kind = reader.Text();
  head.state.version = reader.Number<std::uint32_t>();
  head.payload = reader.Number<std::uint64_t>();
  if (reader.failed()) return Damaged(path, "the state file is cut short");
  head.bytes = bytes.size() - reader.RoomFor(1);
  return head;
}

Status CheckKind(const std::string& path, const SavedState& state,
                 std::string_view kind, std::uint32_t version) {
  if (state.kind != kind) {
    return Damaged(path, "a state of '" + state.kind + "', expected one of '" +
                             std::string(kind) + "'");
  }
  if (state.version != version) {
    return Damaged(path, "state version " + std::to_string(state.version) +
                             ", this program reads version " +
                             std::to_string(version));
  }
  return Ok();
}

// The first bytes of a mark's hash: a mark may be torn by a power failure.
std::string MarkHash(std::string_view mark) {
  return Hash({mark}).substr(0, kMarkHashBytes);
}

InUseMark ParseMark(std::string_view text) {
  ByteReader reader(text.substr(kMarkMagic.size()));
  InUseMark mark;
  mark.every = reader.Number<std::uint64_t>();
  mark.given = reader.Number<std::uint64_t>();
  const std::string_view body = text.substr(0, text.size() - kMarkHashBytes);
  if (text.substr(body.size()) != MarkHash(body)) return {};
  return mark;
}

// Takes the mark off the end of a file whose state has `size` bytes.
std::optional<InUseMark> TakeMark(std::uint64_t size, std::string& bytes) {
  if (bytes.size() < kMarkBytes || bytes.size() - kMarkBytes != size) return {};
  const std::string_view tail =
      std::string_view(bytes).substr(bytes.size() - kMarkBytes);
  if (!tail.starts_with(kMarkMagic)) return {};
  const InUseMark mark = ParseMark(tail);
  bytes.resize(bytes.size() - kMarkBytes);
  return mark;
}

}  // namespace

std::string StateMark(std::uint64_t every, std::uint64_t given) {
  ByteWriter writer;
  writer.Number(every);
  writer.Number(given);
  const std::string mark = std::string(kMarkMagic) + writer.bytes();
  return mark + MarkHash(mark);
}

std::uint64_t StateBytes(const SavedState& state) {
  return Head(state).size() + state.payload.size() + kHashBytes;
}

Status WriteStateDraft(const SavedState& state, std::string_view mark, int fd,
                       FileSystem& files) {
  const std::string head = Head(state);
  const std::string hash = Hash({head, state.payload});
  for (const std::string_view piece :
       {std::string_view(head), std::string_view(state.payload),
        std::string_view(hash), mark}) {
    SOTTO_TRY(WriteWhole(files, fd, piece));
  }
  return files.Sync(fd);
}

Error NotSaved(const std::string& path, const Error& why) {
  return {why.code,
          "the state is not saved, " + path + " is as it was: " + why.message};
}

Status SyncStateFolder(const std::string& path, FileSystem& files) {
  const Status synced = files.SyncParentFolder(path);
  if (synced) return Ok();
  return Error{
      synced.error().code,
      path + " holds the new state, but may lose it if the power fails: " +
          synced.error().message};
}

Status CheckStateCanBeWritten(const std::string& path, FileSystem& files) {
  SOTTO_TRY(CheckReplaceable(path, files));
  SOTTO_TRY_ASSIGN(auto draft, files.CreateDraft(path));
  files.Discard(draft);
  return Ok();
}

Status WriteStateFile(const std::string& path, const SavedState& state,
                      FileSystem& files) {
  if (const Status replaced = Replace(path, state, files); !replaced) {
    return NotSaved(path, replaced.error());
  }
  return SyncStateFolder(path, files);
}

Result<SavedState> ReadStateFile(const std::string& path, std::string_view kind,
                                 std::uint32_t version, FileSystem& files) {
  SOTTO_TRY_ASSIGN(auto head, ReadHead(path, files));
  SOTTO_TRY_ASSIGN(auto bytes, files.Read(path, kAll));
  head.state.mark = TakeMark(head.bytes + head.payload + kHashBytes, bytes);
  const std::uint64_t rest = bytes.size() - head.bytes;
  if (bytes.size() < head.bytes + kHashBytes) {
    return Damaged(path, "the state file is cut short");
  }
  const std::string_view body(bytes.data(), bytes.size() - kHashBytes);
  const std::string_view hash =
      std::string_view(bytes).substr(body.size(), kHashBytes);
  if (Hash({body}) != hash) {
    return Damaged(path, "the state file is damaged: its checksum is wrong");
  }
  if (rest - kHashBytes != head.payload) {
    return Damaged(path, "the state file is malformed");
  }
  SOTTO_TRY(CheckKind(path, head.state, kind, version));
  bytes.resize(body.size());
  bytes.erase(0, head.bytes);
  head.state.payload = std::move(bytes);
  return std::move(head.state);
}

}  // namespace sotto
