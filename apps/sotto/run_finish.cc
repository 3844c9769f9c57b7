#include "run_finish.h"

#include <cstdio>
#include <string>

#include "command.h"
#include "interrupt.h"
#include "sotto/data/files/output_file.h"
#include "sotto/report/html_report.h"

namespace sotto::app {
namespace {

using Of = RunFailure::Of;

// Says which flags would help.
std::string WithHint(std::string message) {
  if (message.find("hash bits") != std::string::npos) {
    message += ": --schema FILE, or --hash-bits B for 2^B buckets";
  } else if (message.find("expected a magnitude") != std::string::npos) {
    message += ": --schema FILE with a range for it, or --clip";
  }
  return message;
}

int ExitCode(const RunFailure& failure) {
  switch (failure.of) {
    case Of::kRow:
      return Report(InvalidArgument(WithHint(failure.error.message)));
    case Of::kInput:
      return Report(failure.error);  // damaged data, or a failed read
    case Of::kModel:
    case Of::kOutput:
    case Of::kState:
      break;
  }
  return Report({ErrorCode::kUnavailable, failure.error.message});
}

// Text, or JSON, or nothing; a run that failed has no JSON report, and its
// statement goes where errors go.
void SayIt(const Settings& settings, const RunReport& report, bool failed) {
  if (report.facts.seeded &&
      (settings.Flag("quiet") || settings.Flag("json"))) {
    std::fprintf(stderr, "NOT PRIVATE: the noise comes from a seed.\n");
  }
  if (std::FILE* out = TextOut(settings); out != nullptr) {
    std::fputs(RunText(report).c_str(), out);
  } else if (settings.Flag("json") && !failed) {
    std::printf("%s\n", RunJson(report).Dump().c_str());
  } else if (failed && !settings.Flag("quiet")) {
    std::fputs(RunText(report).c_str(), stderr);
  }
}

Status Publish(const Settings& settings, const Session& session) {
  if (!settings.Has("hypothesis")) return Ok();
  const auto learned = session.Hypothesis();
  if (!learned) return Ok();
  return WriteOutput(settings.Text("hypothesis"), learned->Dump() + "\n");
}

}  // namespace

int RefuseRun(const Error& error) {
  if (error.code == ErrorCode::kUnavailable) return Report(error);
  return Report(InvalidArgument(error.message));
}

int FinishRun(const Settings& settings, Session& session, const Ended& ended,
              Predictions* predictions) {
  int exit_code = kDone;
  const auto note = [&exit_code](const Status& status) {
    if (!status && exit_code == kDone) {
      exit_code = Report({ErrorCode::kUnavailable, status.error().message});
    }
  };
  if (ended.failure) exit_code = ExitCode(*ended.failure);
  if (ended.failure && ended.failure->of == Of::kModel &&
      settings.Has("save")) {
    std::fprintf(stderr,
                 "sotto: what was answered since is not saved: %s holds an "
                 "earlier state\n",
                 settings.Text("save").c_str());
  }
  const bool failed = ended.failure.has_value();
  // Predictions that could not all be written appear only as far as a state
  // covers them.
  if (predictions != nullptr && (!failed || ended.failure->of != Of::kOutput)) {
    note(predictions->Commit());
  }
  note(Publish(settings, session));
  RunReport report = MakeReport(session);
  report.interrupted = *StopFlag() != 0;
  report.played_now = ended.played;
  report.seconds = ended.seconds;
  report.skipped = ended.skipped;
  report.votes = ended.votes;
  report.published = ended.published;
  if (!failed && settings.Has("report")) {
    note(WriteOutput(settings.Text("report"), HtmlReport(report)));
  }
  if (!failed || ended.played > 0) SayIt(settings, report, failed);
  if (report.interrupted && exit_code == kDone) {
    std::fprintf(stderr, "sotto: interrupted after round %llu\n",
                 static_cast<unsigned long long>(session.rounds()));
    exit_code = kFailed;
  }
  return exit_code;
}

}  // namespace sotto::app
