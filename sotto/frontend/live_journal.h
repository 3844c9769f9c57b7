#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/data/files/held_state.h"
#include "sotto/data/files/state_file.h"
#include "sotto/journal/file_journal.h"
#include "sotto/random/key.h"

namespace sotto {

// The kind of a state file that names a journal, and the version of its layout.
inline constexpr std::string_view kJournalState = "journal";
inline constexpr std::uint32_t kJournalStateVersion = 1;

// The files of a live run that keeps its state: while it runs, STATE names a
// journal in the folder STATE.journal. When it ends, STATE is an ordinary state
// again and the folder is gone. docs/formats/state.md describes both.
//
//   auto files = LiveJournal::Create("run.state", /*replace=*/false);
//   auto files = LiveJournal::Open("run.state", read);  // or after a crash
//   auto journaled = Journaled::Resume((*files)->TakeJournal(), ...);
//   Status ended = (*files)->Close(held, last);
//
// Threads: not thread-safe.
class LiveJournal {
 public:
  // Makes the journal of a new run that saves to `path`. Fails with
  // kInvalidArgument if another run's journal is there, unless `replace` is set
  // or the journal is of no use any more; with kUnavailable if the system
  // refuses.
  static Result<std::unique_ptr<LiveJournal>> Create(const std::string& path,
                                                     bool replace);
  // Opens the journal that `file`, the state at `path`, names. Fails with
  // kInvalidArgument if it is missing, damaged, rolled back or in use.
  static Result<std::unique_ptr<LiveJournal>> Open(const std::string& path,
                                                   const SavedState& file);

  // The newest state that was saved, on which the records from after() on
  // stand.
  const std::string& state() const { return state_; }
  std::uint64_t after() const { return after_; }
  // Hands the journal over. It must be gone before Close.
  std::unique_ptr<Journal> TakeJournal() { return std::move(journal_); }

  // Makes the state file name the journal, which holds at least this position
  // from now on. `state`: the run's first state; empty if the journal has a
  // snapshot.
  Status NameIn(HeldState& held, std::string_view state,
                const Position& position) const;

  // Replaces the state file by the last state of the run, and removes the
  // journal.
  Status Close(HeldState& held, const SavedState& last) const;

 private:
  LiveJournal(std::string folder, const Key& root)
      : folder_(std::move(folder)), root_(root) {}

  Status ReadState();

  std::string folder_;
  Key root_;
  Lineage lineage_{};
  std::unique_ptr<FileJournal> journal_;
  std::string state_;
  std::uint64_t after_ = 0;
};

}  // namespace sotto
