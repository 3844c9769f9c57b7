// How often does the everlasting predictor err, phase by phase, on honest
// queries?
//
//   everlasting_bench [--seeds=3] [--rows=1000000] [--phases=10]
//                     [--epsilon=3] [--delta=1e-5] [--honest=0.5,1]
//                     [--learners=threshold,...] [--kinds=mixed,adaptive]
//                     [--gap=0] [--stopper=0]
//
// JSON on standard output.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sotto/data/streams/generator.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/everlasting/everlasting_predictor.h"
#include "sotto/testing/boundary_prober.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

struct Options {
  std::uint64_t seeds = 3;
  std::uint64_t rows = 1'000'000;
  std::uint64_t phases = 10;
  double epsilon = 3;
  double delta = 1e-5;
  double gap = 0;  // 0: chosen
  double stopper = 0;
  std::vector<std::string> honest = {"0.5", "1"};
  std::vector<std::string> learners = {"threshold", "best-stump"};
  std::vector<std::string> kinds = {"mixed", "adaptive"};
};

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

Options Read(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t at = word.find('=');
    const std::string name = word.substr(0, at);
    const std::string value =
        at == std::string::npos ? "" : word.substr(at + 1);
    if (name == "--seeds") options.seeds = std::stoull(value);
    if (name == "--rows") options.rows = std::stoull(value);
    if (name == "--phases") options.phases = std::stoull(value);
    if (name == "--epsilon") options.epsilon = std::stod(value);
    if (name == "--delta") options.delta = std::stod(value);
    if (name == "--gap") options.gap = std::stod(value);
    if (name == "--stopper") options.stopper = std::stod(value);
    if (name == "--honest") options.honest = Split(value);
    if (name == "--learners") options.learners = Split(value);
    if (name == "--kinds") options.kinds = Split(value);
  }
  return options;
}

StreamKind KindFor(const std::string& learner) {
  if (learner.find("stump") != std::string::npos) return StreamKind::kStump;
  if (learner == "logistic" || learner == "perceptron") {
    return StreamKind::kHalfspace;
  }
  if (learner == "interval") return StreamKind::kRectangle;
  return StreamKind::kThreshold;
}

struct Phase {
  std::uint64_t rounds = 0;
  std::uint64_t paid = 0;
  std::uint64_t honest = 0;
  std::uint64_t wrong = 0;
};

struct Case {
  std::string learner;
  double honest = 1;
  std::string kind;
  std::uint64_t seed = 1;
};

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A stream, the predictor that was taught its first rows, and what came of the
// queries after them.
struct Run {
  StreamGenerator queries;
  EverlastingPredictor predictor;
  std::unique_ptr<Rng> rng;
  std::vector<Phase> phases = {};
  double seconds = 0;
  double longest = 0;
};

Result<StreamGenerator> MakeStream(const Case& one, bool poisoned) {
  StreamGenerator::Params stream{.kind = KindFor(one.learner),
                                 .seed = one.seed};
  if (one.learner == "interval") stream.features = 1;
  if (poisoned && one.kind != "adaptive") {
    stream.poison = 1 - one.honest;
    stream.poison_kind = PoisonNamed(one.kind).value_or(PoisonKind::kMixed);
  }
  return StreamGenerator::Create(stream);
}

Result<EverlastingPredictor> PredictorFor(const Options& options,
                                          const Case& one,
                                          std::uint32_t features) {
  SOTTO_TRY_ASSIGN(auto spec, LearnerSpec::Parse(one.learner));
  spec.features = ExtractFacts(spec).needs_features ? features : 0;
  SOTTO_TRY_ASSIGN(const auto params,
                   PlanEverlasting({.epsilon = options.epsilon,
                                    .delta = options.delta,
                                    .labelled = options.rows,
                                    .honest = one.honest,
                                    .complexity = ComputeComplexity(spec),
                                    .gap = options.gap,
                                    .stopper = options.stopper}));
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Create(params));
  SOTTO_TRY_ASSIGN(auto factory, MakeEnsembleFactory(spec, {}));
  return EverlastingPredictor::Create(std::move(schedule), std::move(factory));
}

