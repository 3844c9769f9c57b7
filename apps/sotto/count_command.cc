#include <optional>
#include <string>
#include <string_view>

#include "command.h"
#include "commands.h"
#include "line_command.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/mechanisms/counters/counter.h"

namespace sotto::app {
namespace {

Result<Counter> MakeCounter(const Counter::Params& params,
                            const std::optional<std::string>& saved) {
  if (!saved) return Counter::Create(params);
  ByteReader reader(*saved);
  auto counter = Counter::Load(params, reader);
  if (!counter) return counter.error();
  SOTTO_TRY(reader.Finish());
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

int RunCount(const Settings& said) {
  const auto start = StartLines(said, kCountKind);
  if (!start) return Report(start.error());
  const auto params = CounterParams(start->settings);
  if (!params) return Report(params.error());
  auto counter = MakeCounter(*params, start->mechanism);
  if (!counter) {
    return Report(Explain(start->settings, {params->epsilon, params->delta},
                          counter.error()));
  }
  if (const Status kept = CheckPromise(start->settings, counter->guarantee());
      !kept) {
    return Report(kept.error());
  }
  HistoryRng rng(start->key);
  const std::string_view json_end = said.Flag("json") ? JsonEnd(*start) : "";
  return RunLines(*start,
                  {.kind = kCountKind,
                   .rng = &rng,
                   .answer =
                       [&](std::string_view line, LineWriter& out) {
                         return AnswerCount(line, *counter, rng, json_end, out);
                       },
                   .save = [&](ByteWriter& writer) { counter->Save(writer); },
                   .expectation = [&] { return counter->Describe(); },
                   .guarantee = counter->guarantee()});
}

}  // namespace

Command CountCommand() {
  return {.name = "count",
          .help = "Keep a private running count: a line in, an estimate out",
          .footer =
              "Reads one non-negative integer a line and prints, for each, a "
              "private estimate of the sum so far.\n"
              "Neighbours: streams in which one line differs by 1 (a user is "
              "one unit of one line).\n"
              "Example: seq 1000 | sed 's/.*/1/' | sotto count --epsilon 1 "
              "--delta 1e-6 --horizon 1000\n"
              "Stop and go on: sotto count --epsilon 1 --horizon 1e6 --save s "
              "< monday; sotto count --load s --save s < tuesday",
          .options = CountOptions(),
          .call = RunCount};
}

}  // namespace sotto::app
