#include "winnow_run.h"

#include <utility>

#include "noise_key.h"
#include "saved_run.h"
#include "sotto/files/state_file.h"
#include "sotto/learners/learner_spec.h"

namespace sotto::app {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kKind = "run/winnow";
constexpr std::uint32_t kVersion = 1;

// Winnow with the same margin, without noise.
Status AddComparison(const RunFlags& run, const WinnowFlags& flags,
                     WinnowRun& winnow) {
  if (!run.compare) return Ok();
  LearnerSpec spec;
  spec.name = "confident-winnow";
  spec.features = flags.features;
  spec.margin = flags.margin;
  spec.nonnegative = flags.nonnegative;
  auto learner = MakeLearner(spec);
  if (!learner) {
    return InvalidArgument("--compare: " + learner.error().message);
  }
  winnow.comparison.emplace(*std::move(learner), run.pop.label_delay);
  return Ok();
}

ordered_json PlanJson(const WinnowOutlook& outlook) {
  ordered_json json = {{"verdict", outlook.verdict}};
  if (outlook.expected) json["expected"] = *outlook.expected;
  if (outlook.bound) json["bound"] = *outlook.bound;
  return json;
}

std::unique_ptr<WinnowStream> MakeStream(const RunFlags& run, AnyWinnow winnow,
                                         const Key& noise, const Key& hash) {
  return std::make_unique<WinnowStream>(std::move(winnow), noise, hash,
                                        run.pop.rounds_per_user,
                                        run.pop.label_delay);
}

}  // namespace

Result<std::unique_ptr<WinnowRun>> StartWinnow(const RunFlags& run,
                                               const WinnowFlags& flags) {
  const auto shares = SharesOf(run);
  if (!shares) return shares.error();
  auto made = MakeWinnow(run.pop, flags, shares->model);
  if (!made) return made.error();
  const auto outlook = OutlookOf(run.pop, flags, shares->model, *made);
  if (!outlook) return outlook.error();
  const auto root = FreshKey(run.seed);
  if (!root) return root.error();
  auto winnow = std::make_unique<WinnowRun>();
  winnow->seeded = run.seed.has_value();
  winnow->plan = PlanJson(*outlook);
  winnow->schema_print = SchemaPrint(run.schema);
  winnow->stream =
      MakeStream(run, *std::move(made), root->Derive("noise-v1", kKind, {}),
                 root->Derive("hash-v1", kKind, {}));
  if (shares->mistakes) {
    auto counted =
        PublicMistakes::Create(*shares->mistakes, run.pop.horizon,
                               root->Derive("mistakes-v1", kKind, {}));
    if (!counted) return counted.error();
    winnow->public_mistakes = *std::move(counted);
  }
  if (Status added = AddComparison(run, flags, *winnow); !added) {
    return added.error();
  }
  return winnow;
}

Result<WinnowSaved> ReadWinnowState(RunFlags& run, WinnowFlags& flags) {
  if (run.seed) {
    return InvalidArgument(
        "--seed starts a run and cannot be given to one that is resumed");
  }
  auto state = ReadStateFile(run.load, kKind, kVersion);
  if (!state) return InvalidArgument(state.error().message);
  WinnowSaved saved{std::move(state->payload)};
  ByteReader reader(saved.payload);
  const std::string_view text = reader.Text();
  saved.rest = sizeof(std::uint64_t) + text.size();
  const auto settings = ordered_json::parse(text, nullptr, false);
  if (reader.failed() || !settings.is_object()) {
    return InvalidArgument(run.load + ": malformed settings in the state");
  }
  if (Status adopted = AdoptWinnowSettings(settings, run, flags); !adopted) {
    return InvalidArgument(run.load + ": " + adopted.error().message);
  }
  return saved;
}

