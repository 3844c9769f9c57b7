#include "sotto/durable/journaled.h"

#include <algorithm>
#include <exception>
#include <new>
#include <vector>

namespace sotto {
namespace {

// The first byte of a payload: the hash of the replies so far follows, or not.
constexpr char kPlain = 0;
constexpr char kWithReplies = 1;
constexpr std::size_t kTermBytes = sizeof(std::uint64_t);
constexpr std::size_t kHashBytes = std::tuple_size_v<ReplyHash>;

std::string_view View(const ReplyHash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

Status Run(const std::function<Status()>& task) {
  try {
    return task();
  } catch (const std::bad_alloc&) {
    return Unavailable("there is not enough memory");
  } catch (const std::exception& failure) {
    return Unavailable(failure.what());
  }
}

}  // namespace

Result<std::unique_ptr<Journaled>> Journaled::Resume(
    std::unique_ptr<Journal> journal, Replayable& machine, std::uint64_t after,
    const Options& options) {
  std::unique_ptr<Journaled> journaled(
      new Journaled(std::move(journal), machine, after));
  SOTTO_TRY(journaled->Replay(after, options));
  SOTTO_TRY(journaled->Claim(options.holder));
  return journaled;
}

Status Journaled::Verify(std::unique_ptr<Journal> journal, Replayable& machine,
                         std::uint64_t after) {
  Journaled journaled(std::move(journal), machine, after);
  return journaled.Replay(after, {});
}

Status Journaled::Replay(std::uint64_t after, const Options& options) {
  const std::uint64_t all = journal_->position().tail - after;
  return journal_->Read(after, [&](const JournalEntry& entry) -> Status {
    SOTTO_TRY(ReplayOne(entry));
    if (options.progress) options.progress(entry.index - after, all);
    return Ok();
  });
}

Status Journaled::ReplayOne(const JournalEntry& entry) {
  std::string_view payload = entry.record.payload;
  if (entry.record.type == RecordType::kClaim) {
    if (payload.size() < kTermBytes + kHashBytes) {
      return Corruption("a CLAIM without the hash of the replies");
    }
    return CheckReplies(payload.substr(kTermBytes, kHashBytes));
  }
  const char mark = payload.empty() ? '\2' : payload.front();
  if (mark != kPlain && mark != kWithReplies) {
    return Corruption("record " + std::to_string(entry.index) +
                      " has an unknown form");
  }
  payload.remove_prefix(1);
  if (mark == kWithReplies) {
    SOTTO_TRY(CheckReplies(payload.substr(0, kHashBytes)));
    payload.remove_prefix(std::min(kHashBytes, payload.size()));
  }
  return machine_.Replay({entry.record.type, payload});
}

Status Journaled::CheckReplies(std::string_view hash) const {
  if (hash == View(machine_.replies())) return Ok();
  return Corruption(
      "the replay of the journal gives other replies than were sent");
}

Status Journaled::Claim(const std::string& holder) {
  const AppendResult claimed =
      journal_->Claim(std::string(View(machine_.replies())) + holder);
  return claimed.durable() ? Ok() : Status(Unavailable(claimed.why));
}

Status Journaled::Commit(std::span<const Record> records,
                         const std::function<Status()>& compute) {
  if (!failure_.empty()) return Unavailable(failure_);
  if (records.empty()) return Run(compute);
  const ReplyHash before = machine_.replies();
  append_.Start([&] { return Run([&] { return Append(records, before); }); });
  const Status computed = Run(compute);
  const Status kept = append_.Wait();
  if (computed && kept) return Ok();
  const Status& failed = kept ? computed : kept;
  failure_ = failed.error().message;
  return failed;
}

Status Journaled::Append(std::span<const Record> records,
                         const ReplyHash& before) {
  std::vector<std::string> payloads;
  std::vector<RecordView> views;
  payloads.reserve(records.size());
  views.reserve(records.size());
  for (const Record& record : records) {
    std::string payload(1, payloads.empty() ? kWithReplies : kPlain);
    if (payloads.empty()) payload += View(before);
    payload += record.payload;
    payloads.push_back(std::move(payload));
    views.push_back({record.type, payloads.back()});
  }
  const AppendResult result = journal_->Append(views);
  return result.durable() ? Ok() : Status(Unavailable(result.why));
}

Status Journaled::WriteSnapshot(std::string_view state, bool prune) {
  if (!failure_.empty()) return Unavailable(failure_);
  SOTTO_TRY(journal_->WriteSnapshot(state));
  snapshot_ = journal_->position().tail;
  return prune ? journal_->Prune() : Ok();
}

}  // namespace sotto
