#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include "command.h"
#include "html_report.h"
#include "interrupt.h"
#include "output_file.h"
#include "pop_report.h"
#include "pop_run.h"
#include "run_command.h"
#include "run_report.h"
#include "sotto/state/state_file.h"
#include "stream_driver.h"

namespace sotto::app {
namespace {

// Whatever keeps a run from starting is wrong usage or bad input: nothing has
// been answered yet.
int Refuse(const Error& error) {
  return Report(InvalidArgument(error.message));
}

Status CheckFlags(const RunFlags& flags) {
  if (flags.predictions == "-" && flags.json) {
    return InvalidArgument("-p - and --json both want standard output");
  }
  if (flags.report == "-") {
    return InvalidArgument("--report needs the name of a file");
  }
  // What cannot be written is refused before anybody is answered.
  if (!flags.report.empty()) {
    const auto page = OutputFile::Create(flags.report);
    if (!page) return page.error();
  }
  if (!flags.save.empty()) return CheckStateCanBeWritten(flags.save);
  return Ok();
}

// The stream, and the learner that knows its number of features.
struct Input {
  LearnerSpec spec;
  ExampleReader reader;
};

Result<Input> OpenInput(const RunFlags& flags, InputParams input) {
  auto spec = LearnerSpec::Parse(flags.pop.learner);
  if (!spec) return spec.error();
  auto params = ReaderParamsOf(flags, *spec);
  if (!params) return params.error();
  params->input = std::move(input);
  auto reader = ExampleReader::Open(*std::move(params));
  if (!reader) return reader.error();
  if (FactsOf(*spec).needs_features) {
    const std::uint32_t features = reader->features();
    if (spec->features != 0 && spec->features != features) {
      return InvalidArgument(
          "the learner is told of " + std::to_string(spec->features) +
          " features, the stream has " + std::to_string(features));
    }
    spec->features = features;
  }
  return Input{*std::move(spec), *std::move(reader)};
}

// Where text goes: beside predictions on standard output there is no room.
std::FILE* TextOut(const RunFlags& flags) {
  if (flags.quiet || flags.json) return nullptr;
  return flags.predictions == "-" ? stderr : stdout;
}

void Announce(const RunFlags& flags, const PopRun& run) {
  std::FILE* out = TextOut(flags);
  if (out == nullptr) return;
  std::fprintf(out, "%s over %s: %s\n", flags.model.c_str(),
               run.spec.ToText().c_str(),
               InWords(run.stream->schedule()).c_str());
}

RunReport ReportOf(const RunFlags& flags, const PopRun& run,
                   Guarantee guarantee) {
  RunReport report(std::move(guarantee));
  report.model = flags.model;
  report.learner = run.spec.ToText();
  report.parameters = ParametersJson(flags.pop, run.stream->schedule());
  report.tally = run.tally;
  report.phases = run.stream->phase() + 1;
  report.seeded = run.seeded;
  if (run.plan.contains("expected")) {
    report.expected = run.plan["expected"].get<double>();
    report.verdict = run.plan["verdict"].get<std::string>();
  }
  if (run.plan.contains("bound")) {
    report.bound = run.plan["bound"].get<double>();
  }
  report.public_only = flags.public_only;
  if (run.public_mistakes) {
    report.shown_error = run.public_mistakes->error_bound();
    report.shown_rounds = run.public_mistakes->rounds();
  }
  report.compared = flags.compare;
  if (run.process != nullptr) {
    report.assumptions.push_back(
        "Assumption that cannot be checked: the copies inside the learner's "
        "program share nothing that depends on data, a prediction changes no "
        "state, and the program tells nobody else what it is told.");
  }
  return report;
}

// Without buckets a string cannot be encoded: says which flags would help.
Status WithHint(Status status) {
  if (status || status.error().message.find("hash bits") == std::string::npos) {
    return status;
  }
  return Error{status.error().code,
               status.error().message +
                   ": --schema FILE, or --hash-bits B for 2^B buckets"};
}

struct Played {
  Status status = Ok();
  RunReport report;
};

Played Play(const RunFlags& flags, PopRun& run, Input& input,
            StreamDriver*& driver_for_input, LineWriter* predictions,
            ProgressTable& table, const volatile std::sig_atomic_t* stop,
            const Guarantee& guarantee) {
  ProgressLine line(
      flags.progress || (!flags.quiet && TextOut(flags) == nullptr &&
                         ::isatty(STDERR_FILENO) != 0),
      flags.pop.horizon);
  StreamDriver driver(
      {.model = run.stream.get(),
       .tally = &run.tally,
       .table = &table,
       .line = &line,
       .predictions = predictions,
       .public_mistakes = run.public_mistakes ? &*run.public_mistakes : nullptr,
       .comparison = run.comparison ? &*run.comparison : nullptr,
       .sample_votes = !flags.report.empty() && !flags.public_only},
      stop);
  driver_for_input = &driver;
  const std::uint64_t before = run.tally.now.rounds;
  const auto start = std::chrono::steady_clock::now();
  Status status = WithHint(driver.Run(input.reader));
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  driver_for_input = nullptr;
  table.Last(run.tally.now, run.stream->phase());
  Played played{std::move(status), ReportOf(flags, run, guarantee)};
  played.report.played_now = run.tally.now.rounds - before;
  played.report.seconds = time.count();
  played.report.interrupted = *stop != 0;
  played.report.skipped = input.reader.skipped();
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
int Finish(const RunFlags& flags, PopRun& run, const Played& played,
           OutputFile* predictions) {
  int exit_code = kDone;
  const auto note = [&exit_code](const Status& status) {
    if (!status && exit_code == kDone) exit_code = Report(status.error());
  };
  note(played.status);
  if (predictions != nullptr) note(predictions->Commit());
  if (!flags.save.empty()) {
    const Status saved = SavePop(flags, run);
    if (!saved) {
      std::fprintf(stderr,
                   "sotto: the state is not saved, %s is as it was: %s\n",
                   flags.save.c_str(), saved.error().message.c_str());
      if (exit_code == kDone) exit_code = kFailed;
    }
  }
  if (played.status && !flags.report.empty()) {
    note(WriteOutput(flags.report, HtmlReport(played.report)));
  }
  if (played.status || played.report.played_now > 0) SayIt(flags, played);
  return exit_code;
}

Result<std::unique_ptr<PopRun>> MakeRun(const RunFlags& flags,
                                        const LearnerSpec& spec,
                                        const std::optional<PopSaved>& saved) {
  auto run = saved ? ResumePop(flags, spec, *saved) : StartPop(flags, spec);
  if (run || !saved) return run;
  return InvalidArgument(flags.load + ": " + run.error().message);
}

}  // namespace

int RunPop(RunFlags flags) {
  if (const Status good = CheckFlags(flags); !good) return Refuse(good.error());
  std::optional<PopSaved> saved;
  if (!flags.load.empty()) {
    auto state = ReadPopState(flags);
    if (!state) return Refuse(state.error());
    saved = *std::move(state);
  }
  if (const Status settled = Settle(flags.pop); !settled) {
    return Refuse(settled.error());
  }
  const auto* stop = CatchInterrupts();
  StreamDriver* driver = nullptr;
  auto input = OpenInput(
      flags,
      {.before_waiting =
           [&driver] { return driver == nullptr ? Ok() : driver->Pause(); },
       .stop = stop});
  if (!input) return Refuse(input.error());
  auto run = MakeRun(flags, input->spec, saved);
  if (!run) return Refuse(run.error());
  const auto guarantee =
      Promised(flags.pop, (*run)->stream->guarantee(), flags.public_only);
  if (!guarantee) return Refuse(guarantee.error());
  auto table = ProgressTable::Create({.out = TextOut(flags),
                                      .every = flags.table_every,
                                      .public_only = flags.public_only},
                                     (*run)->tally.now);
  if (!table) return Refuse(table.error());
  std::optional<OutputFile> file;
  std::optional<LineWriter> predictions;
  if (!flags.predictions.empty()) {
    auto created = OutputFile::Create(flags.predictions);
    if (!created) return Refuse(created.error());
    file.emplace(*std::move(created));
    predictions.emplace(file->fd());
  }
  Announce(flags, **run);
  table->Header();
  const Played played =
      Play(flags, **run, *input, driver, predictions ? &*predictions : nullptr,
           *table, stop, *guarantee);
  return Finish(flags, **run, played, file ? &*file : nullptr);
}

}  // namespace sotto::app
