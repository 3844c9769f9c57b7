#include "audit_program.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "audit_progress.h"
#include "command.h"
#include "sotto/audit/program/program_audit.h"
#include "sotto/data/files/file_system.h"

namespace sotto::app {
namespace {

constexpr std::size_t kLargestStream = std::size_t{1} << 26;

const OptionTable& RowOptions() {
  static const OptionTable kTable = {
      {.name = "data",
       .help = "Stream to vary, one row per line.",
       .letter = 'd',
       .required = true},
      {.name = "row",
       .type = OptionType::kWhole,
       .help = "Row of the protected user, from 1. Default: the middle row.",
       .low = 1},
      {.name = "change",
       .help = "only changes of the row whose names begin so, as replaced; "
               "default: all"},
      {.name = "format",
       .fallback = "csv",
       .help = "Format of the stream.",
       .words = {"csv", "libsvm", "vw", "jsonl", "live"}},
      {.name = "label", .fallback = "y", .help = "Label column."},
      {.name = "user",
       .fallback = "user",
       .help = "User column, if there is one."}};
  return kTable;
}

const OptionTable& ProgramOptions() {
  static const OptionTable kTable = {
      {.name = "runs",
       .type = OptionType::kWhole,
       .help = "of the program, in each world; default: enough to notice a "
               "leak of twice the claim, 20 to 600",
       .low = 2,
       .high = 1e6},
      {.name = "epsilon",
       .type = OptionType::kReal,
       .help = "Claimed epsilon for one user.",
       .required = true},
      {.name = "delta",
       .type = OptionType::kReal,
       .fallback = "0",
       .help = "Claimed delta for one user.",
       .high = 1},
      {.name = "answers",
       .help = "File in {out} with one line per row, each private to that "
               "row's user; - is standard output."},
      {.name = "allowed", .help = "Valid answers, as in 0,1."},
      {.name = "exact-words",
       .type = OptionType::kFlag,
       .help = "words, numbers of lines, names of files and the exit code "
               "have no noise: one that differs is a leak in any number of "
               "runs"},
      {.name = "with-errors",
       .type = OptionType::kFlag,
       .help = "Treat standard error as public, too."},
      {.name = "timeout",
       .type = OptionType::kReal,
       .fallback = "60",
       .help = "Seconds until a run counts as hanging.",
       .above = true},
      {.name = "most-bytes",
       .type = OptionType::kWhole,
       .fallback = "268435456",
       .help = "Maximum bytes of a file or output; a run that writes more is "
               "broken.",
       .low = 1},
      {.name = "equal-empties",
       .type = OptionType::kFlag,
       .help = "Require identical output for blank, absent and bad rows; the "
               "command must contain {seed}."},
      {.name = "threads",
       .type = OptionType::kWhole,
       .help = "Number of parallel runs. Default: one per core.",
       .low = 1,
       .high = 1024},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a JSON report."},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help =
           "Show a progress bar even if standard error is not a terminal."}};
  return kTable;
}

std::vector<std::string> Words(const std::string& list) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Result<ProgramStream> MakeStream(const Settings& settings) {
  const auto text = RealFiles().Read(settings.Text("data"), kLargestStream);
  if (!text) return InvalidArgument(text.error().message);
  auto stream = ProgramStream::Read(*text, settings.Text("format"), 0);
  if (!stream) return stream;
  const std::size_t row =
      settings.GetOptionalInt("row").value_or(stream->rows.size() / 2 + 1) - 1;
  if (row >= stream->rows.size()) {
    return InvalidArgument("--row: the stream has " +
                           std::to_string(stream->rows.size()) + " rows");
  }
  stream->protected_row = row;
  stream->label = settings.Text("label");
  stream->user = settings.Text("user");
  return stream;
}

// The names of the changes that begin with --change; empty: all.
Result<std::vector<std::string>> ChosenChanges(const Settings& settings,
                                               const ProgramStream& stream) {
  std::vector<std::string> chosen;
  const std::string& begin = settings.Text("change");
  if (begin.empty()) return chosen;
  std::string names;
  for (const NeighbourStream& neighbour : MakeNeighbours(stream)) {
    names += (names.empty() ? "'" : ", '") + neighbour.change + "'";
    if (neighbour.change.starts_with(begin)) chosen.push_back(neighbour.change);
  }
  if (!chosen.empty()) return chosen;
  return InvalidArgument("--change: no change begins with '" + begin +
                         "'; there are " + names);
}

int RunAuditProgram(const Settings& settings,
                    const std::vector<std::string>& command) {
  if (command.empty()) {
    return Report(InvalidArgument("name a program after --"));
  }
  auto stream = MakeStream(settings);
  if (!stream) return Report(stream.error());
  auto changes = ChosenChanges(settings, *stream);
  if (!changes) return Report(changes.error());
  AuditProgress progress(settings.Flag("progress") ||
                         ::isatty(STDERR_FILENO) != 0);
  const ApproximateDp claim{settings.GetDouble("epsilon"),
                            settings.GetDouble("delta")};
  const ProgramAudit audit{
      .command = command,
      .stream = *std::move(stream),
      .reading = {.answers = settings.Text("answers"),
                  .allowed = Words(settings.Text("allowed")),
                  .with_errors = settings.Flag("with-errors")},
      .claim = claim,
      .runs = settings.GetOptionalInt("runs").value_or(UsualRuns(claim)),
      .threads =
          static_cast<unsigned>(settings.GetOptionalInt("threads").value_or(
              std::max(1u, std::thread::hardware_concurrency()))),
      .timeout = std::chrono::milliseconds(
          static_cast<std::int64_t>(1000 * settings.GetDouble("timeout"))),
      .most_bytes = settings.GetInt("most-bytes"),
      .equal_empties = settings.Flag("equal-empties"),
      .changes = *std::move(changes),
      .exact_words = settings.Flag("exact-words"),
      .same_seeds = false,
      .progress = [&progress](std::uint64_t runs, std::uint64_t of) {
        progress.Show(runs, of);
      }};
  const auto result = AuditProgram(audit);
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
          .options = ConcatOptions({RowOptions(), ProgramOptions()}),
          .call_with_words = RunAuditProgram};
}

}  // namespace sotto::app
