#include "sotto/models/pop/paper_pop_entry.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/memo.h"
#include "sotto/models/adapter/online_model_adapter.h"
#include "sotto/models/pop/counter_online_procedure.h"
#include "sotto/models/pop/paper_pop_plan.h"
#include "sotto/models/pop/paper_pop_text.h"
#include "sotto/models/pop/pop_request.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "pop-paper/2";

Result<PaperPopPlan> RememberedPlan(const PaperPopRequest& request) {
  static Memo<PaperPopRequest, Result<PaperPopPlan>> memo;
  return memo.Get(request, [&] { return PlanPaperPop(request); });
}

// The numbers that were asked for, if they fit.
Result<PaperPopPlan> PlanThatFits(const PaperPopRequest& request) {
  SOTTO_TRY_ASSIGN(auto plan, RememberedPlan(request));
  if (const Status fits = CheckFits(plan); !fits) {
    return InvalidArgument(
        fits.error().message + ": " + PaperPopLine(plan) +
        (request.printed ? ". --constants least needs less" : ""));
  }
  return plan;
}

// The procedure as a session drives it. After the halt it answers 0.
struct PaperPopCore {
  using Procedure = CounterOnlineProcedure;
  using Round = Procedure::Round;
  static constexpr std::size_t kBatch = 256;
  static constexpr bool kReleasePerPhase = false;

  static Result<PaperPopCore> Create(const ModelRequest& request,
                                     const HostLearner* host);
  static Result<PaperPopCore> Load(const ModelRequest& request,
                                   ByteReader& reader, const HostLearner* host);
  static Result<PaperPopCore> Make(const ModelRequest& request,
                                   BaseLearner learner, Procedure pop,
                                   OnlineModel::Forecast forecast);

  std::uint64_t phase() const { return pop.phase(); }
  Result<OpenedRound<Round>> Open(FeatureView x, std::string_view user,
                                  Rng& rng);
  Status PlayEmptyRound(Rng& rng);
  Status Close(Round round, const Label& y) {
    return pop.Close(std::move(round), y.positive());
  }
  std::optional<double> VoteShare(FeatureView x) {
    const auto votes = pop.Votes(x);
    if (!votes) return std::nullopt;
    return static_cast<double>(*votes) /
           static_cast<double>(pop.params().copies);
  }
  Status Save(ByteWriter& writer);
  Result<Round> LoadRound(ByteReader& reader) const {
    return Round::Load(reader, features);
  }
  // From the halt on every report says so.
  void NoteHalt() {
    if (pop.halted()) AddHalt(pop, facts.parameters, facts.caveats);
  }

  ModelFacts facts;
  std::uint32_t features;
  BaseLearner learner;
  Procedure pop;
};

Result<OpenedRound<PaperPopCore::Round>> PaperPopCore::Open(
    FeatureView x, std::string_view user, Rng& rng) {
  if (pop.halted()) {
    return OpenedRound<Round>{{.prediction = Label(false)}, Round()};
  }
  SOTTO_TRY_ASSIGN(auto round, pop.Open(x, user, rng));
  NoteHalt();
  const ModelAnswer answer{.prediction = Label(round.prediction()),
                           .paid = round.paid()};
  return OpenedRound<Round>{answer, std::move(round)};
}

Status PaperPopCore::PlayEmptyRound(Rng& rng) {
  if (pop.halted()) return Ok();
  SOTTO_TRY(pop.PlayEmptyRound(rng));
  NoteHalt();
  return Ok();
}

Result<PaperPopCore> PaperPopCore::Make(const ModelRequest& request,
                                        BaseLearner learner, Procedure pop,
                                        OnlineModel::Forecast forecast) {
  SOTTO_TRY_ASSIGN(auto promise, PopPromise(request.settings, pop.guarantee()));
  ModelFacts facts{
      .guarantee = std::move(promise),
      .parameters =
          PaperPopParameters(request.settings, learner.spec, pop.params()),
      .summary = "pop over " + learner.spec.ToText() +
                 ", Algorithm 7 as printed: " + PaperPopNumbers(pop.params()),
      .caveats = {PaperPopHaltCaveat(pop.params())},
      .forecast = std::move(forecast)};
  if (!learner.assumption.empty()) facts.caveats.push_back(learner.assumption);
  PaperPopCore core{std::move(facts), request.inputs.features,
                    std::move(learner), std::move(pop)};
  core.NoteHalt();
  return core;
}

