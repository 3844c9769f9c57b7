// Error rate of the everlasting predictor of stumps on honest queries, phase by
// phase, and the time to choose one of many axes.
//
//   stumps_bench [--features=100] [--rows=1000000] [--epsilon=3]
//                [--delta=1e-5] [--relation=replace] [--error=0.06]
//                [--honest=0.5] [--phases=10] [--seeds=1] [--seed=1]
//                [--calibration=paper [--constants=printed]
//                 [--constant=1]]: DecisionPERP as printed
//
// Every feature is uniform; positives are where one of them is at least 0.6.
// Hostile queries lie just below that, or on the point where answers change.
// JSON on standard output, one line a run.

#include <cstdint>
#include <utility>

#include "bench/phase_play.h"
#include "sotto/models/stumps/decision_stumps_predictor.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

constexpr double kTarget = 0.6;

// Only the chosen axis of a query matters: the others stay as they are.
class Queries {
 public:
  Queries(Query query, std::uint32_t axis, double honest, Fast& fast)
      : query_(std::move(query)), axis_(axis), honest_(honest), fast_(fast) {}

  const Query& Next() {
    double& value = query_.x[axis_].value;
    query_.honest = fast_.Unit() < honest_;
    probes_ = !query_.honest && fast_.Unit() < 0.5;
    value = query_.honest ? fast_.Unit() : probes_ ? probe_ : kTarget - 1e-6;
    query_.label = value >= kTarget;
    return query_;
  }

  void Answered(const Query&, bool inside) {
    if (probes_) probe_ += inside ? -1e-6 : 1e-5;
  }

 private:
  Query query_;
  std::uint32_t axis_;
  double honest_;
  Fast& fast_;
  double probe_ = kTarget;
  bool probes_ = false;
};

nlohmann::ordered_json Play(const StumpsParams& params, const Flags& flags,
                            std::uint64_t seed) {
  testing::SeededRng rng(seed);
  Fast fast(seed);
  auto training = Must(StumpsTraining::Create(params));
  Query row(params.features);
  const auto axis = static_cast<std::uint32_t>(seed % params.features);
  const std::uint64_t rows = flags.Count("rows");
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (Feature& f : row.x) f.value = fast.Unit();
    training.Add(row.x, row.x[axis].value >= kTarget);
  }
  const Stopwatch watch;
  StumpsPredictor predictor = Must(std::move(training).Finish(rng));
  const double choosing = watch.processor();
  Queries queries(std::move(row), predictor.axis().feature,
                  params.honest_fraction, fast);
  const auto played =
      PlayPhases(predictor, queries, flags.Count("phases"), rng);
  auto line = PhasesJson("stumps", flags.Text("hostile"),
                         params.honest_fraction, seed, flags, played);
  line["features"] = params.features;
  line["choosing_seconds"] = choosing;
  line["axis_found"] = predictor.axis() == StumpAxis{axis, false};
  line["restarts"] = predictor.restarts();
  line["set"] = predictor.phases().phases[0].initial.size;
  line["calibration"] = flags.Text("calibration");
  return line;
}

void Run(const Flags& flags) {
  auto params = BoundaryParams<StumpsParams>(flags);
  params.features = static_cast<std::uint32_t>(flags.Count("features"));
  PrintSeeds(flags,
             [&](std::uint64_t seed) { return Play(params, flags, seed); });
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  using namespace sotto::bench;
  Run(BoundaryFlags(argc, argv, {{"features", "100"}}));
}
