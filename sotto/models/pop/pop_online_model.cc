#include "sotto/models/pop/pop_online_model.h"

#include <algorithm>

#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/models/pop/pop_request.h"
#include "sotto/models/pop/pop_text.h"

namespace sotto {
namespace {

constexpr std::size_t kLargestBatch = 1024;

Error Corrupt(const std::string& what) {
  return {ErrorCode::kCorruption, "the saved pop makes no sense: " + what};
}

// Without a horizon there was nothing to expect anything for.
OnlineModel::Forecast MakeForecast(const Settings& settings,
                                   const PopPlan& plan) {
  if (settings.GetInt("horizon") == 0) return {};
  return {.expected = plan.expected.mistakes,
          .bound = plan.mistakes_bound,
          .verdict = std::string(ToString(plan.verdict))};
}

PrivateOnlineProcedure::Params MakeParams(const ModelRequest& request,
                                          PopSchedule schedule) {
  return {.epsilon = request.share.epsilon,
          .delta = request.share.delta,
          .schedule = std::move(schedule),
          .rounds_per_user = request.settings.GetInt("rounds-per-user")};
}

Result<EnsembleFactory> MakeFactory(const ModelRequest& request,
                                    const LearnerSpec& spec,
                                    ProcessLearner* process,
                                    const HostLearner* host) {
  if (host != nullptr) return host->copies(request.inputs);
  return MakeEnsembleFactory(
      spec,
      {.threads = request.settings.GetInt("threads"), .process = process});
}

// A learner of the host's comes with its host, and with no other.
Status CheckHost(const std::string& text, const HostLearner* host) {
  if (host != nullptr && host->text != text) {
    return Error{ErrorCode::kFailedPrecondition,
                 "the state was made with another learner: " + text};
  }
  if (host != nullptr || !IsPopHost(text)) return Ok();
  return InvalidArgument("the learner " + text +
                         " is an object of a Python program: give it there, "
                         "as sotto.Pop(learner=...)");
}

}  // namespace

class PopOnlineModel::PendingRound final : public OpenRound {
 public:
  explicit PendingRound(Procedure::Round round) : round_(std::move(round)) {}
  void Save(ByteWriter& writer) const override { round_.Save(writer); }
  Procedure::Round Take() { return std::move(round_); }

