#include "pop_run.h"

#include <utility>

#include "noise_key.h"
#include "saved_run.h"
#include "sotto/ensembles/ensemble_factory.h"
#include "sotto/state/state_file.h"

namespace sotto::app {
namespace {

using nlohmann::ordered_json;
using Procedure = PrivateOnlineProcedure;

constexpr std::string_view kKind = "run/pop";
constexpr std::uint32_t kVersion = 2;

Result<EnsembleFactory> FactoryFor(const RunFlags& flags, PopRun& run) {
  if (run.spec.name == "exec") {
    auto process = ProcessLearner::Create({.command = run.spec.command});
    if (!process) return process.error();
    run.process = *std::move(process);
  }
  return MakeEnsembleFactory(
      run.spec, {.threads = flags.threads, .process = run.process.get()});
}

Status AddComparison(const RunFlags& flags, PopRun& run) {
  if (!flags.compare) return Ok();
  auto learner = MakeLearner(run.spec);
  if (!learner) {
    return InvalidArgument("--compare: " + learner.error().message);
  }
  run.comparison.emplace(*std::move(learner), flags.pop.label_delay);
  return Ok();
}

ordered_json PlanJson(const RunFlags& flags, const PopPlan& plan) {
  // Without a horizon there was nothing to expect anything for.
  if (flags.pop.horizon == 0) return ordered_json::object();
  ordered_json json = {{"expected", plan.expected.mistakes},
                       {"verdict", ToString(plan.verdict)}};
  if (plan.mistakes_bound) json["bound"] = *plan.mistakes_bound;
  return json;
}

Procedure::Params ParamsOf(const RunFlags& flags, const ApproximateDp& model,
                           PopSchedule schedule) {
  return {.epsilon = model.epsilon,
          .delta = model.delta,
          .schedule = std::move(schedule),
          .rounds_per_user = flags.pop.rounds_per_user};
}

Result<PopPlan> PlanFor(const RunFlags& flags, const LearnerSpec& spec,
                        const ApproximateDp& model) {
  PopPlanRequest request = PlanRequestOf(flags.pop, spec);
  request.epsilon = model.epsilon;
  request.delta = model.delta;
  return PlanPop(request);
}

}  // namespace

Result<std::unique_ptr<PopRun>> StartPop(const RunFlags& flags,
                                         const LearnerSpec& spec) {
  const auto split = SharesOf(flags);
  if (!split) return split.error();
  const auto plan = PlanFor(flags, spec, split->model);
  if (!plan) return plan.error();
  const auto root = FreshKey(flags.seed);
  if (!root) return root.error();
  auto run = std::make_unique<PopRun>();
  run->spec = spec;
  run->seeded = flags.seed.has_value();
  run->plan = PlanJson(flags, *plan);
  run->schema_print = SchemaPrint(flags.schema);
  auto factory = FactoryFor(flags, *run);
  if (!factory) return factory.error();
  auto pop = Procedure::Create(ParamsOf(flags, split->model, plan->schedule),
                               *std::move(factory));
  if (!pop) return pop.error();
  run->stream = std::make_unique<PopStream>(
      *std::move(pop), root->Derive("noise-v1", kKind, {}),
      root->Derive("hash-v1", kKind, {}), flags.pop.label_delay);
  if (split->mistakes) {
    auto counted =
        PublicMistakes::Create(*split->mistakes, flags.pop.horizon,
                               root->Derive("mistakes-v1", kKind, {}));
    if (!counted) return counted.error();
    run->public_mistakes = *std::move(counted);
  }
  if (Status added = AddComparison(flags, *run); !added) return added.error();
  return run;
}

Result<PopSaved> ReadPopState(RunFlags& flags) {
  if (flags.seed) {
    return InvalidArgument(
        "--seed starts a run and cannot be given to one that is resumed");
  }
  auto state = ReadStateFile(flags.load, kKind, kVersion);
  if (!state) return InvalidArgument(state.error().message);
  PopSaved saved{std::move(state->payload)};
  ByteReader reader(saved.payload);
  const std::string_view text = reader.Text();
  saved.rest = sizeof(std::uint64_t) + text.size();
  const auto settings = ordered_json::parse(text, nullptr, false);
  if (reader.failed() || !settings.is_object()) {
    return InvalidArgument(flags.load + ": malformed settings in the state");
  }
  if (Status adopted = AdoptSettings(settings, flags); !adopted) {
    return InvalidArgument(flags.load + ": " + adopted.error().message);
  }
  return saved;
}

namespace {

// The fields before the model: keys, counts, the plan.
struct SavedHead {
  std::uint32_t features = 0;
  Key noise;
  Key hash;
};

Result<SavedHead> ReadHead(ByteReader& reader, PopRun& run) {
  const auto features = reader.Number<std::uint32_t>();
  run.schema_print = std::string(reader.Text());
  const auto noise = ReadKey(reader);
  if (!noise) return noise.error();
  const auto hash = ReadKey(reader);
  if (!hash) return hash.error();
  run.seeded = reader.Number<std::uint8_t>() != 0;
  run.plan = ordered_json::parse(reader.Text(), nullptr, false);
  auto tally = RunTally::Load(reader);
  if (!tally) return tally.error();
  run.tally = *std::move(tally);
  if (!run.plan.is_object()) {
    return Error{ErrorCode::kCorruption, "malformed plan in the state"};
  }
  return SavedHead{features, *noise, *hash};
}

Status CheckEncoding(const RunFlags& flags, const PopRun& run,
                     std::uint32_t features) {
  if (run.schema_print != SchemaPrint(flags.schema)) {
    return InvalidArgument("the state was made with another --schema");
  }
  if (features == run.spec.features) return Ok();
  return InvalidArgument("the state was made with " + std::to_string(features) +
                         " features, this stream has " +
                         std::to_string(run.spec.features));
}

Status LoadBeside(const RunFlags& flags, const RunShares& split, PopRun& run,
                  ByteReader& reader) {
  if (split.mistakes) {
    auto counted =
        PublicMistakes::Load(*split.mistakes, flags.pop.horizon, reader);
    if (!counted) return counted.error();
    run.public_mistakes = *std::move(counted);
  }
  if (Status added = AddComparison(flags, run); !added) return added;
  return run.comparison ? run.comparison->Load(reader) : Ok();
}

}  // namespace

Result<std::unique_ptr<PopRun>> ResumePop(const RunFlags& flags,
                                          const LearnerSpec& spec,
                                          const PopSaved& saved) {
  const auto split = SharesOf(flags);
  if (!split) return split.error();
  auto run = std::make_unique<PopRun>();
  run->spec = spec;
  ByteReader reader(std::string_view(saved.payload).substr(saved.rest));
  const auto head = ReadHead(reader, *run);
  if (!head) return head.error();
  if (Status same = CheckEncoding(flags, *run, head->features); !same) {
    return same.error();
  }
  auto schedule = LoadPopSchedule(reader);
  if (!schedule) return schedule.error();
  if (Status beside = LoadBeside(flags, *split, *run, reader); !beside) {
    return beside.error();
  }
  auto factory = FactoryFor(flags, *run);
  if (!factory) return factory.error();
  auto pop =
      Procedure::Load(ParamsOf(flags, split->model, *std::move(schedule)),
                      *std::move(factory), reader);
  if (!pop) return pop.error();
  run->stream = std::make_unique<PopStream>(*std::move(pop), head->noise,
                                            head->hash, flags.pop.label_delay);
  if (Status queue = run->stream->LoadQueue(reader); !queue) {
    return queue.error();
  }
  if (Status whole = reader.Finish(); !whole) return whole.error();
  return run;
}

Status SavePop(const RunFlags& flags, PopRun& run) {
  ByteWriter payload;
  payload.Text(SettingsOf(flags).dump());
  payload.Number(run.spec.features);
  payload.Text(run.schema_print);
  payload.Text(AsText(run.stream->history().place()));
  payload.Text(AsText(run.stream->history().hash_key()));
  payload.Number(static_cast<std::uint8_t>(run.seeded ? 1 : 0));
  payload.Text(run.plan.dump());
  run.tally.Save(payload);
  Save(run.stream->schedule(), payload);
  if (run.public_mistakes) run.public_mistakes->Save(payload);
  if (run.comparison) run.comparison->Save(payload);
  if (Status saved = run.stream->Save(payload); !saved) return saved;
  return WriteStateFile(
      flags.save, {std::string(kKind), kVersion, std::move(payload).bytes()});
}

}  // namespace sotto::app
