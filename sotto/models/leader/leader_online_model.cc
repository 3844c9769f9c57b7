#include "sotto/models/leader/leader_online_model.h"

#include "sotto/base/number_text.h"
#include "sotto/models/leader/leader_options.h"

namespace sotto {

class LeaderOnlineModel::PendingRound final : public OpenRound {
 public:
  explicit PendingRound(PrivateLeader::Round round)
      : round_(std::move(round)) {}
  void Save(ByteWriter& writer) const override { round_.Save(writer); }
  const PrivateLeader::Round& round() const { return round_; }

 private:
  PrivateLeader::Round round_;
};

Json LeaderParameters(const PrivateLeader& leader, std::string_view fit) {
  return Json::Object{{"learner", fit},
                      {"first_epoch", leader.epochs().first},
                      {"growth", leader.epochs().growth},
                      {"drift", leader.watch() == nullptr ? "none" : "auto"},
                      {"fit", leader.fit().parameters()}};
}

std::string LeaderInWords(const PrivateLeader& leader) {
  return "leader: " + leader.fit().Summary() + "; a first fit after " +
         WithCommas(leader.epochs().first) + " rounds, every next epoch " +
         Shortest(leader.epochs().growth) + " times as long" +
         (leader.watch() == nullptr ? ""
                                    : "; starts over when mistakes pile up");
}

Result<std::unique_ptr<OnlineModel>> LeaderOnlineModel::Wrap(
    const ModelRequest& request, Result<PrivateLeader> leader) {
  if (!leader) return leader.error();
  FitFile file{.fit = request.settings.Text("learner"),
               .columns = leader->columns(),
               .labels = GetLabels(request.inputs)};
  return std::unique_ptr<OnlineModel>(
      new LeaderOnlineModel(*std::move(leader), std::move(file)));
}

Result<std::unique_ptr<OnlineModel>> LeaderOnlineModel::Create(
    const ModelRequest& request) {
  SOTTO_TRY_ASSIGN(auto params, LeaderParams(request.settings, request.inputs,
                                             request.share));
  return Wrap(request, PrivateLeader::Create(std::move(params)));
}

Result<std::unique_ptr<OnlineModel>> LeaderOnlineModel::Load(
    const ModelRequest& request, ByteReader& reader) {
  SOTTO_TRY_ASSIGN(auto params, LeaderParams(request.settings, request.inputs,
                                             request.share));
  return Wrap(request, PrivateLeader::Load(std::move(params), reader));
}

std::vector<std::string> LeaderOnlineModel::caveats() const {
  return {
      "Every hypothesis is published and may be kept by anybody; a user's own "
      "prediction is for that user alone."};
}

Result<OnlineModel::OpenResult> LeaderOnlineModel::Open(FeatureView x,
                                                        std::string_view,
                                                        Rng& rng) {
  const std::uint64_t before = leader_.epoch();
  PrivateLeader::Round round = leader_.Open(x, rng);
  OpenResult opened{.prediction = round.prediction,
                    .paid = leader_.epoch() != before,
                    .open = nullptr};
  opened.open = std::make_unique<PendingRound>(std::move(round));
  return opened;
}

Result<bool> LeaderOnlineModel::PlayEmptyRound(Rng& rng) {
  const std::uint64_t before = leader_.epoch();
  leader_.PlayEmptyRound(rng);
  return leader_.epoch() != before;
}

Status LeaderOnlineModel::Close(std::unique_ptr<OpenRound> open,
                                const Label& y) {
  leader_.Close(static_cast<PendingRound&>(*open).round(), y.positive());
  return Ok();
}

Result<std::size_t> LeaderOnlineModel::Play(std::span<sotto::Round> rounds,
                                            NoiseHistory& history) {
  std::size_t played = 0;
  for (sotto::Round& round : rounds) {
    ++played;
    const std::uint64_t before = leader_.epoch();
    const bool y = round.y && round.y->positive();
    round.prediction = Label(
        leader_.Play(round.x, round.y ? &y : nullptr, history.Begin(round)));
    if (round.y) history.AddLabel(history.rounds(), *round.y);
    round.paid = leader_.epoch() != before;
    round.phase = before;
    // Whoever asks for the hypothesis finds each one.
    if (round.paid) break;
  }
  return played;
}

std::optional<Json> LeaderOnlineModel::hypothesis() const {
  FitFile file = file_;
  file.hypothesis = leader_.hypothesis();
  return file.ToJson();
}

Status LeaderOnlineModel::Save(ByteWriter& writer) {
  leader_.Save(writer);
  return Ok();
}

Result<std::unique_ptr<OpenRound>> LeaderOnlineModel::LoadRound(
    ByteReader& reader) {
  SOTTO_TRY_ASSIGN(auto round,
                   PrivateLeader::Round::Load(leader_.columns(), reader));
  return std::unique_ptr<OpenRound>(
      std::make_unique<PendingRound>(std::move(round)));
}

}  // namespace sotto
