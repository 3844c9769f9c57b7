#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/data/streams/feature_needs.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/models/adapter/online_model_adapter.h"
#include "sotto/models/boundary_models/boundary_plan.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// Returns true if these are parameters of a paper's printed lines.
template <typename Params>
bool RunsPaper(const Params& params) {
  if constexpr (requires { params.paper; }) {
    return params.paper.has_value();
  } else {
    return false;
  }
}

// A predictor on boundary sets as a session drives it. A Family says which:
//
//   struct Boxes {
//     using Params = ...;     // what MakeParams returns
//     using Training = ...;   // Create, Add(x, y), Finish(rng), phases()
//     using Predictor = ...;  // Answer, PlayEmptyRound, phase, Save, Load, ...
//     static constexpr int kHashBits = ...;             // for vw
//     static Result<Params> MakeParams(const Settings&, const InputSpec&,
//                                      const ApproximateDp& share);
//     static std::string Summary(const Params&);        // its name first
//     static Json Parameters(const Params&);
//   };
//
// Rounds are questions: labels of the stream are for the operator alone.
//
// Guarantee: the Predictor's; the session keeps its preconditions.
// Threads:   not thread-safe.
template <typename Family>
struct BoundaryCore {
  using Params = typename Family::Params;
  using Training = typename Family::Training;
  using Predictor = typename Family::Predictor;
  using Round = NoRoundState;
  static constexpr std::size_t kBatch = 256;
  static constexpr bool kReleasePerPhase = false;

  static Result<BoundaryCore> Create(const ModelRequest& request) {
    SOTTO_TRY_ASSIGN(
        const auto params,
        Family::MakeParams(request.settings, request.inputs, request.share));
    SOTTO_TRY_ASSIGN(auto training, Training::Create(params));
    BoundaryCore core =
        Make(params, training,
             BoundaryForecast(training.phases(), request.settings));
    core.training = std::move(training);
    core.settings = request.settings;
    return core;
  }
  static Result<BoundaryCore> Load(const ModelRequest& request,
                                   ByteReader& reader) {
    SOTTO_TRY_ASSIGN(
        const auto params,
        Family::MakeParams(request.settings, request.inputs, request.share));
    const auto forecast = OnlineModel::Forecast::Load(reader);
    SOTTO_TRY_ASSIGN(auto predictor, Predictor::Load(params, reader));
    BoundaryCore core = Make(params, predictor, forecast);
    core.predictor = std::move(predictor);
    return core;
  }

  Status Train(const RoundSource& rows, Rng& rng) {
    sotto::Round row;
    std::uint64_t places = 0;
    for (;; ++places) {
      SOTTO_TRY_ASSIGN(const auto more, rows(row));
      if (!more) break;
      if (row.present() && row.y) training->Add(row.x, row.y->positive());
    }
    UpdateForecast(places);
    SOTTO_TRY_ASSIGN(auto trained, std::move(*training).Finish(rng));
    predictor = std::move(trained);
    training.reset();
    settings.reset();
    return Ok();
  }

  bool halted() const { return predictor && predictor->halted(); }
  std::uint64_t phase() const { return predictor ? predictor->phase() : 0; }
  Result<OpenedRound<Round>> Open(FeatureView x, std::string_view, Rng& rng) {
    const auto answer = predictor->Answer(x, rng);
    return OpenedRound<Round>{
        {.prediction = Label(answer.inside), .paid = answer.undecided}, {}};
  }
  void PlayEmptyRound(Rng& rng) { predictor->PlayEmptyRound(rng); }
  void Close(Round, const Label&) {}
  void Save(ByteWriter& writer) const {
    facts.forecast.Save(writer);
    predictor->Save(writer);
  }
  Result<Round> LoadRound(ByteReader&) const { return Round(); }

  ModelFacts facts;
  BoundaryPhases phases;
  std::optional<Training> training = {};  // until Train returns
  std::optional<Settings> settings = {};  // likewise
  std::optional<Predictor> predictor = {};

 private:
  // Source is Training or Predictor.
  template <typename Source>
  static BoundaryCore Make(const Params& params, const Source& source,
                           OnlineModel::Forecast forecast) {
    const BoundaryPhases& phases = source.phases();
    return {
        {.guarantee = source.guarantee(),
         .parameters = BoundaryParameters(phases, Family::Parameters(params)),
         .summary = Family::Summary(params) + "; " +
                    BoundaryInWords(phases, RunsPaper(params)),
         .caveats = BoundaryCaveats(phases),
         .forecast = std::move(forecast)},
        phases};
  }

  // The number of places is public. A plan made without it is made again.
  void UpdateForecast(std::uint64_t places) {
    if (settings->SetByUser("training-rows") || places == 0) return;
    if (!settings->Set("training-rows", std::to_string(places))) return;
    facts.forecast = BoundaryForecast(phases, *settings);
  }
};

// `prepare` of a Family's entry.
template <typename Family>
Status PrepareBoundary(const Settings& settings, ReaderParams& request) {
  FillEncoding(
      {.each_costs = true,
       .features = static_cast<std::uint32_t>(settings.GetInt("features")),
       .vw_hash_bits = Family::kHashBits},
      settings, request);
  return Ok();
}

// The parameters of a plan. Without inputs: --features, or 1.
template <typename Family>
Result<typename Family::Params> PlannedParams(const Settings& settings,
                                              const InputSpec* inputs) {
  const auto features = static_cast<std::uint32_t>(settings.GetInt("features"));
  const InputSpec few = {.features = std::max(features, 1U), .dense = 1};
  return Family::MakeParams(
      settings, inputs == nullptr ? few : *inputs,
      {settings.GetDouble("epsilon"), settings.GetDouble("delta")});
}

// Parameters that all Families read alike; the others are at their defaults.
template <typename Params>
Result<Params> ReadBoundaryParams(const Settings& settings,
                                  const ApproximateDp& share) {
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  Params params;
  params.epsilon = share.epsilon;
  params.delta = share.delta;
  params.relation = relation;
  params.rounds_per_user = settings.GetInt("rounds-per-user");
  params.error = settings.GetDouble("error");
  params.honest_fraction = settings.GetDouble("honest-fraction");
  return params;
}

// The model of a Family.
template <typename Family>
using BoundaryOnlineModel = OnlineModelAdapter<BoundaryCore<Family>>;

// Parts of an entry in which Families differ.
struct BoundaryWords {
  std::string_view name;
  std::string_view help;
  std::string_view example;
  std::string_view promise;
  std::string_view features;  // the help of --features
  std::uint32_t most_features;
  OptionTable options = {};  // further ones
  decltype(OnlineModelEntry::plan) plan;
  decltype(OnlineModelEntry::plain) plain;
};

template <typename Family>
OnlineModelEntry MakeBoundaryEntry(const BoundaryWords& words) {
  return {.name = words.name,
          .help = words.help,
          .example = words.example,
          .options = ConcatOptions(
              {OptionTable{{.name = "features",
                            .type = OptionType::kWhole,
                            .help = words.features,
                            .high = static_cast<double>(words.most_features),
                            .group = "Learning"}},
               BoundaryOptions(), words.options}),
          .labels = {LabelType::Kind::kTwo},
          .promise = words.promise,
          .publishes = "nothing",
          .needs_training_set = true,
          .semantics = 2,
          .prepare = PrepareBoundary<Family>,
          .plan = words.plan,
          .create = BoundaryOnlineModel<Family>::Create,
          .load = BoundaryOnlineModel<Family>::Load,
          .plain = words.plain};
}

}  // namespace sotto