namespace {

// The fields before the model: keys, counts, the plan.
struct SavedHead {
  Key noise;
  Key hash;
};

Result<SavedHead> ReadHead(ByteReader& reader, WinnowRun& winnow) {
  winnow.schema_print = std::string(reader.Text());
  const auto noise = ReadKey(reader);
  if (!noise) return noise.error();
  const auto hash = ReadKey(reader);
  if (!hash) return hash.error();
  winnow.seeded = reader.Number<std::uint8_t>() != 0;
  winnow.plan = ordered_json::parse(reader.Text(), nullptr, false);
  auto tally = RunTally::Load(reader);
  if (!tally) return tally.error();
  winnow.tally = *std::move(tally);
  if (!winnow.plan.is_object() || !winnow.plan.contains("verdict")) {
    return Error{ErrorCode::kCorruption, "malformed plan in the state"};
  }
  return SavedHead{*noise, *hash};
}

Status LoadBeside(const RunFlags& run, const WinnowFlags& flags,
                  const RunShares& shares, WinnowRun& winnow,
                  ByteReader& reader) {
  if (shares.mistakes) {
    auto counted =
        PublicMistakes::Load(*shares.mistakes, run.pop.horizon, reader);
    if (!counted) return counted.error();
    winnow.public_mistakes = *std::move(counted);
  }
  if (Status added = AddComparison(run, flags, winnow); !added) return added;
  return winnow.comparison ? winnow.comparison->Load(reader) : Ok();
}

Result<AnyWinnow> LoadModel(const RunFlags& run, const WinnowFlags& flags,
                            const ApproximateDp& share, ByteReader& reader) {
  if (IsPaper(run.pop)) {
    auto published =
        DpWinnow::Load(PaperParamsOf(run.pop, flags, share), reader);
    if (!published) return published.error();
    return AnyWinnow(*std::move(published));
  }
  auto ours =
      PrivateWinnow::Load(WinnowParamsOf(run.pop, flags, share), reader);
  if (!ours) return ours.error();
  return AnyWinnow(*std::move(ours));
}

}  // namespace

Result<std::unique_ptr<WinnowRun>> ResumeWinnow(const RunFlags& run,
                                                const WinnowFlags& flags,
                                                const WinnowSaved& saved) {
  const auto shares = SharesOf(run);
  if (!shares) return shares.error();
  auto winnow = std::make_unique<WinnowRun>();
  ByteReader reader(std::string_view(saved.payload).substr(saved.rest));
  const auto head = ReadHead(reader, *winnow);
  if (!head) return head.error();
  if (winnow->schema_print != SchemaPrint(run.schema)) {
    return InvalidArgument("the state was made with another --schema");
  }
  if (Status beside = LoadBeside(run, flags, *shares, *winnow, reader);
      !beside) {
    return beside.error();
  }
  auto model = LoadModel(run, flags, shares->model, reader);
  if (!model) return model.error();
  winnow->stream = MakeStream(run, *std::move(model), head->noise, head->hash);
  if (Status rest = winnow->stream->LoadRest(reader); !rest) {
    return rest.error();
  }
  if (Status whole = reader.Finish(); !whole) return whole.error();
  return winnow;
}

Status SaveWinnow(const RunFlags& run, WinnowRun& winnow) {
  ByteWriter payload;
  payload.Text(winnow.settings.dump());
  payload.Text(winnow.schema_print);
  payload.Text(AsText(winnow.stream->history().place()));
  payload.Text(AsText(winnow.stream->history().hash_key()));
  payload.Number(static_cast<std::uint8_t>(winnow.seeded ? 1 : 0));
  payload.Text(winnow.plan.dump());
  winnow.tally.Save(payload);
  if (winnow.public_mistakes) winnow.public_mistakes->Save(payload);
  if (winnow.comparison) winnow.comparison->Save(payload);
  if (Status saved = winnow.stream->Save(payload); !saved) return saved;
  return WriteStateFile(
      run.save, {std::string(kKind), kVersion, std::move(payload).bytes()});
}

}  // namespace sotto::app
