#include "sotto/models/winnow/winnow_online_model.h"

#include "sotto/models/winnow/winnow_text.h"

namespace sotto {
namespace {

WinnowPublication::Params MakePublicationParams(const Settings& settings) {
  return {.max_nonzeros =
              static_cast<std::uint32_t>(settings.GetInt("max-nonzeros")),
          .bias = settings.Flag("bias"),
          .clamp = settings.Has("clamp") && settings.Flag("clamp")};
}

}  // namespace

class WinnowOnlineModel::PendingRound final : public OpenRound {
 public:
  explicit PendingRound(WinnowRound round) : round_(std::move(round)) {}
  void Save(ByteWriter& writer) const override { round_.Save(writer); }
  WinnowRound Take() { return std::move(round_); }

 private:
  WinnowRound round_;
};

WinnowOnlineModel::WinnowOnlineModel(const ModelRequest& request,
                                     AnyWinnow winnow, Forecast forecast)
    : winnow_(std::move(winnow)),
      outlook_(std::move(forecast)),
      parameters_(
          WinnowParameters(request.settings, request.inputs.features, winnow_)),
      words_(
          sotto::Summary(request.settings, request.inputs.features, winnow_)),
      caveats_(WinnowCaveats(request.settings)),
      publication_(request.inputs, MakePublicationParams(request.settings)) {}

Result<std::unique_ptr<OnlineModel>> WinnowOnlineModel::Create(
    const ModelRequest& asked) {
  const bool has_schema = asked.inputs.schema != nullptr;
  SOTTO_TRY(CheckWinnow(asked.settings, has_schema));
  const Settings settings = WithSchema(asked.settings, &asked.inputs);
  const ModelRequest request{settings, asked.inputs, asked.share};
  SOTTO_TRY_ASSIGN(const auto features,
                   WinnowFeatures(settings, &request.inputs));
  SOTTO_TRY_ASSIGN(auto winnow, MakeWinnow(settings, features, request.share));
  SOTTO_TRY_ASSIGN(const auto forecast,
                   MakeForecast(settings, features, request.share, winnow));
  return std::unique_ptr<OnlineModel>(new WinnowOnlineModel(
      request, std::move(winnow),
      Forecast{.expected = forecast.expected,
               .bound = forecast.bound,
               .verdict = std::string(ToString(forecast.verdict))}));
}

Result<std::unique_ptr<OnlineModel>> WinnowOnlineModel::Load(
    const ModelRequest& asked, ByteReader& reader) {
  const Settings settings = WithSchema(asked.settings, &asked.inputs);
  const ModelRequest request{settings, asked.inputs, asked.share};
  Forecast forecast = Forecast::Load(reader);
  SOTTO_TRY_ASSIGN(const auto features,
                   WinnowFeatures(request.settings, &request.inputs));
  SOTTO_TRY_ASSIGN(auto winnow, LoadWinnow(request.settings, features,
                                           request.share, reader));
  return std::unique_ptr<OnlineModel>(
      new WinnowOnlineModel(request, std::move(winnow), std::move(forecast)));
}

Result<OnlineModel::OpenResult> WinnowOnlineModel::Open(FeatureView x,
                                                        std::string_view,
                                                        Rng& rng) {
  const std::uint64_t before = phase();
  auto round = std::visit([&](auto& w) { return w.Open(x, rng); }, winnow_);
  if (!round) return round.error();
  OpenResult opened{.prediction = round->prediction,
                    .paid = phase() != before,
                    .open = nullptr};
  opened.open = std::make_unique<PendingRound>(*std::move(round));
  return opened;
}

Result<bool> WinnowOnlineModel::PlayEmptyRound(Rng& rng) {
  const std::uint64_t before = phase();
  std::visit([&](auto& w) { w.PlayEmptyRound(rng); }, winnow_);
  return phase() != before;
}

Status WinnowOnlineModel::Close(std::unique_ptr<OpenRound> open,
                                const Label& y) {
  std::visit(
      [&](auto& w) {
        w.Close(static_cast<PendingRound&>(*open).Take(), y.positive());
      },
      winnow_);
  return Ok();
}

Result<std::size_t> WinnowOnlineModel::Play(std::span<Round> rounds,
                                            NoiseHistory& history) {
  for (Round& round : rounds) {
    const std::uint64_t before = phase();
    Rng& rng = history.Begin(round);
    auto open =
        std::visit([&](auto& w) { return w.Open(round.x, rng); }, winnow_);
    if (!open) return open.error();
    round.prediction = open->prediction;
    round.paid = phase() != before;
    round.phase = before;
    if (!round.y) continue;
    history.AddLabel(history.rounds(), *round.y);
    std::visit([&](auto& w) { w.Close(*std::move(open), round.y->positive()); },
               winnow_);
  }
  return rounds.size();
}

Status WinnowOnlineModel::Save(ByteWriter& writer) {
  outlook_.Save(writer);
  std::visit([&](const auto& w) { w.Save(writer); }, winnow_);
  return Ok();
}

Result<std::unique_ptr<OpenRound>> WinnowOnlineModel::LoadRound(
    ByteReader& reader) {
  SOTTO_TRY_ASSIGN(auto round, WinnowRound::Load(reader));
  return std::unique_ptr<OpenRound>(
      std::make_unique<PendingRound>(std::move(round)));
}

}  // namespace sotto
