#include "audit_all.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "audit_play.h"
#include "command.h"
#include "sotto/audit/audit.h"
#include "sotto/audit/audit_report.h"
#include "sotto/audit/targets.h"
#include "sotto/base/json.h"
#include "sotto/data/files/output_file.h"

namespace sotto::app {
namespace {

const OptionTable& AllOptions() {
  static const OptionTable kTable = {
      {.name = "html",
       .help = "Folder for one HTML page per target; created if missing."},
      {.name = "only",
       .help = "Only these targets, separated by commas: pop,points,winnow."},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print the reports as a JSON array."}};
  return kTable;
}

// One line a case, as a row of a table in Markdown.
void PrintRows(const AuditResult& result) {
  for (const CaseResult& audit_case : result.cases) {
    std::printf("| `%s` | %s | `%s` | %llu | %.3g | %.3g, %.2g | %s |\n",
                result.target.c_str(), audit_case.mechanism.c_str(),
                audit_case.adversary.c_str(),
                static_cast<unsigned long long>(audit_case.runs),
                audit_case.epsilon_lower(), audit_case.claim.epsilon,
                audit_case.claim.delta,
                std::string(CaseVerdict(result, audit_case)).c_str());
  }
  std::fflush(stdout);
}

Result<AuditResult> AuditOne(const AuditTarget& target,
                             const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto subject, target.make({}));
  return PlayWithProgress(subject, MakePlayOptions(settings), settings);
}

// A failure counts more than an open question.
int WorseCode(int a, int b) {
  return a == kFailed || b == kFailed ? kFailed : std::max(a, b);
}

Status MakeFolder(const std::string& folder) {
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (!failed) return Ok();
  return InvalidArgument("--html: cannot make " + folder + ": " +
                         failed.message());
}

int RunAll(const Settings& settings) {
  const auto chosen = ChooseTargets(settings.Text("only"));
  if (!chosen) return Report(chosen.error());
  const std::string& folder = settings.Text("html");
  if (Status made = MakeFolder(folder); !made) return Report(made.error());
  const bool as_json = settings.Flag("json");
  if (!as_json) {
    std::printf(
        "| target | mechanism | adversary | games per world | epsilon at least "
        "| claimed | verdict |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  }
  Json reports = Json::Array{};
  int code = kDone;
  for (const AuditTarget* target : *chosen) {
    const auto result = AuditOne(*target, settings);
    if (!result) return Report(result.error());
    code = WorseCode(code, VerdictCode(*result));
    if (as_json) reports.Add(AuditJson(*result));
    if (!as_json) PrintRows(*result);
    if (folder.empty()) continue;
    const Status written =
        WriteOutput(folder + "/" + target->name + ".html", AuditPage(*result));
    if (!written) return Report(written.error());
  }
  if (as_json) std::printf("%s\n", reports.Dump().c_str());
  return code;
}

}  // namespace

Command AuditAllCommand() {
  return {.name = "all",
          .help = "Audit every target, with one page each",
          .footer =
              "Exit code 1: some claim does not hold, or could not be put to "
              "the test; 3: some games were too few to know.\nExample:\n  "
              "sotto audit all --runs 20000 --html "
              "audits",
          .options = ConcatOptions({AllOptions(), PlayOptions()}),
          .call = RunAll};
}

}  // namespace sotto::app
