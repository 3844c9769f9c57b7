#include "sotto/journal/next_segment.h"

#include <algorithm>

#include "sotto/journal/journal_scan.h"

namespace sotto {
namespace {

constexpr std::uint64_t kPieces = 64;
constexpr std::uint64_t kLeastPiece = 128;

}  // namespace

// Room that was only reserved makes the file system log each sync of it; bytes
// that were written once do not.
void NextSegment::Prepare(std::uint64_t zeros) {
  if (failed_) return;
  failed_ = (draft_.fd < 0 && !MakeDraft()) || !WriteZeros(zeros);
  if (failed_) files_.Discard(draft_);
}

Status NextSegment::MakeDraft() {
  zeroed_ = 0;
  SOTTO_TRY_ASSIGN(draft_, files_.CreateDraft(folder_ + "/journal-next"));
  return files_.Preallocate(draft_.fd, bytes_);
}

Status NextSegment::WriteZeros(std::uint64_t until) {
  const std::uint64_t piece = std::max(bytes_ / kPieces, kLeastPiece);
  for (until = std::min(until, bytes_); zeroed_ + piece <= until;
       zeroed_ += piece) {
    SOTTO_TRY(
        WriteWholeAt(files_, draft_.fd, std::string(piece, '\0'), zeroed_));
  }
  return Ok();
}

Status NextSegment::WriteHeader(const SegmentHeader& header) {
  SOTTO_TRY(WriteWholeAt(files_, draft_.fd, EncodeSegmentHeader(header), 0));
  return files_.Sync(draft_.fd);
}

Result<int> NextSegment::Publish(const SegmentHeader& header) {
  if (draft_.fd < 0 || !WriteHeader(header)) {
    files_.Discard(draft_);
    SOTTO_TRY(MakeDraft());
    SOTTO_TRY(WriteHeader(header));
  }
  const std::string path = SegmentPath(folder_, header.before.tail + 1);
  SOTTO_TRY(files_.PublishNew(draft_, path));
  SOTTO_TRY(files_.SyncParentFolder(path));
  failed_ = false;
  return std::exchange(draft_, {}).fd;
}

}  // namespace sotto
