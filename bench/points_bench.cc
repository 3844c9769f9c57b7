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

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/mechanisms/selection/sparse_histogram.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"
#include "sotto/models/points/point_design.h"
#include "sotto/models/points/point_predictor.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/session.h"
#include "sotto/online/shared_options.h"
#include "sotto/report/svg_chart.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr double kDelta = 1e-6;
constexpr std::uint64_t kOneIn = 20;
constexpr std::uint64_t kOthers = 1'000'000;

struct Options {
  std::uint64_t seeds = 20;
  std::uint64_t longest = 100'000'000;
  std::uint64_t pop_longest = 1'000'000;
  std::uint64_t pop_seeds = 5;
  std::string figure;
};

template <typename T>
T Or(Result<T> result) {
  if (result) return *std::move(result);
  std::cerr << result.error().message << "\n";
  std::exit(1);
}

// How many of `rounds` bring the secret point.
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
  const auto design = Or(ChoosePointDesign({epsilon, kDelta}, relation));
  return Or(PointPredictor::Create({.design = design}));
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
      const auto histogram = Or(SparseHistogram::Create(made.histogram));
      made.monitor = {.epsilon = epsilon * (1 - share),
                      .threshold = 1,
                      .horizon = rounds,
                      .failure = kFailure};
      const auto probe = Or(ThresholdMonitor::Create(made.monitor));
      made.monitor.threshold =
          histogram.CountFor(kFailure) + probe.EarlySlack();
      if (made.monitor.threshold < best.monitor.threshold) best = made;
    }
    return best;
  }

  // Rounds of other points are zeros for the monitor, and take as long: they
  // are drawn too. Up to the secret's last mistake.
  double Mistakes(Rng& rng) const {
    auto watch = Or(ThresholdMonitor::Create(monitor));
    const auto finder = Or(SparseHistogram::Create(histogram));
    std::int64_t positives = 0;
    for (std::uint64_t i = 0; i < monitor.horizon; ++i) {
      const bool secret = rng.Next() % kOneIn == 0;
      positives += secret ? 1 : 0;
      if (Or(watch.Add(secret ? 1 : 0, rng)) ==
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

double SessionMistakes(const char* model, const std::vector<std::string>& flags,
                       std::uint64_t rounds, std::uint64_t seed) {
  const OnlineModelEntry& entry = *FindOnlineModel(model);
  Settings settings(Session::Options(entry));
  for (std::size_t i = 0; i + 1 < flags.size(); i += 2) {
    const Status set = settings.Set(flags[i], flags[i + 1]);
    if (!set) std::cerr << set.error().message << "\n";
  }
  const InputSpec inputs{.features = 1, .dense = 1, .print = "p"};
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = static_cast<std::byte>(seed);
  const auto session =
      Or(Session::Create(entry, settings, inputs, Key::FromBytes(bytes), true));
  std::vector<Round> stream = Stream(rounds, 100 + seed);
  if (const auto played = session->Play(stream); !played) {
    std::cerr << played.error().message << "\n";
  }
  double mistakes = 0;
  for (const Round& round : stream) {
    mistakes += round.prediction && *round.prediction == *round.y ? 0 : 1;
  }
  return mistakes;
}

std::string Number(double number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

// --- What is reported.

struct Sample {
  double mean = 0;
  double deviation = 0;
  double largest = 0;
};

template <typename Run>
Sample Repeat(std::uint64_t seeds, const Run& run) {
  double sum = 0;
  double squares = 0;
  Sample sample;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const double mistakes = run(seed);
    sum += mistakes;
    squares += mistakes * mistakes;
    sample.largest = std::max(sample.largest, mistakes);
  }
  const auto n = static_cast<double>(seeds);
  sample.mean = sum / n;
  sample.deviation =
      std::sqrt(std::max(0.0, squares / n - sample.mean * sample.mean));
  return sample;
}

nlohmann::json Entry(const std::string& who, double epsilon,
                     std::uint64_t rounds, std::uint64_t seeds,
                     const Sample& sample) {
  return {{"who", who},
          {"epsilon", epsilon},
          {"delta", kDelta},
          {"rounds", rounds},
          {"seeds", seeds},
          {"mistakes", sample.mean},
          {"deviation", sample.deviation},
          {"largest", sample.largest}};
}

void MeasurePoints(double epsilon, const std::vector<std::uint64_t>& horizons,
                   const Options& options, nlohmann::json& out) {
  for (const Relation relation : {Relation::kReplace, Relation::kAddRemove}) {
    const PointPredictor fresh = MakePoints(epsilon, relation);
    for (const std::uint64_t rounds : horizons) {
      const Sample sample = Repeat(options.seeds, [&](std::uint64_t seed) {
        testing::SeededRng rng(1000 + seed);
        return PointMistakes(fresh, rounds, rng);
      });
      auto entry = Entry("points, " + std::string(ToString(relation)), epsilon,
                         rounds, options.seeds, sample);
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
                   const Options& options, nlohmann::json& out) {
  for (const std::uint64_t rounds : horizons) {
    const auto learner = PublishingLearner::Make(epsilon, rounds);
    auto entry = Entry("learner that publishes", epsilon, rounds, options.seeds,
                       Repeat(options.seeds, [&](std::uint64_t seed) {
                         testing::SeededRng rng(2000 + seed);
                         return learner.Mistakes(rng);
                       }));
    entry["threshold"] = learner.monitor.threshold;
    out.push_back(entry);
    if (rounds > options.pop_longest) continue;
    out.push_back(Entry("pop over point", epsilon, rounds, options.pop_seeds,
                        Repeat(options.pop_seeds, [&](std::uint64_t seed) {
                          return SessionMistakes(
                              "pop",
                              {"epsilon", Number(epsilon), "delta", "1e-6",
                               "horizon", std::to_string(rounds), "learner",
                               "point"},
                              rounds, seed);
                        })));
  }
}

// The session's points, round by round, against the short cut.
void CheckShortCut(double epsilon, nlohmann::json& out) {
  constexpr std::uint64_t kRounds = 1'000'000;
  constexpr std::uint64_t kSeeds = 3;
  const PointPredictor fresh = MakePoints(epsilon, Relation::kReplace);
  const Sample sample = Repeat(kSeeds, [&](std::uint64_t seed) {
    return SessionMistakes(
        "points",
        {"epsilon", Number(epsilon), "delta", "1e-6", "horizon", "1e6"},
        kRounds, seed);
  });
  // A mean of three beyond twice what is expected is no accident.
  if (sample.mean > 2 * fresh.expected_mistakes()) {
    std::cerr << "a session made more mistakes than the short cut\n";
    std::exit(1);
  }
  out.push_back(Entry("points, replace, every round played", epsilon, kRounds,
                      kSeeds, sample));
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
    const std::string who = entry["who"];
    if (entry["epsilon"] != 1 || who.find("every") != std::string::npos ||
        who.starts_with("pop")) {
      continue;
    }
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

bool Take(std::string_view argument, std::string_view flag, std::string& out) {
  if (!argument.starts_with(flag)) return false;
  out = std::string(argument.substr(flag.size()));
  return true;
}

int Main(int argc, char** argv) {
  Options options;
  std::string value;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto whole = [&] {
      return static_cast<std::uint64_t>(std::stod(value));
    };
    if (Take(argument, "--seeds=", value)) options.seeds = whole();
    if (Take(argument, "--longest=", value)) options.longest = whole();
    if (Take(argument, "--pop-longest=", value)) options.pop_longest = whole();
    if (Take(argument, "--pop-seeds=", value)) options.pop_seeds = whole();
    if (Take(argument, "--figure=", value)) options.figure = value;
  }
  std::vector<std::uint64_t> horizons;
  for (std::uint64_t rounds = 10'000; rounds <= options.longest;
       rounds *= 100) {
    horizons.push_back(rounds);
  }
  nlohmann::json out = nlohmann::json::array();
  for (const double epsilon : {1.0, 3.0}) {
    MeasurePoints(epsilon, horizons, options, out);
    MeasureRivals(epsilon, horizons, options, out);
    CheckShortCut(epsilon, out);
  }
  std::cout << out.dump(1) << "\n";
  if (!options.figure.empty()) Draw(out, options.figure);
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) { return sotto::Main(argc, argv); }
