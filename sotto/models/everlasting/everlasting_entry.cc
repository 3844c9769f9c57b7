#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/memo.h"
#include "sotto/base/number_text.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/models/adapter/batch_player.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/adapter/online_model_adapter.h"
#include "sotto/models/everlasting/everlasting_options.h"
#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/everlasting/everlasting_predictor.h"
#include "sotto/models/everlasting/everlasting_text.h"
#include "sotto/models/pop/pop_request.h"

namespace sotto {
namespace {

Result<EnsembleFactory> MakeFactory(const ModelRequest& request,
                                    const LearnerSpec& spec) {
  if (!spec.command.empty()) {
    return InvalidArgument(
        "--learner exec: a program outside this process cannot be a teacher "
        "yet; expected a learner of the list");
  }
  return MakeEnsembleFactory(spec,
                             {.threads = request.settings.GetInt("threads")});
}

Result<EverlastingSchedule::Params> RememberedPlan(
    const EverlastingRequest& request) {
  static Memo<EverlastingRequest, Result<EverlastingSchedule::Params>> memo;
  return memo.Get(request, [&] { return PlanEverlasting(request); });
}

// Without a horizon there is nothing to expect anything for.
OnlineModel::Forecast MakeForecast(const Settings& settings,
                                   const EverlastingForecast& first) {
  OnlineModel::Forecast forecast;
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  if (horizon > 0) {
    const double noise = settings.GetOptionalDouble("label-noise").value_or(0);
    forecast.expected = horizon * (first.error + noise);
  }
  if (first.verdict) forecast.verdict = ToString(*first.verdict);
  return forecast;
}

// The predictor as a session drives it. Labels of queries teach nothing.
struct EverlastingCore {
  using Round = NoRoundState;
  using Player = BatchPlayer<EverlastingPredictor, FeatureView>;
  static constexpr bool kReleasePerPhase = false;

  static Result<EverlastingCore> Create(const ModelRequest& request);
  static Result<EverlastingCore> Load(const ModelRequest& request,
                                      ByteReader& reader);
  static Result<EverlastingCore> Make(const LearnerSpec& spec,
                                      EverlastingPredictor predictor,
                                      OnlineModel::Forecast forecast);

  // The number of places is public; what is in them is not.
  Status Train(const RoundSource& rows, Rng& rng);
  bool halted() const { return predictor.halted(); }
  std::uint64_t phase() const { return predictor.phase(); }
  Result<OpenedRound<Round>> Open(FeatureView x, std::string_view, Rng& rng) {
    SOTTO_TRY_ASSIGN(const auto answer, predictor.Open(x, rng));
    return OpenedRound<Round>{
        {.prediction = Label(answer.prediction), .paid = answer.paid}, {}};
  }
  Status PlayEmptyRound(Rng& rng) { return predictor.PlayEmptyRound(rng); }
  void Close(Round, const Label&) {}
  std::size_t preferred_batch_size() const {
    return std::clamp<std::size_t>(predictor.preferred_batch_size(), 64,
                                   Player::kLargestBatch);
  }
  Result<std::size_t> PlayBatch(std::span<sotto::Round> rounds,
                                NoiseHistory& history) {
    return player.Play(
        predictor,
        [](const sotto::Round& round) { return FeatureView(round.x); },
        rounds.first(std::min(rounds.size(), preferred_batch_size())), history);
  }
  std::optional<double> VoteShare(FeatureView x);
  Status Save(ByteWriter& writer);
  Result<Round> LoadRound(ByteReader&) const { return Round(); }

