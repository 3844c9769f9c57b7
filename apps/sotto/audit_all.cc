#include "audit_all.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "audit_progress.h"
#include "command.h"
#include "sotto/audit/audit.h"
#include "sotto/audit/audit_report.h"
#include "sotto/audit/targets.h"
#include "sotto/base/json.h"
#include "sotto/files/output_file.h"

namespace sotto::app {
namespace {

const OptionTable& AllOptions() {
  static const OptionTable kTable = {
      {.name = "html",
       .help = "a folder, made if there is none: a page for each target"},
      {.name = "only", .help = "these targets, as pop,points,winnow"},
      {.name = "runs",
       .type = OptionType::kWhole,
       .fallback = "100000",
       .help = "games in each world, for each adversary; a fiftieth of them "
               "for whole sessions",
       .low = 256,
       .high = 1e12},
      {.name = "confidence",
       .type = OptionType::kReal,
       .fallback = "0.999",
       .help = "of each lower bound; a violation is always called at 1e-6",
       .low = 0.5,
       .high = 0.999999999},
      {.name = "seed",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "which games; the same give the same reports"},
      {.name = "threads",
       .type = OptionType::kWhole,
       .help = "left out: one for each core; no report depends on it",
       .low = 1,
       .high = 1024},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "the reports as a JSON array"},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help = "a bar although standard error is no terminal"}};
  return kTable;
}

Result<std::vector<const AuditTarget*>> Chosen(std::string_view only) {
  std::vector<const AuditTarget*> chosen;
  while (!only.empty()) {
    const std::size_t end = std::min(only.find(','), only.size());
    const std::string name(only.substr(0, end));
    only.remove_prefix(std::min(end + 1, only.size()));
    chosen.push_back(FindAuditTarget(name));
    if (chosen.back() == nullptr) {
      return InvalidArgument("--only: no target '" + name +
                             "'; `sotto audit --list` names them");
    }
  }
  if (!chosen.empty()) return chosen;
  for (const AuditTarget& target : AuditTargets()) chosen.push_back(&target);
  return chosen;
}

// One line a duel, as a row of a table in Markdown.
void PrintRows(const AuditResult& result) {
  for (const DuelResult& duel : result.duels) {
    const char* verdict = duel.fault       ? "broken"
                          : duel.violation ? "violation"
                                           : "consistent";
    std::printf(
        "| `%s` | %s | `%s` | %llu | %.3g | %.3g, %.2g | %s |\n",
        result.target.c_str(), duel.mechanism.c_str(), duel.adversary.c_str(),
        static_cast<unsigned long long>(duel.runs), duel.epsilon_lower(),
        duel.claim.epsilon, duel.claim.delta, verdict);
  }
  std::fflush(stdout);
}

Result<AuditResult> AuditOne(const AuditTarget& target,
                             const Settings& settings) {
  const auto subject = target.make({});
  if (!subject) return subject.error();
  AuditProgress progress(settings.Flag("progress") ||
                         ::isatty(STDERR_FILENO) != 0);
  const AuditOptions options{
      .runs = settings.Whole("runs"),
      .confidence = settings.Real("confidence"),
      .seed = settings.Whole("seed"),
      .threads = static_cast<unsigned>(settings.MaybeWhole("threads").value_or(
          std::max(1u, std::thread::hardware_concurrency()))),
      .progress = [&progress](std::uint64_t games, std::uint64_t of) {
        progress.Show(games, of);
      }};
  return Audit(*subject, options);
}

Status MakeFolder(const std::string& folder) {
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (!failed) return Ok();
  return InvalidArgument("--html: cannot make " + folder + ": " +
                         failed.message());
}

int RunAll(const Settings& settings) {
  const auto chosen = Chosen(settings.Text("only"));
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
  bool good = true;
  for (const AuditTarget* target : *chosen) {
    const auto result = AuditOne(*target, settings);
    if (!result) return Report(result.error());
    good = good && !result->violation() && !result->broken();
    if (as_json) reports.Add(AuditJson(*result));
    if (!as_json) PrintRows(*result);
    if (folder.empty()) continue;
    const Status written =
        WriteOutput(folder + "/" + target->name + ".html", AuditPage(*result));
    if (!written) return Report(written.error());
  }
  if (as_json) std::printf("%s\n", reports.Dump().c_str());
  return good ? kDone : kFailed;
}

}  // namespace

Command AuditAllCommand() {
  return {.name = "all",
          .help = "every target in turn, with a page for each",
          .footer =
              "Exit code 1: some claim does not hold, or could not be put to "
              "the test.\nExample:\n  sotto audit all --runs 20000 --html "
              "audits",
          .options = AllOptions(),
          .call = RunAll};
}

}  // namespace sotto::app
