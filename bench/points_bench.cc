// Do the mistakes of the point predictor stay where they are as the stream gets
// longer, and those of a learner that publishes its point grow?
//
//   points_bench [--seeds=20] [--longest=1e8] [--pop-longest=1e6]
//                [--pop-seeds=5] [--figure=FILE.svg]
//
// The stream is that of `sotto generate point`: the secret point one time in
// twenty, else one of 1e6 others. What is answered at one point depends on the
// rounds of that point alone, and others, never labelled 1, are never answered
// 1: so a stream is its number of rounds of the secret point, and 1e8 rounds
// are drawn in a moment. One stream of 1e6 rounds is also played round by
// round, by a session, and must agree.
//
// JSON on standard output.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "bench/baselines/model_runs.h"
#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/mechanisms/selection/sparse_histogram.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"
#include "sotto/models/points/point_design.h"
#include "sotto/models/points/point_predictor.h"
#include "sotto/report/svg_chart.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

constexpr double kDelta = 1e-6;  // as ModelOptions has it
constexpr std::uint64_t kOneIn = 20;
constexpr std::uint64_t kOthers = 1'000'000;

// Number of `rounds` that bring the secret point.
std::uint64_t SecretRounds(std::uint64_t rounds, Rng& rng) {
  std::uint64_t secret = 0;
  for (std::uint64_t i = 0; i < rounds; i += 3) {
    // Three rounds a word: 20 divides 2^21 but for a part in 10^5 of a round.
    std::uint64_t word = rng.Next();
    for (std::uint64_t j = i; j < std::min(i + 3, rounds); ++j, word >>= 21) {
      secret += (word & 0x1fffff) % kOneIn == 0 ? 1 : 0;
    }
  }
  return secret;
}

// --- The predictor.

double PointMistakes(const PointPredictor& fresh, std::uint64_t rounds,
                     Rng& rng) {
  PointPredictor points = fresh;
  const std::uint64_t secret = SecretRounds(rounds, rng);
  double mistakes = 0;
  for (std::uint64_t i = 0; i < secret; ++i) {
    const auto opened = points.Open({7, 7}, rng);
    mistakes += opened.prediction ? 0 : 1;
    points.Close(opened.round, true);
  }
  return mistakes;
}

PointPredictor MakePoints(double epsilon, Relation relation) {
  const auto design = Must(ChoosePointDesign({epsilon, kDelta}, relation));
  return Must(PointPredictor::Create({.design = design}));
}

// --- A learner that publishes its point. A monitor watches how many labels 1
// there were; when it says that there are enough, a sparse histogram of them
// finds the point. One label more or less moves the count by one, one changed
// two bins: (epsilon, delta) for a round that is replaced.
struct PublishingLearner {
  ThresholdMonitor::Params monitor;
  SparseHistogram::Params histogram;

  // The monitor must not fire before the histogram can find the point: it fires
  // late enough but for one run in a thousand, and that takes log(T) / epsilon.
  static constexpr double kFailure = 5e-4;

  static PublishingLearner Make(double epsilon, std::uint64_t rounds) {
    PublishingLearner best;
    best.monitor.threshold = std::int64_t{1} << 40;
    for (int part = 4; part <= 16; ++part) {
      const double share = part / 20.0;
      PublishingLearner made;
      made.histogram = {.epsilon = epsilon * share, .delta = kDelta / 2};
      const auto histogram = Must(SparseHistogram::Create(made.histogram));
      made.monitor = {.epsilon = epsilon * (1 - share),
                      .threshold = 1,
                      .horizon = rounds,
                      .failure = kFailure};
      const auto probe = Must(ThresholdMonitor::Create(made.monitor));
      made.monitor.threshold =
          histogram.CountFor(kFailure) + probe.EarlySlack();
      if (made.monitor.threshold < best.monitor.threshold) best = made;
    }
    return best;
  }

  // Rounds of other points are zeros for the monitor, and take as long: they
  // are drawn too. Up to the secret's last mistake.
  double Mistakes(Rng& rng) const {
    auto watch = Must(ThresholdMonitor::Create(monitor));
    const auto finder = Must(SparseHistogram::Create(histogram));
    std::int64_t positives = 0;
    for (std::uint64_t i = 0; i < monitor.horizon; ++i) {
      const bool secret = rng.Next() % kOneIn == 0;
      positives += secret ? 1 : 0;
      if (Must(watch.Add(secret ? 1 : 0, rng)) ==
          ThresholdMonitor::Answer::kBelow) {
        continue;
      }
      const bool found =
          !finder.ReleaseCounts({{.item = 7, .count = positives}}, rng).empty();
      if (found) return static_cast<double>(positives);
      break;
    }
    return static_cast<double>(monitor.horizon) / kOneIn;
  }
};

// --- Sessions, round by round.

std::vector<Round> Stream(std::uint64_t rounds, std::uint64_t seed) {
  testing::SeededRng rng(seed);
  const std::uint64_t secret = rng.Next() % (kOthers + 1);
  std::vector<Round> stream(rounds);
  for (Round& round : stream) {
    const bool y = rng.Next() % kOneIn == 0;
    std::uint64_t x = rng.Next() % kOthers;
    x = y ? secret : x + (x >= secret ? 1 : 0);
    round.x = {{0, static_cast<double>(x)}};
    round.y = Label(y);
  }
  return stream;
}

