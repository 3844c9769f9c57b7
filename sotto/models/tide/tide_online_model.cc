#include "sotto/models/tide/tide_online_model.h"

#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/models/tide/tide_forecast.h"
#include "sotto/models/tide/tide_model_file.h"
#include "sotto/models/tide/tide_options.h"

namespace sotto {

class TideOnlineModel::PendingRound final : public OpenRound {
 public:
  explicit PendingRound(TideRound round) : round_(std::move(round)) {}
  void Save(ByteWriter& writer) const override { round_.Save(writer); }
  TideRound Take() { return std::move(round_); }

 private:
  TideRound round_;
};

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

TideOnlineModel::TideOnlineModel(PrivateTide tide, const ModelRequest& request)
    : tide_(std::move(tide)), schema_(request.inputs.schema) {
  const TideForecast forecast =
      ForecastTide(request.settings, request.inputs.label);
  outlook_.expected = forecast.mistakes;
  if (forecast.verdict) outlook_.verdict = ToString(*forecast.verdict);
}

Result<std::unique_ptr<OnlineModel>> TideOnlineModel::Create(
    const ModelRequest& request) {
  SOTTO_TRY_ASSIGN(const auto params,
                   TideParams(request.settings, request.inputs, request.share));
  SOTTO_TRY_ASSIGN(auto tide, PrivateTide::Create(params));
  return std::unique_ptr<OnlineModel>(
      new TideOnlineModel(std::move(tide), request));
}

Result<std::unique_ptr<OnlineModel>> TideOnlineModel::Load(
    const ModelRequest& request, ByteReader& reader) {
  SOTTO_TRY_ASSIGN(const auto params,
                   TideParams(request.settings, request.inputs, request.share));
  SOTTO_TRY_ASSIGN(auto tide, PrivateTide::Load(params, reader));
  return std::unique_ptr<OnlineModel>(
      new TideOnlineModel(std::move(tide), request));
}

std::vector<std::string> TideOnlineModel::caveats() const {
  return {
      "The weights are published and may be kept by anybody; a user's own "
      "prediction is for that user alone."};
}

Result<OnlineModel::OpenResult> TideOnlineModel::Open(FeatureView x,
                                                      std::string_view,
                                                      Rng& rng) {
  const std::uint64_t before = tide_.steps();
  SOTTO_TRY_ASSIGN(auto round, tide_.Open(x, rng));
  OpenResult opened{.prediction = round.answer.prediction,
                    .probability = round.answer.probability,
                    .paid = tide_.steps() != before,
                    .open = nullptr};
  opened.open = std::make_unique<PendingRound>(std::move(round));
  return opened;
}

Result<bool> TideOnlineModel::PlayEmptyRound(Rng& rng) {
  const std::uint64_t before = tide_.steps();
  tide_.PlayEmptyRound(rng);
  return tide_.steps() != before;
}

Status TideOnlineModel::Close(std::unique_ptr<OpenRound> open, const Label& y) {
  tide_.Close(static_cast<PendingRound&>(*open).Take(), y);
  return Ok();
}

Result<std::size_t> TideOnlineModel::Play(std::span<Round> rounds,
                                          NoiseHistory& history) {
  for (Round& round : rounds) {
    const std::uint64_t before = tide_.steps();
    SOTTO_TRY_ASSIGN(const auto answer,
                     tide_.Play(round.x, round.y, history.Begin(round)));
    if (round.y) history.AddLabel(history.rounds(), *round.y);
    round.prediction = answer.prediction;
    round.probability = answer.probability;
    round.paid = tide_.steps() != before;
    round.phase = before;
  }
  return rounds.size();
}

std::optional<Json> TideOnlineModel::hypothesis() const {
  return TideToJson(tide_.hypothesis(), schema_.get(), tide_.guarantee());
}

Status TideOnlineModel::Save(ByteWriter& writer) {
  tide_.Save(writer);
  return Ok();
}

Result<std::unique_ptr<OpenRound>> TideOnlineModel::LoadRound(
    ByteReader& reader) {
  SOTTO_TRY_ASSIGN(
      auto round, TideRound::Load(tide_.hypothesis().frame.encoding(), reader));
  return std::unique_ptr<OpenRound>(
      std::make_unique<PendingRound>(std::move(round)));
}

}  // namespace sotto
