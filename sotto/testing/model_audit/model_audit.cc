#include "sotto/testing/model_audit/model_audit.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "sotto/audit/program/program_run.h"
#include "sotto/testing/model_audit/model_command.h"
#include "sotto/testing/model_audit/model_rows.h"

namespace sotto {
namespace {

using View = ModelCommand::View;

// Seeds of the second look at a shape that differs.
constexpr std::uint64_t kSecondLook = 12;
constexpr std::uint64_t kSecondSeed = 1000;
constexpr std::string_view kSameSeed = "beside";

// One case, from its files to its verdict.
class CasePlayer {
 public:
  CasePlayer(const ModelAudit& audit, const ModelCase& made,
             ModelColumns columns, std::uint64_t cases)
      : audit_(audit),
        case_(made),
        cases_(cases),
        command_(made, columns, audit.program, folder_.path()) {}

  Result<ModelCaseResult> Play() {
    if (folder_.path().empty()) {
      return Unavailable("no folder for files");
    }
    SOTTO_TRY(command_.WriteFiles());
    auto played = PlayView(View::kPublic);
    const bool live = case_.format.format == "live";
    if (played && played->refused && played->leaks.empty() && !live) {
      played = PlayView(View::kAnswers);
    }
    if (!played) return played.error();
    return Prediction(*played);
  }

 private:
  ModelCaseResult Prediction(const ProgramResult& played) const {
    const bool refused = played.refused && played.leaks.empty();
    return {.name = case_.Name(),
            .verdict = std::string(refused ? "refused" : played.Verdict()),
            .leaks = played.leaks,
            .faults = played.faults,
            .refusal = played.refusal};
  }

  // A training set is in a state already.
  bool WantsStates() const {
    return case_.subject->command == "run" && !case_.labelled_set &&
           !audit_.plain;
  }

  Result<bool> MakeStates(View view) {
    for (std::uint64_t seed = 1; seed <= case_.runs; ++seed) {
      ProgramStream nothing;
      nothing.format = "jsonl";
      SOTTO_TRY_ASSIGN(const auto saved,
                       RunProgramOnce({.command = command_.Save(view, seed),
                                       .stream = std::move(nothing),
                                       .timeout = audit_.timeout}));
      if (saved.code != 0) return false;
    }
    return true;
  }

  Result<ProgramResult> PlayView(View view) {
    bool states = WantsStates();
    if (states) {
      SOTTO_TRY_ASSIGN(const auto made, MakeStates(view));
      states = made;
    }
    ProgramAudit audit =
        states ? command_.AuditFromStates(view) : command_.Audit(view);
    audit.timeout = audit_.timeout;
    audit.audits = cases_;
    auto result = AuditProgram(audit);
    if (!result || result->leaks.empty()) return result;
    return LookAgain(view, *std::move(result));
  }

  // Words that differ may be noise.
  Result<ProgramResult> LookAgain(View view, ProgramResult result) {
    const auto in_doubt = [](const ProgramLeak& leak) {
      return leak.exact && !leak.place.starts_with(kSameSeed);
    };
    std::set<std::string> changes;
    for (const ProgramLeak& leak : result.leaks) {
      if (in_doubt(leak)) changes.insert(leak.change);
    }
    std::erase_if(result.leaks, in_doubt);
    for (const std::string& change : changes) {
      if (!result.leaks.empty()) break;  // one that is certain is enough
      auto again = AuditProgram(SecondLook(view, change));
      if (!again) return again;
      result.leaks.insert(result.leaks.end(), again->leaks.begin(),
                          again->leaks.end());
    }
    return result;
  }

  ProgramAudit SecondLook(View view, const std::string& change) const {
    ProgramAudit audit = command_.Audit(view);
    audit.timeout = audit_.timeout;
    audit.audits = cases_;
    audit.runs = std::max(case_.runs, kSecondLook);
    audit.first_seed = kSecondSeed;
    audit.changes = {change};
    return audit;
  }

