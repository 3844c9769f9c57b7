#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "command.h"
#include "line_command.h"
#include "sotto/mechanisms/counters/counter.h"

namespace sotto::app {
namespace {

constexpr std::string_view kKind = "count";

struct CountFlags : LineFlags {
  std::string mechanism = "auto";
  std::uint64_t expected_events = 0;
};

Result<Counter::Params> ParamsOf(const CountFlags& flags,
                                 const ApproximateDp& each) {
  const auto mechanism = ParseCounterMechanism(flags.mechanism);
  if (!mechanism) return mechanism.error();
  return Counter::Params{.epsilon = each.epsilon,
                         .delta = each.delta,
                         .horizon = flags.horizon,
                         .expected_events = flags.expected_events,
                         .mechanism = *mechanism};
}

std::string Settings(const CountFlags& flags) {
  return "mechanism " + flags.mechanism + ", epsilon " + Exact(flags.epsilon) +
         ", delta " + Exact(flags.delta) + ", horizon " +
         std::to_string(flags.horizon) + ", expected events " +
         std::to_string(flags.expected_events) + ", rounds per user " +
         std::to_string(flags.rounds_per_user);
}

Result<Counter> CounterOf(const Counter::Params& params,
                          const std::optional<std::string>& saved) {
  if (!saved) return Counter::Create(params);
  ByteReader reader(*saved);
  auto counter = Counter::Load(params, reader);
  if (!counter) return counter.error();
  if (const Status whole = reader.Finish(); !whole) return whole.error();
  return counter;
}

Status AnswerCount(std::string_view line, Counter& counter, HistoryRng& rng,
                   std::string_view json_end, LineWriter& out) {
  const auto count = ParseCount(line);
  if (!count) {
    return InvalidArgument(Quote(line) +
                           " is not a non-negative integer of at most 2^30");
  }
  rng.Absorb(static_cast<std::uint64_t>(*count));
  const auto estimate = counter.Add(static_cast<std::uint64_t>(*count), rng);
  if (!estimate) return InvalidArgument(estimate.error().message);
  if (!json_end.empty()) {
    out.Text("{\"t\":");
    out.Number(static_cast<std::int64_t>(counter.steps()));
    out.Text(",\"estimate\":");
    out.Number(*estimate);
    out.Text(json_end);
  } else {
    out.Number(*estimate);
  }
  return Ok();
}

int RunCount(const CountFlags& flags) {
  const auto each = PerRound(flags);
  if (!each) return Report(each.error());
  const auto params = ParamsOf(flags, *each);
  if (!params) return Report(params.error());
  const std::string settings = Settings(flags);
  const auto start = StartLines(flags, kKind, settings);
  if (!start) return Report(start.error());
  auto counter = CounterOf(*params, start->mechanism);
  if (!counter) return Report(Explain(flags, *each, counter.error()));
  if (const Status kept = CheckPromise(flags, counter->guarantee()); !kept) {
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
                         return AnswerCount(line, *counter, rng, json_end, out);
                       },
                   .save = [&](ByteWriter& writer) { counter->Save(writer); },
                   .expectation = [&] { return counter->Describe(); },
                   .guarantee = counter->guarantee()});
}

constexpr const char* kFooter =
    "Reads one non-negative integer a line and prints, for each, a private "
    "estimate of the sum so far.\n"
    "Neighbours: streams in which one line differs by 1 (a user is one unit of "
    "one line).\n"
    "Example: seq 1000 | sed 's/.*/1/' | sotto count --epsilon 1 --delta 1e-6 "
    "--horizon 1000";

}  // namespace

void AddCountCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "count", "A private running count: a line in, an estimate out");
  command->footer(kFooter);
  auto flags = std::make_shared<CountFlags>();
  AddLineFlags(*command, *flags);
  AllowScientific(
      *command->add_option("--horizon", flags->horizon,
                           "the most lines there can be; left out: not known"));
  command
      ->add_option("--mechanism", flags->mechanism,
                   "auto, tree, sqrt or sparse")
      ->capture_default_str();
  AllowScientific(*command->add_option(
      "--expected-events", flags->expected_events,
      "about how large the sum will get, if that is known"));
  command->callback([flags, &exit_code] { exit_code = RunCount(*flags); });
}

}  // namespace sotto::app
