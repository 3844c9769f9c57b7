#include "sotto/models/pop/pop_entry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/memo.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/learners/ensembles/process_learner.h"
#include "sotto/models/adapter/batch_player.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/adapter/online_model_adapter.h"
#include "sotto/models/pop/pop_plan.h"
#include "sotto/models/pop/pop_request.h"
#include "sotto/models/pop/pop_text.h"
#include "sotto/models/pop/private_online_procedure.h"

namespace sotto {
namespace {

Result<PopPlan> RememberedPlan(const PopPlanRequest& request) {
  static Memo<PopPlanRequest, Result<PopPlan>> memo;
  return memo.Get(request, [&] { return PlanPop(request); });
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
    return FailedPrecondition("the state was made with another learner: " +
                              text);
  }
  if (host != nullptr || !IsPopHost(text)) return Ok();
  return InvalidArgument("the learner " + text +
                         " is an object of a Python program: give it there, "
                         "as sotto.Pop(learner=...)");
}

// The learner as its user wrote it, byte for byte.
struct BaseLearner {
  std::string text;
  LearnerSpec spec;
  // Its program, if it is one. Ensembles point at it.
  std::unique_ptr<ProcessLearner> process = nullptr;
  std::string assumption = {};  // that cannot be checked, if there is one
};

Result<BaseLearner> MakeBaseLearner(const ModelRequest& request,
                                    const std::string& text,
                                    const HostLearner* host) {
  SOTTO_TRY(CheckHost(text, host));
  SOTTO_TRY_ASSIGN(auto spec, PopLearner(text, &request.inputs));
  BaseLearner learner{text, std::move(spec)};
  if (host != nullptr) learner.assumption = host->assumption;
  if (learner.spec.command.empty()) return learner;
  SOTTO_TRY_ASSIGN(learner.process,
                   ProcessLearner::Create({.command = learner.spec.command}));
  learner.assumption =
      "Assumption that cannot be checked: the copies inside the learner's "
      "program share nothing that depends on data, a prediction changes no "
      "state, and the program tells nobody else what it is told.";
  return learner;
}

// The procedure as a session drives it.
struct PopCore {
  using Procedure = PrivateOnlineProcedure;
  using Round = Procedure::Round;
  using Player = BatchPlayer<Procedure, Procedure::Example>;
  static constexpr bool kReleasePerPhase = false;

  static Result<PopCore> Create(const ModelRequest& request,
                                const HostLearner* host = nullptr);
  static Result<PopCore> Load(const ModelRequest& request, ByteReader& reader,
                              const HostLearner* host = nullptr);
  static Result<PopCore> Make(const ModelRequest& request, BaseLearner learner,
                              Procedure pop, OnlineModel::Forecast forecast);

  bool halted() const { return pop.halted(); }
  std::uint64_t phase() const { return pop.phase(); }
  bool users_in_one_phase() const { return pop.params().schedule.pin_users; }
  Result<OpenedRound<Round>> Open(FeatureView x, std::string_view user,
                                  Rng& rng) {
    SOTTO_TRY_ASSIGN(auto round, pop.Open(x, user, rng));
    const ModelAnswer answer{.prediction = Label(round.prediction()),
                             .paid = round.paid()};
    return OpenedRound<Round>{answer, std::move(round)};
  }
  Status PlayEmptyRound(Rng& rng) { return pop.PlayEmptyRound(rng); }
  Status Close(Round round, const Label& y) {
    return pop.Close(std::move(round), y.positive());
  }
  std::size_t preferred_batch_size() const {
    return std::min(pop.preferred_batch_size(), Player::kLargestBatch);
  }
  Result<std::size_t> PlayBatch(std::span<sotto::Round> rounds,
                                NoiseHistory& history);
  std::optional<double> VoteShare(FeatureView x);
  Status Save(ByteWriter& writer);
  Result<Round> LoadRound(ByteReader& reader) const {
    return Round::Load(reader, features);
  }

