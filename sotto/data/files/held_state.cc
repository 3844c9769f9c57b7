#include "sotto/data/files/held_state.h"

namespace sotto {
namespace {}  // namespace

Result<HeldState> HeldState::Load(const std::string& path, FileSystem& files) {
  // If the file is replaced between the two calls, the path names another.
  while (true) {
    SOTTO_TRY_ASSIGN(auto file, files.LockToRead(path));
    HeldState held(files, path, std::move(file));
    SOTTO_TRY_ASSIGN(const bool there, held.IsAt(path));
    if (there) return held;
  }
}

Result<HeldState> HeldState::Create(const std::string& path, bool replace,
                                    FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto there, files.Look(path));
  if (!there) return HeldState(files, path, {});
  if (!there->regular) {
    return FailedPrecondition(path + " exists and is not a regular file");
  }
  if (replace) return Load(path, files);
  return FailedPrecondition(
      path +
      " exists and is not the state that was loaded. Load it to resume its "
      "run, or give --replace to overwrite it");
}

Result<bool> HeldState::IsAt(const std::string& path) const {
  return files_->IsAt(file_.fd, path);
}

Status HeldState::Write(const SavedState& state, std::uint64_t every) {
  every_ = every;
  SOTTO_TRY(Replace(state, StateMark(every, 0)));
  mark_at_ = StateBytes(state);
  return Ok();
}

Status HeldState::WriteLast(const SavedState& state) {
  SOTTO_TRY(Replace(state, ""));
  mark_at_ = 0;
  return Ok();
}

Status HeldState::NoteGiven(std::uint64_t given) {
  if (mark_at_ == 0) return Ok();
  return files_->Overwrite(file_.fd, mark_at_, StateMark(every_, given));
}

Status HeldState::Close() {
  if (mark_at_ == 0) return Ok();
  SOTTO_TRY(files_->Truncate(file_.fd, mark_at_));
  mark_at_ = 0;
  return Ok();
}

Status HeldState::Replace(const SavedState& state, std::string_view mark) {
  auto draft = files_->CreateDraft(path_);
  if (!draft) return NotSaved(path_, draft.error());
  Status status = WriteStateDraft(state, mark, draft->fd, *files_);
  if (status) status = Publish(*draft);
  // The draft, or the file that it has replaced.
  if (status) std::swap(file_, *draft);
  files_->Discard(*draft);
  if (!status) return NotSaved(path_, status.error());
  return SyncStateFolder(path_, *files_);
}

Status HeldState::Publish(FileSystem::TempFile& draft) {
  SOTTO_TRY_ASSIGN(const auto there, files_->Look(path_));
  if (!there) return files_->PublishNew(draft, path_);
  SOTTO_TRY_ASSIGN(const bool own, held() ? IsAt(path_) : Result<bool>(false));
  if (own && there->regular) return files_->Publish(draft, path_);
  return FailedPrecondition(path_ + " was replaced by another process");
}

}  // namespace sotto
