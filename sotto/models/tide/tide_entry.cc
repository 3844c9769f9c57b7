#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/number_text.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/data/streams/stream_format.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/adapter/online_model_adapter.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/tide/non_private_tide.h"
#include "sotto/models/tide/private_tide.h"
#include "sotto/models/tide/tide_model_file.h"
#include "sotto/models/tide/tide_options.h"

namespace sotto {
namespace {

// Names of vw and of JSON objects go into so few buckets that their noise stays
// affordable; so do the places of JSON lists.
constexpr int kHashBits = 14;
constexpr std::uint32_t kListPlaces = 1024;

Status Prepare(const Settings& settings, ReaderParams& request) {
  FillEncoding({.each_costs = true, .vw_hash_bits = kHashBits}, settings,
               request);
  const auto format =
      request.format ? request.format : FormatOfPath(request.path);
  if (format == StreamFormat::kJsonl && !request.encoding.schema) {
    request.encoding.features = kListPlaces;
    if (!settings.Has("hash-bits")) request.encoding.hash_bits = kHashBits;
  }
  request.encoding.clamp = true;
  return Ok();
}

// Forecast of tide's errors before any data. Nothing of it is proved.
struct TideForecast {
  std::optional<Verdict> verdict = {};  // absent without a horizon
  // What learning and privacy add to the error rate of the best rule.
  std::optional<double> excess = {};
  std::optional<double> mistakes =
      {};  // over the horizon, if --label-noise was said
  std::vector<std::string> advice = {};
};

// Rounds times epsilon, for each round of a user, below which the noise drowns
// what there is to learn, and above which it does not matter much: a judgement,
// no bound.
constexpr double kHopeless = 2000;
constexpr double kComfortable = 20'000;
// Learning and privacy add to the error of the best rule about this over the
// root of the same product, times half the number of classes: a fit to six real
// streams (docs/real-streams.md).
constexpr double kExcess = 3;

// Rounds times epsilon that a user's one round is worth, as far as labels come.
double ComputeWorth(const Settings& settings) {
  return static_cast<double>(settings.GetInt("horizon")) *
         settings.GetDouble("label-rate") * settings.GetDouble("epsilon") /
         static_cast<double>(settings.GetInt("rounds-per-user"));
}

std::optional<double> ComputeExcess(double worth, const LabelType& label) {
  if (label.kind == LabelType::Kind::kNumber) return std::nullopt;
  const double classes = label.classes();
  return std::min(kExcess / std::sqrt(worth) * (classes / 2), 1 - 1 / classes);
}

// For labels of that kind, by --horizon, --epsilon, --rounds-per-user,
// --label-rate and --label-noise.
TideForecast ForecastTide(const Settings& settings, const LabelType& label) {
  TideForecast forecast;
  if (settings.GetInt("horizon") == 0) return forecast;
  const double worth = ComputeWorth(settings);
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  forecast.verdict = VerdictAbove(worth, kComfortable, kHopeless);
  forecast.excess = ComputeExcess(worth, label);
  const auto noise = settings.GetOptionalDouble("label-noise");
  if (noise && forecast.excess) {
    const double most = 1 - 1.0 / label.classes();
    forecast.mistakes = std::min(*noise + *forecast.excess, most) * horizon;
  }
  if (*forecast.verdict == Verdict::kComfortable) return forecast;
  forecast.advice.push_back(
      "about " + WholeWithCommas(kComfortable / worth * horizon) +
      " rounds, or as much more epsilon, would be comfortable");
  return forecast;
}

Json TideParameters(const PrivateTide& tide) {
  const TideEncoding& encoding = tide.hypothesis().frame.encoding();
  const TideSchedule& schedule = tide.schedule();
  return Json::Object{
      {"coordinates", encoding.coordinates()},
      {"outputs", tide.privacy().outputs},
      {"groups", encoding.groups().size()},
      {"pairs", encoding.groups().back().kind == TideGroup::Kind::kPair},
      {"clip", tide.privacy().clip},
      {"start_rows", schedule.start_rows},
      {"batch", schedule.batch},
      {"learning_rate", schedule.rate},
      {"memory", schedule.memory},
      {"sigma", tide.calibration().sigma},
      {"noise", tide.StepDeviation()}};
}

std::string TideInWords(const PrivateTide& tide) {
  const TideEncoding& encoding = tide.hypothesis().frame.encoding();
  return "tide: " + WithCommas(encoding.coordinates()) + " coordinates" +
         (tide.privacy().outputs > 1
              ? " for each of " + WithCommas(tide.privacy().outputs) +
                    " classes"
              : "") +
         ", a first release after " + WithCommas(tide.schedule().start_rows) +
         " rounds, then one every " + WithCommas(tide.schedule().batch);
}

// Tide as a session drives it. A phase lasts from one release to the next.
struct TideCore {
  using Round = TideRound;
  static constexpr std::size_t kBatch = 256;
  static constexpr bool kReleasePerPhase = true;

