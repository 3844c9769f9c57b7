#include "sotto/frontend/live_journal.h"

#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "sotto/base/bytes.h"

namespace sotto {
namespace {

// A file in the folder: the state file covers the journal, or is about to.
constexpr std::string_view kClosed = "closed";

std::string JournalFolder(const std::string& path) { return path + ".journal"; }
std::string ClosedPath(const std::string& folder) {
  return folder + "/" + std::string(kClosed);
}

std::string_view View(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
void Copy(std::string_view from, std::span<std::uint8_t> to) {
  from.copy(reinterpret_cast<char*>(to.data()), to.size());
}

// The content of a state file that names a journal.
struct JournalName {
  Key root;
  Lineage lineage{};
  Position position{};
  std::string state{};  // empty: the journal has a snapshot

  SavedState ToState() const {
    ByteWriter writer;
    root.Save(writer);
    writer.Raw(View(lineage));
    writer.Number(position.tail);
    writer.Raw(View(position.head));
    writer.Text(state);
    return {std::string(kJournalState), kJournalStateVersion,
            std::move(writer).bytes()};
  }
  static Result<JournalName> Read(std::string_view payload) {
    ByteReader reader(payload);
    SOTTO_TRY_ASSIGN(const auto root, Key::Load(reader));
    JournalName name{.root = root};
    Copy(reader.Raw(name.lineage.size()), name.lineage);
    name.position.tail = reader.Number<std::uint64_t>();
    Copy(reader.Raw(name.position.head.size()), name.position.head);
    name.state = std::string(reader.Text());
    SOTTO_TRY(reader.Finish());
    return name;
  }
};

Status Removed(const std::string& path, const std::error_code& error) {
  if (!error) return Ok();
  return Unavailable("cannot remove " + path + ": " + error.message());
}

// The mark goes last: what a crash leaves of the folder is still of no use.
Status RemoveFolder(const std::string& folder) {
  SOTTO_TRY_ASSIGN(const auto names, RealFiles().List(folder));
  for (const std::string& name : names) {
    if (name == kClosed) continue;
    SOTTO_TRY(RealFiles().Remove(folder + "/" + name));
  }
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  return Removed(folder, error);
}

// True if nothing in the folder was ever answered, or the state file covers it.
Result<bool> IsOfNoUse(const std::string& folder) {
  SOTTO_TRY_ASSIGN(const auto names, RealFiles().List(folder));
  bool journal = false;
  for (const std::string& name : names) {
    if (name == kClosed) return true;
    journal = journal || name != "lock";
  }
  if (!journal) return true;
  SOTTO_TRY_ASSIGN(const auto any, Key::Generate());
  const auto opened = FileJournal::Open({.folder = folder, .roots = {any}});
  // A record would have needed its key.
  return opened && (*opened)->position().tail == 0;
}

// Fails with kInvalidArgument if the folder holds a journal that must stay.
Status MakeRoom(const std::string& path, bool replace) {
  const std::string folder = JournalFolder(path);
  SOTTO_TRY_ASSIGN(const auto there, RealFiles().Look(folder));
  if (!there) return Ok();
  // Another process may be at work on it.
  SOTTO_TRY_ASSIGN(const int lock, RealFiles().Lock(folder + "/lock"));
  RealFiles().Close(lock);
  SOTTO_TRY_ASSIGN(const bool useless, IsOfNoUse(folder));
  if (useless || replace) return RemoveFolder(folder);
  return InvalidArgument(
      folder + " holds the answers of another run. Load its state, " + path +
      ", to resume it, or give --replace to overwrite it");
}

Error Refused(const std::string& path, const Error& why) {
  return InvalidArgument(path + ": " + why.message);
}

}  // namespace

Result<std::unique_ptr<LiveJournal>> LiveJournal::Create(
    const std::string& path, bool replace) {
  if (Status made = MakeRoom(path, replace); !made) {
    const ErrorCode code = made.error().code;
    return Error{
        code == ErrorCode::kUnavailable ? code : ErrorCode::kInvalidArgument,
        made.error().message};
  }
  SOTTO_TRY_ASSIGN(const auto root, Key::Generate());
  std::unique_ptr<LiveJournal> files(
      new LiveJournal(JournalFolder(path), root));
  SOTTO_TRY_ASSIGN(
      files->journal_,
      FileJournal::Create({.folder = files->folder_, .roots = {root}}));
  files->lineage_ = files->journal_->lineage();
  return files;
}

Result<std::unique_ptr<LiveJournal>> LiveJournal::Open(const std::string& path,
                                                       const SavedState& file) {
  auto name = JournalName::Read(file.payload);
  if (!name) return Refused(path, name.error());
  std::unique_ptr<LiveJournal> files(
      new LiveJournal(JournalFolder(path), name->root));
  auto journal = FileJournal::Open({.folder = files->folder_,
                                    .roots = {name->root},
                                    .at_least = name->position});
  if (!journal) return Refused(path, journal.error());
  files->journal_ = *std::move(journal);
  files->lineage_ = name->lineage;
  if (files->journal_->lineage() != name->lineage) {
    return Refused(path, Corruption("its journal is of another run"));
  }
  files->state_ = std::move(name->state);
  if (Status read = files->ReadState(); !read) {
    return Refused(path, read.error());
  }
  return files;
}

Status LiveJournal::ReadState() {
  // A crash came between this mark and the last state.
  std::error_code error;
  std::filesystem::remove(ClosedPath(folder_), error);
  SOTTO_TRY(Removed(ClosedPath(folder_), error));
  SOTTO_TRY_ASSIGN(auto snapshot, journal_->ReadSnapshot());
  if (snapshot) {
    after_ = snapshot->position.tail;
    state_ = std::move(snapshot->state);
  }
  return state_.empty() ? Status(Corruption("its journal has no snapshot"))
                        : Ok();
}

Status LiveJournal::NameIn(HeldState& held, std::string_view state,
                           const Position& position) const {
  const JournalName name{.root = root_,
                         .lineage = lineage_,
                         .position = position,
                         .state = std::string(state)};
  return held.WriteLast(name.ToState());
}

Status LiveJournal::Close(HeldState& held, const SavedState& last) const {
  SOTTO_TRY_ASSIGN(const int fd,
                   PublishNewFile(RealFiles(), ClosedPath(folder_), ""));
  RealFiles().Close(fd);
  SOTTO_TRY(held.WriteLast(last));
  // Whatever stays is marked, and the next run removes it.
  static_cast<void>(RemoveFolder(folder_));
  return Ok();
}

}  // namespace sotto