Result<PaperPopCore> PaperPopCore::Create(const ModelRequest& request,
                                          const HostLearner* host) {
  const Settings& settings = request.settings;
  SOTTO_TRY(CheckPop(settings));
  SOTTO_TRY_ASSIGN(auto spec,
                   PopLearner(settings.Text("learner"), &request.inputs));
  SOTTO_TRY(CheckColumns(settings, spec, &request.inputs));
  SOTTO_TRY_ASSIGN(const auto plan, PlanThatFits(MakePaperPopRequest(
                                        settings, spec, request.share)));
  SOTTO_TRY_ASSIGN(auto learner,
                   MakeBaseLearner(request, settings.Text("learner"), host));
  SOTTO_TRY_ASSIGN(auto factory, MakeFactory(request, learner, host));
  SOTTO_TRY_ASSIGN(auto pop,
                   Procedure::Create(plan.params, std::move(factory)));
  return Make(request, std::move(learner), std::move(pop),
              {.expected = plan.expected.mistakes,
               .verdict = std::string(ToString(PaperPopVerdict(plan)))});
}

Result<PaperPopCore> PaperPopCore::Load(const ModelRequest& request,
                                        ByteReader& reader,
                                        const HostLearner* host) {
  if (reader.Text() != kTag) {
    return FailedPrecondition(
        "the state was saved by an earlier --variant paper: continue it with "
        "the version that saved it");
  }
  const std::string text(reader.Text());
  if (Json(text).Dump() != Json(request.settings.Text("learner")).Dump()) {
    return FailedPrecondition("the state was made with another learner");
  }
  const auto params = Procedure::Params::Load(reader);
  auto forecast = OnlineModel::Forecast::Load(reader);
  if (reader.failed()) {
    return Corruption("the saved pop makes no sense: it ends too soon");
  }
  SOTTO_TRY_ASSIGN(auto learner, MakeBaseLearner(request, text, host));
  SOTTO_TRY_ASSIGN(auto factory, MakeFactory(request, learner, host));
  SOTTO_TRY_ASSIGN(auto pop,
                   Procedure::Load(params, std::move(factory), reader));
  return Make(request, std::move(learner), std::move(pop), std::move(forecast));
}

Status PaperPopCore::Save(ByteWriter& writer) {
  writer.Text(kTag);
  writer.Text(learner.text);
  pop.params().Save(writer);
  facts.forecast.Save(writer);
  return pop.Save(writer);
}

}  // namespace

Result<std::unique_ptr<OnlineModel>> CreatePaperPop(const ModelRequest& request,
                                                    const HostLearner* host) {
  return OnlineModelAdapter<PaperPopCore>::Wrap(
      PaperPopCore::Create(request, host));
}

Result<std::unique_ptr<OnlineModel>> LoadPaperPop(const ModelRequest& request,
                                                  ByteReader& reader,
                                                  const HostLearner* host) {
  return OnlineModelAdapter<PaperPopCore>::Wrap(
      PaperPopCore::Load(request, reader, host));
}

Result<Plan> PlanPaperPopEntry(const Settings& settings,
                               const InputSpec* inputs) {
  SOTTO_TRY(CheckPop(settings));
  SOTTO_TRY_ASSIGN(const auto spec, LearnerForPlan(settings, inputs));
  PaperPopRequest request = MakePaperPopRequest(
      settings, spec,
      {settings.GetDouble("epsilon"), settings.GetDouble("delta")});
  SOTTO_TRY_ASSIGN(const auto chosen, PlanThatFits(request));
  SOTTO_TRY_ASSIGN(const auto own,
                   CounterOnlineProcedure::Promise(chosen.params));
  SOTTO_TRY_ASSIGN(auto promise, PopPromise(settings, own));
  Plan plan{.model = "pop over " + spec.ToText() + ", Algorithm 7 as printed",
            .parameters = PaperPopParameters(settings, spec, chosen.params),
            .guarantee = std::move(promise),
            .mistakes_expected = chosen.expected.mistakes,
            .presumes = ForecastAssumption::kRule,
            .verdict = PaperPopVerdict(chosen)};
  plan.more["learner"] = spec.ToText();
  plan.more["paid_expected"] = chosen.expected.paid;
  request.copies = request.reports = std::nullopt;
  request.noise_scale.reset();
  request.printed = true;
  const auto printed = RememberedPlan(request);
  request.printed = false;
  AddPaperPopRow("printed", printed, plan);
  AddPaperPopRow("least", RememberedPlan(request), plan);
  AddPaperPopNotes(chosen, printed, plan);
  return plan;
}

}  // namespace sotto