  static Result<TideCore> Create(const ModelRequest& request) {
    SOTTO_TRY_ASSIGN(
        const auto params,
        TideParams(request.settings, request.inputs, request.share));
    return Make(request, PrivateTide::Create(params));
  }
  static Result<TideCore> Load(const ModelRequest& request,
                               ByteReader& reader) {
    SOTTO_TRY_ASSIGN(
        const auto params,
        TideParams(request.settings, request.inputs, request.share));
    return Make(request, PrivateTide::Load(params, reader));
  }
  static Result<TideCore> Make(const ModelRequest& request,
                               Result<PrivateTide> tide);

  std::uint64_t phase() const { return tide.steps(); }
  Result<OpenedRound<Round>> Open(FeatureView x, std::string_view, Rng& rng) {
    SOTTO_TRY_ASSIGN(auto round, tide.Open(x, rng));
    const ModelAnswer answer = ToAnswer(round.answer);
    return OpenedRound<Round>{answer, std::move(round)};
  }
  void PlayEmptyRound(Rng& rng) { tide.PlayEmptyRound(rng); }
  void Close(Round round, const Label& y) { tide.Close(std::move(round), y); }
  Result<ModelAnswer> Play(FeatureView x, const std::optional<Label>& y,
                           Rng& rng) {
    SOTTO_TRY_ASSIGN(const auto answer, tide.Play(x, y, rng));
    return ToAnswer(answer);
  }
  static ModelAnswer ToAnswer(const TideAnswer& answer) {
    return {.prediction = answer.prediction, .probability = answer.probability};
  }
  Json hypothesis() const {
    return TideToJson(tide.hypothesis(), schema.get(), tide.guarantee());
  }
  // A digest of the weights, of which the rest of the hypothesis is a function.
  // They are public: it needs no key, and any change of a bit must show.
  void WriteRelease(ByteWriter& writer) const {
    std::uint64_t first = 1;
    std::uint64_t second = 2;
    for (const double weight : tide.hypothesis().weights.values()) {
      const auto bits = std::bit_cast<std::uint64_t>(weight);
      first = (std::rotl(first, 23) ^ bits) * 0x9e3779b97f4a7c15;
      second = (std::rotl(second, 41) ^ bits) * 0xd6e8feb86659fd93;
    }
    writer.Number(first);
    writer.Number(second);
  }
  ModelAnswer PredictPublished(FeatureView x) const {
    return ToAnswer(tide.hypothesis().Predict(x));
  }
  void Save(ByteWriter& writer) const { tide.Save(writer); }
  Result<Round> LoadRound(ByteReader& reader) const {
    return TideRound::Load(reader);
  }

