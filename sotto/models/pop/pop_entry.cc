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
#include "sotto/models/adapter/batch_player.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/adapter/online_model_adapter.h"
#include "sotto/models/pop/paper_pop_entry.h"
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

// The procedure as a session drives it.
struct PopCore {
  using Procedure = PrivateOnlineProcedure;
  using Round = Procedure::Round;
  using Player = BatchPlayer<Procedure, Procedure::Example>;
  static constexpr bool kReleasePerPhase = false;

  static Result<PopCore> Create(const ModelRequest& request,
                                const HostLearner* host);
  static Result<PopCore> Load(const ModelRequest& request, ByteReader& reader,
                              const HostLearner* host);
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
  SOTTO_TRY_ASSIGN(auto factory, MakeFactory(request, learner, host));
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
  SOTTO_TRY_ASSIGN(auto factory, MakeFactory(request, learner, host));
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
  if (IsPaperPop(settings)) return PlanPaperPopEntry(settings, inputs);
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

using Made = Result<std::unique_ptr<OnlineModel>>;

Made CreateModel(const ModelRequest& request, const HostLearner* host) {
  if (IsPaperPop(request.settings)) return CreatePaperPop(request, host);
  return OnlineModelAdapter<PopCore>::Wrap(PopCore::Create(request, host));
}

Made LoadModel(const ModelRequest& request, ByteReader& reader,
               const HostLearner* host) {
  if (IsPaperPop(request.settings)) return LoadPaperPop(request, reader, host);
  return OnlineModelAdapter<PopCore>::Wrap(
      PopCore::Load(request, reader, host));
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
      .create =
          [](const ModelRequest& request) {
            return CreateModel(request, nullptr);
          },
      .load =
          [](const ModelRequest& request, ByteReader& reader) {
            return LoadModel(request, reader, nullptr);
          },
      .plain = MakeNonPrivate};
  return kEntry;
}

OnlineModelEntry PopEntryOver(HostLearner host) {
  OnlineModelEntry entry = PopEntry();
  entry.create = [host](const ModelRequest& request) {
    return CreateModel(request, &host);
  };
  entry.load = [host](const ModelRequest& request, ByteReader& reader) {
    return LoadModel(request, reader, &host);
  };
  entry.plain = nullptr;
  return entry;
}

}  // namespace sotto
