#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/journal/block.h"
#include "sotto/journal/journal.h"

namespace sotto {

// The end of a journal, kept apart from it: its position and its last block.
struct AnchorSlot {
  Lineage lineage{};
  Position position;
  std::string block;  // empty if the tail is 0
};

std::string EncodeAnchorSlot(const AnchorSlot& slot);
// Absent unless the CRC is right and the block ends at the position.
std::optional<AnchorSlot> ReadAnchorSlot(std::string_view bytes);

// Two files in a separate folder that hold the newest slots in turn, so that
// one is complete at any moment.
//
//   auto anchor = Anchor::Open("anchors/model-a", files);
//   Status kept = anchor->Commit({lineage, position, block});
//
// Threads: not thread-safe.
class Anchor {
 public:
  // Makes folder and files where they are missing. Fails with kUnavailable.
  static Result<Anchor> Open(const std::string& folder, FileSystem& files);
  // True if a slot file is in the folder.
  static Result<bool> Exists(const std::string& folder, FileSystem& files);
  Anchor(Anchor&& other) noexcept;
  Anchor& operator=(Anchor&&) = delete;
  Anchor(const Anchor&) = delete;
  Anchor& operator=(const Anchor&) = delete;
  ~Anchor();

  // Absent if no slot is whole.
  const std::optional<AnchorSlot>& newest() const { return newest_; }
  // True if a slot file was there before Open.
  bool found() const { return found_; }
  // Writes the slot that is not the newest; Sync makes it durable and the
  // newest. After a failure the anchor is not to be used.
  Status Write(const AnchorSlot& slot);
  Status Sync();
  // Both.
  Status Commit(const AnchorSlot& slot);

 private:
  Anchor(std::string folder, FileSystem& files)
      : folder_(std::move(folder)), files_(&files) {}
  Status OpenSlot(std::size_t slot);

  std::string folder_;
  FileSystem* files_;
  std::array<int, 2> fds_{-1, -1};
  std::size_t next_ = 0;
  std::optional<AnchorSlot> newest_;
  bool found_ = false;
};

// A journal compared with its anchor.
enum class AnchorVerdict {
  kLevel,        // same position
  kLacksBlock,   // the anchor's block continues the journal
  kOneAhead,     // the journal's last block continues the anchor
  kRolledBack,   // the journal is behind by more
  kTooFarAhead,  // the anchor is behind by more
  kForked,       // neither continues the other
  kOtherLineage,
};

// `last` is the journal's last block, if one is left.
AnchorVerdict CompareWithAnchor(const AnchorSlot& anchor,
                                const Lineage& lineage, const Position& journal,
                                const std::optional<BlockHeader>& last);
// A sentence for each verdict that refuses.
std::string ExplainRefusal(AnchorVerdict verdict, const AnchorSlot& anchor,
                           const Position& journal);

}  // namespace sotto
