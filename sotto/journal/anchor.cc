#include "sotto/journal/anchor.h"

#include <utility>

#include "sotto/base/bytes.h"

namespace sotto {
namespace {

constexpr std::string_view kMagic{"SOTTO-ANCHOR-1\n\0", 16};
constexpr std::size_t kCheckedBytes = 76;
constexpr std::size_t kHeaderBytes = 80;
constexpr std::uint64_t kReserve = std::uint64_t{256} << 10;

std::string SlotPath(const std::string& folder, std::size_t slot) {
  return folder + "/anchor-" + std::to_string(slot);
}

bool BlockEndsAt(const std::string& block, const Position& position) {
  if (block.empty()) return position.tail == 0;
  const auto header = ReadBlock(block);
  return header && header->length == block.size() &&
         FollowChain(*header, block) == position;
}

}  // namespace

std::string EncodeAnchorSlot(const AnchorSlot& slot) {
  ByteWriter tail;
  tail.Number(slot.position.tail);
  ByteWriter length;
  length.Number(static_cast<std::uint32_t>(slot.block.size()));
  std::string bytes = std::string(kMagic)
                          .append(AsText(slot.lineage))
                          .append(tail.bytes())
                          .append(AsText(slot.position.head))
                          .append(length.bytes());
  ByteWriter crc;
  crc.Number(Crc(slot.block, Crc(bytes)));
  return bytes.append(crc.bytes()).append(slot.block);
}

std::optional<AnchorSlot> ReadAnchorSlot(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) {
    return std::nullopt;
  }
  AnchorSlot slot;
  slot.lineage = AsArray<16>(bytes.substr(16, 16));
  slot.position.tail = ByteReader(bytes.substr(32, 8)).Number<std::uint64_t>();
  slot.position.head = AsArray<32>(bytes.substr(40, 32));
  ByteReader end(bytes.substr(72, 8));
  const auto length = end.Number<std::uint32_t>();
  const auto crc = end.Number<std::uint32_t>();
  if (length > bytes.size() - kHeaderBytes) return std::nullopt;
  slot.block = bytes.substr(kHeaderBytes, length);
  if (crc != Crc(slot.block, Crc(bytes.substr(0, kCheckedBytes)))) {
    return std::nullopt;
  }
  if (!BlockEndsAt(slot.block, slot.position)) return std::nullopt;
  return slot;
}

Result<bool> Anchor::Exists(const std::string& folder, FileSystem& files) {
  for (const std::size_t slot : {std::size_t{0}, std::size_t{1}}) {
    SOTTO_TRY_ASSIGN(const auto there, files.Look(SlotPath(folder, slot)));
    if (there) return true;
  }
  return false;
}

Result<Anchor> Anchor::Open(const std::string& folder, FileSystem& files) {
  Anchor anchor(folder, files);
  SOTTO_TRY(files.CreateFolder(folder));
  SOTTO_TRY(files.SyncParentFolder(folder));
  for (const std::size_t slot : {std::size_t{0}, std::size_t{1}})
    SOTTO_TRY(anchor.OpenSlot(slot));
  SOTTO_TRY(files.SyncParentFolder(SlotPath(folder, 0)));
  return anchor;
}

Status Anchor::OpenSlot(std::size_t slot) {
  const std::string path = SlotPath(folder_, slot);
  SOTTO_TRY_ASSIGN(const auto there, files_->Look(path));
  if (!there) {
    SOTTO_TRY_ASSIGN(fds_[slot], PublishNewFile(*files_, path, "", kReserve));
    return Ok();
  }
  found_ = true;
  SOTTO_TRY_ASSIGN(const auto bytes,
                   files_->Read(path, kHeaderBytes + Journal::kMostBlockBytes));
  SOTTO_TRY_ASSIGN(fds_[slot], files_->OpenToUpdate(path));
  auto read = ReadAnchorSlot(bytes);
  if (!read) return Ok();
  if (newest_ && newest_->position.tail > read->position.tail) return Ok();
  newest_ = std::move(read);
  next_ = 1 - slot;
  return Ok();
}

Anchor::Anchor(Anchor&& other) noexcept
    : folder_(std::move(other.folder_)),
      files_(other.files_),
      fds_(std::exchange(other.fds_, {-1, -1})),
      next_(other.next_),
      newest_(std::move(other.newest_)),
      found_(other.found_) {}

Anchor::~Anchor() {
  for (const int fd : fds_) files_->Close(fd);
}

Status Anchor::Write(const AnchorSlot& slot) {
  return WriteWholeAt(*files_, fds_[next_], EncodeAnchorSlot(slot), 0);
}

Status Anchor::Commit(const AnchorSlot& slot) {
  SOTTO_TRY(Write(slot));
  return Sync();
}

Status Anchor::Sync() {
  SOTTO_TRY(files_->SyncData(fds_[next_]));
  next_ = 1 - next_;
  return Ok();
}

AnchorVerdict CompareWithAnchor(const AnchorSlot& anchor,
                                const Lineage& lineage, const Position& journal,
                                const std::optional<BlockHeader>& last) {
  if (anchor.lineage != lineage) return AnchorVerdict::kOtherLineage;
  const Position& anchored = anchor.position;
  if (journal.tail == anchored.tail) {
    return journal == anchored ? AnchorVerdict::kLevel : AnchorVerdict::kForked;
  }
  if (journal.tail > anchored.tail) {
    if (!last || last->first != anchored.tail + 1) {
      return AnchorVerdict::kTooFarAhead;
    }
    return last->previous == anchored.head ? AnchorVerdict::kOneAhead
                                           : AnchorVerdict::kForked;
  }
  const auto block = ReadBlock(anchor.block);
  if (block->first != journal.tail + 1) return AnchorVerdict::kRolledBack;
  return block->previous == journal.head ? AnchorVerdict::kLacksBlock
                                         : AnchorVerdict::kForked;
}

std::string ExplainRefusal(AnchorVerdict verdict, const AnchorSlot& anchor,
                           const Position& journal) {
  const std::string tails =
      "the journal ends at record " + std::to_string(journal.tail) +
      ", its anchor at record " + std::to_string(anchor.position.tail);
  switch (verdict) {
    case AnchorVerdict::kRolledBack:
      return "the journal was rolled back: " + tails;
    case AnchorVerdict::kTooFarAhead:
      return "the anchor was rolled back: " + tails;
    case AnchorVerdict::kForked:
      return "the journal is not the one that was anchored: " + tails +
             ", and their hashes differ";
    case AnchorVerdict::kOtherLineage:
      return "the anchor belongs to another journal";
    default:
      return "";
  }
}

}  // namespace sotto
