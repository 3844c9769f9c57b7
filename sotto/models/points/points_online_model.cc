#include "sotto/models/points/points_online_model.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/number_text.h"
#include "sotto/models/points/points_options.h"

namespace sotto {
namespace {

// Mistakes for each round that a constant would get wrong.
constexpr double kHopeless = 0.5;
constexpr double kComfortable = 0.1;

// That a gate passes if each label of the window is a 1 with this probability:
// a sum over the binomial law.
double PassProbability(const MirrorDistribution& law, double rate) {
  const auto size = static_cast<double>(law.last());
  double pass = 0;
  double below = 0;  // Pr[gate <= count]
  for (std::uint64_t count = 1; count <= law.last(); ++count) {
    below += static_cast<double>(law.Probability(count));
    const auto n = static_cast<double>(count);
    double log =
        std::lgamma(size + 1) - std::lgamma(n + 1) - std::lgamma(size - n + 1);
    log += n * std::log(rate);
    if (count < law.last()) log += (size - n) * std::log1p(-rate);
    pass += std::exp(log) * std::min(below, 1.0);
  }
  return std::min(pass, 1.0);
}

OnlineModel::Forecast MakeForecast(const Settings& settings,
                                   const PointPredictor& points) {
  if (settings.GetInt("horizon") == 0) return {};
  const PointsOutlook forecast = ForecastPoints(settings, points);
  return {.expected = forecast.mistakes,
          .bound = forecast.bound,
          .verdict = std::string(ToString(forecast.verdict))};
}

}  // namespace

class PointsOnlineModel::PendingRound final : public OpenRound {
 public:
  explicit PendingRound(PointPredictor::Round round) : round_(round) {}
  void Save(ByteWriter& writer) const override { round_.Save(writer); }
  const PointPredictor::Round& round() const { return round_; }

 private:
  PointPredictor::Round round_;
};

Json PointsParameters(const PointPredictor& points) {
  const PointDesign& design = points.params().design;
  return Json::Object{
      {"gate", points.gate().size()},
      {"gate_epsilon", design.gate.epsilon},
      {"gate_delta", design.gate.delta},
      {"mirror", points.mirror_name()},
      {"mirror_epsilon_one_over_zero", design.mirror.one_over_zero.epsilon},
      {"mirror_epsilon_zero_over_one", design.mirror.zero_over_one.epsilon},
      {"mirror_delta", design.mirror.one_over_zero.delta},
      {"patience", points.params().patience},
      {"mistakes_a_point", points.expected_mistakes()}};
}

std::string PointsInWords(const PointPredictor& points) {
  return "points: the first " + WithCommas(points.silent_rounds()) +
         " rounds of each point are answered 0, and " +
         WithCommas(points.gate().size()) +
         " labels decide; then a secret number more, about " +
         WholeWithCommas(points.expected_mistakes()) + " in all (" +
         std::string(points.mirror_name()) + ")";
}

PointsOutlook ForecastPoints(const Settings& settings,
                             const PointPredictor& points) {
  const auto many = static_cast<double>(settings.GetInt("points"));
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  const double noise = settings.GetDouble("noise");
  PointsOutlook forecast;
  forecast.positives = horizon * settings.GetDouble("share");
  forecast.passes = PassProbability(
      points.gate().law(), settings.GetDouble("label-rate") * (1 - noise));
  const double each =
      std::min(points.expected_mistakes(), forecast.positives / many);
  const double excess = forecast.passes * each * many +
                        (1 - forecast.passes) * forecast.positives;
  forecast.mistakes = excess + noise * horizon;
  if (const auto worst = points.worst_mistakes();
      worst && forecast.passes == 1) {
    forecast.bound = many * static_cast<double>(*worst) + noise * horizon;
  }
  const double part = excess / std::max(forecast.positives, 1.0);
  forecast.verdict = part > kHopeless      ? Verdict::kHopeless
                     : part > kComfortable ? Verdict::kTight
                                           : Verdict::kComfortable;
  return forecast;
}

Result<std::unique_ptr<OnlineModel>> PointsOnlineModel::Wrap(
    const ModelRequest& request, Result<PointPredictor> points,
    Forecast forecast) {
  if (!points) return points.error();
  SOTTO_TRY_ASSIGN(auto promise, PointsPromise(request.settings, *points));
  return std::unique_ptr<OnlineModel>(new PointsOnlineModel(
      *std::move(points), std::move(promise), std::move(forecast)));
}

Result<std::unique_ptr<OnlineModel>> PointsOnlineModel::Create(
    const ModelRequest& request) {
  SOTTO_TRY_ASSIGN(const auto params,
                   PointsParams(request.settings, request.share));
  auto points = PointPredictor::Create(params);
  if (!points) return points.error();
  Forecast forecast = MakeForecast(request.settings, *points);
  return Wrap(request, std::move(points), std::move(forecast));
}

// The shares are the state's, not searched for again; what they promise is
// checked against the budget by the session.
Result<std::unique_ptr<OnlineModel>> PointsOnlineModel::Load(
    const ModelRequest& request, ByteReader& reader) {
  Forecast forecast = Forecast::Load(reader);
  PointPredictor::Params params{.design = PointDesign::Load(reader)};
  params.patience = reader.Number<std::uint64_t>();
  if (reader.failed()) {
    return Error{ErrorCode::kCorruption, "the saved points end too soon"};
  }
  return Wrap(request, PointPredictor::Load(params, reader),
              std::move(forecast));
}

std::vector<std::string> PointsOnlineModel::caveats() const {
  return {
      "Labels count if they come within " +
          WithCommas(points_.params().patience) +
          " further rounds of their own (--patience).",
      "What a point's first labels decided stays: it is not learned again."};
}

Result<OnlineModel::OpenResult> PointsOnlineModel::Open(FeatureView x,
                                                        std::string_view,
                                                        Rng& rng) {
  const auto round = points_.Open(PointKey(x), rng);
  return OpenResult{.prediction = Label(round.prediction),
                    .open = std::make_unique<PendingRound>(round.round)};
}

Result<bool> PointsOnlineModel::PlayEmptyRound(Rng&) {
  points_.PlayEmptyRound();
  return false;
}

Status PointsOnlineModel::Close(std::unique_ptr<OpenRound> open,
                                const Label& y) {
  points_.Close(static_cast<PendingRound&>(*open).round(), y.positive());
  return Ok();
}

Result<std::size_t> PointsOnlineModel::Play(std::span<Round> rounds,
                                            NoiseHistory& history) {
  for (Round& round : rounds) {
    Rng& rng = history.Begin(round);
    const auto opened = points_.Open(PointKey(round.x), rng);
    round.prediction = Label(opened.prediction);
    round.phase = 0;
    if (!round.y) continue;
    history.AddLabel(history.rounds(), *round.y);
    points_.Close(opened.round, round.y->positive());
  }
  return rounds.size();
}

Status PointsOnlineModel::Save(ByteWriter& writer) {
  outlook_.Save(writer);
  points_.params().design.Save(writer);
  writer.Number(points_.params().patience);
  points_.Save(writer);
  return Ok();
}

Result<std::unique_ptr<OpenRound>> PointsOnlineModel::LoadRound(
    ByteReader& reader) {
  SOTTO_TRY_ASSIGN(auto round, PointPredictor::Round::Load(reader));
  return std::unique_ptr<OpenRound>(std::make_unique<PendingRound>(round));
}

}  // namespace sotto
