#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/learners/confident_winnow.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/adapter/online_model_adapter.h"
#include "sotto/models/winnow/winnow_publication.h"
#include "sotto/models/winnow/winnow_request.h"
#include "sotto/models/winnow/winnow_text.h"

namespace sotto {
namespace {

WinnowPublication::Params MakePublicationParams(const Settings& settings) {
  return {.max_nonzeros =
              static_cast<std::uint32_t>(settings.GetInt("max-nonzeros")),
          .bias = settings.Flag("bias"),
          .clamp = settings.Has("clamp") && settings.Flag("clamp")};
}

// Winnow as a session drives it. A phase lasts from one hypothesis to the next.
//
// Guarantee: PrivateWinnow's, or with --calibration paper DpWinnow's.
struct WinnowCore {
  using Round = WinnowRound;
  static constexpr std::size_t kBatch = 64;
  static constexpr bool kReleasePerPhase = true;

  static Result<WinnowCore> Create(const ModelRequest& request);
  static Result<WinnowCore> Load(const ModelRequest& request,
                                 ByteReader& reader);
  static WinnowCore Make(const Settings& settings, const InputSpec& inputs,
                         AnyWinnow winnow, OnlineModel::Forecast forecast);

  std::uint64_t phase() const { return Releases(winnow); }
  Result<OpenedRound<Round>> Open(FeatureView x, std::string_view, Rng& rng) {
    SOTTO_TRY_ASSIGN(
        auto round,
        std::visit([&](auto& w) { return w.Open(x, rng); }, winnow));
    const ModelAnswer answer{.prediction = Label(round.prediction)};
    return OpenedRound<Round>{answer, std::move(round)};
  }
  void PlayEmptyRound(Rng& rng) {
    std::visit([&](auto& w) { w.PlayEmptyRound(rng); }, winnow);
  }
  void Close(Round round, const Label& y) {
    std::visit([&](auto& w) { w.Close(std::move(round), y.positive()); },
               winnow);
  }
  Json hypothesis() const { return publication.Of(GetHypothesis(winnow)); }
  ModelAnswer PredictPublished(FeatureView x) const {
    return {.prediction = Label(publication.Predict(GetHypothesis(winnow), x))};
  }
  void Save(ByteWriter& writer) const {
    facts.forecast.Save(writer);
    std::visit([&](const auto& w) { w.Save(writer); }, winnow);
  }
  Result<Round> LoadRound(ByteReader& reader) const {
    return Round::Load(reader);
  }

