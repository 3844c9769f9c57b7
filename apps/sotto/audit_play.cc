#include "audit_play.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "audit_progress.h"
#include "command.h"
#include "sotto/audit/audit_report.h"
#include "sotto/base/json.h"
#include "sotto/data/files/output_file.h"

namespace sotto::app {
namespace {

constexpr double kMostRuns = 1e12;
constexpr std::string_view kProgram = "exec:";

int TellInto(const AuditResult& result, const Settings& settings,
             std::optional<OutputFile>& page) {
  if (page) {
    Status written = WriteWhole(RealFiles(), page->fd(), AuditPage(result));
    if (written) written = page->Commit();
    if (!written) return Report(written.error());
  }
  const std::string text = settings.Flag("json")
                               ? AuditJson(result).Dump() + "\n"
                               : AuditText(result);
  std::fputs(text.c_str(), stdout);
  return VerdictCode(result);
}

Result<std::optional<OutputFile>> OpenPage(const Settings& settings) {
  std::optional<OutputFile> page;
  if (!settings.Has("report")) return page;
  SOTTO_TRY_ASSIGN(auto file, OutputFile::Create(settings.Text("report")));
  page.emplace(std::move(file));
  return page;
}

}  // namespace

int VerdictCode(const AuditResult& result) {
  if (result.violation() || result.broken()) return kFailed;
  return result.inconclusive() ? kOpen : kDone;
}

OptionTable PlayOptions(std::string_view runs) {
  return {
      {.name = "runs",
       .type = OptionType::kWhole,
       .fallback = runs,
       .help = "Games per world and adversary; whole sessions play a fiftieth "
               "of them.",
       .low = double{kLeastRuns},
       .high = kMostRuns},
      {.name = "confidence",
       .type = OptionType::kReal,
       .fallback = "0.999",
       .help = "Confidence of the lower bound. A violation is always called at "
               "1e-6.",
       .low = 0.5,
       .high = 0.999999999},
      {.name = "looks",
       .type = OptionType::kWhole,
       .fallback = "4",
       .help = "Maximum number of early looks for a certain violation; each "
               "costs confidence.",
       .low = 1,
       .high = 20},
      {.name = "seed",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "Choose the games. The same seed gives the same report."},
      {.name = "threads",
       .type = OptionType::kWhole,
       .help = "Number of threads; does not change the report. Default: one "
               "per core.",
       .low = 1,
       .high = 1024},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help =
           "Show a progress bar even if standard error is not a terminal."}};
}

AuditOptions MakePlayOptions(const Settings& settings) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return {.runs = settings.GetInt("runs"),
          .confidence = settings.GetDouble("confidence"),
          .seed = settings.GetInt("seed"),
          .looks = settings.GetInt("looks"),
          .threads = static_cast<unsigned>(
              settings.GetOptionalInt("threads").value_or(cores))};
}

const OptionTable& OutputOptions() {
  static const OptionTable kTable = {
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a JSON report."},
      {.name = "report", .help = "Write an HTML page with plots."}};
  return kTable;
}

bool IsProgram(const std::string& name) { return name.starts_with(kProgram); }

std::string MakeCommand(const std::string& name) {
  return name.substr(kProgram.size());
}

AuditResult PlayWithProgress(const AuditSubject& subject, AuditOptions options,
                             const Settings& settings) {
  AuditProgress progress(settings.Flag("progress") ||
                         ::isatty(STDERR_FILENO) != 0);
  options.progress = [&progress](std::uint64_t games, std::uint64_t of) {
    progress.Show(games, of);
  };
  return Audit(subject, options);
}

int RunAudit(const AuditSubject& subject, AuditOptions options,
             const Settings& settings) {
  auto page = OpenPage(settings);
  if (!page) return Report(page.error());
  return TellInto(PlayWithProgress(subject, std::move(options), settings),
                  settings, *page);
}

int Tell(const AuditResult& result, const Settings& settings) {
  auto page = OpenPage(settings);
  if (!page) return Report(page.error());
  return TellInto(result, settings, *page);
}

}  // namespace sotto::app