  const ModelAudit& audit_;
  const ModelCase& case_;
  std::uint64_t cases_;
  ScratchFolder folder_;
  ModelCommand command_;
};

// The kind of columns that a model takes every row of.
Result<ModelColumns> ColumnsFor(const ModelAudit& audit,
                                const ModelSubject& subject) {
  const ModelCase plain{
      .subject = &subject,
      .format = {.format = "csv", .users = subject.command == "run"},
      .label = subject.labels.front()};
  for (const auto columns : {ModelColumns::kSigns, ModelColumns::kPoints}) {
    const ScratchFolder folder;
    const ModelCommand command(plain, columns, audit.program, folder.path());
    SOTTO_TRY(command.WriteFiles());
    const ProgramAudit strict = command.Audit(View::kStrict);
    SOTTO_TRY_ASSIGN(const auto ran,
                     RunProgramOnce({.command = strict.command,
                                     .stream = strict.stream,
                                     .timeout = audit.timeout}));
    if (ran.end == ProgramOutcome::End::kExited && ran.code == 0) {
      return columns;
    }
  }
  return ModelColumns::kSigns;
}

class Auditor {
 public:
  explicit Auditor(const ModelAudit& audit)
      : audit_(audit), cases_(ModelCases(audit.subjects, audit.plan)) {
    for (std::size_t i = audit.shard; i < cases_.size(); i += audit.shards) {
      mine_.push_back(i);
    }
  }

  Result<ModelAuditResult> Run() {
    for (const ModelSubject& subject : audit_.subjects) {
      SOTTO_TRY_ASSIGN(const auto columns, ColumnsFor(audit_, subject));
      columns_[&subject] = columns;
    }
    told_.resize(mine_.size());
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < audit_.threads; ++i) {
      threads.emplace_back([this] { Work(); });
    }
    Work();
    threads.clear();
    if (failure_) return *failure_;
    return Sum();
  }

 private:
  void Work() {
    for (;;) {
      const std::uint64_t i = next_.fetch_add(1);
      if (i >= mine_.size()) return;
      if (std::chrono::steady_clock::now() - start_ > audit_.budget) return;
      const ModelCase& made = cases_[mine_[i]];
      auto prediction =
          CasePlayer(audit_, made, columns_.at(made.subject), cases_.size())
              .Play();
      const std::scoped_lock lock(mutex_);
      if (!prediction) {
        failure_ = prediction.error();
        return;
      }
      told_[i] = *std::move(prediction);
    }
  }

  // The plainest case of a model.
  bool MustBePlayed(std::size_t index) const {
    const ModelCase& made = cases_[index];
    return made.options.empty() && made.runs == 1 && !made.labelled_set &&
           made.label == made.subject->labels.front() &&
           made.format.format == "csv" && made.format.header &&
           !made.format.gzipped;
  }

  ModelAuditResult Sum() {
    ModelAuditResult sum;
    for (std::size_t i = 0; i < mine_.size(); ++i) {
      if (!told_[i]) {
        ++sum.left;
      } else if (told_[i]->verdict == "consistent") {
        ++sum.played;
      } else if (told_[i]->verdict == "suspicious") {
        ++sum.played;
        ++sum.suspicious;
      } else if (told_[i]->verdict != "refused") {
        sum.failures.push_back(*std::move(told_[i]));
      } else if (MustBePlayed(mine_[i])) {
        told_[i]->verdict = "broken";
        sum.failures.push_back(*std::move(told_[i]));
      } else {
        ++sum.refused;
        sum.refusals.push_back(*std::move(told_[i]));
      }
    }
    return sum;
  }

  const ModelAudit& audit_;
  std::vector<ModelCase> cases_;
  std::vector<std::size_t> mine_;
  std::map<const ModelSubject*, ModelColumns> columns_;
  std::vector<std::optional<ModelCaseResult>> told_;
  std::atomic<std::uint64_t> next_ = 0;
  std::mutex mutex_;
  std::optional<Error> failure_;
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace

Result<ModelAuditResult> AuditModels(const ModelAudit& audit) {
  return Auditor(audit).Run();
}

}  // namespace sotto
