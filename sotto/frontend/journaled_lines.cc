#include "sotto/frontend/journaled_lines.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "sotto/frontend/session_state.h"

namespace sotto {
namespace {

// A snapshot is due after this many bytes of records, or as many as the last
// snapshot had: so all snapshots take no longer than the records.
constexpr std::uint64_t kLeastBetween = std::uint64_t{4} << 20;

}  // namespace

Result<std::unique_ptr<JournaledLines>> JournaledLines::Start(
    Session& session, LineMachine& machine, std::shared_ptr<LiveJournal> files,
    HeldState& held) {
  std::unique_ptr<JournaledLines> lines(
      new JournaledLines(session, machine, std::move(files), held));
  SOTTO_TRY(lines->Begin());
  return lines;
}

Status JournaledLines::Begin() {
  std::unique_ptr<Journal> journal = files_->TakeJournal();
  // A new journal: the state file has the machine's state until there is a
  // snapshot.
  if (files_->state().empty()) {
    SOTTO_TRY_ASSIGN(const auto state, machine_.Save());
    snapshot_bytes_ = state.size();
    SOTTO_TRY(files_->NameIn(held_, state, journal->position()));
  } else {
    snapshot_bytes_ = files_->state().size();
  }
  try {
    SOTTO_TRY_ASSIGN(journaled_, Journaled::Resume(std::move(journal), machine_,
                                                   files_->after(), {}));
  } catch (const std::bad_alloc&) {
    return Unavailable("there is not enough memory");
  } catch (const std::exception& failure) {
    return Unavailable(failure.what());
  }
  return Ok();
}

void JournaledLines::Add(std::string_view line, bool cut) {
  waiting_.push_back(LineMachine::Encode(line, cut));
  waiting_bytes_ += waiting_.back().payload.size();
}

Result<std::string> JournaledLines::Commit() {
  if (waiting_.empty()) return std::string();
  SOTTO_TRY(SnapshotIfDue());
  std::string replies;
  SOTTO_TRY(journaled_->Commit(waiting_, [&] { return AnswerAll(replies); }));
  lines_ += waiting_.size();
  bytes_since_ += waiting_bytes_;
  waiting_.clear();
  waiting_bytes_ = 0;
  return replies;
}

Status JournaledLines::AnswerAll(std::string& replies) {
  try {
    model_failed_ = true;
    for (const Record& record : waiting_) {
      SOTTO_TRY_ASSIGN(const auto reply,
                       machine_.Answer({record.type, record.payload}));
      // Lines after the halt stay without an answer.
      if (reply) replies += *reply + "\n";
    }
    model_failed_ = false;
    return Ok();
  } catch (const std::bad_alloc&) {
    return Unavailable("there is not enough memory");
  }
}

Status JournaledLines::SnapshotIfDue() {
  if (bytes_since_ < std::max(kLeastBetween, snapshot_bytes_)) return Ok();
  SOTTO_TRY_ASSIGN(const auto state, machine_.Save());
  SOTTO_TRY(journaled_->WriteSnapshot(state, /*prune=*/true));
  SOTTO_TRY(files_->NameIn(held_, "", journaled_->journal().position()));
  bytes_since_ = 0;
  snapshot_bytes_ = state.size();
  return Ok();
}

Status JournaledLines::Finish() {
  SOTTO_TRY_ASSIGN(const auto last, SaveState(session_));
  journaled_.reset();
  return files_->Close(held_, last);
}

}  // namespace sotto
