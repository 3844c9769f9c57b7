#include "sotto/data/budgets/budget_file.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "sotto/base/printable.h"
#include "sotto/data/budgets/budget_text.h"
#include "sotto/random/key.h"

namespace sotto {
namespace {

constexpr std::size_t kHashBytes = 32;
constexpr std::string_view kSealName = ",\"seal\":\"";
constexpr std::string_view kSealEnd = "\"}";
constexpr std::size_t kSealBytes =
    kSealName.size() + 2 * kHashBytes + kSealEnd.size();
constexpr std::chrono::milliseconds kPause{2};

std::string Hex(const unsigned char* bytes, std::size_t size) {
  std::string digits(2 * size + 1, '\0');
  sodium_bin2hex(digits.data(), digits.size(), bytes, size);
  digits.pop_back();
  return digits;
}

// The hash of a line and of all before it, whose hash is `before`.
std::string Seal(std::string_view before, std::string_view line) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, kHashBytes);
  for (const std::string_view piece : {before, line}) {
    crypto_generichash_update(
        &state, reinterpret_cast<const unsigned char*>(piece.data()),
        piece.size());
  }
  std::array<unsigned char, kHashBytes> hash{};
  crypto_generichash_final(&state, hash.data(), hash.size());
  return Hex(hash.data(), hash.size());
}

// A document with its seal as the last member, and a newline.
std::string SealedLine(const Json& json, std::string_view seal) {
  std::string line = json.Dump();
  line.pop_back();
  line += kSealName;
  line += seal;
  line += kSealEnd;
  return line + "\n";
}

struct Unsealed {
  Json json;
  std::string seal;
};

// Fails with kCorruption unless the line ends with the right seal.
Result<Unsealed> Unseal(std::string_view before, std::string_view line) {
  if (line.size() <= kSealBytes) return Corruption("it is too short");
  const std::string document =
      std::string(line.substr(0, line.size() - kSealBytes)) + "}";
  std::string seal = Seal(before, document);
  const std::string_view end = line.substr(line.size() - kSealBytes);
  if (end != std::string(kSealName) + seal + std::string(kSealEnd)) {
    return Corruption("its seal is wrong");
  }
  auto json = Json::Parse(document);
  if (!json) return Corruption(json.error().message);
  return Unsealed{*std::move(json), std::move(seal)};
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

Error AtLine(std::size_t line, const Error& error) {
  return Corruption("line " + std::to_string(line) + ": " + error.message);
}

Error In(const std::string& path, const Error& error) {
  return {error.code,
          path + " is not a budget, or is damaged: " + error.message};
}

// A file that is locked, at its path, until the end of the object.
class LockedFile {
 public:
  static Result<LockedFile> Wait(const std::string& path, FileSystem& files,
                                 std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (true) {
      auto file = files.LockToRead(path);
      if (file) {
        LockedFile locked(files, *std::move(file));
        SOTTO_TRY_ASSIGN(const bool there, files.IsAt(locked.file_.fd, path));
        if (there) return locked;
      } else if (file.error().code != ErrorCode::kFailedPrecondition) {
        return file.error();
      }
      if (std::chrono::steady_clock::now() >= until) {
        return FailedPrecondition(path + " is locked by another process");
      }
      std::this_thread::sleep_for(kPause);
    }
  }
  LockedFile(LockedFile&& other) noexcept
      : files_(other.files_), file_(std::exchange(other.file_, {})) {}
  LockedFile& operator=(LockedFile&&) = delete;
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  ~LockedFile() { files_->Discard(file_); }

 private:
  LockedFile(FileSystem& files, FileSystem::TempFile file)
      : files_(&files), file_(std::move(file)) {}

  FileSystem* files_;
  FileSystem::TempFile file_;
};

Status WriteNew(FileSystem& files, FileSystem::TempFile& draft,
                const std::string& path, std::string_view line) {
  SOTTO_TRY(WriteWhole(files, draft.fd, line));
  SOTTO_TRY(files.Sync(draft.fd));
  SOTTO_TRY(files.PublishNew(draft, path));
  return files.SyncParentFolder(path);
}

Status WriteEnd(FileSystem& files, int fd, std::string_view line,
                std::uint64_t at, bool torn) {
  // Bytes of a charge that no process waited for to the end.
  if (torn) SOTTO_TRY(files.Truncate(fd, at));
  SOTTO_TRY(WriteWholeAt(files, fd, line, at));
  return files.SyncData(fd);
}

// Adds to a refusal how much is spent.
Error Refused(const BudgetFile& record, const std::string& path,
              const BudgetEntry& entry, const Error& error) {
  if (error.code != ErrorCode::kBudgetExhausted) return error;
  const ApproximateDp spent = record.filter().SpentBy(entry.group);
  const ApproximateDp limit = record.head().limits.limit;
  return BudgetExhausted(
      "the budget " + path + " does not allow epsilon " +
      Rounded(entry.cost.epsilon) + ", delta " + Rounded(entry.cost.delta) +
      ": epsilon " + Rounded(spent.epsilon) + " of " + Rounded(limit.epsilon) +
      " and delta " + Rounded(spent.delta) + " of " + Rounded(limit.delta) +
      " are spent. Nothing was released.");
}

}  // namespace

