#include "run_finish.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>

#include "command.h"
#include "interrupt.h"
#include "sotto/data/files/output_file.h"
#include "sotto/frontend/row_check.h"
#include "sotto/report/html_report.h"

namespace sotto::app {
namespace {

using Of = RunFailure::Of;

int ExitCode(const RunFailure& failure) {
  // Damaged data, or a failed read.
  if (failure.of == Of::kInput) return Report(failure.error);
  return Report({ErrorCode::kUnavailable, failure.error.message});
}

// Text, or JSON, or nothing. A run that failed has no JSON report, and its
// statement goes where errors go.
void PrintReport(const Settings& settings, const RunReport& report, bool failed,
                 TextOut& out) {
  if (report.facts.seeded && !out.somewhere()) {
    std::fprintf(stderr, "NOT PRIVATE: the noise comes from a seed.\n");
  }
  if (out.somewhere()) {
    out.Print(RunText(report));
  } else if (settings.Flag("json") && !failed) {
    Print(RunJson(report));
  } else if (failed && !settings.Flag("quiet")) {
    std::fputs(RunText(report).c_str(), stderr);
  }
}

// A model that failed has no state: says what the one on disk covers.
void PrintCovered(const Settings& settings, const Ended& ended) {
  if (ended.journaled && ended.failure &&
      (ended.failure->of == Of::kModel || ended.failure->of == Of::kState)) {
    Warn("nothing that was answered is lost: " + settings.Text("save") +
         ".journal has the " + std::to_string(ended.covered) +
         " lines of this run that were answered; load " +
         settings.Text("save") + " to resume");
    return;
  }
  if (!ended.failure || ended.failure->of != Of::kModel ||
      !settings.Has("save")) {
    return;
  }
  Warn("what was answered since is not saved: " + settings.Text("save") +
       " covers the first " + std::to_string(ended.covered) +
       (settings.Flag("live") ? " lines of this run" : " rounds"));
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  std::array<char, 16> text{};
  const std::size_t size =
      gmtime_r(&now, &day) == nullptr
          ? 0
          : std::strftime(text.data(), text.size(), "%Y-%m-%d", &day);
  return {text.data(), size};
}

RunReport FillReport(const Settings& settings, const Session& session,
                     const Ended& ended) {
  RunReport report = MakeReport(session);
  // The name without its folders, which are the operator's own.
  report.facts.data =
      settings.Flag("live")
          ? "JSON lines, live"
          : std::filesystem::path(settings.Text("data")).filename().string();
  report.facts.date = Today();
  report.facts.version = SOTTO_VERSION;
  report.interrupted = *StopFlag() != 0;
  report.played_now = ended.played;
  report.seconds = ended.seconds;
  report.skipped = ended.skipped;
  AddHints(report.skipped);
  report.votes = ended.votes;
  report.published = ended.published;
  return report;
}

Status Publish(const Settings& settings, const Session& session) {
  if (!settings.Has("publish")) return Ok();
  const auto learned = session.Hypothesis();
  if (!learned) return Ok();
  return WriteOutput(settings.Text("publish"), learned->Dump() + "\n");
}

}  // namespace

int RefuseRun(const Error& error) {
  const bool usage = error.code != ErrorCode::kUnavailable &&
                     error.code != ErrorCode::kBudgetExhausted;
  return Report(usage ? InvalidArgument(error.message) : error);
}

void WriteRelease(const Settings& settings, const Session& session) {
  Status written = Publish(settings, session);
  if (written && settings.Has("report")) {
    written = WriteOutput(settings.Text("report"),
                          HtmlReport(FillReport(settings, session, Ended{})));
  }
  if (!written) Warn(written.error().message);
}

int FinishRun(const Settings& settings, Session& session, const Ended& ended,
              Predictions* predictions, TextOut& out) {
  int exit_code = kDone;
  const auto note = [&exit_code](const Status& status) {
    if (!status && exit_code == kDone) {
      exit_code = Report({ErrorCode::kUnavailable, status.error().message});
    }
  };
  // A reader that leaves has seen enough: no failure.
  const bool gone = ended.reader_gone ||
                    (predictions != nullptr && predictions->lines().closed());
  const bool failed =
      ended.failure && !(gone && ended.failure->of == Of::kOutput);
  if (failed) exit_code = ExitCode(*ended.failure);
  PrintCovered(settings, ended);
  // Predictions that could not all be written appear only as far as a state
  // covers them.
  if (predictions != nullptr &&
      (!ended.failure || ended.failure->of != Of::kOutput)) {
    note(predictions->Commit());
  }
  note(Publish(settings, session));
  const RunReport report = FillReport(settings, session, ended);
  if (!failed && settings.Has("report")) {
    note(WriteOutput(settings.Text("report"), HtmlReport(report)));
  }
  if (!failed || ended.played > 0) PrintReport(settings, report, failed, out);
  note(out.status());
  if (report.interrupted && exit_code == kDone) {
    std::fprintf(stderr, "sotto: interrupted after round %llu\n",
                 static_cast<unsigned long long>(session.rounds()));
    exit_code = kFailed;
  }
  return exit_code;
}

}  // namespace sotto::app