  ModelFacts facts;
  std::uint32_t features;
  BaseLearner learner;
  Procedure pop;
  Player player = {};
};

Result<PopCore> PopCore::Make(const ModelRequest& request, BaseLearner learner,
                              Procedure pop, OnlineModel::Forecast forecast) {
  SOTTO_TRY_ASSIGN(auto promise, PopPromise(request.settings, pop.guarantee()));
  const PopSchedule& schedule = pop.params().schedule;
  ModelFacts facts{
      .guarantee = std::move(promise),
      .parameters = PopParameters(request.settings, learner.spec, schedule),
      .summary = "pop over " + learner.spec.ToText() + ": " + Summary(schedule),
      .forecast = std::move(forecast)};
  if (!learner.assumption.empty()) facts.caveats = {learner.assumption};
  return PopCore{std::move(facts), request.inputs.features, std::move(learner),
                 std::move(pop)};
}

Result<PopCore> PopCore::Create(const ModelRequest& request,
                                const HostLearner* host) {
  const Settings& settings = request.settings;
  SOTTO_TRY(CheckPop(settings));
  SOTTO_TRY_ASSIGN(auto spec,
                   PopLearner(settings.Text("learner"), &request.inputs));
  SOTTO_TRY(CheckColumns(settings, spec, &request.inputs));
  PopPlanRequest asked = MakePopRequest(settings, spec, request.share);
  asked.advise = false;
  SOTTO_TRY_ASSIGN(const auto plan, RememberedPlan(asked));
  SOTTO_TRY_ASSIGN(auto learner,
                   MakeBaseLearner(request, settings.Text("learner"), host));
  SOTTO_TRY_ASSIGN(auto factory, MakeFactory(request, learner.spec,
                                             learner.process.get(), host));
  SOTTO_TRY_ASSIGN(auto pop,
                   Procedure::Create(MakeParams(request, plan.schedule),
                                     std::move(factory)));
  return Make(request, std::move(learner), std::move(pop),
              MakeForecast(settings, plan));
}

// A command may hold bytes that JSON cannot represent, so the settings stored
// with this state may have other bytes instead.
Result<PopCore> PopCore::Load(const ModelRequest& request, ByteReader& reader,
                              const HostLearner* host) {
  const std::string text(reader.Text());
  if (Json(text).Dump() != Json(request.settings.Text("learner")).Dump()) {
    return FailedPrecondition("the state was made with another learner");
  }
  SOTTO_TRY_ASSIGN(auto schedule, LoadPopSchedule(reader));
  auto forecast = OnlineModel::Forecast::Load(reader);
  if (reader.failed()) {
    return Corruption("the saved pop makes no sense: it ends too soon");
  }
  SOTTO_TRY_ASSIGN(auto learner, MakeBaseLearner(request, text, host));
  SOTTO_TRY_ASSIGN(auto factory, MakeFactory(request, learner.spec,
                                             learner.process.get(), host));
  SOTTO_TRY_ASSIGN(auto pop,
                   Procedure::Load(MakeParams(request, std::move(schedule)),
                                   std::move(factory), reader));
  return Make(request, std::move(learner), std::move(pop), std::move(forecast));
}

// The copy of a pinned user depends on the name, which batches do not look at.
Result<std::size_t> PopCore::PlayBatch(std::span<sotto::Round> rounds,
                                       NoiseHistory& history) {
  const auto alone = std::ranges::find_if(rounds, [&](const auto& round) {
    return users_in_one_phase() && !round.user.empty();
  });
  const auto size = std::min(static_cast<std::size_t>(alone - rounds.begin()),
                             preferred_batch_size());
  if (size == 0) return size;
  const auto make_example = [](const sotto::Round& round) {
    Procedure::Example example{round.x, std::nullopt};
    if (round.y) example.y = round.y->positive();
    return example;
  };
  return player.Play(pop, make_example, rounds.first(size), history);
}

std::optional<double> PopCore::VoteShare(FeatureView x) {
  const auto votes = pop.Votes(x);
  if (!votes) return std::nullopt;
  return static_cast<double>(*votes) /
         static_cast<double>(pop.params().schedule.At(pop.phase()).copies);
}

Status PopCore::Save(ByteWriter& writer) {
  writer.Text(learner.text);
  sotto::Save(pop.params().schedule, writer);
  facts.forecast.Save(writer);
  return pop.Save(writer);
}

Status Prepare(const Settings& settings, ReaderParams& request) {
  SOTTO_TRY(CheckPop(settings));
  return PrepareForLearner(settings, request);
}

// Limits of the expected mistakes that apply to every learner.
std::vector<std::string> MakeCaveats(const Settings& settings,
                                     const LearnerSpec& spec) {
  std::vector<std::string> caveats;
  if (!ExtractFacts(spec).thresholds) {
    caveats.push_back("The mistakes expected are a model of thresholds; for " +
                      spec.name + " they are a guess (--complexity).");
  }
  caveats.emplace_back(
      "The mistakes expected are for two labels that are both common, and "
      "numbers that fill their range evenly: where one of the labels is rare, "
      "a "
      "copy needs more examples (--complexity), and mistakes can be ten times "
      "as many.");
  if (settings.GetDouble("label-rate") < 1) {
    caveats.emplace_back(
        "The mistakes expected are wrong answers in all rounds; a run counts "
        "those whose label comes.");
  }
  if (settings.GetOptionalDouble("label-noise").value_or(0) > 0) {
    caveats.emplace_back(
        "Of wrong labels the plan supposes that they are spread evenly over "
        "the rounds, and that each makes a copy begin again.");
  }
  return caveats;
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  SOTTO_TRY(CheckPop(settings));
  SOTTO_TRY_ASSIGN(const auto spec, LearnerForPlan(settings, inputs));
  SOTTO_TRY_ASSIGN(
      const auto plan,
      RememberedPlan(MakePopRequest(
          settings, spec,
          {settings.GetDouble("epsilon"), settings.GetDouble("delta")})));
  SOTTO_TRY_ASSIGN(auto promise, PopPromise(settings, plan.guarantee));
  return Plan{.model = "pop over " + spec.ToText(),
              .parameters = PopParameters(settings, spec, plan.schedule),
              .guarantee = std::move(promise),
              .mistakes_expected = plan.expected.mistakes,
              .mistakes_bound = plan.mistakes_bound,
              .presumes = ForecastAssumption::kRule,
              .verdict = plan.verdict,
              .advice = plan.advice,
              .caveats = MakeCaveats(settings, spec),
              .more = PopPlanMore(spec, plan),
              .table = PopPlanTable(plan)};
}

}  // namespace

const OnlineModelEntry& PopEntry() {
  static const OnlineModelEntry kEntry = {
      .name = "pop",
      .help =
          "Make any online learner private: copies vote, each user gets the "
          "noisy majority",
      .example = "--epsilon 1 --delta 1e-6 --horizon 1e5 --learner threshold",
      .options = PopOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise = "any stream, also one chosen by an adversary",
      .publishes = "nothing",
      .prepare = Prepare,
      .plan = MakePlan,
      .create = OnlineModelAdapter<PopCore>::Create,
      .load = OnlineModelAdapter<PopCore>::Load,
      .plain = MakeNonPrivate};
  return kEntry;
}

OnlineModelEntry PopEntryOver(HostLearner host) {
  OnlineModelEntry entry = PopEntry();
  entry.create = [host](const ModelRequest& request) {
    return OnlineModelAdapter<PopCore>::Wrap(PopCore::Create(request, &host));
  };
  entry.load = [host](const ModelRequest& request, ByteReader& reader) {
    return OnlineModelAdapter<PopCore>::Wrap(
        PopCore::Load(request, reader, &host));
  };
  entry.plain = nullptr;
  return entry;
}

}  // namespace sotto
