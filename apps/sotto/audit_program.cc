#include "audit_program.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "audit_progress.h"
#include "command.h"
#include "sotto/audit/program/program_audit.h"
#include "sotto/audit/program/program_options.h"
#include "sotto/data/files/file_system.h"

namespace sotto::app {
namespace {

constexpr std::size_t kLargestStream = std::size_t{1} << 26;

int RunAuditProgram(const Settings& settings,
                    const std::vector<std::string>& command) {
  const auto rows = RealFiles().Read(settings.Text("data"), kLargestStream);
  if (!rows) return Report(InvalidArgument(rows.error().message));
  auto audit = MakeProgramAudit(settings, command, *rows);
  if (!audit) return Report(audit.error());
  AuditProgress progress(settings.Flag("progress") ||
                         ::isatty(STDERR_FILENO) != 0);
  audit->progress = [&progress](std::uint64_t runs, std::uint64_t of) {
    progress.Show(runs, of);
  };
  const auto result = AuditProgram(*audit);
  if (!result) return Report(result.error());
  const std::string text = settings.Flag("json")
                               ? ProgramJson(*result).Dump() + "\n"
                               : ProgramText(*result);
  std::fputs(text.c_str(), stdout);
  const std::string_view verdict = result->Conclusion();
  if (verdict == "inconclusive") return kOpen;
  return verdict == "consistent" ? kDone : kFailed;
}

}  // namespace

Command AuditProgramCommand() {
  return {.name = "program",
          .help =
              "Run a whole program on streams that differ in one row and "
              "compare all public output",
          .footer =
              "In the command {data} is the stream's file (without it, the "
              "stream is standard input), {out} an empty folder, all of which "
              "is public, and {seed} the number of the run.\nWith --format "
              "live the rows are jsonl, and the program is talked to as `sotto "
              "run MODEL --live` is.\nExit code 1: a leak, or a run that went "
              "wrong; 3: inconclusive, the runs were too few.\nExample:\n  "
              "sotto audit program -d rows.csv --epsilon 1 "
              "--answers p -- ./mine --in {data} --predictions {out}/p",
          .options = ProgramAuditOptions(),
          .call_with_words = RunAuditProgram};
}

}  // namespace sotto::app
