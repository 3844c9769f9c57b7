// Error rate of the everlasting predictor on honest queries, phase by phase.
//
//   everlasting_bench [--seeds=3] [--rows=1000000] [--phases=10]
//                     [--epsilon=3] [--delta=1e-5] [--honest=0.5,1]
//                     [--learners=threshold,...] [--kinds=mixed,adaptive]
//                     [--gap=0] [--stopper=0]
//
// JSON on standard output.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/data/streams/generator.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/everlasting/everlasting_predictor.h"
#include "sotto/testing/boundary_prober.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

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

// A stream, the predictor trained on its first rows, and the outcome of the
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

Result<EverlastingPredictor> PredictorFor(const Flags& flags, const Case& one,
                                          std::uint32_t features) {
  SOTTO_TRY_ASSIGN(auto spec, LearnerSpec::Parse(one.learner));
  spec.features = ExtractFacts(spec).needs_features ? features : 0;
  SOTTO_TRY_ASSIGN(const auto params,
                   PlanEverlasting({.epsilon = flags.Number("epsilon"),
                                    .delta = flags.Number("delta"),
                                    .labelled = flags.Count("rows"),
                                    .honest = one.honest,
                                    .complexity = ComputeComplexity(spec),
                                    .gap = flags.Number("gap"),
                                    .stopper = flags.Number("stopper")}));
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Create(params));
  SOTTO_TRY_ASSIGN(auto factory, MakeEnsembleFactory(spec, {}));
  return EverlastingPredictor::Create(std::move(schedule), std::move(factory));
}

Result<Run> Trained(const Flags& flags, const Case& one) {
  SOTTO_TRY_ASSIGN(auto rows, MakeStream(one, false));
  SOTTO_TRY_ASSIGN(auto queries, MakeStream(one, true));
  SOTTO_TRY_ASSIGN(auto predictor, PredictorFor(flags, one, rows.features()));
  Run run{std::move(queries), std::move(predictor),
          std::make_unique<testing::SeededRng>(one.seed * 7919 + 1)};
  Round round;
  const std::uint64_t count = flags.Count("rows");
  for (std::uint64_t i = 0; i < count; ++i) {
    rows.Next(round);
    SOTTO_TRY(run.predictor.Train(round.x, round.y->positive(), *run.rng));
    run.queries.Next(round);  // Not the rows of the training set again.
  }
  run.phases.resize(flags.Count("phases"));
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
  const Stopwatch watch;
  Round round;
  while (!run.predictor.halted() && run.predictor.phase() < run.phases.size()) {
    Phase& phase = run.phases[run.predictor.phase()];
    const bool hostile = Uniform(*run.rng) < hostile_share;
    if (!hostile) run.queries.Next(round);
    const Stopwatch stall;
    const auto answer =
        run.predictor.Open(hostile ? prober.Next() : round.x, *run.rng);
    run.longest = std::max(run.longest, stall.wall());
    if (!answer) return answer.error();
    if (hostile) prober.Prediction(answer->prediction);
    ++phase.rounds;
    phase.paid += answer->paid ? 1 : 0;
    if (hostile || !round.honest.value_or(true)) continue;
    ++phase.honest;
    phase.wrong += answer->prediction != round.y->positive() ? 1 : 0;
  }
  run.seconds = watch.wall();
  return Ok();
}

nlohmann::json Report(const Flags& flags, const Case& one, const Run& run) {
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
          {"epsilon", flags.Number("epsilon")},
          {"delta", flags.Number("delta")},
          {"labelled", flags.Count("rows")},
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

nlohmann::json Measure(const Flags& flags, const Case& one) {
  auto run = Trained(flags, one);
  if (!run) return run.error().message;
  if (Status played = Play(one, *run); !played) return played.error().message;
  return Report(flags, one, *run);
}

void MeasureAll(const Flags& flags) {
  Entries runs;
  const auto kinds = flags.List("kinds");
  for (const std::string& learner : flags.List("learners")) {
    for (const double honest : flags.Numbers("honest")) {
      for (const std::string& kind : kinds) {
        if (honest == 1 && kind != kinds.front()) continue;
        for (std::uint64_t seed = 1; seed <= flags.Count("seeds"); ++seed) {
          runs.Add(Measure(flags, {learner, honest, kind, seed}));
        }
      }
    }
  }
  PrintJson(runs.json());
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  sotto::bench::MeasureAll({argc,
                            argv,
                            {{"seeds", "3"},
                             {"rows", "1000000"},
                             {"phases", "10"},
                             {"epsilon", "3"},
                             {"delta", "1e-5"},
                             {"gap", "0"},  // 0: chosen by the plan
                             {"stopper", "0"},
                             {"honest", "0.5,1"},
                             {"learners", "threshold,best-stump"},
                             {"kinds", "mixed,adaptive"}}});
}
