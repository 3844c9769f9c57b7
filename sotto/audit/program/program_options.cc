#include "sotto/audit/program/program_options.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include "sotto/audit/program/neighbours.h"

namespace sotto {
namespace {

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

const OptionTable& RunOptions() {
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

Result<ProgramStream> MakeStream(const Settings& settings,
                                 const std::string& text) {
  auto stream = ProgramStream::Read(text, settings.Text("format"), 0);
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

}  // namespace

const OptionTable& ProgramAuditOptions() {
  static const OptionTable kTable = ConcatOptions({RowOptions(), RunOptions()});
  return kTable;
}

Result<ProgramAudit> MakeProgramAudit(const Settings& settings,
                                      const std::vector<std::string>& command,
                                      const std::string& text) {
  if (command.empty()) return InvalidArgument("name a program after --");
  SOTTO_TRY_ASSIGN(auto stream, MakeStream(settings, text));
  SOTTO_TRY_ASSIGN(auto changes, ChosenChanges(settings, stream));
  const ApproximateDp claim{settings.GetDouble("epsilon"),
                            settings.GetDouble("delta")};
  return ProgramAudit{
      .command = command,
      .stream = std::move(stream),
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
      .changes = std::move(changes),
      .exact_words = settings.Flag("exact-words"),
      .same_seeds = false};
}

}  // namespace sotto