  ModelFacts facts;
  AnyWinnow winnow;
  WinnowPublication publication;
};

WinnowCore WinnowCore::Make(const Settings& settings, const InputSpec& inputs,
                            AnyWinnow winnow, OnlineModel::Forecast forecast) {
  ModelFacts facts{
      .guarantee = GetGuarantee(winnow),
      .parameters = WinnowParameters(settings, inputs.features, winnow),
      .summary = Summary(settings, inputs.features, winnow),
      .caveats = WinnowCaveats(settings),
      .forecast = std::move(forecast)};
  return {std::move(facts), std::move(winnow),
          WinnowPublication(inputs, MakePublicationParams(settings))};
}

Result<WinnowCore> WinnowCore::Create(const ModelRequest& request) {
  const InputSpec& inputs = request.inputs;
  SOTTO_TRY(CheckWinnow(request.settings, inputs.schema != nullptr));
  const Settings settings = WithSchema(request.settings, &inputs);
  SOTTO_TRY_ASSIGN(const auto features, WinnowFeatures(settings, &inputs));
  SOTTO_TRY_ASSIGN(auto winnow, MakeWinnow(settings, features, request.share));
  SOTTO_TRY_ASSIGN(const auto forecast,
                   MakeForecast(settings, features, request.share, winnow));
  return Make(settings, inputs, std::move(winnow),
              {.expected = forecast.expected,
               .bound = forecast.bound,
               .verdict = std::string(ToString(forecast.verdict))});
}

Result<WinnowCore> WinnowCore::Load(const ModelRequest& request,
                                    ByteReader& reader) {
  const Settings settings = WithSchema(request.settings, &request.inputs);
  auto forecast = OnlineModel::Forecast::Load(reader);
  SOTTO_TRY_ASSIGN(const auto features,
                   WinnowFeatures(settings, &request.inputs));
  SOTTO_TRY_ASSIGN(auto winnow,
                   LoadWinnow(settings, features, request.share, reader));
  return Make(settings, request.inputs, std::move(winnow), std::move(forecast));
}

// Prepares the values that winnow takes: others are moved to the nearer end.
// Where examples are sparse, names may go into many buckets.
Status Prepare(const Settings& settings, ReaderParams& request) {
  constexpr double kLargest = 1;
  constexpr int kSparseBits = 18;
  const bool has_schema = request.encoding.schema.has_value();
  SOTTO_TRY(CheckWinnow(settings, has_schema));
  FeatureNeeds needs{
      .each_costs = true,
      .features = static_cast<std::uint32_t>(settings.GetInt("features"))};
  if (settings.Has("max-nonzeros")) needs.vw_hash_bits = kSparseBits;
  FillEncoding(needs, settings, request);
  request.limits.range = {-kLargest, kLargest};
  return Ok();
}

Result<Plan> MakePlan(const Settings& said, const InputSpec* inputs) {
  const bool has_schema = inputs != nullptr && inputs->schema != nullptr;
  SOTTO_TRY(CheckWinnow(said, has_schema));
  const Settings settings = WithSchema(said, inputs);
  SOTTO_TRY_ASSIGN(const auto features, WinnowFeatures(settings, inputs));
  const ApproximateDp share{settings.GetDouble("epsilon"),
                            settings.GetDouble("delta")};
  SOTTO_TRY_ASSIGN(const auto winnow, MakeWinnow(settings, features, share));
  SOTTO_TRY_ASSIGN(auto forecast,
                   MakeForecast(settings, features, share, winnow));
  Plan plan{.model = Summary(settings, features, winnow),
            .parameters = WinnowParameters(settings, features, winnow),
            .guarantee = GetGuarantee(winnow),
            .mistakes_expected = forecast.expected,
            .presumes = said.SetByUser("margin") ? ForecastAssumption::kNothing
                                                 : ForecastAssumption::kMargin,
            .verdict = forecast.verdict,
            .advice = std::move(forecast.advice),
            .caveats = WinnowCaveats(settings)};
  for (std::string& sentence : WinnowCaveats(said, settings, features)) {
    plan.caveats.push_back(std::move(sentence));
  }
  Json advice = Json::Array();
  for (const std::string& sentence : plan.advice) advice.Add(sentence);
  plan.more["advice"] = std::move(advice);
  if (forecast.bound) {
    plan.mistakes_bound = forecast.bound;
    plan.caveats.emplace_back(
        "The proved bound is for streams whose best weights have the margin "
        "that was stated.");
  }
  return plan;
}

// Winnow with the same margin, without noise.
Result<std::unique_ptr<NonPrivateLearner>> MakeNonPrivate(
    const ModelRequest& request) {
  const Settings settings = WithSchema(request.settings, &request.inputs);
  SOTTO_TRY_ASSIGN(auto learner,
                   ConfidentWinnow::Create(
                       {.features = request.inputs.features,
                        .margin = settings.GetDouble("margin"),
                        .nonnegative = request.settings.Flag("nonnegative")}));
  return NonPrivateOver(AnyLearner(std::move(learner)));
}

}  // namespace

const OnlineModelEntry& WinnowEntry() {
  static const OnlineModelEntry kEntry = {
      .name = "winnow",
      .help = "Few relevant among very many features",
      .example =
          "--epsilon 3 --delta 1e-6 --horizon 2e4 --margin 0.5 "
          "--features 50",
      .options = WinnowOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise = "any stream whose best weights have a margin",
      .publishes = "weights",
      .prepare = Prepare,
      .plan = MakePlan,
      .create = OnlineModelAdapter<WinnowCore>::Create,
      .load = OnlineModelAdapter<WinnowCore>::Load,
      .plain = MakeNonPrivate,
      .file = &PublishedWinnow()};
  return kEntry;
}

}  // namespace sotto
