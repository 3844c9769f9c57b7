#include "audit_play.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "audit_progress.h"
#include "command.h"
#include "sotto/audit/audit_report.h"
#include "sotto/base/json.h"
#include "sotto/data/files/output_file.h"

namespace sotto::app {
namespace {

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

const OptionTable& OutputOptions() {
  static const OptionTable kTable = {
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a JSON report."},
      {.name = "report", .help = "Write an HTML page with plots."}};
  return kTable;
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
