#include "sotto/models/littlestone/littlestone_online_model.h"

#include <array>

#include "sotto/base/number_text.h"
#include "sotto/models/littlestone/littlestone_options.h"
#include "sotto/models/papers/dp_online_plan.h"

namespace sotto {

// A round of the learner; both have the same.
template <typename Learner>
class LittlestoneOnlineModel<Learner>::PendingRound final : public OpenRound {
 public:
  explicit PendingRound(const PendingRounds::Round& round) : round_(round) {}
  void Save(ByteWriter& writer) const override {
    writer.Number(static_cast<std::uint8_t>(round_.prediction ? 1 : 0));
    writer.Number(round_.index);
  }
  const PendingRounds::Round& round() const { return round_; }

 private:
  PendingRounds::Round round_;
};

namespace {

std::string Times(std::uint64_t number) {
  return number == 1 ? "once" : WithCommas(number) + " times";
}

const char* GetName(Adversary adversary) {
  return adversary == Adversary::kOblivious ? "oblivious" : "adaptive";
}

}  // namespace

Json LittlestoneParameters(const FiniteClassLearner::Params& params) {
  return Json::Object{{"functions", params.functions->size()},
                      {"points", params.functions->points()},
                      {"votes", params.votes},
                      {"votes_for", GetName(params.streams)},
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
         (params.votes == 1
              ? " mistakes one of them"
              : " mistakes a majority of " + std::to_string(params.votes)) +
         " is drawn anew, at most " + Times(params.weights.size());
}

Json LittlestoneParameters(const DpOnlineLearner::Params& params) {
  return Json::Object{
      {"functions", params.functions->size()},
      {"points", params.functions->points()},
      {"dimension", params.dimension},
      {"teachers", params.teachers},
      {"p", params.p},
      {"stages", params.stages},
      {"list_size", params.list_size},
      {"lists", params.form == TeacherLists::Form::kExact ? "exact" : "greedy"},
      {"votes", params.votes},
      {"votes_for", GetName(params.streams)},
      {"changes", params.calls},
      {"limit", params.limit},
      {"period", params.period},
      {"stopper", params.stopper},
      {"agreement", params.agreement},
      {"sample_rate", params.sample_rate},
      {"sample_delta", params.sample_delta}};
}

std::string LittlestoneInWords(const DpOnlineLearner::Params& params) {
  return "littlestone, the paper's DP-OL: " + WithCommas(params.teachers) +
         " teachers over " + WithCommas(params.functions->size()) +
         " functions on " + WithCommas(params.functions->points()) +
         " points; about every " +
         WithCommas(static_cast<std::uint64_t>(params.limit)) +
         " mistakes a majority of " + WithCommas(params.votes) +
         " is drawn anew, at most " + Times(params.calls);
}

std::string VotesInWords(const FiniteClassLearner::Params& params) {
  if (params.streams == Adversary::kOblivious) {
    return "Learning is meant for streams fixed beforehand, whose maker does "
           "not see what is published (oblivious: " +
           std::to_string(params.votes) +
           (params.votes == 1 ? " vote" : " votes") +
           "); privacy holds against an adaptive adversary all the same.";
  }
  return "Learning is meant for streams made by somebody who sees what is "
         "published (adaptive: " +
         std::to_string(params.votes) +
         (params.votes == 1 ? " vote" : " votes") + ").";
}

std::string VotesInWords(const DpOnlineLearner::Params& params) {
  if (params.streams == Adversary::kOblivious) {
    return "Learning is meant for streams fixed beforehand, whose maker does "
           "not see what is published (oblivious: " +
           WithCommas(params.votes) +
           " votes, at least 18 ln(2T / 0.05) or as many as adaptive needs, "
           "unless set by hand); privacy holds against an adaptive adversary "
           "all the same.";
  }
  const std::uint64_t enough = VotesFor(
      params.streams, 0, static_cast<double>(params.functions->points()),
      static_cast<double>(params.calls));
  const std::string everywhere =
      "enough for all points of the class at every "
      "call, in place of the paper's dual VC "
      "dimension";
  return "Learning is meant for streams made by somebody who sees what is "
         "published (adaptive: " +
         WithCommas(params.votes) + " votes, " +
         (params.votes >= enough
              ? everywhere
              : "by hand, where " + WithCommas(enough) + " are " + everywhere) +
         ").";
}

template <typename Learner>
Result<std::unique_ptr<OnlineModel>> LittlestoneOnlineModel<Learner>::Wrap(
    const ModelRequest& request, Result<Learner> learner) {
  if (!learner) return learner.error();
  SOTTO_TRY_ASSIGN(
      const auto columns,
      LittlestoneColumns(*learner->params().functions, request.inputs));
  FitFile file{.fit = "finite", .columns = columns};
  if (request.inputs.label.names.size() == 2) {
    file.labels.negative = request.inputs.label.names[0];
    file.labels.positive = request.inputs.label.names[1];
  }
  return std::unique_ptr<OnlineModel>(
      new LittlestoneOnlineModel(*std::move(learner), std::move(file)));
}

template <typename Learner>
std::vector<std::string> LittlestoneOnlineModel<Learner>::caveats() const {
  return {
      "Every hypothesis is published and may be kept by anybody; a user's own "
      "prediction is for that user alone.",
      VotesInWords(learner_.params()),
      "When all changes are used up, the last hypothesis stays."};
}

template <typename Learner>
Result<OnlineModel::OpenResult> LittlestoneOnlineModel<Learner>::Open(
    FeatureView x, std::string_view, Rng& rng) {
  const std::uint64_t before = learner_.changes();
  std::array<std::uint32_t, 1> code{};
  file_.columns.Encode(x, code);
  const PendingRounds::Round round = learner_.Open(code[0], rng);
  OpenResult opened{.prediction = round.prediction,
                    .paid = learner_.changes() != before,
                    .open = nullptr};
  opened.open = std::make_unique<PendingRound>(round);
  return opened;
}

template <typename Learner>
Result<bool> LittlestoneOnlineModel<Learner>::PlayEmptyRound(Rng& rng) {
  const std::uint64_t before = learner_.changes();
  learner_.PlayEmptyRound(rng);
  return learner_.changes() != before;
}

template <typename Learner>
Status LittlestoneOnlineModel<Learner>::Close(std::unique_ptr<OpenRound> open,
                                              const Label& y) {
  learner_.Close(static_cast<PendingRound&>(*open).round(), y.positive());
  return Ok();
}

template <typename Learner>
std::optional<Json> LittlestoneOnlineModel<Learner>::hypothesis() const {
  FitFile file = file_;
  file.hypothesis = FitHypothesis::Table(learner_.hypothesis());
  return file.ToJson();
}

template <typename Learner>
Status LittlestoneOnlineModel<Learner>::Save(ByteWriter& writer) {
  learner_.Save(writer);
  return Ok();
}

template <typename Learner>
Result<std::unique_ptr<OpenRound>> LittlestoneOnlineModel<Learner>::LoadRound(
    ByteReader& reader) {
  PendingRounds::Round round;
  round.prediction = reader.Number<std::uint8_t>() != 0;
  round.index = reader.Number<std::uint64_t>();
  if (reader.failed()) {
    return Error{ErrorCode::kCorruption,
                 "a round of the class learner is damaged"};
  }
  return std::unique_ptr<OpenRound>(std::make_unique<PendingRound>(round));
}

Result<std::unique_ptr<OnlineModel>> CreateLittlestone(
    const ModelRequest& request) {
  if (IsPaper(request.settings)) {
    SOTTO_TRY_ASSIGN(auto params,
                     DpOnlineParams(request.settings, request.share));
    return LittlestoneOnlineModel<DpOnlineLearner>::Wrap(
        request, DpOnlineLearner::Create(std::move(params)));
  }
  SOTTO_TRY_ASSIGN(auto params,
                   LittlestoneParams(request.settings, request.share));
  return LittlestoneOnlineModel<FiniteClassLearner>::Wrap(
      request, FiniteClassLearner::Create(std::move(params)));
}

Result<std::unique_ptr<OnlineModel>> LoadLittlestone(
    const ModelRequest& request, ByteReader& reader) {
  if (IsPaper(request.settings)) {
    SOTTO_TRY_ASSIGN(auto params,
                     DpOnlineParams(request.settings, request.share));
    return LittlestoneOnlineModel<DpOnlineLearner>::Wrap(
        request, DpOnlineLearner::Load(std::move(params), reader));
  }
  SOTTO_TRY_ASSIGN(auto params,
                   LittlestoneParams(request.settings, request.share));
  return LittlestoneOnlineModel<FiniteClassLearner>::Wrap(
      request, FiniteClassLearner::Load(std::move(params), reader));
}

}  // namespace sotto
