#include <optional>
#include <utility>

#include "interrupt.h"
#include "pop_report.h"
#include "pop_run.h"
#include "run_command.h"
#include "run_report.h"
#include "run_stream.h"

namespace sotto::app {
namespace {

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
  const bool one_number = spec->name == "threshold" ||
                          spec->name == "interval" || spec->name == "point" ||
                          spec->functions != nullptr;
  if (one_number && reader->encoding().schema() == nullptr &&
      reader->encoding().dense() == 0) {
    return InvalidArgument(
        spec->name +
        " looks at one number, feature 0, and the names of this stream are "
        "hashed: give the stream as csv, libsvm or jsonl");
  }
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

std::string Announcement(const RunFlags& flags, const PopRun& run) {
  return flags.model + " over " + run.spec.ToText() + ": " +
         InWords(run.stream->schedule());
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

Result<std::unique_ptr<PopRun>> MakeRun(const RunFlags& flags,
                                        const LearnerSpec& spec,
                                        const std::optional<PopSaved>& saved) {
  auto run = saved ? ResumePop(flags, spec, *saved) : StartPop(flags, spec);
  if (run || !saved) return run;
  return InvalidArgument(flags.load + ": " + run.error().message);
}

}  // namespace

int RunPop(RunFlags flags) {
  if (const Status good = CheckRunFlags(flags); !good)
    return RefuseRun(good.error());
  std::optional<PopSaved> saved;
  if (!flags.load.empty()) {
    auto state = ReadPopState(flags);
    if (!state) return RefuseRun(state.error());
    saved = *std::move(state);
  }
  if (const Status settled = Settle(flags.pop); !settled) {
    return RefuseRun(settled.error());
  }
  const auto* stop = CatchInterrupts();
  StreamDriver* driver = nullptr;
  auto input = OpenInput(
      flags,
      {.before_waiting =
           [&driver] { return driver == nullptr ? Ok() : driver->Pause(); },
       .stop = stop});
  if (!input) return RefuseRun(input.error());
  auto run = MakeRun(flags, input->spec, saved);
  if (!run) return RefuseRun(run.error());
  const auto guarantee =
      Promised(flags.pop, (*run)->stream->guarantee(), flags.public_only);
  if (!guarantee) return RefuseRun(guarantee.error());
  const StreamRun stream{
      .model = (*run)->stream.get(),
      .tally = &(*run)->tally,
      .public_mistakes =
          (*run)->public_mistakes ? &*(*run)->public_mistakes : nullptr,
      .comparison = (*run)->comparison ? &*(*run)->comparison : nullptr,
      .announcement = Announcement(flags, **run),
      .report = [&] { return ReportOf(flags, **run, *guarantee); },
      .save = [&] { return SavePop(flags, **run); }};
  return RunStream(flags, stream, input->reader, driver, stop);
}

}  // namespace sotto::app
