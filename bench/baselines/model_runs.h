#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/baselines/course.h"
#include "bench/baselines/table_stream.h"
#include "bench/harness/measure.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/base/settings.h"
#include "sotto/online/model_entry.h"

namespace sotto::bench {

// A model of the registry with options as a user would write them.
struct ModelOptions {
  std::string model;
  // {"margin", "0.1"}; a flag is {"bias", "true"}.
  std::vector<std::pair<std::string, std::string>> options = {};
  double epsilon = 1;
  double delta = 1e-6;
  std::uint64_t horizon = 0;
};

// "--margin 0.1 --bias"
std::string OptionText(const ModelOptions& options);

// Plays the stream, each label at once, with noise that follows from the seed.
// Fails like the model.
Result<Course> RunModel(const ModelOptions& options, const TableStream& stream,
                        std::uint64_t seed);

// Plays rounds of `features` dense numbers in a session of the model, each
// label at once, with noise that follows from the seed (below 256). Fills in
// the predictions. Fails like Session.
struct SessionRun {
  double mistakes = 0;  // a round without a prediction is one
  double seconds = 0;   // processor time of the rounds, planning aside
};
Result<SessionRun> PlaySession(const ModelOptions& options,
                               std::uint32_t features, std::span<Round> rounds,
                               std::uint64_t seed);

// Mistakes of a player over seeds 1, 2, ..., as all benchmarks print them.
nlohmann::json MistakesJson(const std::string& player,
                            const ModelOptions& options, std::uint64_t seeds,
                            const Sample& sample);

// A stream, and the mistakes of the best hypothesis on it, which do not count.
struct TestStream {
  std::vector<Round> rounds;
  double best = 0;
};
// The same of a model, on the stream of each seed, with its speed.
nlohmann::json MeasureModel(
    const ModelOptions& options, std::uint32_t features, std::uint64_t seeds,
    const std::function<TestStream(std::uint64_t seed)>& make);

// Forecast of `sotto plan`, before any data.
struct Forecast {
  std::optional<double> mistakes = {};
  std::string verdict = {};
};
Result<Forecast> PlanModel(const ModelOptions& options, std::uint32_t features);

}  // namespace sotto::bench
