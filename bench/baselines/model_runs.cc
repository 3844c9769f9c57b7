#include "bench/baselines/model_runs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "sotto/models/registry/registry.h"
#include "sotto/online/noise_history.h"
#include "sotto/online/session.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

Result<Settings> ParseSettings(const OnlineModelEntry& entry,
                               const ModelOptions& options) {
  Settings settings(ConcatOptions(
      {PrivacyOptions(), StreamOptions(), SessionOptions(), entry.options}));
  auto given = options.options;
  given.emplace_back("epsilon", std::to_string(options.epsilon));
  given.emplace_back("delta", std::to_string(options.delta * 1e6) + "e-6");
  given.emplace_back("horizon", std::to_string(options.horizon));
  for (const auto& [name, value] : given) {
    SOTTO_TRY(settings.Set(name, value));
  }
  return settings;
}

Key KeyFrom(Rng& rng) {
  std::array<std::byte, Key::kBytes> bytes{};
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng.Next());
  return Key::FromBytes(bytes);
}

InputSpec MakeInputSpec(const TableStream& stream) {
  return {.features = stream.features,
          .schema = std::make_shared<const Schema>(stream.schema),
          .label = stream.label()};
}

// Plays rounds [first, last) of the stream.
Status PlayBatch(OnlineModel& model, const TableStream& stream,
                 std::size_t first, std::size_t last, NoiseHistory& history,
                 CourseRecorder& recorder) {
  std::vector<Round> rounds(last - first);
  for (std::size_t i = first; i < last; ++i) {
    rounds[i - first].x = stream.rows[i];
    rounds[i - first].y = stream.labels[i];
  }
  std::span<Round> rest(rounds);
  while (!rest.empty()) {
    SOTTO_TRY_ASSIGN(const auto played, model.Play(rest, history));
    for (const Round& round : rest.first(played)) {
      recorder.Add({round.prediction.value_or(Label()), round.probability},
                   *round.y);
    }
    rest = rest.subspan(played);
  }
  return Ok();
}

Result<const OnlineModelEntry*> FindEntry(const std::string& name) {
  const OnlineModelEntry* entry = FindOnlineModel(name);
  if (entry == nullptr) return InvalidArgument("no model is called " + name);
  return entry;
}

}  // namespace

std::string OptionText(const ModelOptions& options) {
  std::string text;
  for (const auto& [name, value] : options.options) {
    text += (text.empty() ? "--" : " --") + name;
    if (value != "true") text += " " + value;
  }
  return text;
}

Result<Course> RunModel(const ModelOptions& options, const TableStream& stream,
                        std::uint64_t seed) {
  SOTTO_TRY_ASSIGN(const auto entry, FindEntry(options.model));
  SOTTO_TRY_ASSIGN(const auto settings, ParseSettings(*entry, options));
  const InputSpec inputs = MakeInputSpec(stream);
  SOTTO_TRY_ASSIGN(
      auto model,
      entry->create({settings,
                     inputs,
                     {.epsilon = options.epsilon, .delta = options.delta}}));
  testing::SeededRng rng(seed);
  const Key noise = KeyFrom(rng);
  NoiseHistory history(noise, KeyFrom(rng));
  CourseRecorder recorder(stream.label());
  const std::size_t step = model->preferred_batch_size();
  for (std::size_t i = 0; i < stream.rows.size(); i += step) {
    const std::size_t last = std::min(i + step, stream.rows.size());
    const Status played = PlayBatch(*model, stream, i, last, history, recorder);
    if (!played) return played.error();
  }
  return recorder.Finish();
}

Result<SessionRun> PlaySession(const ModelOptions& options,
                               std::uint32_t features, std::span<Round> rounds,
                               std::uint64_t seed) {
  SOTTO_TRY_ASSIGN(const auto entry, FindEntry(options.model));
  SOTTO_TRY_ASSIGN(const auto settings, ParseSettings(*entry, options));
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = static_cast<std::byte>(seed);
  SOTTO_TRY_ASSIGN(
      const auto session,
      Session::Create(*entry, settings,
                      {.features = features, .dense = features, .print = "p"},
                      Key::FromBytes(bytes), true));
  const Stopwatch watch;
  SOTTO_TRY(session->Play(rounds));
  SessionRun run{.seconds = watch.processor()};
  for (const Round& round : rounds) {
    run.mistakes += round.prediction && *round.prediction == *round.y ? 0 : 1;
  }
  return run;
}

nlohmann::json MistakesJson(const std::string& player,
                            const ModelOptions& options, std::uint64_t seeds,
                            const Sample& sample) {
  return {{"player", player},           {"options", OptionText(options)},
          {"epsilon", options.epsilon}, {"delta", options.delta},
          {"rounds", options.horizon},  {"seeds", seeds},
          {"mistakes", sample.mean},    {"deviation", sample.deviation},
          {"largest", sample.largest}};
}

nlohmann::json MeasureModel(
    const ModelOptions& options, std::uint32_t features, std::uint64_t seeds,
    const std::function<TestStream(std::uint64_t seed)>& make) {
  double seconds = 0;
  double rounds = 0;
  const Sample sample = Repeat(seeds, [&](std::uint64_t seed) {
    TestStream stream = make(seed);
    const SessionRun run =
        Must(PlaySession(options, features, stream.rounds, seed));
    seconds += run.seconds;
    rounds += static_cast<double>(stream.rounds.size());
    return run.mistakes - stream.best;
  });
  auto entry = MistakesJson(options.model, options, seeds, sample);
  entry["rounds_per_second"] = rounds / seconds;
  return entry;
}

Result<Forecast> PlanModel(const ModelOptions& options,
                           std::uint32_t features) {
  SOTTO_TRY_ASSIGN(const auto entry, FindEntry(options.model));
  SOTTO_TRY_ASSIGN(const auto settings, ParseSettings(*entry, options));
  const InputSpec inputs{.features = features, .dense = features};
  SOTTO_TRY_ASSIGN(const auto plan, entry->plan(settings, &inputs));
  Forecast forecast{.mistakes = plan.mistakes_expected};
  if (plan.verdict) forecast.verdict = ToString(*plan.verdict);
  return forecast;
}

}  // namespace sotto::bench