  ModelFacts facts;
  std::string learner;
  EverlastingPredictor predictor;
  Player player = {};
};

Result<EverlastingCore> EverlastingCore::Make(const LearnerSpec& spec,
                                              EverlastingPredictor predictor,
                                              OnlineModel::Forecast forecast) {
  EverlastingSchedule schedule = predictor.schedule();
  SOTTO_TRY_ASSIGN(const auto first, schedule.At(0));
  ModelFacts facts{
      .guarantee = predictor.guarantee(),
      .parameters = EverlastingParameters(spec, schedule.params(), first),
      .summary = EverlastingInWords(spec, first),
      .caveats = {"Labels in the stream teach nothing: what was answered "
                  "clearly is what is learned next, so errors can be handed on "
                  "from phase to phase."},
      .forecast = std::move(forecast)};
  return EverlastingCore{std::move(facts), spec.ToText(), std::move(predictor)};
}

Result<EverlastingCore> EverlastingCore::Create(const ModelRequest& request) {
  const Settings& settings = request.settings;
  SOTTO_TRY(CheckEverlasting(settings));
  SOTTO_TRY_ASSIGN(auto spec,
                   PopLearner(settings.Text("learner"), &request.inputs));
  SOTTO_TRY(CheckColumns(settings, spec, &request.inputs));
  SOTTO_TRY_ASSIGN(const auto asked,
                   MakeEverlastingRequest(settings, spec, request.share));
  SOTTO_TRY_ASSIGN(const auto params, RememberedPlan(asked));
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Create(params));
  SOTTO_TRY_ASSIGN(const auto first, schedule.At(0));
  SOTTO_TRY_ASSIGN(const auto forecast,
                   ForecastEverlasting(settings, spec, params, first));
  SOTTO_TRY_ASSIGN(auto factory, MakeFactory(request, spec));
  SOTTO_TRY_ASSIGN(
      auto predictor,
      EverlastingPredictor::Create(std::move(schedule), std::move(factory)));
  return Make(spec, std::move(predictor), MakeForecast(settings, forecast));
}

bool BelongsTo(const EverlastingSchedule::Params& params,
               const ModelRequest& request) {
  const auto relation = ParseRelation(request.settings.Text("relation"));
  return params.epsilon == request.share.epsilon &&
         params.delta == request.share.delta && relation &&
         params.relation == *relation &&
         params.shape.paid ==
             (request.settings.Text("calibration") == "paper") &&
         params.rounds_per_user == request.settings.GetInt("rounds-per-user");
}

Result<EverlastingCore> EverlastingCore::Load(const ModelRequest& request,
                                              ByteReader& reader) {
  SOTTO_TRY_ASSIGN(
      auto spec, PopLearner(request.settings.Text("learner"), &request.inputs));
  if (reader.Text() != spec.ToText()) {
    return FailedPrecondition("the state was made with another learner");
  }
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Load(reader));
  auto forecast = OnlineModel::Forecast::Load(reader);
  if (reader.failed() || !BelongsTo(schedule.params(), request)) {
    return FailedPrecondition("the state belongs to other parameters");
  }
  SOTTO_TRY_ASSIGN(auto factory, MakeFactory(request, spec));
  SOTTO_TRY_ASSIGN(auto predictor,
                   EverlastingPredictor::Load(std::move(schedule),
                                              std::move(factory), reader));
  return Make(spec, std::move(predictor), std::move(forecast));
}

Status EverlastingCore::Train(const RoundSource& rows, Rng& rng) {
  sotto::Round round;
  for (;;) {
    round.Clear();
    SOTTO_TRY_ASSIGN(const auto more, rows(round));
    if (!more) return Ok();
    std::optional<bool> y;
    if (round.present() && round.y) y = round.y->positive();
    SOTTO_TRY(predictor.Train(round.x, y, rng));
  }
}

std::optional<double> EverlastingCore::VoteShare(FeatureView x) {
  const auto votes = predictor.Votes(x);
  if (!votes) return std::nullopt;
  return static_cast<double>(*votes) /
         static_cast<double>(predictor.now().teachers);
}

Status EverlastingCore::Save(ByteWriter& writer) {
  writer.Text(learner);
  predictor.schedule().Save(writer);
  facts.forecast.Save(writer);
  return predictor.Save(writer);
}

Status Prepare(const Settings& settings, ReaderParams& request) {
  SOTTO_TRY(CheckEverlasting(settings));
  return PrepareForLearner(settings, request);
}

std::string MakeTable(const EverlastingPhase& first,
                      const EverlastingForecast& forecast) {
  return PlanLine("labelled rows for these sizes",
                  WholeWithCommas(forecast.labelled)) +
         PlanLine("labelled rows needed", WholeWithCommas(forecast.enough)) +
         PlanLine("queries of the first phase", WithCommas(first.rounds)) +
         PlanLine("errors on honest queries, a guess",
                  Shortest(std::round(forecast.error * 1e6) / 1e6));
}

