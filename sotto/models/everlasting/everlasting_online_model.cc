#include "sotto/models/everlasting/everlasting_online_model.h"

#include <algorithm>

#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/models/everlasting/everlasting_options.h"
#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/everlasting/everlasting_text.h"
#include "sotto/models/pop/pop_request.h"

namespace sotto {
namespace {

constexpr std::size_t kLargestBatch = 1024;

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

// Without a horizon there is nothing to expect anything for.
OnlineModel::Forecast MakeForecast(const Settings& settings,
                                   const EverlastingForecast& first) {
  OnlineModel::Forecast forecast;
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  if (horizon > 0) {
    const double noise = settings.GetOptionalDouble("noise").value_or(0);
    forecast.expected = horizon * (first.error + noise);
  }
  if (first.verdict) forecast.verdict = ToString(*first.verdict);
  return forecast;
}

}  // namespace

class EverlastingOnlineModel::PendingRound final : public OpenRound {
 public:
  void Save(ByteWriter&) const override {}
};

EverlastingOnlineModel::EverlastingOnlineModel(const LearnerSpec& spec,
                                               EverlastingPredictor predictor,
                                               const EverlastingPhase& first,
                                               Forecast forecast)
    : predictor_(std::move(predictor)),
      outlook_(std::move(forecast)),
      parameters_(
          EverlastingParameters(spec, predictor_.schedule().params(), first)),
      in_words_(EverlastingInWords(spec, first)),
      learner_(spec.ToText()) {}

Result<std::unique_ptr<OnlineModel>> EverlastingOnlineModel::Finish(
    const LearnerSpec& spec, Result<EverlastingPredictor> predictor,
    Forecast forecast) {
  if (!predictor) return predictor.error();
  EverlastingSchedule schedule = predictor->schedule();
  SOTTO_TRY_ASSIGN(const auto first, schedule.At(0));
  return std::unique_ptr<OnlineModel>(new EverlastingOnlineModel(
      spec, *std::move(predictor), first, std::move(forecast)));
}

Result<std::unique_ptr<OnlineModel>> EverlastingOnlineModel::Create(
    const ModelRequest& request) {
  const Settings& settings = request.settings;
  SOTTO_TRY(CheckEverlasting(settings));
  SOTTO_TRY_ASSIGN(auto spec,
                   PopLearner(settings.Text("learner"), &request.inputs));
  SOTTO_TRY(CheckColumns(settings, spec, &request.inputs));
  SOTTO_TRY_ASSIGN(const auto asked,
                   MakeEverlastingRequest(settings, spec, request.share));
  SOTTO_TRY_ASSIGN(const auto params, PlanEverlasting(asked));
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Create(params));
  SOTTO_TRY_ASSIGN(const auto first, schedule.At(0));
  SOTTO_TRY_ASSIGN(const auto forecast,
                   ForecastEverlasting(settings, spec, params, first));
  SOTTO_TRY_ASSIGN(auto factory, MakeFactory(request, spec));
  return Finish(
      spec,
      EverlastingPredictor::Create(std::move(schedule), std::move(factory)),
      MakeForecast(settings, forecast));
}

Result<std::unique_ptr<OnlineModel>> EverlastingOnlineModel::Load(
    const ModelRequest& request, ByteReader& reader) {
  SOTTO_TRY_ASSIGN(
      auto spec, PopLearner(request.settings.Text("learner"), &request.inputs));
  if (reader.Text() != spec.ToText()) {
    return Error{ErrorCode::kFailedPrecondition,
                 "the state was made with another learner"};
  }
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Load(reader));
  Forecast forecast = Forecast::Load(reader);
  const auto relation = ParseRelation(request.settings.Text("relation"));
  const auto& params = schedule.params();
  const bool same =
      params.epsilon == request.share.epsilon &&
      params.delta == request.share.delta && relation &&
      params.relation == *relation &&
      params.rounds_per_user == request.settings.GetInt("rounds-per-user");
  if (reader.failed() || !same) {
    return Error{ErrorCode::kFailedPrecondition,
                 "the state belongs to other parameters"};
  }
  SOTTO_TRY_ASSIGN(auto factory, MakeFactory(request, spec));
  return Finish(spec,
                EverlastingPredictor::Load(std::move(schedule),
                                           std::move(factory), reader),
                std::move(forecast));
}

