#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/data/files/held_state.h"
#include "sotto/durable/journaled.h"
#include "sotto/durable/record.h"
#include "sotto/frontend/line_machine.h"
#include "sotto/frontend/live_journal.h"
#include "sotto/frontend/run_failure.h"
#include "sotto/online/session.h"

namespace sotto {

// The lines of a live run that keeps its state: each is in the journal before
// its reply leaves.
//
//   auto kept = JournaledLines::Start(session, machine, files, held);
//   kept->Add(line, /*cut=*/false);
//   auto replies = kept->Commit();           // then write them
//   Status ended = kept->Finish();
//
// After a failure nothing that was not returned may leave. The files then hold
// everything that was: load the state to resume.
//
// Threads: not thread-safe.
class JournaledLines {
 public:
  // Plays what the journal holds beyond the machine's state, and claims it. The
  // first three and `held`, the state file, must outlive it. Fails as the files
  // and the session do.
  static Result<std::unique_ptr<JournaledLines>> Start(
      Session& session, LineMachine& machine,
      std::shared_ptr<LiveJournal> files, HeldState& held);

  // Keeps the line for the next Commit.
  void Add(std::string_view line, bool cut);
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t waiting_bytes() const { return waiting_bytes_; }

  // Appends and plays the lines that wait; returns their replies, each with a
  // newline. Writes a snapshot now and then.
  Result<std::string> Commit();
  // True if the last failure of Commit was the session's.
  bool model_failed() const { return model_failed_; }

  // Makes the state file an ordinary state and removes the journal. The last
  // call. Fails as the session or the disk does, and leaves the journal.
  Status Finish();

  // Lines of earlier runs that were played again, and lines of this run.
  std::uint64_t replayed() const { return machine_.replayed(); }
  std::uint64_t lines() const { return lines_; }

 private:
  JournaledLines(Session& session, LineMachine& machine,
                 std::shared_ptr<LiveJournal> files, HeldState& held)
      : session_(session),
        machine_(machine),
        files_(std::move(files)),
        held_(held) {}

  Status Begin();
  Status AnswerAll(std::string& replies);
  Status SnapshotIfDue();

  Session& session_;
  LineMachine& machine_;
  std::shared_ptr<LiveJournal> files_;
  HeldState& held_;
  std::unique_ptr<Journaled> journaled_;
  std::vector<Record> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t bytes_since_ = 0;  // in the journal, since the last snapshot
  std::uint64_t snapshot_bytes_ = 0;
  std::uint64_t lines_ = 0;
  bool model_failed_ = false;
};

}  // namespace sotto
