#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/durable/record.h"
#include "sotto/durable/reply_chain.h"
#include "sotto/journal/journal.h"
#include "sotto/journal/sync_thread.h"

namespace sotto {

// A machine whose state and replies are a function of its records.
class Replayable {
 public:
  virtual ~Replayable() = default;
  // Applies a record by the path that live requests take, and drops the reply.
  // Not called for CLAIM. Fails with kCorruption if the record makes no sense,
  // and as the machine does.
  virtual Status Replay(const RecordView& record) = 0;
  // Hash of all replies and releases so far.
  virtual ReplyHash replies() const = 0;
};

// A machine and its journal: nothing leaves before it is on disk.
//
//   auto journaled = Journaled::Resume(std::move(journal), machine, after, {});
//   Status kept = (*journaled)->Commit(records, [&] { return Compute(); });
//   if (kept) SendReplies();       // otherwise drop them, and end
//
// Every block carries the hash of the replies before it. A replay that comes to
// other replies fails.
//
// Guarantee: host.md of sotto/service; contract: sotto/journal/journal.md.
// Threads:   one call at a time. Another thread appends.
class Journaled {
 public:
  struct Options {
    std::string holder{};  // who writes, for operators
    // Called during the replay: records read, and all of them.
    std::function<void(std::uint64_t, std::uint64_t)> progress{};
  };

  // Replays the records behind `after`, which the machine has not seen, and
  // claims the journal. The machine must outlive the result. Fails with
  // kCorruption if the replay disagrees with the journal, kUnavailable if the
  // claim is not durable, and as journal and machine do.
  static Result<std::unique_ptr<Journaled>> Resume(
      std::unique_ptr<Journal> journal, Replayable& machine,
      std::uint64_t after, const Options& options);

  // Replays in the same way and claims nothing.
  static Status Verify(std::unique_ptr<Journal> journal, Replayable& machine,
                       std::uint64_t after);

  // Appends the records as one block while `compute`, which applies them to the
  // machine, runs. Returns when both are done. After a failure nothing of
  // `compute` may be shown, and every further call fails. Without records,
  // `compute` runs alone: it must not change the machine.
  Status Commit(std::span<const Record> records,
                const std::function<Status()>& compute);

  // Keeps the machine's state, which the caller saved after the last Commit.
  // A failure does no harm. `prune`: deletes the records it replaces.
  Status WriteSnapshot(std::string_view state, bool prune);

  const Journal& journal() const { return *journal_; }
  // Records since the last snapshot, or since the machine was loaded.
  std::uint64_t since_snapshot() const {
    return journal_->position().tail - snapshot_;
  }

 private:
  Journaled(std::unique_ptr<Journal> journal, Replayable& machine,
            std::uint64_t after)
      : journal_(std::move(journal)), machine_(machine), snapshot_(after) {}

  Status Replay(std::uint64_t after, const Options& options);
  Status ReplayOne(const JournalEntry& entry);
  Status CheckReplies(std::string_view hash) const;
  Status Claim(const std::string& holder);
  Status Append(std::span<const Record> records, const ReplyHash& before);

  std::unique_ptr<Journal> journal_;
  Replayable& machine_;
  std::uint64_t snapshot_;
  std::string failure_{};  // why no commit is possible any more
  SyncThread append_{};
};

}  // namespace sotto