Status BudgetFile::Create(const std::string& path, BudgetHead head,
                          FileSystem& files) {
  SOTTO_TRY(BudgetFilter::Create(head.limits));
  SOTTO_TRY_ASSIGN(const auto random, Key::Generate());
  head.time = Now();
  head.id =
      Hex(reinterpret_cast<const unsigned char*>(random.bytes().data()), 8);
  const Json json = ToJson(head);
  SOTTO_TRY_ASSIGN(auto draft, files.CreateDraft(path));
  const Status made =
      WriteNew(files, draft, path, SealedLine(json, Seal("", json.Dump())));
  files.Discard(draft);
  if (!made && made.error().code == ErrorCode::kFailedPrecondition) {
    return FailedPrecondition(path +
                              " exists already; a budget is never replaced");
  }
  return made;
}

Result<BudgetFile> BudgetFile::Parse(std::string_view text) {
  std::optional<BudgetFile> record;
  std::size_t at = 0;
  for (std::size_t number = 1;; ++number) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    const std::string before = record ? record->seal() : "";
    const auto line = Unseal(before, text.substr(at, end - at));
    if (!line) return AtLine(number, line.error());
    at = end + 1;
    if (record) {
      auto entry = BudgetEntryFromJson(line->json);
      if (!entry) return AtLine(number, entry.error());
      if (Status taken = record->Take(*std::move(entry)); !taken) {
        return AtLine(number, taken.error());
      }
      record->seals_.push_back(line->seal);
    } else {
      auto head = BudgetHeadFromJson(line->json);
      if (!head) return AtLine(number, head.error());
      auto filter = BudgetFilter::Create(head->limits);
      if (!filter) return AtLine(number, filter.error());
      record.emplace(BudgetFile(*std::move(head), *filter, line->seal));
    }
  }
  if (!record) return Corruption("it has no first line");
  record->bytes_ = at;
  record->torn_ = at < text.size();
  return *std::move(record);
}

Status BudgetFile::Take(BudgetEntry entry) {
  SOTTO_TRY(filter_.Charge(entry.cost, entry.group));
  entries_.push_back(std::move(entry));
  return Ok();
}

Result<BudgetFile> BudgetFile::Read(const std::string& path,
                                    FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto text,
                   files.Read(path, std::numeric_limits<std::uint64_t>::max()));
  auto record = Parse(text);
  if (!record) return In(path, record.error());
  return record;
}

Status BudgetFile::Append(const std::string& path, const BudgetEntry& entry,
                          FileSystem& files) {
  const Json json = ToJson(entry);
  const std::string next = Seal(seal(), json.Dump());
  SOTTO_TRY_ASSIGN(const int fd, files.OpenToUpdate(path));
  const Status written =
      WriteEnd(files, fd, SealedLine(json, next), bytes_, torn_);
  files.Close(fd);
  if (!written) return written;
  seals_.push_back(next);
  return Ok();
}

Result<BudgetFile> BudgetFile::Spend(const std::string& path,
                                     const Guarantee& guarantee,
                                     const Label& label, FileSystem& files,
                                     std::chrono::milliseconds patience) {
  SOTTO_TRY_ASSIGN(const auto lock, LockedFile::Wait(path, files, patience));
  SOTTO_TRY_ASSIGN(auto record, Read(path, files));
  BudgetEntry entry = MakeBudgetEntry(guarantee);
  entry.command = label.command;
  entry.group = label.group;
  entry.note = label.note;
  entry.time = Now();
  if (const Status taken = record.Take(entry); !taken) {
    return Refused(record, path, entry, taken.error());
  }
  SOTTO_TRY(record.Append(path, entry, files));
  return record;
}

bool BudgetFile::Contains(std::string_view seal) const {
  return std::ranges::find(seals_, seal) != seals_.end();
}

Notion BudgetFile::notion() const {
  Notion total = Notion::kDp;
  for (const BudgetEntry& entry : entries_) {
    if (entry.notion == Notion::kJdp) return Notion::kJdp;
    if (entry.notion != Notion::kDp) total = Notion::kChallengeDp;
  }
  return total;
}

Adversary BudgetFile::adversary() const {
  const bool oblivious = std::ranges::any_of(entries_, [](const auto& entry) {
    return entry.adversary == Adversary::kOblivious;
  });
  return oblivious ? Adversary::kOblivious : Adversary::kAdaptive;
}

}  // namespace sotto
