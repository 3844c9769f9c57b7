// How often does the everlasting predictor err, phase by phase, on honest
// queries? Beside it a single plain learner of the same labelled set.
//
//   everlasting_bench [--seeds=3] [--rows=1000000] [--phases=10]
//                     [--epsilon=3] [--delta=1e-5] [--honest=0.5,1]
//                     [--learners=threshold,...] [--kinds=mixed,adaptive]
//                     [--gap=0.5] [--chunk=0]
//
// JSON on standard output.

#include <chrono>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/ensembles/ensemble_factory.h"
#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/everlasting/everlasting_predictor.h"
#include "sotto/streams/generator.h"
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
  std::vector<std::string> learners = {"threshold", "stump"};
  std::vector<std::string> kinds = {"mixed"};
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
};

nlohmann::json RunOne(const Options& options, const Case& one,
                      std::uint64_t seed) {
  const bool adaptive = one.kind == "adaptive";
  StreamGenerator::Params stream{.kind = KindFor(one.learner), .seed = seed};
  if (one.learner == "interval") stream.features = 1;
  auto training = StreamGenerator::Create(stream);
  // The same target, other rows: the stream goes on after the labelled set.
  stream.poison = adaptive ? 0 : 1 - one.honest;
  if (!adaptive) stream.poison_kind = *PoisonNamed(one.kind);
  auto queries = StreamGenerator::Create(stream);
  auto spec = LearnerSpec::Parse(one.learner);
  if (!training || !queries || !spec) return "no such stream or learner";
  spec->features = FactsOf(*spec).needs_features ? training->features() : 0;
  auto params = PlanEverlasting({.epsilon = options.epsilon,
                                 .delta = options.delta,
                                 .labelled = options.rows,
                                 .honest = one.honest,
                                 .complexity = ComplexityOf(*spec),
                                 .gap = options.gap,
                                 .stopper = options.stopper});
  if (!params) return params.error().message;
  auto schedule = EverlastingSchedule::Create(*params);
  if (!schedule) return schedule.error().message;
  const auto factory = MakeEnsembleFactory(*spec, {});
  auto predictor = EverlastingPredictor::Create(*schedule, *factory);
  if (!predictor) return predictor.error().message;
  testing::SeededRng rng(seed * 7919 + 1);
  Round round;
  for (std::uint64_t i = 0; i < options.rows; ++i) {
    training->Next(round);
    if (!predictor->Train(round.x, round.y->positive(), rng)) return "failed";
    queries->Next(round);  // Not the rows of the labelled set again.
  }
  FeatureVector low;
  FeatureVector high;
  for (std::uint32_t j = 0; j < training->features(); ++j) {
    low.push_back({j, 0});
    high.push_back({j, 1});
  }
  testing::BoundaryProber prober(low, high);
  std::vector<Phase> phases(options.phases);
  const auto start = std::chrono::steady_clock::now();
  double longest = 0;
  while (!predictor->halted() && predictor->phase() < options.phases) {
    Phase& phase = phases[predictor->phase()];
    const bool hostile =
        adaptive &&
        static_cast<double>(rng.Next() >> 11) * 0x1p-53 >= one.honest;
    if (!hostile) queries->Next(round);
    const auto before = std::chrono::steady_clock::now();
    const auto answer = predictor->Open(hostile ? prober.Next() : round.x, rng);
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - before;
    longest = std::max(longest, took.count());
    if (!answer) return answer.error().message;
    if (hostile) prober.Told(answer->prediction);
    ++phase.rounds;
    phase.paid += answer->paid ? 1 : 0;
    if (hostile || !round.honest.value_or(true)) continue;
    ++phase.honest;
    phase.wrong += answer->prediction != round.y->positive() ? 1 : 0;
  }
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  nlohmann::json errors = nlohmann::json::array();
  nlohmann::json paid = nlohmann::json::array();
  nlohmann::json lengths = nlohmann::json::array();
  std::uint64_t rounds = 0;
  for (const Phase& phase : phases) {
    if (phase.honest == 0) break;
    errors.push_back(static_cast<double>(phase.wrong) /
                     static_cast<double>(phase.honest));
    paid.push_back(phase.paid);
    lengths.push_back(phase.rounds);
    rounds += phase.rounds;
  }
  const auto first = schedule->At(0);
  return {{"learner", one.learner},
          {"honest", one.honest},
          {"poison", one.kind},
          {"seed", seed},
          {"epsilon", options.epsilon},
          {"delta", options.delta},
          {"labelled", options.rows},
          {"teachers", first->teachers},
          {"rows_of_a_teacher", params->shape.rows},
          {"noise_scale", 1 / first->rate},
          {"gap", first->gap},
          {"reports", first->reports},
          {"phase_rounds", first->rounds},
          {"error_by_phase", errors},
          {"paid_by_phase", paid},
          {"rounds_by_phase", lengths},
          {"longest_stall_seconds", longest},
          {"rounds_per_second", static_cast<double>(rounds) / took.count()}};
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
              sotto::RunOne(options, {learner, std::stod(honest), kind}, seed));
          std::cerr << runs.back().dump() << "\n";
        }
      }
    }
  }
  std::cout << runs.dump(1) << "\n";
  return 0;
}
