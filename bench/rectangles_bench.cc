// Error rate of the everlasting predictor of boxes on honest queries, phase by
// phase, while half of the queries are hostile; its speed, and the time of the
// longest round.
//
//   rectangles_bench [--dimensions=1] [--rows=250000] [--epsilon=3]
//                    [--delta=1e-5] [--relation=replace] [--error=0.06]
//                    [--honest=0.5] [--phases=10] [--seeds=1] [--seed=1]
//                    [--data=uniform] (or clustered, ties; several)
//                    [--hostile=mixed|prober|flooder|duplicator]
//                    [--calibration=paper [--constants=printed]
//                     [--constant=1]]: RectanglesPERP as printed
//
// JSON on standard output, one line a run.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/phase_play.h"
#include "sotto/models/rectangles/rectangles_predictor.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

// One coordinate of a honest point. Clustered: most points in narrow clusters,
// one of them across either border. Ties: twenty values with most of the mass
// on five of them.
double Coordinate(const std::string& data, Fast& fast) {
  const double u = fast.Unit();
  if (data == "uniform") return u;
  if (data == "clustered") {
    constexpr double kCentres[] = {0.2, 0.45, 0.5, 0.8, 0.95};
    if (u < 0.2) return fast.Unit();
    const auto which = static_cast<std::size_t>((u - 0.2) / 0.8 * 5);
    return kCentres[which] + 0.01 * (fast.Unit() + fast.Unit() - 1);
  }
  const double v = u * u * u;
  return std::floor(20 * v) / 20 + 0.025;
}

constexpr double kLow = 0.2;
constexpr double kHigh = 0.8;

struct Setting {
  std::uint32_t dimensions = 1;
  double honest = 0.5;
  std::string data;
  std::string hostile;
};

bool Inside(const FeatureVector& x) {
  for (const Feature& f : x) {
    if (f.value < kLow || f.value > kHigh) return false;
  }
  return true;
}

// A mix of honest and hostile queries. Hostile ones, by Setting::hostile:
//   prober      just where answers change, as far as answers show
//   flooder     just outside, or far away
//   duplicator  one point inside, again and again
class Queries {
 public:
  Queries(const Setting& setting, Fast& fast)
      : setting_(setting),
        fast_(fast),
        query_(setting.dimensions),
        low_(setting.dimensions, kLow),
        high_(setting.dimensions, kHigh) {}

  const Query& Next() {
    return fast_.Unit() < setting_.honest ? Honest() : Hostile();
  }

  const Query& Honest() {
    for (Feature& f : query_.x) f.value = Coordinate(setting_.data, fast_);
    query_.honest = true;
    query_.label = Inside(query_.x);
    return query_;
  }

  // Moves the prober one step inwards after "0" and a tenth of one outwards
  // after "1": to where one answer in eleven is "0", deep in the band.
  void Answered(const Query& query, bool inside) {
    if (query.honest) return;
    constexpr double kStep = 1e-5;
    for (std::size_t j = 0; j < query.x.size(); ++j) {
      const double move = inside ? -kStep / 10 : kStep;
      const double value = query.x[j].value;
      if (value == low_[j]) low_[j] += move;
      if (value == high_[j]) high_[j] -= move;
    }
  }

 private:
  const Query& Hostile() {
    query_.honest = false;
    std::string kind = setting_.hostile;
    if (kind == "mixed") {
      const double u = fast_.Unit();
      kind = u < 0.34 ? "prober" : u < 0.67 ? "flooder" : "duplicator";
    }
    for (Feature& f : query_.x) f.value = 0.5;
    const auto j = static_cast<std::size_t>(fast_.Unit() * setting_.dimensions);
    const bool upper = fast_.Unit() < 0.5;
    const double w = fast_.Unit();
    double& value = query_.x[j].value;
    if (kind == "prober") value = upper ? high_[j] : low_[j];
    if (kind == "flooder") {
      const double away = w < 0.5 ? 1e-6 : w;
      value = upper ? kHigh + away : kLow - away;
    }
    if (kind == "duplicator") value = upper ? 0.5 : 0.25;
    return query_;
  }

  const Setting& setting_;
  Fast& fast_;
  Query query_;
  // Where "1" begins on every side, as far as answers show.
  std::vector<double> low_;
  std::vector<double> high_;
};

nlohmann::ordered_json Play(const RectanglesParams& params,
                            const Setting& setting, const Flags& flags,
                            std::uint64_t seed) {
  testing::SeededRng rng(seed);
  Fast fast(seed);
  Queries queries(setting, fast);
  auto training = Must(RectanglesTraining::Create(params));
  const std::uint64_t rows = flags.Count("rows");
  for (std::uint64_t i = 0; i < rows; ++i) {
    const Query& row = queries.Honest();
    training.Add(row.x, row.label);
  }
  RectanglesPredictor predictor = Must(std::move(training).Finish(rng));
  const auto played =
      PlayPhases(predictor, queries, flags.Count("phases"), rng);
  const BoundaryPhases& plan = predictor.phases();
  auto line = PhasesJson("rectangles", setting.hostile, setting.honest, seed,
                         flags, played);
  line["data"] = setting.data;
  line["dimensions"] = setting.dimensions;
  for (std::size_t p = 0; p < played.size(); ++p) {
    line["planned"].push_back(plan.ExpectedError(p, static_cast<double>(rows)));
  }
  line["restarts"] = predictor.restarts();
  line["set"] = plan.phases[0].initial.size;
  line["noise_scale"] = 1 / plan.phases[0].initial.rate;
  line["calibration"] = flags.Text("calibration");
  line["constant"] = flags.Number("constant");
  const auto& errors = line["error"];
  if (errors.size() > 1) {
    line["last_over_second"] =
        errors.back().get<double>() / errors[1].get<double>();
  }
  return line;
}

void Run(const Flags& flags) {
  auto params = BoundaryParams<RectanglesParams>(flags);
  params.dimensions = static_cast<std::uint32_t>(flags.Count("dimensions"));
  for (const std::string& data : flags.List("data")) {
    const Setting setting{.dimensions = params.dimensions,
                          .honest = params.honest_fraction,
                          .data = data,
                          .hostile = flags.Text("hostile")};
    PrintSeeds(flags, [&](std::uint64_t seed) {
      return Play(params, setting, flags, seed);
    });
  }
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  using namespace sotto::bench;
  Run(BoundaryFlags(
      argc, argv,
      {{"dimensions", "1"}, {"rows", "250000"}, {"data", "uniform"}}));
}
