#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/journal/segment.h"

namespace sotto {

// The file of the segment to come. It has no name until it is published, so
// that nothing of it is left if the process is killed.
//
//   NextSegment next(files, "journal", 16 << 20);
//   next.Prepare(1 << 20);             // while the last segment fills
//   auto fd = next.Publish(header);    // once it is full
//
// Threads: not thread-safe.
class NextSegment {
 public:
  // `bytes`: the length of a segment.
  NextSegment(FileSystem& files, std::string folder, std::uint64_t bytes)
      : files_(files), folder_(std::move(folder)), bytes_(bytes) {}
  NextSegment(const NextSegment&) = delete;
  NextSegment& operator=(const NextSegment&) = delete;
  ~NextSegment() { files_.Discard(draft_); }

  // Makes the file and writes zeros to about its first `zeros` bytes. After a
  // failure Publish makes another file.
  void Prepare(std::uint64_t zeros);
  // Puts the header into the file and the file under its name, both synced.
  // Returns its descriptor, for WriteAt. Fails with kUnavailable, or
  // kFailedPrecondition if there is such a segment.
  Result<int> Publish(const SegmentHeader& header);

 private:
  Status MakeDraft();
  Status WriteZeros(std::uint64_t until);
  Status WriteHeader(const SegmentHeader& header);

  FileSystem& files_;
  std::string folder_;
  std::uint64_t bytes_;
  FileSystem::TempFile draft_;
  std::uint64_t zeroed_ = 0;
  bool failed_ = false;  // to prepare
};

}  // namespace sotto
