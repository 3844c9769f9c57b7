#include "sotto/service/client/label_outbox.h"

#include <charconv>
#include <utility>

namespace sotto {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1} << 32;
// Nothing waits, and the file is larger than this: it is written again.
constexpr std::uint64_t kWorthwhile = std::uint64_t{1} << 16;

std::string MakeLine(std::uint64_t number, std::string_view label) {
  return "+" + std::to_string(number) + " " + std::string(label) + "\n";
}

}  // namespace

Result<LabelOutbox> LabelOutbox::Open(const std::string& path,
                                      FileSystem& files) {
  LabelOutbox outbox(path, files);
  if (path.empty()) return outbox;
  SOTTO_TRY_ASSIGN(outbox.lock_, files.Lock(path + ".lock"));
  SOTTO_TRY_ASSIGN(const auto facts, files.Look(path));
  if (facts) {
    SOTTO_TRY_ASSIGN(const std::string text, files.Read(path, kLargest));
    outbox.Read(text);
  }
  SOTTO_TRY(outbox.WriteAgain());
  return outbox;
}

LabelOutbox::LabelOutbox(LabelOutbox&& other) noexcept
    : path_(std::move(other.path_)),
      files_(other.files_),
      lock_(std::exchange(other.lock_, -1)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      next_(other.next_),
      torn_(other.torn_),
      waiting_(std::move(other.waiting_)) {}

LabelOutbox::~LabelOutbox() {
  if (fd_ >= 0) files_->Close(fd_);
  if (lock_ >= 0) files_->Close(lock_);
}

// A last line without its end was never acknowledged.
void LabelOutbox::Read(std::string_view text) {
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1)) {
    const std::string_view line = text.substr(0, end);
    std::uint64_t number = 0;
    const char* last = line.data() + line.size();
    if (line.empty()) continue;
    const char* at = std::from_chars(line.data() + 1, last, number).ptr;
    if (line.front() == '-') waiting_.erase(number);
    if (line.front() != '+' || at == last) continue;
    waiting_.emplace(number, std::string(at + 1, last));
    next_ = number + 1;
  }
}

Status LabelOutbox::WriteAgain() {
  std::string text;
  for (const auto& [number, label] : waiting_) text += MakeLine(number, label);
  SOTTO_TRY_ASSIGN(const int fd, PublishNewFile(*files_, path_, text));
  if (fd_ >= 0) files_->Close(fd_);
  fd_ = fd;
  size_ = text.size();
  torn_ = false;
  return Ok();
}

// Behind a line that failed, of which any part may be there, nothing is
// written: the file is replaced first.
Status LabelOutbox::Append(const std::string& line) {
  if (path_.empty()) return Ok();
  if (torn_) SOTTO_TRY(WriteAgain());
  torn_ = true;
  SOTTO_TRY(WriteWholeAt(*files_, fd_, line, size_));
  SOTTO_TRY(files_->SyncData(fd_));
  torn_ = false;
  size_ += line.size();
  return Ok();
}

Result<std::uint64_t> LabelOutbox::Add(std::string_view label) {
  if (label.find('\n') != std::string_view::npos) {
    return InvalidArgument("a label is one line");
  }
  SOTTO_TRY(Append(MakeLine(next_, label)));
  waiting_.emplace(next_, label);
  return next_++;
}

Status LabelOutbox::Remove(std::uint64_t number) {
  if (waiting_.erase(number) == 0) return Ok();
  if (waiting_.empty() && size_ > kWorthwhile) return WriteAgain();
  return Append("-" + std::to_string(number) + "\n");
}

}  // namespace sotto
