#include <optional>
#include <utility>

#include "interrupt.h"
#include "run_command.h"
#include "run_report.h"
#include "run_stream.h"
#include "sotto/files/output_file.h"
#include "winnow_run.h"

namespace sotto::app {
namespace {

// The values that winnow takes; what it would clip is a mistake of whoever made
// the stream, unless --clip says that it is meant.
constexpr double kLargest = 1;
constexpr int kSparseHashBits = 18;

Result<ExampleReader> OpenInput(const RunFlags& run, WinnowFlags& flags,
                                InputParams input) {
  // Read as for a learner with a weight a feature; but where examples are
  // sparse, names go into as many buckets as for any other.
  LearnerSpec like;
  like.name = "perceptron";
  like.features = flags.features;
  auto params = ReaderParamsOf(run, like);
  if (!params) return params.error();
  if (params->format == StreamFormat::kVw && flags.max_nonzeros > 0 &&
      flags.features == 0 && !run.hash_bits) {
    params->encoding.hash_bits = kSparseHashBits;
  }
  params->input = std::move(input);
  if (!flags.clip) params->max_magnitude = kLargest;
  auto reader = ExampleReader::Open(*std::move(params));
  if (!reader) return reader.error();
  if (flags.features != 0 && flags.features != reader->features()) {
    return InvalidArgument("--features says " + std::to_string(flags.features) +
                           ", the stream has " +
                           std::to_string(reader->features()));
  }
  flags.features = reader->features();
  return reader;
}

RunReport ReportOf(const RunFlags& run, const WinnowFlags& flags,
                   const WinnowRun& winnow, const Guarantee& guarantee) {
  RunReport report(guarantee);
  report.model = run.model;
  report.learner = "halfspaces";
  report.parameters = ParametersJson(run.pop, flags, winnow.stream->winnow());
  report.tally = winnow.tally;
  report.phases = winnow.stream->phase() + 1;
  report.seeded = winnow.seeded;
  report.verdict = winnow.plan.value("verdict", "");
  if (winnow.plan.contains("expected")) {
    report.expected = winnow.plan["expected"].get<double>();
  }
  // Reports speak of 95 %.
  if (winnow.plan.contains("bound") && flags.failure <= 0.05) {
    report.bound = winnow.plan["bound"].get<double>();
  }
  report.public_only = run.public_only;
  if (winnow.public_mistakes) {
    report.shown_error = winnow.public_mistakes->error_bound();
    report.shown_rounds = winnow.public_mistakes->rounds();
  }
  report.compared = run.compare;
  report.neighbours = WinnowNeighbours(run.pop);
  report.assumptions.push_back(HypothesisWords());
  return report;
}

Status CheckFlags(const RunFlags& run, const WinnowFlags& flags) {
  if (Status good = CheckForWinnow(run.given); !good) return good;
  if (Status good = CheckRunFlags(run); !good) return good;
  if (flags.hypothesis == "-") {
    return InvalidArgument("--hypothesis needs the name of a file");
  }
  if (flags.hypothesis.empty()) return Ok();
  const auto file = OutputFile::Create(flags.hypothesis);
  return file ? Ok() : Status(file.error());
}

Result<std::unique_ptr<WinnowRun>> MakeRun(
    const RunFlags& run, const WinnowFlags& flags,
    const std::optional<WinnowSaved>& saved) {
  auto made =
      saved ? ResumeWinnow(run, flags, *saved) : StartWinnow(run, flags);
  if (made || !saved) return made;
  return InvalidArgument(run.load + ": " + made.error().message);
}

StreamRun StreamOf(const RunFlags& run, const WinnowFlags& flags,
                   WinnowRun& winnow, const Guarantee& model,
                   const Guarantee& whole) {
  StreamRun stream{
      .model = winnow.stream.get(),
      .tally = &winnow.tally,
      .public_mistakes =
          winnow.public_mistakes ? &*winnow.public_mistakes : nullptr,
      .comparison = winnow.comparison ? &*winnow.comparison : nullptr,
      .announcement =
          run.model + ": " + InWords(flags, winnow.stream->winnow()),
      .report = [&] { return ReportOf(run, flags, winnow, whole); },
      .save = [&] { return SaveWinnow(run, winnow); }};
  if (!flags.hypothesis.empty()) {
    stream.publish = [&] {
      return WriteOutput(
          flags.hypothesis,
          HypothesisJson(flags, *winnow.stream, model, winnow.tally.now.rounds,
                         winnow.seeded));
    };
  }
  return stream;
}

}  // namespace

int RunWinnow(RunFlags run, WinnowFlags flags) {
  if (const Status good = CheckFlags(run, flags); !good) {
    return RefuseRun(good.error());
  }
  std::optional<WinnowSaved> saved;
  if (!run.load.empty()) {
    auto state = ReadWinnowState(run, flags);
    if (!state) return RefuseRun(state.error());
    saved = *std::move(state);
  }
  if (const Status settled = SettleWinnow(run.pop, flags, run.given);
      !settled) {
    return RefuseRun(settled.error());
  }
  const auto settings = WinnowSettingsOf(run, flags);
  const auto* stop = CatchInterrupts();
  StreamDriver* driver = nullptr;
  auto reader = OpenInput(
      run, flags,
      {.before_waiting =
           [&driver] { return driver == nullptr ? Ok() : driver->Pause(); },
       .stop = stop});
  if (!reader) return RefuseRun(reader.error());
  auto winnow = MakeRun(run, flags, saved);
  if (!winnow) return RefuseRun(winnow.error());
  (*winnow)->settings = settings;
  const Guarantee& model = (*winnow)->stream->guarantee();
  const auto whole = PromisedByWinnow(run.pop, model, run.public_only);
  if (!whole) return RefuseRun(whole.error());
  const StreamRun stream = StreamOf(run, flags, **winnow, model, *whole);
  return RunStream(run, stream, *reader, driver, stop);
}

}  // namespace sotto::app
