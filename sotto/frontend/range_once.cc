#include "sotto/frontend/range_once.h"

#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/range_options.h"
#include "sotto/mechanisms/ranges/range_histogram.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

constexpr std::uint64_t kQuantileCells = 10'000;
constexpr std::uint64_t kHistogramCells = 20;
// Probability of an error above the stated one.
constexpr double kFailure = 0.05;

// Charges, then reads all rows into the statistic. Returns how many there are,
// which is public.
template <typename Statistic>
Result<std::uint64_t> Read(const Settings& settings, std::string_view kind,
                           Statistic& statistic) {
  SOTTO_TRY(ChargeBudget(settings, statistic.guarantee(), std::string(kind)));
  std::uint64_t rows = 0;
  SOTTO_TRY(ReadRangeRows(settings, [&](double value) {
    statistic.Add(value);
    ++rows;
  }));
  return rows;
}

Result<RangeAnswer> Quantiles(const Settings& settings, Rng& rng) {
  SOTTO_TRY_ASSIGN(auto at, ParseQuantiles(settings.Text("at")));
  SOTTO_TRY_ASSIGN(const auto grid, MakeGrid(settings, kQuantileCells));
  SOTTO_TRY_ASSIGN(auto quantiles,
                   RangeQuantiles::Create(
                       {.epsilon = settings.GetDouble("epsilon"),
                        .at = std::move(at),
                        .grid = grid,
                        .rows_per_user = settings.GetInt("rounds-per-user")}));
  SOTTO_TRY(Read(settings, "quantile", quantiles));
  const std::vector<double> answers = quantiles.Release(rng);
  RangeAnswer answer{
      .text = {}, .json = {}, .error = {}, .guarantee = quantiles.guarantee()};
  Json list = Json::Array{};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answer.text += Shortest(answers[i]) + "\n";
    list.Add(Json::Object{{"at", quantiles.params().at[i].ToDoubleDown()},
                          {"value", answers[i]}});
  }
  const double bound = quantiles.RankErrorBound(kFailure);
  answer.json =
      Json::Object{{"quantiles", std::move(list)}, {"rank_error", bound}};
  answer.error = "Every rank within " + Shortest(bound) +
                 " of the right one, with probability 95 %, beside the "
                 "numbers of one cell.";
  return answer;
}

Result<RangeAnswer> Histogram(const Settings& settings, Rng& rng) {
  SOTTO_TRY_ASSIGN(const auto grid, MakeGrid(settings, kHistogramCells));
  SOTTO_TRY_ASSIGN(auto histogram,
                   RangeHistogram::Create(
                       {.epsilon = settings.GetDouble("epsilon"),
                        .grid = grid,
                        .rows_per_user = settings.GetInt("rounds-per-user")}));
  SOTTO_TRY(Read(settings, kHistogramKind, histogram));
  const std::vector<std::int64_t> counts = histogram.Release(rng);
  RangeAnswer answer{
      .text = {}, .json = {}, .error = {}, .guarantee = histogram.guarantee()};
  Json list = Json::Array{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    answer.text += Shortest(grid.Edge(i)) + " " + Shortest(grid.Edge(i + 1)) +
                   " " + std::to_string(counts[i]) + "\n";
    list.Add(Json::Object{{"low", grid.Edge(i)},
                          {"high", grid.Edge(i + 1)},
                          {"count", counts[i]}});
  }
  const double bound = histogram.ErrorBound(kFailure);
  answer.json = Json::Object{{"cells", std::move(list)}, {"error", bound}};
  answer.error = "Every count within " + Shortest(bound) +
                 " of the true one, with probability 95 %.";
  return answer;
}

Result<RangeAnswer> SumOrMean(const Settings& settings, std::string_view kind,
                              Rng& rng) {
  const bool sum = kind == kSumKind;
  SOTTO_TRY_ASSIGN(const auto grid, MakeGrid(settings, 1));
  SOTTO_TRY_ASSIGN(
      auto total,
      RangeTotal::Create(
          {.epsilon = settings.GetDouble("epsilon"),
           .low = grid.low(),
           .high = grid.high(),
           .rows_per_user = settings.GetInt("rounds-per-user"),
           .kind = sum ? RangeTotal::Kind::kSum : RangeTotal::Kind::kMean}));
  SOTTO_TRY_ASSIGN(const std::uint64_t rows, Read(settings, kind, total));
  const double value = total.Release(rng);
  RangeAnswer answer{.text = Shortest(value) + "\n",
                     .json = Json::Object{{std::string(kind), value}},
                     .error = {},
                     .guarantee = total.guarantee()};
  const double bound = total.ErrorBound(kFailure, static_cast<double>(rows));
  if (sum) answer.json["error"] = bound;
  answer.error =
      "The " + std::string(kind) + " is within " + Shortest(bound) +
      " of the true one, with probability 95 %" +
      (sum ? "." : ", if all " + std::to_string(rows) + " rows have a number.");
  return answer;
}

}  // namespace

Result<RangeAnswer> AnswerOnce(const Settings& settings,
                               std::string_view kind) {
  SOTTO_TRY(settings.CheckRequired());
  for (const char* option : {"save", "load", "horizon"}) {
    if (!settings.Has(option)) continue;
    return InvalidArgument("--" + std::string(option) +
                           " is for answers after each line: leave out --data");
  }
  SOTTO_TRY_ASSIGN(const auto key, LineKey(settings, kind));
  ChaChaRng rng(key);
  if (kind == kRangeQuantileKind) return Quantiles(settings, rng);
  if (kind == kHistogramKind) return Histogram(settings, rng);
  return SumOrMean(settings, kind, rng);
}

}  // namespace sotto