  ModelFacts facts;
  PrivateTide tide;
  std::shared_ptr<const Schema> schema;  // may be absent
};

// The forecast follows from the settings, so no state keeps it.
Result<TideCore> TideCore::Make(const ModelRequest& request,
                                Result<PrivateTide> tide) {
  if (!tide) return tide.error();
  const TideForecast forecast =
      ForecastTide(request.settings, request.inputs.label);
  ModelFacts facts{
      .guarantee = tide->guarantee(),
      .parameters = TideParameters(*tide),
      .summary = TideInWords(*tide),
      .caveats = {"The weights are published and may be kept by anybody; a "
                  "user's own prediction is for that user alone."},
      .forecast = {.expected = forecast.mistakes}};
  if (forecast.verdict) facts.forecast.verdict = ToString(*forecast.verdict);
  return TideCore{std::move(facts), *std::move(tide), request.inputs.schema};
}

std::vector<std::string> MakeCaveats(const Plan& plan) {
  if (plan.mistakes_expected) {
    return {
        "The mistakes expected are --label-noise, and what learning adds by a "
        "fit to real tables, within a factor of 3; none is proved."};
  }
  return {
      "How well columns tell labels cannot be foreseen: no number of "
      "mistakes is expected or proved (--label-noise, the share that the best "
      "rule gets wrong, would give one)."};
}

std::string PlanTable(const PrivateTide& tide) {
  const auto& encoding = tide.hypothesis().frame.encoding();
  const TideSchedule& schedule = tide.schedule();
  return PlanLine("coordinates", WithCommas(encoding.coordinates())) +
         PlanLine("first release",
                  "after " + WithCommas(schedule.start_rows) + " rounds") +
         PlanLine("then one every", WithCommas(schedule.batch) + " rounds") +
         PlanLine("noise of a release",
                  "as much as the errors of " +
                      Shortest(std::round(tide.StepDeviation() * 10) / 10) +
                      " rows");
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  const InputSpec one = {.features = 1, .dense = 1};
  SOTTO_TRY_ASSIGN(
      const auto params,
      TideParams(settings, inputs == nullptr ? one : *inputs,
                 {settings.GetDouble("epsilon"), settings.GetDouble("delta")}));
  SOTTO_TRY_ASSIGN(const auto tide, PrivateTide::Create(params));
  Plan plan{.model = TideInWords(tide),
            .parameters = TideParameters(tide),
            .guarantee = tide.guarantee(),
            .table = PlanTable(tide)};
  TideForecast forecast = ForecastTide(settings, params.label);
  plan.verdict = forecast.verdict;
  plan.excess_expected = forecast.excess;
  plan.mistakes_expected = forecast.mistakes;
  plan.advice = std::move(forecast.advice);
  plan.caveats = MakeCaveats(plan);
  return plan;
}

Result<std::unique_ptr<NonPrivateLearner>> MakeNonPrivate(
    const ModelRequest& request) {
  SOTTO_TRY_ASSIGN(const auto params,
                   TideParams(request.settings, request.inputs, request.share));
  SOTTO_TRY_ASSIGN(const auto tide, PrivateTide::Create(params));
  return std::unique_ptr<NonPrivateLearner>(std::make_unique<NonPrivateTide>(
      tide.hypothesis().frame.encoding(), request.inputs.label));
}

Result<std::string> Show(const Json& json) {
  SOTTO_TRY_ASSIGN(const auto model, TideFromJson(json));
  return ShowTide(model);
}

}  // namespace

const OnlineModelEntry& TideEntry() {
  static const ModelFileFormat kFile = {
      .name = "tide", .show = Show, .read = ReadTide, .reach = ReachOfTide};
  static const OnlineModelEntry kEntry = {
      .name = "tide",
      .help =
          "Logistic regression on tables: yes/no, classes or numbers (start "
          "here)",
      .example = "--epsilon 1 --delta 1e-6 --horizon 1e5",
      .options = TideOptions(),
      .labels = {LabelType::Kind::kTwo, LabelType::Kind::kClasses,
                 LabelType::Kind::kNumber},
      .promise = "no stream: it is measured on real ones",
      .publishes = "weights",
      .probabilities = true,
      .covers_absence = true,
      .prepare = Prepare,
      .plan = MakePlan,
      .create = OnlineModelAdapter<TideCore>::Create,
      .load = OnlineModelAdapter<TideCore>::Load,
      .plain = MakeNonPrivate,
      .file = &kFile};
  return kEntry;
}

}  // namespace sotto
