// Error rate of the everlasting predictor on honest queries, phase by phase.
//
//   everlasting_bench [--seeds=3] [--rows=1000000] [--phases=10]
//                     [--epsilon=3] [--delta=1e-5] [--honest=0.5,1]
//                     [--learners=threshold,...] [--hostile=mixed,adaptive]
//                     [--seed=1] [--gap=0] [--stopper=0]
//                     [--calibration=paper]: every query is paid for
//                     [--relation=replace]
//
// JSON on standard output, one line a run.

#include <cstdint>
#include <string>
#include <utility>

#include "bench/phase_play.h"
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

struct Case {
  std::string learner;
  double honest = 1;
  std::string hostile;
  std::uint64_t seed = 1;
};

Result<StreamGenerator> MakeStream(const Case& one, bool poisoned) {
  StreamGenerator::Params stream{.kind = KindFor(one.learner),
                                 .seed = one.seed};
  if (one.learner == "interval") stream.features = 1;
  if (poisoned && one.hostile != "adaptive") {
    stream.poison = 1 - one.honest;
    stream.poison_kind = PoisonNamed(one.hostile).value_or(PoisonKind::kMixed);
  }
  return StreamGenerator::Create(stream);
}

Result<EverlastingPredictor> PredictorFor(const Flags& flags, const Case& one,
                                          std::uint32_t features) {
  SOTTO_TRY_ASSIGN(auto spec, LearnerSpec::Parse(one.learner));
  spec.features = ExtractFacts(spec).needs_features ? features : 0;
  SOTTO_TRY_ASSIGN(
      const auto params,
      PlanEverlasting({.epsilon = flags.Number("epsilon"),
                       .delta = flags.Number("delta"),
                       .relation = Must(ParseRelation(flags.Text("relation"))),
                       .labelled = flags.Count("rows"),
                       .honest = one.honest,
                       .complexity = ComputeComplexity(spec),
                       .paid = flags.Text("calibration") == "paper",
                       .gap = flags.Number("gap"),
                       .stopper = flags.Number("stopper")}));
  SOTTO_TRY_ASSIGN(auto schedule, EverlastingSchedule::Create(params));
  SOTTO_TRY_ASSIGN(auto factory, MakeEnsembleFactory(spec, {}));
  return EverlastingPredictor::Create(std::move(schedule), std::move(factory));
}

// Queries of a stream, and of a prober if the hostile ones are adaptive.
class Queries {
 public:
  Queries(const Case& one, StreamGenerator stream, Rng& rng)
      : hostile_(one.hostile == "adaptive" ? 1 - one.honest : 0),
        stream_(std::move(stream)),
        prober_(Query(stream_.features()).x, Query(stream_.features(), 1).x),
        rng_(rng) {}

  const Query& Next() {
    probes_ = Uniform(rng_) < hostile_;
    if (probes_) {
      query_.x = prober_.Next();
      query_.honest = false;
      return query_;
    }
    stream_.Next(round_);
    query_.x = round_.x;
    query_.honest = round_.honest.value_or(true);
    query_.label = round_.y->positive();
    return query_;
  }
  void Answered(const Query&, bool answer) {
    if (probes_) prober_.Prediction(answer);
  }
  void Skip() { stream_.Next(round_); }

 private:
  double hostile_;
  StreamGenerator stream_;
  testing::BoundaryProber prober_;
  Rng& rng_;
  Round round_;
  Query query_;
  bool probes_ = false;
};

nlohmann::ordered_json Play(const Flags& flags, const Case& one) {
  testing::SeededRng rng(one.seed * 7919 + 1);
  StreamGenerator rows = Must(MakeStream(one, false));
  Queries queries(one, Must(MakeStream(one, true)), rng);
  EverlastingPredictor predictor =
      Must(PredictorFor(flags, one, rows.features()));
  Round round;
  const std::uint64_t count = flags.Count("rows");
  for (std::uint64_t i = 0; i < count; ++i) {
    rows.Next(round);
    Must(predictor.Train(round.x, round.y->positive(), rng));
    queries.Skip();  // Not the rows of the training set again.
  }
  const auto played =
      PlayPhases(predictor, queries, flags.Count("phases"), rng);
  EverlastingSchedule schedule = predictor.schedule();
  const EverlastingPhase first = *schedule.At(0);
  auto line = PhasesJson("everlasting", one.hostile, one.honest, one.seed,
                         flags, played);
  line["learner"] = one.learner;
  line["teachers"] = first.teachers;
  line["rows_of_a_teacher"] = schedule.params().shape.rows;
  line["noise_scale"] = 1 / first.rate;
  line["gap"] = first.gap;
  line["reports"] = first.reports;
  return line;
}

void Run(const Flags& flags) {
  const auto kinds = flags.List("hostile");
  for (const std::string& learner : flags.List("learners")) {
    for (const double honest : flags.Numbers("honest")) {
      for (const std::string& kind : kinds) {
        if (honest == 1 && kind != kinds.front()) continue;
        PrintSeeds(flags, [&](std::uint64_t seed) {
          return Play(flags, {learner, honest, kind, seed});
        });
      }
    }
  }
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  using namespace sotto::bench;
  Run(PhaseFlags(argc, argv,
                 {{"seeds", "3"},
                  {"gap", "0"},  // 0: chosen by the plan
                  {"stopper", "0"},
                  {"calibration", "practical"},
                  {"relation", "replace"},
                  {"honest", "0.5,1"},
                  {"learners", "threshold,best-stump"},
                  {"hostile", "mixed,adaptive"}}));
}