std::vector<std::string> EverlastingOnlineModel::caveats() const {
  return {
      "Labels in the stream teach nothing: what was answered clearly is what "
      "is learned next, so errors can be handed on from phase to phase."};
}

// The number of places is public; what is in them is not.
Status EverlastingOnlineModel::Train(const RoundSource& rows, Rng& rng) {
  Round round;
  for (;;) {
    round.Clear();
    SOTTO_TRY_ASSIGN(const auto more, rows(round));
    if (!more) return Ok();
    std::optional<bool> y;
    if (round.present() && round.y) y = round.y->positive();
    SOTTO_TRY(predictor_.Train(round.x, y, rng));
  }
}

Result<OnlineModel::OpenResult> EverlastingOnlineModel::Open(FeatureView x,
                                                             std::string_view,
                                                             Rng& rng) {
  SOTTO_TRY_ASSIGN(const auto answer, predictor_.Open(x, rng));
  return OpenResult{.prediction = answer.prediction,
                    .paid = answer.paid,
                    .open = std::make_unique<PendingRound>()};
}

Result<bool> EverlastingOnlineModel::PlayEmptyRound(Rng& rng) {
  if (Status ticked = predictor_.PlayEmptyRound(rng); !ticked)
    return ticked.error();
  return false;
}

Status EverlastingOnlineModel::Close(std::unique_ptr<OpenRound>, const Label&) {
  return Ok();
}

std::size_t EverlastingOnlineModel::preferred_batch_size() const {
  return std::clamp<std::size_t>(predictor_.preferred_batch_size(), 64,
                                 kLargestBatch);
}

Result<std::size_t> EverlastingOnlineModel::Play(std::span<Round> rounds,
                                                 NoiseHistory& history) {
  rounds = rounds.first(std::min(rounds.size(), preferred_batch_size()));
  queries_.clear();
  draws_.clear();
  places_.clear();
  for (const Round& round : rounds) {
    draws_.push_back(predictor_.DrawRound(history.Begin(round)));
    places_.push_back(history.place());
    queries_.emplace_back(round.x);
    if (round.y) history.AddLabel(history.rounds(), *round.y);
  }
  const std::uint64_t phase = predictor_.phase();
  answers_.resize(rounds.size());
  SOTTO_TRY_ASSIGN(const auto played,
                   predictor_.PlayDrawn(queries_, draws_, answers_));
  // A hand-over: later rounds draw again, in their own phase, from the same
  // place.
  if (played < rounds.size()) {
    history.Rewind(places_[played - 1]);
    const Round& last = rounds[played - 1];
    if (last.y) history.AddLabel(history.rounds(), *last.y);
  }
  for (std::size_t i = 0; i < played; ++i) {
    rounds[i].prediction = answers_[i].prediction;
    rounds[i].paid = answers_[i].paid;
    rounds[i].phase = phase;
  }
  return played;
}

std::optional<double> EverlastingOnlineModel::VoteShare(FeatureView x) {
  const auto votes = predictor_.Votes(x);
  if (!votes) return std::nullopt;
  return static_cast<double>(*votes) /
         static_cast<double>(predictor_.now().teachers);
}

Status EverlastingOnlineModel::Save(ByteWriter& writer) {
  writer.Text(learner_);
  predictor_.schedule().Save(writer);
  outlook_.Save(writer);
  return predictor_.Save(writer);
}

Result<std::unique_ptr<OpenRound>> EverlastingOnlineModel::LoadRound(
    ByteReader&) {
  return std::unique_ptr<OpenRound>(std::make_unique<PendingRound>());
}

}  // namespace sotto