 private:
  Procedure::Round round_;
};

PopOnlineModel::PopOnlineModel(const ModelRequest& request, Plain plain,
                               Procedure pop, Guarantee guarantee,
                               Forecast forecast)
    : features_(request.inputs.features),
      plain_(std::move(plain)),
      pop_(std::move(pop)),
      guarantee_(std::move(guarantee)),
      outlook_(std::move(forecast)),
      parameters_(PopParameters(request.settings, plain_.spec,
                                pop_.params().schedule)) {}

Result<PopOnlineModel::Plain> PopOnlineModel::MakePlain(
    const ModelRequest& request, const std::string& text,
    const HostLearner* host) {
  SOTTO_TRY(CheckHost(text, host));
  SOTTO_TRY_ASSIGN(auto spec, PopLearner(text, &request.inputs));
  Plain plain{text, std::move(spec), nullptr, {}};
  if (host != nullptr) plain.assumption = host->assumption;
  if (plain.spec.command.empty()) return plain;
  SOTTO_TRY_ASSIGN(auto process,
                   ProcessLearner::Create({.command = plain.spec.command}));
  plain.process = std::move(process);
  plain.assumption =
      "Assumption that cannot be checked: the copies inside the learner's "
      "program share nothing that depends on data, a prediction changes no "
      "state, and the program tells nobody else what it is told.";
  return plain;
}

Result<std::unique_ptr<OnlineModel>> PopOnlineModel::Finish(
    const ModelRequest& request, Plain plain, Result<Procedure> pop,
    Forecast forecast) {
  if (!pop) return pop.error();
  SOTTO_TRY_ASSIGN(auto promise,
                   PopPromise(request.settings, pop->guarantee()));
  return std::unique_ptr<OnlineModel>(
      new PopOnlineModel(request, std::move(plain), *std::move(pop),
                         std::move(promise), std::move(forecast)));
}

Result<std::unique_ptr<OnlineModel>> PopOnlineModel::Create(
    const ModelRequest& request, const HostLearner* host) {
  const Settings& settings = request.settings;
  SOTTO_TRY(CheckPop(settings));
  SOTTO_TRY_ASSIGN(auto spec,
                   PopLearner(settings.Text("learner"), &request.inputs));
  SOTTO_TRY(CheckColumns(settings, spec, &request.inputs));
  PopPlanRequest asked = MakePopRequest(settings, spec, request.share);
  asked.advise = false;
  SOTTO_TRY_ASSIGN(const auto plan, PlanPop(asked));
  SOTTO_TRY_ASSIGN(auto plain,
                   MakePlain(request, settings.Text("learner"), host));
  SOTTO_TRY_ASSIGN(auto factory,
                   MakeFactory(request, plain.spec, plain.process.get(), host));
  auto pop =
      Procedure::Create(MakeParams(request, plan.schedule), std::move(factory));
  return Finish(request, std::move(plain), std::move(pop),
                MakeForecast(settings, plan));
}

// A command may hold bytes that no JSON text does, so the settings beside this
// state may have others in their place.
Result<std::unique_ptr<OnlineModel>> PopOnlineModel::Load(
    const ModelRequest& request, ByteReader& reader, const HostLearner* host) {
  const std::string text(reader.Text());
  if (Json(text).Dump() != Json(request.settings.Text("learner")).Dump()) {
    return Error{ErrorCode::kFailedPrecondition,
                 "the state was made with another learner"};
  }
  SOTTO_TRY_ASSIGN(auto schedule, LoadPopSchedule(reader));
  Forecast forecast = Forecast::Load(reader);
  if (reader.failed()) return Corrupt("it ends too soon");
  SOTTO_TRY_ASSIGN(auto plain, MakePlain(request, text, host));
  SOTTO_TRY_ASSIGN(auto factory,
                   MakeFactory(request, plain.spec, plain.process.get(), host));
  auto pop = Procedure::Load(MakeParams(request, std::move(schedule)),
                             std::move(factory), reader);
  return Finish(request, std::move(plain), std::move(pop), std::move(forecast));
}

std::string PopOnlineModel::Summary() const {
  return "pop over " + plain_.spec.ToText() + ": " +
         sotto::Summary(pop_.params().schedule);
}

std::vector<std::string> PopOnlineModel::caveats() const {
  if (plain_.assumption.empty()) return {};
  return {plain_.assumption};
}

Result<OnlineModel::OpenResult> PopOnlineModel::Open(FeatureView x,
                                                     std::string_view user,
                                                     Rng& rng) {
  SOTTO_TRY_ASSIGN(auto round, pop_.Open(x, user, rng));
  OpenResult opened{
      .prediction = round.prediction(), .paid = round.paid(), .open = nullptr};
  opened.open = std::make_unique<PendingRound>(std::move(round));
  return opened;
}

Result<bool> PopOnlineModel::PlayEmptyRound(Rng& rng) {
  SOTTO_TRY(pop_.PlayEmptyRound(rng));
  return false;
}

Status PopOnlineModel::Close(std::unique_ptr<OpenRound> open, const Label& y) {
  return pop_.Close(static_cast<PendingRound&>(*open).Take(), y.positive());
}

std::size_t PopOnlineModel::preferred_batch_size() const {
  return std::min(pop_.preferred_batch_size(), kLargestBatch);
}

// A pinned user's copy depends on the name, which batches do not look at.
Result<std::size_t> PopOnlineModel::Play(std::span<Round> rounds,
                                         NoiseHistory& history) {
  const auto alone = [&](const Round& round) {
    return users_in_one_phase() && !round.user.empty();
  };
  std::size_t done = 0;
  while (done < rounds.size() && !pop_.halted()) {
    const auto rest = rounds.subspan(done);
    const auto end = std::ranges::find_if(rest, alone) - rest.begin();
    const auto size =
        std::min(static_cast<std::size_t>(end), preferred_batch_size());
    SOTTO_TRY_ASSIGN(const auto played,
                     size == 0 ? OnlineModel::Play(rest.first(1), history)
                               : PlayBatch(rest.first(size), history));
    done += played;
  }
  return done;
}

Result<std::size_t> PopOnlineModel::PlayBatch(std::span<Round> rounds,
                                              NoiseHistory& history) {
  examples_.clear();
  draws_.clear();
  places_.clear();
  for (const Round& round : rounds) {
    draws_.push_back(pop_.DrawRound(history.Begin(round)));
    places_.push_back(history.place());
    examples_.push_back({round.x, std::nullopt});
    if (!round.y) continue;
    history.AddLabel(history.rounds(), *round.y);
    examples_.back().y = round.y->positive();
  }
  const std::uint64_t phase = pop_.phase();
  answers_.resize(rounds.size());
  SOTTO_TRY_ASSIGN(const auto played,
                   pop_.PlayDrawn(examples_, draws_, answers_));
  // A hand-over: what was drawn for later rounds was not used, and they draw
  // again, in their own phase, from the same place.
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

std::optional<double> PopOnlineModel::VoteShare(FeatureView x) {
  const auto votes = pop_.Votes(x);
  if (!votes) return std::nullopt;
  return static_cast<double>(*votes) /
         static_cast<double>(pop_.params().schedule.At(pop_.phase()).copies);
}

Status PopOnlineModel::Save(ByteWriter& writer) {
  writer.Text(plain_.text);
  sotto::Save(pop_.params().schedule, writer);
  outlook_.Save(writer);
  return pop_.Save(writer);
}

Result<std::unique_ptr<OpenRound>> PopOnlineModel::LoadRound(
    ByteReader& reader) {
  SOTTO_TRY_ASSIGN(auto round, Procedure::Round::Load(reader, features_));
  return std::unique_ptr<OpenRound>(
      std::make_unique<PendingRound>(std::move(round)));
}

}  // namespace sotto