nlohmann::json MeasureSession(const ModelOptions& options,
                              std::uint64_t seeds) {
  return MeasureModel(options, 1, seeds, [&](std::uint64_t seed) {
    return TestStream{.rounds = Stream(options.horizon, 100 + seed)};
  });
}

// --- Reports.

void MeasurePoints(double epsilon, const std::vector<std::uint64_t>& horizons,
                   std::uint64_t seeds, nlohmann::json& out) {
  for (const Relation relation : {Relation::kReplace, Relation::kAddRemove}) {
    const PointPredictor fresh = MakePoints(epsilon, relation);
    for (const std::uint64_t rounds : horizons) {
      const Sample sample = Repeat(seeds, [&](std::uint64_t seed) {
        testing::SeededRng rng(1000 + seed);
        return PointMistakes(fresh, rounds, rng);
      });
      auto entry = MistakesJson(
          "points, " + std::string(ToString(relation)),
          {.model = {}, .epsilon = epsilon, .horizon = rounds}, seeds, sample);
      entry["expected"] = fresh.expected_mistakes();
      if (relation == Relation::kReplace) {
        entry["asked"] = epsilon < 2 ? 900 : 110;
        entry["aim"] = epsilon < 2 ? 600 : 85;
      }
      out.push_back(entry);
    }
  }
}

void MeasureRivals(double epsilon, const std::vector<std::uint64_t>& horizons,
                   const Flags& flags, nlohmann::json& out) {
  const std::uint64_t seeds = flags.Count("seeds");
  for (const std::uint64_t rounds : horizons) {
    const auto learner = PublishingLearner::Make(epsilon, rounds);
    auto entry =
        MistakesJson("learner that publishes",
                     {.model = {}, .epsilon = epsilon, .horizon = rounds},
                     seeds, Repeat(seeds, [&](std::uint64_t seed) {
                       testing::SeededRng rng(2000 + seed);
                       return learner.Mistakes(rng);
                     }));
    entry["threshold"] = learner.monitor.threshold;
    out.push_back(entry);
    if (rounds > flags.Count("pop-longest")) continue;
    out.push_back(MeasureSession({.model = "pop",
                                  .options = {{"learner", "point"}},
                                  .epsilon = epsilon,
                                  .horizon = rounds},
                                 flags.Count("pop-seeds")));
  }
}

// The session's points, round by round, against the short cut.
void CheckShortCut(double epsilon, nlohmann::json& out) {
  constexpr std::uint64_t kRounds = 1'000'000;
  const PointPredictor fresh = MakePoints(epsilon, Relation::kReplace);
  auto entry = MeasureSession(
      {.model = "points", .epsilon = epsilon, .horizon = kRounds}, 3);
  // Chance does not explain a mean of three above twice the expected value.
  if (entry["mistakes"] > 2 * fresh.expected_mistakes()) {
    Fail(InvalidArgument("a session made more mistakes than the short cut"));
  }
  out.push_back(std::move(entry));
}

constexpr std::string_view kStyle =
    "<style>svg{background:#fff}text{font:12px sans-serif;fill:#6a737d}"
    ".title{font-size:15px;font-weight:600;fill:#1f2328}.legend{fill:#1f2328}"
    ".xtick,.xlabel,.ylabel{text-anchor:middle}.ytick{text-anchor:end}"
    ".grid{stroke:#dfe2e5}.tick,.axis{stroke:#6a737d}"
    ".curve{fill:none;stroke-width:2}.s0{stroke:#b5402a;stroke-width:3}"
    ".s1{stroke:#c28a1b}.s2{stroke:#2a6db5}</style>"
    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>";

void Draw(const nlohmann::json& entries, const std::string& path) {
  Chart chart{.title = "Mistakes at epsilon 1, delta 1e-6",
              .x_label = "rounds",
              .y_label = "mistakes",
              .log_x = true};
  std::map<std::string, std::size_t> places;
  for (const auto& entry : entries) {
    const std::string who = entry["player"];
    if (entry["epsilon"] != 1 || who == "points" || who == "pop") continue;
    const auto [place, fresh] = places.try_emplace(who, chart.series.size());
    if (fresh) {
      chart.series.push_back({who, "s" + std::to_string(place->second), {}});
    }
    chart.series[place->second].points.push_back(
        {entry["rounds"], entry["mistakes"]});
  }
  std::string svg = RenderChart(chart);
  svg.insert(4, " xmlns=\"http://www.w3.org/2000/svg\"");
  svg.insert(svg.find('>') + 1, kStyle);
  std::ofstream(path) << svg << "\n";
}

void Run(const Flags& flags) {
  std::vector<std::uint64_t> horizons;
  for (std::uint64_t rounds = 10'000; rounds <= flags.Count("longest");
       rounds *= 100) {
    horizons.push_back(rounds);
  }
  nlohmann::json out = nlohmann::json::array();
  for (const double epsilon : {1.0, 3.0}) {
    MeasurePoints(epsilon, horizons, flags.Count("seeds"), out);
    MeasureRivals(epsilon, horizons, flags, out);
    CheckShortCut(epsilon, out);
  }
  PrintJson(out);
  if (flags.On("figure")) Draw(out, flags.Text("figure"));
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  sotto::bench::Run({argc,
                     argv,
                     {{"seeds", "20"},
                      {"longest", "1e8"},
                      {"pop-longest", "1e6"},
                      {"pop-seeds", "5"},
                      {"figure", ""}}});
}
