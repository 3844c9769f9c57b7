// The part of ModelHost that makes a model, or finds the one to continue.

#include <algorithm>
#include <span>

#include "sotto/service/model_host.h"

namespace sotto {
namespace {

// Records of one block while a model is made.
constexpr std::size_t kCreationBlock = 1024;

}  // namespace

Result<std::uint64_t> ModelHost::LoadSnapshot(Journal& journal) {
  SOTTO_TRY_ASSIGN(const auto snapshot, journal.ReadSnapshot());
  if (!snapshot) return std::uint64_t{0};
  SOTTO_TRY_ASSIGN(const bool contained, journal.Contains(snapshot->position));
  if (!contained) return Corruption("the snapshot is not of this journal");
  SOTTO_TRY(machine_->Load(snapshot->state));
  return snapshot->position.tail;
}

Status ModelHost::ContinueOtherSemantics(Journal& journal,
                                         std::uint64_t after) {
  bool at_tail = true;
  SOTTO_TRY(journal.Read(after, [&](const JournalEntry& entry) {
    at_tail = at_tail && entry.record.type == RecordType::kClaim;
    return Ok();
  }));
  if (at_tail) return machine_->AdoptSemantics();
  return FailedPrecondition(
      "this version of Sotto answers differently from the one that wrote the "
      "journal, which has records after its last snapshot. Start the earlier "
      "version once more and drain it");
}

Status ModelHost::MakeModel() {
  SOTTO_TRY_ASSIGN(const auto records,
                   machine_->MakeRecords(options_.configuration));
  for (std::size_t done = 0; done < records.size(); done += kCreationBlock) {
    const auto block = std::span(records).subspan(
        done, std::min(kCreationBlock, records.size() - done));
    const auto apply = [&]() -> sotto::Status {
      for (const Record& record : block) {
        SOTTO_TRY(machine_->Replay({record.type, record.payload}));
      }
      return Ok();
    };
    SOTTO_TRY(journaled_->Commit(block, apply));
  }
  return Ok();
}

void ModelHost::NoteProgress(std::uint64_t done, std::uint64_t all) {
  constexpr std::uint64_t kStep = 1024;
  if (done % kStep != 0) return;
  const std::lock_guard lock(mutex_);
  condition_.replayed = static_cast<double>(done) / static_cast<double>(all);
}

}  // namespace sotto
