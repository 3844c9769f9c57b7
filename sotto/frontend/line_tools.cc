#include "sotto/frontend/line_tools.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "sotto/base/printable.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_options.h"
#include "sotto/frontend/line_ranks.h"

namespace sotto {
namespace {

// The number of an answer of a JSON line.
void WriteNumber(std::string_view name, std::int64_t number, LineWriter& out) {
  out.Text(name);
  out.Number(number);
}

Status TakeCount(std::string_view line, std::string_view most, HistoryRng& rng,
                 std::uint64_t& count) {
  const auto parsed = ParseCount(line);
  if (!parsed) {
    return InvalidArgument(Quoted(line) +
                           " is not a non-negative integer of at most " +
                           std::string(most));
  }
  count = static_cast<std::uint64_t>(*parsed);
  rng.Absorb(count);
  return Ok();
}

class CountLines final : public LineMechanism {
 public:
  explicit CountLines(Counter counter) : counter_(std::move(counter)) {}

  Status Answer(std::string_view line, std::string_view json_end,
                HistoryRng& rng, LineWriter& out) override {
    std::uint64_t count = 0;
    SOTTO_TRY(TakeCount(line, "2^30", rng, count));
    const auto estimate = counter_.Add(count, rng);
    if (!estimate) return InvalidArgument(estimate.error().message);
    if (json_end.empty()) {
      out.Number(*estimate);
      return Ok();
    }
    WriteNumber("{\"t\":", static_cast<std::int64_t>(counter_.steps()), out);
    WriteNumber(",\"estimate\":", *estimate, out);
    out.Text(json_end);
    return Ok();
  }
  void Save(ByteWriter& writer) const override { counter_.Save(writer); }
  std::string Describe() const override { return counter_.Describe(); }
  const Guarantee& guarantee() const override { return counter_.guarantee(); }

 private:
  Counter counter_;
};

class MonitorLines final : public LineMechanism {
 public:
  explicit MonitorLines(ThresholdMonitor monitor)
      : monitor_(std::move(monitor)) {}

  Status Answer(std::string_view line, std::string_view json_end,
                HistoryRng& rng, LineWriter& out) override {
    std::uint64_t count = 0;
    SOTTO_TRY(TakeCount(line, "2^31", rng, count));
    const auto answer = monitor_.Add(count, rng);
    if (!answer) return InvalidArgument(answer.error().message);
    const bool above = *answer == ThresholdMonitor::Answer::kAbove;
    const std::string_view word = above ? "above" : "below";
    if (json_end.empty()) {
      out.Text(word);
      return Ok();
    }
    WriteNumber("{\"t\":", static_cast<std::int64_t>(monitor_.steps()), out);
    out.Text(",\"answer\":\"");
    out.Text(word);
    out.Text("\"");
    out.Text(json_end);
    return Ok();
  }
  bool ended() const override { return monitor_.halted(); }
  void Save(ByteWriter& writer) const override { monitor_.Save(writer); }
  std::string Describe() const override { return monitor_.Describe(); }
  const Guarantee& guarantee() const override { return monitor_.guarantee(); }

 private:
  ThresholdMonitor monitor_;
};

class RankLines final : public LineMechanism {
 public:
  RankLines(LineRanks ranks, Guarantee guarantee)
      : ranks_(std::move(ranks)), guarantee_(std::move(guarantee)) {}

  Status Answer(std::string_view line, std::string_view json_end,
                HistoryRng& rng, LineWriter& out) override {
    const auto query = ParseReal(line);
    if (!query) {
      return InvalidArgument(Quoted(line) + " is not a finite number");
    }
    rng.Absorb(std::bit_cast<std::uint64_t>(*query));
    const auto answer = ranks_.thresholds.Query(*query, rng);
    if (!answer) return InvalidArgument(answer.error().message);
    if (json_end.empty()) {
      out.Number(answer->estimate);
      return Ok();
    }
    WriteNumber(
        "{\"t\":", static_cast<std::int64_t>(ranks_.thresholds.queries()), out);
    WriteNumber(",\"estimate\":", answer->estimate, out);
    WriteNumber(",\"error\":", answer->error, out);
    out.Text(json_end);
    return Ok();
  }
  void Save(ByteWriter& writer) const override { ranks_.Save(writer); }
  std::string Describe() const override {
    return "Every estimate within " +
           std::to_string(ranks_.thresholds.ErrorBound()) +
           " of the true rank, with probability 95%, over all " +
           std::to_string(ranks_.thresholds.queries()) + " queries.";
  }
  const Guarantee& guarantee() const override { return guarantee_; }

