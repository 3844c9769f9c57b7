#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "command.h"
#include "line_command.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"

namespace sotto::app {
namespace {

using Answer = ThresholdMonitor::Answer;

constexpr std::string_view kKind = "monitor";

struct MonitorFlags : LineFlags {
  std::int64_t threshold = 0;
};

std::string Settings(const MonitorFlags& flags) {
  return "threshold " + std::to_string(flags.threshold) + ", epsilon " +
         Exact(flags.epsilon) + ", delta " + Exact(flags.delta) + ", horizon " +
         std::to_string(flags.horizon) + ", rounds per user " +
         std::to_string(flags.rounds_per_user);
}

Result<ThresholdMonitor> MonitorOf(const ThresholdMonitor::Params& params,
                                   const std::optional<std::string>& saved) {
  if (!saved) return ThresholdMonitor::Create(params);
  ByteReader reader(*saved);
  auto monitor = ThresholdMonitor::Load(params, reader);
  if (!monitor) return monitor.error();
  if (const Status whole = reader.Finish(); !whole) return whole.error();
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

int RunMonitor(const MonitorFlags& flags) {
  const auto each = PerRound(flags);
  if (!each) return Report(each.error());
  const std::string settings = Settings(flags);
  const auto start = StartLines(flags, kKind, settings);
  if (!start) return Report(start.error());
  auto monitor = MonitorOf({.epsilon = each->epsilon,
                            .threshold = flags.threshold,
                            .horizon = flags.horizon},
                           start->mechanism);
  if (!monitor) return Report(Explain(flags, *each, monitor.error()));
  if (const Status kept = CheckPromise(flags, monitor->guarantee()); !kept) {
    return Report(kept.error());
  }
  HistoryRng rng(start->key);
  const std::string_view json_end = flags.json ? JsonEnd(*start) : "";
  return RunLines(flags, *start,
                  {.kind = kKind,
                   .settings = settings,
                   .rng = &rng,
                   .answer =
                       [&](std::string_view line, LineWriter& out) {
                         return AnswerMonitor(line, *monitor, rng, json_end,
                                              out);
                       },
                   .ended = [&] { return monitor->halted(); },
                   .save = [&](ByteWriter& writer) { monitor->Save(writer); },
                   .expectation = [&] { return monitor->Describe(); },
                   .guarantee = monitor->guarantee()});
}

constexpr const char* kFooter =
    "Reads one non-negative integer a line; prints 'below', then 'above' once, "
    "when the sum is near the threshold and rarely after it is reached, and "
    "ends.\n"
    "Neighbours: streams in which one line differs by 1.\n"
    "Example: seq 1000 | sed 's/.*/1/' | sotto monitor --threshold 500 "
    "--epsilon 1 --horizon 1000";

}  // namespace

void AddMonitorCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "monitor", "A private alarm: tells when a count reaches a threshold");
  command->footer(kFooter);
  auto flags = std::make_shared<MonitorFlags>();
  AddLineFlags(*command, *flags);
  AllowScientific(*command
                       ->add_option("--threshold", flags->threshold,
                                    "the count at which to answer 'above'")
                       ->required());
  AllowScientific(*command
                       ->add_option("--horizon", flags->horizon,
                                    "the most lines there can be")
                       ->required());
  command->callback([flags, &exit_code] { exit_code = RunMonitor(*flags); });
}

}  // namespace sotto::app
