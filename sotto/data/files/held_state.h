#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/data/files/state_file.h"

namespace sotto {

// A state file that only this process uses: locked from here to the end of the
// object, through every replacement.
//
//   auto state = HeldState::Create("run.state", /*replace=*/false);
//   Status begun = state->Write(first, every);   // marked as in use
//   Status noted = state->NoteGiven(64);         // before answers go out
//   Status ended = state->WriteLast(last);       // the mark is gone
//
// The file itself is locked (flock), and so is each draft before it takes its
// place, so that there is no lock file and no moment without a lock. A process
// that opened the old file when it was replaced sees that the path names
// another one. The kernel drops the lock when the process ends, however it
// ends.
//
// The mark says how many answers went out since the state was written. After a
// kill it is exact; after a power failure it may be too small.
//
// Threads: not thread-safe.
class HeldState {
 public:
  // Locks a state that is there. Fails with kFailedPrecondition if another
  // process uses it, with kUnavailable if it cannot be opened.
  static Result<HeldState> Load(const std::string& path,
                                FileSystem& files = RealFiles());
  // The place of a new state; nothing is written yet. Fails with
  // kFailedPrecondition if there is a file, unless `replace` allows to replace
  // it; and then as Load does.
  static Result<HeldState> Create(const std::string& path, bool replace,
                                  FileSystem& files = RealFiles());

  HeldState(HeldState&& other) noexcept
      : files_(other.files_),
        path_(std::move(other.path_)),
        file_(std::exchange(other.file_, {})),
        mark_at_(std::exchange(other.mark_at_, 0)),
        every_(other.every_) {}
  HeldState& operator=(HeldState&&) = delete;
  HeldState(const HeldState&) = delete;
  HeldState& operator=(const HeldState&) = delete;
  ~HeldState() { files_->Discard(file_); }

  const std::string& path() const { return path_; }
  // Returns true if `path` names this file.
  Result<bool> IsAt(const std::string& path) const;

  // Replaces the file by a state that is marked as in use, by a run that saves
  // after `every` answers (0: by the clock). Fails as WriteStateFile does, and
  // with kFailedPrecondition if another process has replaced the file.
  Status Write(const SavedState& state, std::uint64_t every);
  // Notes in the mark that `given` answers are out since the last Write.
  Status NoteGiven(std::uint64_t given);
  // Replaces the file by the state in which a run has ended.
  Status WriteLast(const SavedState& state);
  // Removes the mark: the file covers all answers.
  Status Close();

 private:
  HeldState(FileSystem& files, std::string path, FileSystem::TempFile file)
      : files_(&files), path_(std::move(path)), file_(std::move(file)) {}

  bool held() const { return file_.fd >= 0; }
  Status Replace(const SavedState& state, std::string_view mark);
  Status Publish(FileSystem::TempFile& draft);

  FileSystem* files_;
  std::string path_;
  FileSystem::TempFile file_;
  std::uint64_t mark_at_ = 0;  // where the mark begins; 0: there is none
  std::uint64_t every_ = 0;
};

}  // namespace sotto
