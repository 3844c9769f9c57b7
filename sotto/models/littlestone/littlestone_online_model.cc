#include "sotto/models/littlestone/littlestone_online_model.h"

#include <array>

#include "sotto/model/plan_text.h"
#include "sotto/models/littlestone/littlestone_options.h"

namespace sotto {

class LittlestoneOnlineModel::Opening final : public OpenRound {
 public:
  explicit Opening(const FiniteClassLearner::Round& round) : round_(round) {}
  void Save(ByteWriter& writer) const override {
    writer.Number(static_cast<std::uint8_t>(round_.told ? 1 : 0));
    writer.Number(round_.index);
  }
  const FiniteClassLearner::Round& round() const { return round_; }

 private:
  FiniteClassLearner::Round round_;
};

Json LittlestoneParameters(const FiniteClassLearner::Params& params) {
  return Json::Object{{"functions", params.functions->size()},
                      {"points", params.functions->points()},
                      {"votes", params.votes},
                      {"changes", params.weights.size()},
                      {"limit", params.limit},
                      {"period", params.period},
                      {"stopper", params.stopper},
                      {"rate", params.rate.ToDoubleUp()},
                      {"first_weight", params.weights.front()},
                      {"last_weight", params.weights.back()}};
}

std::string LittlestoneInWords(const FiniteClassLearner::Params& params) {
  return "littlestone: " + WithCommas(params.functions->size()) +
         " functions on " + WithCommas(params.functions->points()) +
         " points; about every " +
         WithCommas(static_cast<std::uint64_t>(params.limit)) +
         " mistakes a majority of " + std::to_string(params.votes) +
         " is drawn anew, at most " + WithCommas(params.weights.size()) +
         " times";
}

Result<std::unique_ptr<OnlineModel>> LittlestoneOnlineModel::Wrap(
    const ModelRequest& request, Result<FiniteClassLearner> learner) {
  if (!learner) return learner.error();
  const auto columns =
      LittlestoneColumns(*learner->params().functions, request.inputs);
  if (!columns) return columns.error();
  FitFile file{.fit = "finite", .columns = *columns};
  if (request.inputs.label.names.size() == 2) {
    file.labels.negative = request.inputs.label.names[0];
    file.labels.positive = request.inputs.label.names[1];
  }
  return std::unique_ptr<OnlineModel>(
      new LittlestoneOnlineModel(*std::move(learner), std::move(file)));
}

Result<std::unique_ptr<OnlineModel>> LittlestoneOnlineModel::Create(
    const ModelRequest& request) {
  auto params = LittlestoneParams(request.settings, request.share);
  if (!params) return params.error();
  return Wrap(request, FiniteClassLearner::Create(*std::move(params)));
}

Result<std::unique_ptr<OnlineModel>> LittlestoneOnlineModel::Load(
    const ModelRequest& request, ByteReader& reader) {
  auto params = LittlestoneParams(request.settings, request.share);
  if (!params) return params.error();
  return Wrap(request, FiniteClassLearner::Load(*std::move(params), reader));
}

std::vector<std::string> LittlestoneOnlineModel::caveats() const {
  return {
      "Every hypothesis is published and may be kept by anybody; a user's own "
      "prediction is for that user alone.",
      "When all changes are used up, the last hypothesis stays."};
}

Result<OnlineModel::Opened> LittlestoneOnlineModel::Open(FeatureView x,
                                                         std::string_view,
                                                         Rng& rng) {
  const std::uint64_t before = learner_.changes();
  std::array<std::uint32_t, 1> code{};
  file_.columns.Encode(x, code);
  const FiniteClassLearner::Round round = learner_.Open(code[0], rng);
  Opened opened{.told = round.told,
                .paid = learner_.changes() != before,
                .open = nullptr};
  opened.open = std::make_unique<Opening>(round);
  return opened;
}

Result<bool> LittlestoneOnlineModel::Tick(Rng& rng) {
  const std::uint64_t before = learner_.changes();
  learner_.Tick(rng);
  return learner_.changes() != before;
}

Status LittlestoneOnlineModel::Close(std::unique_ptr<OpenRound> open,
                                     const Label& y) {
  learner_.Close(static_cast<Opening&>(*open).round(), y.positive());
  return Ok();
}

std::optional<Json> LittlestoneOnlineModel::hypothesis() const {
  FitFile file = file_;
  file.hypothesis = FitHypothesis::Table(learner_.hypothesis());
  return file.ToJson();
}

Status LittlestoneOnlineModel::Save(ByteWriter& writer) {
  learner_.Save(writer);
  return Ok();
}

Result<std::unique_ptr<OpenRound>> LittlestoneOnlineModel::LoadRound(
    ByteReader& reader) {
  FiniteClassLearner::Round round;
  round.told = reader.Number<std::uint8_t>() != 0;
  round.index = reader.Number<std::uint64_t>();
  if (reader.failed()) {
    return Error{ErrorCode::kCorruption,
                 "a round of the class learner is damaged"};
  }
  return std::unique_ptr<OpenRound>(std::make_unique<Opening>(round));
}

}  // namespace sotto
