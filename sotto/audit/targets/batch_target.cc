// Any model that is fitted to a table: the tables differ in one row, and all
// published numbers are visible.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/model_games.h"
#include "sotto/audit/random_key.h"
#include "sotto/audit/targets.h"
#include "sotto/base/settings.h"
#include "sotto/online/shared_options.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

constexpr std::size_t kRows = 12;
constexpr std::size_t kPublished = 24;
constexpr std::uint64_t kCost = 10;

// An unnamed temporary file with a path, removed by the destructor.
class TableFile {
 public:
  explicit TableFile(const std::string& text)
      : file_(::memfd_create("table", MFD_CLOEXEC)) {
    written_ = file_ >= 0 && ::write(file_, text.data(), text.size()) ==
                                 static_cast<ssize_t>(text.size());
  }
  ~TableFile() {
    if (file_ >= 0) ::close(file_);
  }
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  bool written() const { return written_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
  bool written_ = false;
};

// One half is labelled 1 and the protected row comes last.
std::string Table(const std::string& last) {
  std::string text = "x,y\n";
  for (std::size_t i = 0; i + 1 < kRows; ++i) {
    text += 2 * i < kRows ? "0,0\n" : "1,1\n";
  }
  return text + last + "\n";
}

class BatchGamePair final : public GamePair {
 public:
  BatchGamePair(const BatchModelEntry& entry, Settings settings)
      : row_(entry),
        settings_(std::move(settings)),
        usual_(std::make_unique<TableFile>(Table("1,1"))) {
    for (const char* last : {"1,0", "0,1", "0,0", ","}) {
      others_.push_back(std::make_unique<TableFile>(Table(last)));
    }
  }

  std::size_t variants() const override { return others_.size(); }
  Status Play(std::size_t variant, bool world, Rng& rng,
              View& view) const override {
    view.Clear();
    SOTTO_TRY_ASSIGN(const auto fitted,
                     Fit(world ? *others_[variant] : *usual_, rng));
    view.seen = PublishedNumbers(fitted.model, kPublished);
    return Ok();
  }
  Result<FitResult> Fit(const TableFile& table, Rng& rng) const {
    if (!table.written()) {
      return Unavailable("no memory for a table");
    }
    const TableSource source{
        .path = table.path(), .label = "y", .skip_bad = true};
    return row_.fit(settings_, source, RandomKey(rng));
  }
  const TableFile& usual() const { return *usual_; }

 private:
  const BatchModelEntry& row_;
  Settings settings_;
  std::unique_ptr<TableFile> usual_;
  std::vector<std::unique_ptr<TableFile>> others_;
};

}  // namespace

AuditTarget BatchTarget(const BatchModelEntry& entry) {
  AuditTarget target{"fit-" + std::string(entry.name),
                     entry.help,
                     "one release of a table",
                     {"one-row"},
                     {}};
  target.make = [&entry](const AuditRequest& request) -> Result<AuditSubject> {
    SOTTO_TRY_ASSIGN(
        auto settings,
        SmallSettings(ConcatOptions({PrivacyOptions(), entry.options}),
                      entry.example, request));
    auto audit_case =
        std::make_unique<BatchGamePair>(entry, std::move(settings));
    ChaChaRng rng(KnownKey());
    SOTTO_TRY_ASSIGN(const auto once,
                     audit_case->Fit(audit_case->usual(), rng));
    AuditSubject subject{"fit-" + std::string(entry.name), {}};
    subject.cases.push_back({"one-row",
                             "a table",
                             {once.guarantee.epsilon(), once.guarantee.delta()},
                             std::move(audit_case),
                             kCost});
    return subject;
  };
  return target;
}

}  // namespace sotto