Json MakeExtraJson(const EverlastingPhase& first,
                   const EverlastingForecast& forecast) {
  return Json::Object{{"labelled_planned", forecast.labelled},
                      {"labelled_required", forecast.enough},
                      {"phase_rounds", first.rounds},
                      {"error_expected", forecast.error}};
}

Result<EverlastingPhase> FirstPhase(const EverlastingRequest& request) {
  SOTTO_TRY_ASSIGN(const auto params, RememberedPlan(request));
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Create(params));
  return schedule.At(0);
}

// Printed or least, beside the other, whichever the plan is of.
void AddPaid(const char* name, bool printed, EverlastingRequest request,
             Plan& plan) {
  request.printed = printed;
  const auto first = FirstPhase(request);
  if (!first) {
    plan.table += PlanLine(name, first.error().message);
    plan.more[name] = Json::Object{{"refused", first.error().message}};
    return;
  }
  plan.table +=
      PlanLine(name, WithCommas(static_cast<std::uint64_t>(first->teachers)) +
                         " teachers for " + WithCommas(first->rounds) +
                         " queries a phase, noise of scale " +
                         WholeWithCommas(1 / first->rate));
  plan.more[name] = Json::Object{{"teachers", first->teachers},
                                 {"phase_rounds", first->rounds},
                                 {"noise_scale", 1 / first->rate}};
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  SOTTO_TRY(CheckEverlasting(settings));
  SOTTO_TRY_ASSIGN(const auto spec, LearnerForPlan(settings, inputs));
  SOTTO_TRY_ASSIGN(const auto asked,
                   MakeEverlastingRequest(settings, spec,
                                          {settings.GetDouble("epsilon"),
                                           settings.GetDouble("delta")}));
  SOTTO_TRY_ASSIGN(const auto params, RememberedPlan(asked));
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Create(params));
  SOTTO_TRY_ASSIGN(const auto first, schedule.At(0));
  SOTTO_TRY_ASSIGN(auto forecast,
                   ForecastEverlasting(settings, spec, params, first));
  Plan plan{.model = EverlastingInWords(spec, first),
            .parameters = EverlastingParameters(spec, params, first),
            .guarantee = schedule.guarantee(),
            .presumes = ForecastAssumption::kRule,
            .verdict = forecast.verdict,
            .advice = forecast.advice,
            .more = MakeExtraJson(first, forecast),
            .table = MakeTable(first, forecast)};
  if (first.paid()) {
    AddPaid("printed", true, asked, plan);
    AddPaid("least", false, asked, plan);
  }
  // Without a training set there is no forecast.
  if (settings.GetOptionalInt("training-rows") &&
      settings.GetInt("horizon") > 0) {
    plan.mistakes_expected =
        static_cast<double>(settings.GetInt("horizon")) *
        (forecast.error +
         settings.GetOptionalDouble("label-noise").value_or(0));
  }
  plan.caveats.emplace_back(
      "The errors expected are a guess for the first phases: each phase learns "
      "from the answers of the one before, and what it gets wrong is handed "
      "on.");
  return plan;
}

}  // namespace

const OnlineModelEntry& EverlastingEntry() {
  static const OnlineModelEntry kEntry = {
      .name = "everlasting",
      .help =
          "Answer queries without a time limit from one training set, by votes "
          "of teachers",
      .example =
          "--epsilon 3 --delta 1e-5 --learner threshold --training-rows 1e6",
      .options = EverlastingOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise =
          "no stream: queries like the labelled rows are expected, "
          "others beside them do little harm",
      .publishes = "nothing",
      .needs_training_set = true,
      .prepare = Prepare,
      .plan = MakePlan,
      .create = OnlineModelAdapter<EverlastingCore>::Create,
      .load = OnlineModelAdapter<EverlastingCore>::Load,
      .plain = MakeNonPrivate};
  return kEntry;
}

}  // namespace sotto
