#include "sotto/frontend/range_lines.h"

#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_options.h"
#include "sotto/frontend/range_options.h"

namespace sotto {
namespace {

constexpr std::uint64_t kRunningCells = 64;
constexpr std::uint64_t kHistogramCells = 20;

// A line that is not a number is a step without one: what is printed must not
// depend on whether a user's line can be read.
double ReadValue(std::string_view line, HistoryRng& rng) {
  const double value =
      ParseReal(line).value_or(std::numeric_limits<double>::quiet_NaN());
  rng.Absorb(std::bit_cast<std::uint64_t>(value));
  return value;
}

// Writes the numbers with spaces; or as {"t":..,NAME:[..]} or NAME:number.
void WriteNumbers(std::uint64_t t, std::string_view name,
                  const std::vector<std::string>& numbers,
                  std::string_view json_end, LineWriter& out) {
  const bool json = !json_end.empty();
  if (json) {
    out.Text("{\"t\":");
    out.Number(static_cast<std::int64_t>(t));
    out.Text(",\"" + std::string(name) +
             (numbers.size() == 1 ? "\":" : "\":["));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out.Text(json ? "," : " ");
    out.Text(numbers[i]);
  }
  if (!json) return;
  if (numbers.size() > 1) out.Text("]");
  out.Text(json_end);
}

// A mechanism over lines. `Numbers` makes the text of what it released.
template <typename Mechanism, typename Numbers>
class RangeLines final : public LineMechanism {
 public:
  RangeLines(Mechanism mechanism, std::string_view name, Numbers numbers)
      : mechanism_(std::move(mechanism)),
        name_(name),
        numbers_(std::move(numbers)) {}

  Status Answer(std::string_view line, std::string_view json_end,
                HistoryRng& rng, LineWriter& out) override {
    const auto answer = mechanism_.Add(ReadValue(line, rng), rng);
    if (!answer) return InvalidArgument(answer.error().message);
    WriteNumbers(mechanism_.steps(), name_, numbers_(mechanism_, *answer),
                 json_end, out);
    return Ok();
  }
  void Save(ByteWriter& writer) const override { mechanism_.Save(writer); }
  std::string Describe() const override { return mechanism_.Describe(); }
  const Guarantee& guarantee() const override { return mechanism_.guarantee(); }

 private:
  Mechanism mechanism_;
  std::string_view name_;
  Numbers numbers_;
};

using Pointer = std::unique_ptr<LineMechanism>;
using Made = Result<Pointer>;

// A new mechanism, charged, or the one that was saved.
template <typename Mechanism>
Result<Mechanism> Begin(const LineStart& start,
                        const typename Mechanism::Params& params,
                        std::string_view kind) {
  if (params.horizon == 0) {
    return InvalidArgument(
        "--horizon is required: Maximum number of lines. Or give --data.");
  }
  if (start.mechanism) {
    ByteReader reader(*start.mechanism);
    SOTTO_TRY_ASSIGN(auto loaded, Mechanism::Load(params, reader));
    SOTTO_TRY(reader.Finish());
    return loaded;
  }
  SOTTO_TRY_ASSIGN(auto made, Mechanism::Create(params));
  SOTTO_TRY(CheckPromise(start.settings, made.guarantee()));
  SOTTO_TRY_ASSIGN(const auto user,
                   UserPromise(start.settings, made.guarantee()));
  SOTTO_TRY(ChargeBudget(start.settings, user, std::string(kind)));
  return made;
}

// Without quantiles: the counts.
Made MakeHistogram(const LineStart& start, std::string_view kind,
                   std::vector<Rational> at) {
  SOTTO_TRY_ASSIGN(
      const auto params,
      RunningHistogramParams(start.settings,
                             at.empty() ? kHistogramCells : kRunningCells));
  SOTTO_TRY_ASSIGN(auto histogram,
                   Begin<RunningHistogram>(start, params, kind));
  const std::string_view name = at.empty() ? "counts" : "quantiles";
  const auto numbers = [at = std::move(at)](const RunningHistogram& from,
                                            const auto& counts) {
    std::vector<std::string> texts;
    for (const Rational& q : at) {
      texts.push_back(
          Shortest(ReadQuantile(counts, from.grid(), q.ToDoubleDown())));
    }
    if (!at.empty()) return texts;
    for (const std::int64_t count : counts) {
      texts.push_back(std::to_string(count));
    }
    return texts;
  };
  return Pointer(
      std::make_unique<RangeLines<RunningHistogram, decltype(numbers)>>(
          std::move(histogram), name, numbers));
}

Made MakeTotal(const LineStart& start, std::string_view kind) {
  SOTTO_TRY_ASSIGN(const auto params, RunningTotalParams(start.settings));
  SOTTO_TRY_ASSIGN(auto total, Begin<RunningTotal>(start, params, kind));
  const auto number = [sum = kind == kSumKind](const RunningTotal&,
                                               const auto& answer) {
    return std::vector{Shortest(sum ? answer.sum : answer.mean)};
  };
  return Pointer(std::make_unique<RangeLines<RunningTotal, decltype(number)>>(
      std::move(total), kind, number));
}

Made MakeQuantiles(const LineStart& start, HistoryRng&) {
  SOTTO_TRY_ASSIGN(auto at, ParseQuantiles(start.settings.Text("at")));
  return MakeHistogram(start, "quantile", std::move(at));
}
Made MakeCounts(const LineStart& start, HistoryRng&) {
  return MakeHistogram(start, kHistogramKind, {});
}
Made MakeSum(const LineStart& start, HistoryRng&) {
  return MakeTotal(start, kSumKind);
}
Made MakeMean(const LineStart& start, HistoryRng&) {
  return MakeTotal(start, kMeanKind);
}

}  // namespace

const std::vector<LineTool>& RangeTools() {
  static const std::vector<LineTool> kTools = {
      {.name = kRangeQuantileKind,
       .help = "Estimate quantiles over a public range",
       .footer = "",
       .options = RangeOptions(kRangeQuantileKind),
       .make = MakeQuantiles},
      {.name = kHistogramKind,
       .help = "Count private numbers in each cell of a public range",
       .footer = "With --data: once, one line per cell (low, high, count). "
                 "Without: reads one number a line and prints, after each, "
                 "the counts so far. A line without a number is an empty "
                 "place.\n"
                 "Example: seq 5000 | sotto histogram --data /dev/stdin "
                 "--range 0..5000 --epsilon 1",
       .options = RangeOptions(kHistogramKind),
       .make = MakeCounts},
      {.name = kSumKind,
       .help = "Add private numbers of a public range",
       .footer = "With --data: once. Without: reads one number a line and "
                 "prints, after each, the sum so far. A line without a number "
                 "is an empty place.\n"
                 "Example: sotto sum --data table.csv --column hours --range "
                 "0..80 --epsilon 1",
       .options = RangeOptions(kSumKind),
       .make = MakeSum},
      {.name = kMeanKind,
       .help = "Average private numbers of a public range",
       .footer = "With --data: once. Without: reads one number a line and "
                 "prints, after each, the mean so far. A line without a "
                 "number is an empty place.\n"
                 "Example: sotto mean --data table.csv --column hours --range "
                 "0..80 --epsilon 1",
       .options = RangeOptions(kMeanKind),
       .make = MakeMean}};
  return kTools;
}

}  // namespace sotto
