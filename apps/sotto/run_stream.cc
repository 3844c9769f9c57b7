#include "run_stream.h"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>

#include "command.h"
#include "html_report.h"
#include "sotto/files/output_file.h"
#include "sotto/files/state_file.h"

namespace sotto::app {
namespace {

// Where text goes: beside predictions on standard output there is no room.
std::FILE* TextOut(const RunFlags& flags) {
  if (flags.quiet || flags.json) return nullptr;
  return flags.predictions == "-" ? stderr : stdout;
}

// Says which flags would help.
Status WithHint(Status status) {
  if (status) return status;
  std::string message = status.error().message;
  if (message.find("hash bits") != std::string::npos) {
    message += ": --schema FILE, or --hash-bits B for 2^B buckets";
  } else if (message.find("expected a magnitude") != std::string::npos) {
    message += ": --schema FILE with a range for it, or --clip";
  }
  return Error{status.error().code, std::move(message)};
}

struct Played {
  Status status = Ok();
  RunReport report;
};

Played Play(const RunFlags& flags, const StreamRun& run, ExampleReader& reader,
            StreamDriver*& driver_for_input, LineWriter* predictions,
            ProgressTable& table, const volatile std::sig_atomic_t* stop) {
  ProgressLine line(
      flags.progress || (!flags.quiet && TextOut(flags) == nullptr &&
                         ::isatty(STDERR_FILENO) != 0),
      flags.pop.horizon);
  StreamDriver driver(
      {.model = run.model,
       .tally = run.tally,
       .table = &table,
       .line = &line,
       .predictions = predictions,
       .public_mistakes = run.public_mistakes,
       .comparison = run.comparison,
       .sample_votes = !flags.report.empty() && !flags.public_only},
      stop);
  driver_for_input = &driver;
  const std::uint64_t before = run.tally->now.rounds;
  const auto start = std::chrono::steady_clock::now();
  Status status = WithHint(driver.Run(reader));
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  driver_for_input = nullptr;
  table.Last(run.tally->now, run.model->phase());
  Played played{std::move(status), run.report()};
  played.report.played_now = run.tally->now.rounds - before;
  played.report.seconds = time.count();
  played.report.interrupted = *stop != 0;
  played.report.skipped = reader.skipped();
  played.report.votes = driver.votes();
  return played;
}

void SayIt(const RunFlags& flags, const Played& played) {
  if (played.report.seeded && (flags.quiet || flags.json)) {
    std::fprintf(stderr, "NOT PRIVATE: the noise comes from a seed.\n");
  }
  if (std::FILE* out = TextOut(flags); out != nullptr) {
    PrintText(played.report, out);
    return;
  }
  if (flags.json && played.status) {
    std::printf("%s\n", ToJson(played.report).dump().c_str());
  } else if (!played.status && !flags.quiet) {
    PrintText(played.report, stderr);
  }
}

// Outputs of a run that has ended, well or not: what was answered was answered,
// so its predictions and its state are kept.
int Finish(const RunFlags& flags, const StreamRun& run, const Played& played,
           OutputFile* predictions) {
  int exit_code = kDone;
  const auto note = [&exit_code](const Status& status) {
    if (!status && exit_code == kDone) exit_code = Report(status.error());
  };
  note(played.status);
  if (predictions != nullptr) note(predictions->Commit());
  if (!flags.save.empty()) {
    const Status saved = run.save();
    if (!saved) {
      std::fprintf(stderr,
                   "sotto: the state is not saved, %s is as it was: %s\n",
                   flags.save.c_str(), saved.error().message.c_str());
      if (exit_code == kDone) exit_code = kFailed;
    }
  }
  if (run.publish) note(run.publish());
  if (played.status && !flags.report.empty()) {
    note(WriteOutput(flags.report, HtmlReport(played.report)));
  }
  if (played.status || played.report.played_now > 0) SayIt(flags, played);
  return exit_code;
}

}  // namespace

int RefuseRun(const Error& error) {
  return Report(InvalidArgument(error.message));
}

namespace {

// A file that is read or written twice loses one of the two.
Status CheckNames(const RunFlags& flags) {
  const std::string* const names[] = {&flags.data, &flags.predictions,
                                      &flags.report, &flags.save};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    for (std::size_t j = i + 1; j < std::size(names); ++j) {
      if (!names[i]->empty() && *names[i] != "-" && *names[i] == *names[j]) {
        return InvalidArgument(*names[i] +
                               " is named twice: data, predictions, report and "
                               "state need a file each");
      }
    }
  }
  return Ok();
}

}  // namespace

Status CheckRunFlags(const RunFlags& flags) {
  if (Status names = CheckNames(flags); !names) return names;
  if (flags.predictions == "-" && flags.json) {
    return InvalidArgument("-p - and --json both want standard output");
  }
  if (flags.report == "-") {
    return InvalidArgument("--report needs the name of a file");
  }
  if (!flags.report.empty()) {
    const auto page = OutputFile::Create(flags.report);
    if (!page) return page.error();
  }
  if (!flags.save.empty()) return CheckStateCanBeWritten(flags.save);
  return Ok();
}

int RunStream(const RunFlags& flags, const StreamRun& run,
              ExampleReader& reader, StreamDriver*& driver,
              const volatile std::sig_atomic_t* stop) {
  auto table = ProgressTable::Create({.out = TextOut(flags),
                                      .every = flags.table_every,
                                      .public_only = flags.public_only},
                                     run.tally->now);
  if (!table) return RefuseRun(table.error());
  std::optional<OutputFile> file;
  std::optional<LineWriter> predictions;
  if (!flags.predictions.empty()) {
    auto created = OutputFile::Create(flags.predictions);
    if (!created) return RefuseRun(created.error());
    file.emplace(*std::move(created));
    predictions.emplace(file->fd());
  }
  if (std::FILE* out = TextOut(flags); out != nullptr) {
    std::fprintf(out, "%s\n", run.announcement.c_str());
  }
  table->Header();
  const Played played =
      Play(flags, run, reader, driver, predictions ? &*predictions : nullptr,
           *table, stop);
  return Finish(flags, run, played, file ? &*file : nullptr);
}

}  // namespace sotto::app
