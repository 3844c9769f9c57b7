#include <optional>
#include <string>

#include "command.h"
#include "commands.h"
#include "line_command.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"

namespace sotto::app {
namespace {

using Answer = ThresholdMonitor::Answer;

Result<ThresholdMonitor> MakeMonitor(const ThresholdMonitor::Params& params,
                                     const std::optional<std::string>& saved) {
  if (!saved) return ThresholdMonitor::Create(params);
  ByteReader reader(*saved);
  auto monitor = ThresholdMonitor::Load(params, reader);
  if (!monitor) return monitor.error();
  SOTTO_TRY(reader.Finish());
  if (monitor->halted()) {
    return InvalidArgument(
        "the saved monitor has answered 'above' and ended; nothing more can be "
        "asked of it");
  }
  return monitor;
}

Status AnswerMonitor(std::string_view line, ThresholdMonitor& monitor,
                     HistoryRng& rng, std::string_view json_end,
                     LineWriter& out) {
  const auto count = ParseCount(line);
  if (!count) {
    return InvalidArgument(Quote(line) +
                           " is not a non-negative integer of at most 2^31");
  }
  rng.Absorb(static_cast<std::uint64_t>(*count));
  const auto answer = monitor.Add(static_cast<std::uint64_t>(*count), rng);
  if (!answer) return InvalidArgument(answer.error().message);
  const std::string_view word = *answer == Answer::kAbove ? "above" : "below";
  if (!json_end.empty()) {
    out.Text("{\"t\":");
    out.Number(static_cast<std::int64_t>(monitor.steps()));
    out.Text(",\"answer\":\"");
    out.Text(word);
    out.Text("\"");
    out.Text(json_end);
  } else {
    out.Text(word);
  }
  return Ok();
}

int RunMonitor(const Settings& said) {
  const auto start = StartLines(said, kMonitorKind);
  if (!start) return Report(start.error());
  const Settings& settings = start->settings;
  const auto params = MonitorParams(settings);
  if (!params) return Report(params.error());
  auto monitor = MakeMonitor(*params, start->mechanism);
  if (!monitor) {
    return Report(Explain(settings, {params->epsilon, 0}, monitor.error()));
  }
  if (const Status kept = CheckPromise(settings, monitor->guarantee()); !kept) {
    return Report(kept.error());
  }
  HistoryRng rng(start->key);
  const std::string_view json_end = said.Flag("json") ? JsonEnd(*start) : "";
  return RunLines(
      *start, {.kind = kMonitorKind,
               .rng = &rng,
               .answer =
                   [&](std::string_view line, LineWriter& out) {
                     return AnswerMonitor(line, *monitor, rng, json_end, out);
                   },
               .ended = [&] { return monitor->halted(); },
               .save = [&](ByteWriter& writer) { monitor->Save(writer); },
               .expectation = [&] { return monitor->Describe(); },
               .guarantee = monitor->guarantee()});
}

}  // namespace

Command MonitorCommand() {
  return {.name = "monitor",
          .help = "Raise a private alarm when a count reaches a threshold",
          .footer =
              "Reads one non-negative integer a line; prints 'below', then "
              "'above' once, when the sum is near the threshold and rarely "
              "after it is reached, and ends.\n"
              "Neighbours: streams in which one line differs by 1.\n"
              "Example: seq 1000 | sed 's/.*/1/' | sotto monitor --threshold "
              "500 --epsilon 1 --horizon 1000",
          .options = MonitorOptions(),
          .call = RunMonitor};
}

}  // namespace sotto::app
