// How many mistakes does the private leader make, and how fast is it? With
// defaults only, beside POP on the same stream in the same run.
//
//   leader_bench [--seeds=10] [--epsilons=1,3] [--only=uniform,noisy,...]
//                [--rounds=0] [--no-pop] [--more="growth 3"]
//
// JSON on standard output.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/baselines/model_runs.h"
#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/models/fits/stump_fit.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

struct Kind {
  std::string name;
  std::uint64_t rounds;
  std::uint32_t features = 1;
  double wrong = 0;          // fraction of flipped labels
  bool skewed = false;       // Beta(2, 8) to three digits, target 0.345
  bool jump = false;         // the target jumps at half time
  std::string more = {};     // options of the leader
  double asked[2] = {0, 0};  // mistakes asked for at epsilon 1 and 3
};

// The second smallest of nine uniform numbers is Beta(2, 8).
double Skewed(Rng& rng) {
  double least = 1;
  double second = 1;
  for (int i = 0; i < 9; ++i) {
    const double u = Uniform(rng);
    if (u < least) {
      second = least;
      least = u;
    } else if (u < second) {
      second = u;
    }
  }
  return std::floor(second * 1000) / 1000;
}

TestStream Make(const Kind& kind, std::uint64_t seed) {
  testing::SeededRng rng(seed);
  TestStream stream;
  double target = kind.skewed ? 0.345 : 0.2 + 0.6 * Uniform(rng);
  const auto axis = static_cast<std::uint32_t>(rng.Next() % kind.features);
  stream.rounds.resize(kind.rounds);
  for (std::uint64_t i = 0; i < kind.rounds; ++i) {
    if (kind.jump && 2 * i == kind.rounds) {
      target = target < 0.5 ? target + 0.3 : target - 0.3;
    }
    Round& round = stream.rounds[i];
    for (std::uint32_t c = 0; c < kind.features; ++c) {
      round.x.push_back({c, kind.skewed ? Skewed(rng) : Uniform(rng)});
    }
    const bool flipped = kind.wrong > 0 && Uniform(rng) < kind.wrong;
    stream.best += flipped ? 1 : 0;
    round.y = Label((round.x[axis].value >= target) != flipped);
  }
  return stream;
}

ModelOptions MakeOptions(const Kind& kind, double epsilon,
                         const std::string& more) {
  ModelOptions options{
      .model = "leader",
      .options = {{"learner", kind.features == 1 ? "threshold" : "stump"}},
      .epsilon = epsilon,
      .delta = 0,
      .horizon = kind.rounds};
  const auto words = Split(kind.more + " " + more, ' ');
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    options.options.emplace_back(words[i], words[i + 1]);
  }
  return options;
}

// Adds the leader's mistakes beyond those of the best hypothesis, and POP's on
// the same streams.
void Measure(const Kind& kind, double epsilon, const Flags& flags,
             Entries& report) {
  const auto make = [&](std::uint64_t seed) { return Make(kind, 100 + seed); };
  const std::uint64_t seeds = flags.Count("seeds");
  auto leader = MeasureModel(MakeOptions(kind, epsilon, flags.Text("more")),
                             kind.features, seeds, make);
  leader["stream"] = kind.name;
  leader["asked"] = kind.asked[epsilon > 2 ? 1 : 0];
  if (!flags.On("no-pop")) {
    ModelOptions options = MakeOptions(
        {.name = {}, .rounds = kind.rounds, .features = kind.features}, epsilon,
        "");
    options.model = "pop";
    options.delta = 1e-6;
    auto pop = MeasureModel(options, kind.features, seeds, make);
    pop["stream"] = kind.name;
    leader["ratio"] =
        pop["mistakes"].get<double>() / leader["mistakes"].get<double>();
    report.Add(std::move(pop));
  }
  report.Add(std::move(leader));
}

// One fit of a stump, 1e5 rows by 100 numbers, on one core.
nlohmann::json FitSpeed() {
  constexpr std::uint32_t kColumns = 100;
  constexpr std::size_t kRows = 100'000;
  const auto columns =
      FitColumns::Of({.features = kColumns, .dense = kColumns}, {0, 1});
  const auto fit = MakeStumpFit(*columns, {.user = {1, 0}});
  testing::SeededRng rng(1);
  FitBatch batch(kColumns);
  std::vector<std::uint32_t> codes(kColumns);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (auto& code : codes) code = static_cast<std::uint32_t>(rng.Next());
    batch.Add(codes, codes[17] >= 1U << 30);
  }
  const Stopwatch watch;
  const FitHypothesis h = (*fit)->Fit(batch, rng);
  const double seconds = watch.processor();
  return {{"fit", "stump"},
          {"rows", kRows},
          {"columns", kColumns},
          {"found", !h.tests().empty() && h.tests()[0].column == 17},
          {"seconds", seconds},
          {"asked", 1.5}};
}

std::vector<Kind> Kinds() {
  return {
      {.name = "uniform", .rounds = 1'000'000, .asked = {100, 65}},
      {.name = "skewed", .rounds = 300'000, .skewed = true, .asked = {60, 30}},
      {.name = "noisy", .rounds = 300'000, .wrong = 0.05, .asked = {100, 60}},
      {.name = "jump",
       .rounds = 1'000'000,
       .jump = true,
       .more = "drift auto",
       .asked = {400, 200}},
      {.name = "long", .rounds = 10'000'000, .asked = {130, 95}},
      {.name = "stump",
       .rounds = 100'000,
       .features = 100,
       .asked = {110, 70}}};
}

void Run(const Flags& flags) {
  Entries report;
  report.Add(FitSpeed());
  for (Kind kind : Kinds()) {
    if (!flags.Wants("only", kind.name)) continue;
    if (flags.On("rounds")) kind.rounds = flags.Count("rounds");
    for (const double epsilon : flags.Numbers("epsilons")) {
      Measure(kind, epsilon, flags, report);
    }
  }
  PrintJson(report.json());
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  sotto::bench::Run({argc,
                     argv,
                     {{"seeds", "10"},
                      {"epsilons", "1,3"},
                      {"only", ""},
                      {"rounds", "0"},
                      {"no-pop", ""},
                      {"more", ""}}});
}