Result<Run> Trained(const Options& options, const Case& one) {
  SOTTO_TRY_ASSIGN(auto rows, MakeStream(one, false));
  SOTTO_TRY_ASSIGN(auto queries, MakeStream(one, true));
  SOTTO_TRY_ASSIGN(auto predictor, PredictorFor(options, one, rows.features()));
  Run run{std::move(queries), std::move(predictor),
          std::make_unique<testing::SeededRng>(one.seed * 7919 + 1)};
  Round round;
  for (std::uint64_t i = 0; i < options.rows; ++i) {
    rows.Next(round);
    const Status taught =
        run.predictor.Train(round.x, round.y->positive(), *run.rng);
    if (!taught) return taught.error();
    run.queries.Next(round);  // Not the rows of the labelled set again.
  }
  run.phases.resize(options.phases);
  return run;
}

testing::BoundaryProber MakeProber(std::uint32_t features) {
  FeatureVector low;
  FeatureVector high;
  for (std::uint32_t j = 0; j < features; ++j) {
    low.push_back({j, 0});
    high.push_back({j, 1});
  }
  return {low, high};
}

Status Play(const Case& one, Run& run) {
  testing::BoundaryProber prober = MakeProber(run.queries.features());
  const double hostile_share = one.kind == "adaptive" ? 1 - one.honest : 0;
  const auto start = Clock::now();
  Round round;
  while (!run.predictor.halted() && run.predictor.phase() < run.phases.size()) {
    Phase& phase = run.phases[run.predictor.phase()];
    const bool hostile =
        static_cast<double>(run.rng->Next() >> 11) * 0x1p-53 < hostile_share;
    if (!hostile) run.queries.Next(round);
    const auto before = Clock::now();
    const auto answer =
        run.predictor.Open(hostile ? prober.Next() : round.x, *run.rng);
    run.longest = std::max(run.longest, Since(before));
    if (!answer) return answer.error();
    if (hostile) prober.Prediction(answer->prediction);
    ++phase.rounds;
    phase.paid += answer->paid ? 1 : 0;
    if (hostile || !round.honest.value_or(true)) continue;
    ++phase.honest;
    phase.wrong += answer->prediction != round.y->positive() ? 1 : 0;
  }
  run.seconds = Since(start);
  return Ok();
}

nlohmann::json Report(const Options& options, const Case& one, const Run& run) {
  nlohmann::json errors = nlohmann::json::array();
  nlohmann::json paid = nlohmann::json::array();
  nlohmann::json lengths = nlohmann::json::array();
  std::uint64_t rounds = 0;
  for (const Phase& phase : run.phases) {
    if (phase.honest == 0) break;
    errors.push_back(static_cast<double>(phase.wrong) /
                     static_cast<double>(phase.honest));
    paid.push_back(phase.paid);
    lengths.push_back(phase.rounds);
    rounds += phase.rounds;
  }
  EverlastingSchedule schedule = run.predictor.schedule();
  const EverlastingPhase first = *schedule.At(0);
  return {{"learner", one.learner},
          {"honest", one.honest},
          {"poison", one.kind},
          {"seed", one.seed},
          {"epsilon", options.epsilon},
          {"delta", options.delta},
          {"labelled", options.rows},
          {"teachers", first.teachers},
          {"rows_of_a_teacher", schedule.params().shape.rows},
          {"noise_scale", 1 / first.rate},
          {"gap", first.gap},
          {"reports", first.reports},
          {"phase_rounds", first.rounds},
          {"error_by_phase", errors},
          {"paid_by_phase", paid},
          {"rounds_by_phase", lengths},
          {"longest_stall_seconds", run.longest},
          {"rounds_per_second", static_cast<double>(rounds) / run.seconds}};
}

nlohmann::json RunOne(const Options& options, const Case& one) {
  auto run = Trained(options, one);
  if (!run) return run.error().message;
  if (Status played = Play(one, *run); !played) return played.error().message;
  return Report(options, one, *run);
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  const sotto::Options options = sotto::Read(argc, argv);
  nlohmann::json runs = nlohmann::json::array();
  for (const std::string& learner : options.learners) {
    for (const std::string& honest : options.honest) {
      for (const std::string& kind : options.kinds) {
        if (honest == "1" && kind != options.kinds.front()) continue;
        for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
          runs.push_back(
              sotto::RunOne(options, {learner, std::stod(honest), kind, seed}));
          std::cerr << runs.back().dump() << "\n";
        }
      }
    }
  }
  std::cout << runs.dump(1) << "\n";
  return 0;
}