 private:
  LineRanks ranks_;
  Guarantee guarantee_;
};

// A mechanism of these parameters, or its saved state.
template <typename Mechanism>
Result<Mechanism> CreateOrLoad(const LineStart& start,
                               const typename Mechanism::Params& params,
                               const ApproximateDp& each) {
  std::optional<ByteReader> reader;
  if (start.mechanism) reader.emplace(*start.mechanism);
  auto made =
      reader ? Mechanism::Load(params, *reader) : Mechanism::Create(params);
  if (made && reader) SOTTO_TRY(reader->Finish());
  if (!made) return Explain(start.settings, each, made.error());
  SOTTO_TRY(CheckPromise(start.settings, made->guarantee()));
  return made;
}

// Charges a mechanism that starts, before its first line.
Status ChargeStart(const LineStart& start, const Guarantee& guarantee,
                   std::string_view kind) {
  if (start.mechanism) return Ok();
  SOTTO_TRY_ASSIGN(const auto user, UserPromise(start.settings, guarantee));
  return ChargeBudget(start.settings, user, std::string(kind));
}

using Pointer = std::unique_ptr<LineMechanism>;
using Made = Result<Pointer>;

Made MakeCount(const LineStart& start, HistoryRng&) {
  SOTTO_TRY_ASSIGN(const auto params, CounterParams(start.settings));
  SOTTO_TRY_ASSIGN(
      auto counter,
      CreateOrLoad<Counter>(start, params, {params.epsilon, params.delta}));
  SOTTO_TRY(ChargeStart(start, counter.guarantee(), kCountKind));
  return Pointer(std::make_unique<CountLines>(std::move(counter)));
}

Made MakeMonitor(const LineStart& start, HistoryRng&) {
  SOTTO_TRY_ASSIGN(const auto params, MonitorParams(start.settings));
  SOTTO_TRY_ASSIGN(auto monitor, CreateOrLoad<ThresholdMonitor>(
                                     start, params, {params.epsilon, 0}));
  if (monitor.halted()) {
    return InvalidArgument(
        "the saved monitor has answered 'above' and ended; nothing more can be "
        "asked of it");
  }
  SOTTO_TRY(ChargeStart(start, monitor.guarantee(), kMonitorKind));
  return Pointer(std::make_unique<MonitorLines>(std::move(monitor)));
}

Made MakeRanks(const LineStart& start, HistoryRng& rng) {
  SOTTO_TRY_ASSIGN(const auto params, QuantileParams(start.settings));
  BudgetRequest request(start.settings, std::string(kQuantileKind));
  if (!start.mechanism) SOTTO_TRY(request.Charge());
  SOTTO_TRY_ASSIGN(auto data, ReadNumbers(start.settings.Text("data")));
  auto ranks = start.mechanism
                   ? LineRanks::Load(params, std::move(data), *start.mechanism)
                   : LineRanks::Create(params, std::move(data), rng);
  if (!ranks) {
    return Explain(start.settings, {params.epsilon, params.delta},
                   ranks.error());
  }
  SOTTO_TRY_ASSIGN(
      auto promise,
      QuantilePromise(start.settings, ranks->thresholds.guarantee()));
  if (!start.mechanism) {
    SOTTO_TRY_ASSIGN(const auto user, UserPromise(start.settings, promise));
    SOTTO_TRY(request.Settle(user));
  }
  return Pointer(
      std::make_unique<RankLines>(*std::move(ranks), std::move(promise)));
}

// With where the numbers are.
OptionTable RankOptions() {
  static const OptionTable kData = {{.name = "data",
                                     .help = "Private numbers, one per line.",
                                     .value = "FILE",
                                     .required = true,
                                     .kept = false}};
  return ConcatOptions({kData, QuantileOptions()});
}

}  // namespace

const std::vector<LineTool>& LineTools() {
  static const std::vector<LineTool> kTools = {
      {.name = kCountKind,
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
       .make = MakeCount},
      {.name = kMonitorKind,
       .help = "Raise a private alarm when a count reaches a threshold",
       .footer =
           "Reads one non-negative integer a line; prints 'below', then "
           "'above' once, when the sum is near the threshold and rarely "
           "after it is reached, and ends.\n"
           "Neighbours: streams in which one line differs by 1.\n"
           "Example: seq 1000 | sed 's/.*/1/' | sotto monitor --threshold "
           "500 --epsilon 1 --horizon 1000",
       .options = MonitorOptions(),
       .make = MakeMonitor},
      {.name = kQuantileKind,
       .help = "Estimate how many private numbers are below each query",
       .footer =
           "With --at: quantiles over --range, once for --data, or after each "
           "line of standard input. An empty line is an empty place.\n"
           "Without: reads private numbers from a file and one real query a "
           "line from standard input; prints, for each, an estimate of how "
           "many numbers are below it.\n"
           "Examples:\n"
           "  sotto quantile --at 0.5,0.95,0.99 --range 0..1000 --data numbers "
           "--epsilon 1\n"
           "  seq 100000 > numbers; seq 5000 10000 95000 | sotto "
           "quantile --data numbers --epsilon 1 --delta 1e-6 --horizon 1000",
       .options = RankOptions(),
       .make = MakeRanks}};
  return kTools;
}

}  // namespace sotto
