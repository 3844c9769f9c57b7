#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "command.h"
#include "line_command.h"
#include "sotto/mechanisms/threshold_monitor.h"

namespace sotto::app {
namespace {

using Answer = ThresholdMonitor::Answer;

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
                     HistoryRng& rng, bool json, LineWriter& out) {
  const auto count = ParseCount(line);
  if (!count) {
    return InvalidArgument("'" + std::string(line.substr(0, 40)) +
                           "' is not a non-negative integer");
  }
  rng.Absorb(static_cast<std::uint64_t>(*count));
  const auto answer = monitor.Add(static_cast<std::uint64_t>(*count), rng);
  if (!answer) return InvalidArgument(answer.error().message);
  const std::string_view word = *answer == Answer::kAbove ? "above" : "below";
  if (json) {
    out.Text("{\"t\":");
    out.Number(static_cast<std::int64_t>(monitor.steps()));
    out.Text(",\"answer\":\"");
    out.Text(word);
    out.Text("\"}");
  } else {
    out.Text(word);
  }
  return Ok();
}

std::string Expectation(const MonitorFlags& flags,
                        const ThresholdMonitor& monitor) {
  return "With probability 95 %, 'above' comes while the count is between " +
         std::to_string(flags.threshold - monitor.EarlySlack()) + " and " +
         std::to_string(flags.threshold) + ".";
}

int RunMonitor(const MonitorFlags& flags) {
  const auto each = PerRound(flags);
  if (!each) return Report(each.error());
  const std::string settings = Settings(flags);
  const auto start = StartLines(flags, "monitor", settings);
  if (!start) return Report(start.error());
  auto monitor = MonitorOf({.epsilon = each->epsilon,
                            .threshold = flags.threshold,
                            .horizon = flags.horizon},
                           start->mechanism);
  if (!monitor) return Report(monitor.error());
  HistoryRng rng(start->key);
  const LineLoop loop{[&](std::string_view line, LineWriter& out) {
                        return AnswerMonitor(line, *monitor, rng, flags.json,
                                             out);
                      },
                      [&] { return monitor->halted(); }};
  const auto lines = AnswerLines(flags, loop, start->lines);
  if (!lines) return Report(lines.error());
  ByteWriter state;
  monitor->Save(state);
  return FinishLines(flags, "monitor", settings, rng, *lines, state,
                     monitor->guarantee(), Expectation(flags, *monitor));
}

constexpr const char* kFooter =
    "Reads one non-negative integer a line; prints 'below' until the sum "
    "reaches the threshold, then 'above' once, and ends.\n"
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
  command
      ->add_option("--threshold", flags->threshold,
                   "the count at which to answer 'above'")
      ->required();
  command
      ->add_option("--horizon", flags->horizon, "the most lines there can be")
      ->required();
  command->callback([flags, &exit_code] { exit_code = RunMonitor(*flags); });
}

}  // namespace sotto::app
