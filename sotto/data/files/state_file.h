#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"

namespace sotto {

// A saved state on disk: what it is of, the version of its layout, and its
// bytes, under a BLAKE2b hash that finds damage.
//
//   auto status = WriteStateFile("run.state", {"count/tree", 1, bytes});
//   auto state = ReadStateFile("run.state", "count/tree", 1);
//
// The hash finds accidents, not forgers: a state file holds a secret key and is
// written with mode 0600. There is no largest state: what was saved can be
// loaded on the same machine.
//
// Proof:   none needed; the format is docs/formats/state.md.
// Threads: free functions. Two writers of one path: use HeldState.
//
// The mark of a state whose run is under way, or did not end properly
// (held_state.h).
struct InUseMark {
  std::uint64_t every = 0;  // the run saves after `every` answers; 0: by time
  // Answers that went out since; absent: the mark is damaged.
  std::optional<std::uint64_t> given = {};
};
struct SavedState {
  std::string kind;       // the mechanism, e.g. "count/tree"
  std::uint32_t version;  // of the payload's layout
  std::string payload;
  std::optional<InUseMark> mark = {};  // set by ReadStateFile
};

// Replaces `path` by the state, or leaves it as it was: a draft in the same
// folder is written, synced and renamed to `path`. Fails with kUnavailable and
// the system's reason, or with kInvalidArgument if `path` is there and is not a
// regular file. The sentence says which state `path` holds then: the one it
// held before, or (if only the folder could not be synced) the new one.
Status WriteStateFile(const std::string& path, const SavedState& state,
                      FileSystem& files = RealFiles());

// Checks that WriteStateFile would work now. To be called before anything is
// released, because answers whose state cannot be kept cannot be taken back.
// Fails likewise.
Status CheckStateCanBeWritten(const std::string& path,
                              FileSystem& files = RealFiles());

// Fails with kUnavailable if the file cannot be read, kCorruption if it is not
// a state file, is damaged, or is of another kind or version: the message says
// which.
Result<SavedState> ReadStateFile(const std::string& path, std::string_view kind,
                                 std::uint32_t version,
                                 FileSystem& files = RealFiles());

// The parts of WriteStateFile, for HeldState. The mark of a state in use; the
// bytes of a state without its mark; a draft that is written and synced; the
// error of a state that was not replaced; and the last step.
std::string StateMark(std::uint64_t every, std::uint64_t given);
std::uint64_t StateBytes(const SavedState& state);
Status WriteStateDraft(const SavedState& state, std::string_view mark, int fd,
                       FileSystem& files);
Error NotSaved(const std::string& path, const Error& why);
Status SyncStateFolder(const std::string& path, FileSystem& files);

}  // namespace sotto
