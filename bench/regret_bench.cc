// How many mistakes do private online learners of halfspaces make, and when
// does each win? Winnow without privacy, PrivateWinnow, DP-Winnow in its batch
// form and with the paper's constants, DP-FTRL; five streams, and embedded
// points.
//
//   regret_bench [--runs=5] [--stream=NAME] [--no-ftrl]   JSON lines on
//   standard output:
//   {"stream","model","epsilon","rounds","mistakes"}, mean over the runs

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "bench/plain_linear.h"
#include "bench/regret_ftrl.h"
#include "bench/regret_stream.h"
#include "sotto/models/winnow/dp_winnow.h"
#include "sotto/models/winnow/list_halfspace.h"
#include "sotto/models/winnow/private_winnow.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

struct Stream {
  const char* name;
  RegretStreamParams params;
  double margin;  // as stated to the learners; the stream's is no smaller
  std::uint64_t rounds;
  // Weights of both signs: where all features matter alike, positive ones would
  // be right before the first round.
  bool signs;
  bool ftrl;  // affordable: its work is rounds * features
};

double ComputeNorm(const RegretStreamParams& p) {
  return std::sqrt(
      static_cast<double>(p.present == 0 ? p.features : p.present));
}

// One round: what was predicted; then it learns.
using Player = std::function<bool(const RegretExample&, Rng&)>;

template <typename Winnow>
Player Wrap(Winnow winnow) {
  auto held = std::make_shared<Winnow>(std::move(winnow));
  return [held](const RegretExample& e, Rng& rng) {
    auto round = held->Open(e.x, rng);
    if (!round) return !e.y;
    const bool prediction = round->prediction;
    held->Close(*std::move(round), e.y);
    return prediction;
  };
}

Result<Player> MakePrivate(const Stream& s, double epsilon, WinnowAim aim) {
  SOTTO_TRY_ASSIGN(auto winnow,
                   PrivateWinnow::Create({.epsilon = epsilon,
                                          .delta = 1e-6,
                                          .features = s.params.features,
                                          .signs = s.signs,
                                          .max_nonzeros = s.params.present,
                                          .margin = s.margin,
                                          .horizon = s.rounds,
                                          .aim = aim}));
  return Wrap(std::move(winnow));
}

Result<Player> MakePublished(const Stream& s, double epsilon,
                             DpWinnow::Form form) {
  SOTTO_TRY_ASSIGN(auto winnow, DpWinnow::Create({.epsilon = epsilon,
                                                  .delta = 1e-6,
                                                  .features = s.params.features,
                                                  .signs = s.signs,
                                                  .margin = s.margin,
                                                  .horizon = s.rounds,
                                                  .form = form}));
  return Wrap(std::move(winnow));
}

// `margins`: how many noise deviations along an example make it confident.
Result<Player> MakeFtrl(const Stream& s, double epsilon, double margins) {
  SOTTO_TRY_ASSIGN(const auto sigma, GaussianSigma(epsilon, 1e-6, 1));
  const double norm = ComputeNorm(s.params);
  const double scale = 2 * norm * sigma * norm;
  SOTTO_TRY_ASSIGN(
      auto ftrl, PrivateFtrl::Create({.epsilon = epsilon,
                                      .delta = 1e-6,
                                      .features = s.params.features,
                                      .max_norm = norm,
                                      .horizon = s.rounds,
                                      .learning_rate = 1 / (margins * scale)}));
  auto held = std::make_shared<PrivateFtrl>(std::move(ftrl));
  return Player([held](const RegretExample& e, Rng& rng) {
    const bool prediction = held->Predict(e.x);
    held->Learn(e.x, e.y, rng);
    return prediction;
  });
}

// Mistakes after 2^i * 100 rounds and at the end, added to `curve`.
void Play(const Stream& s, const Player& player, std::uint64_t seed,
          std::vector<std::pair<std::uint64_t, double>>& curve) {
  testing::SeededRng data(seed);
  testing::SeededRng noise(seed + 500);
  const RegretStream stream(s.params);
  std::uint64_t mistakes = 0;
  std::uint64_t next = 100;
  std::size_t at = 0;
  for (std::uint64_t t = 1; t <= s.rounds; ++t) {
    const RegretExample e = stream.Next(data);
    mistakes += player(e, noise) != e.y ? 1 : 0;
    if (t != next && t != s.rounds) continue;
    if (at == curve.size()) curve.emplace_back(t, 0);
    curve[at++].second += static_cast<double>(mistakes);
    next *= 2;
  }
}

using Factory = std::function<Result<Player>()>;

void Measure(const Stream& s, const std::string& model, double epsilon,
             std::uint64_t runs, const Factory& make) {
  std::vector<std::pair<std::uint64_t, double>> curve;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto player = make();
    if (!player) {
      PrintLine({{"stream", s.name},
                 {"model", model},
                 {"epsilon", epsilon},
                 {"error", player.error().message}});
      return;
    }
    Play(s, *player, 1000 + run, curve);
  }
  for (const auto& [rounds, sum] : curve) {
    PrintLine({{"stream", s.name},
               {"model", model},
               {"epsilon", epsilon},
               {"rounds", rounds},
               {"mistakes", sum / static_cast<double>(runs)}});
  }
}

void MeasureAll(const Stream& s, std::uint64_t runs) {
  Measure(s, "winnow, not private", 0, runs, [&]() -> Result<Player> {
    return Player(
        PlainWinnow{std::vector<double>(s.params.features, 0.0), s.margin});
  });
  for (const double epsilon : {1.0, 3.0}) {
    Measure(s, "winnow", epsilon, runs,
            [&] { return MakePrivate(s, epsilon, WinnowAim::kPractical); });
    Measure(s, "winnow, proven aim", epsilon, runs,
            [&] { return MakePrivate(s, epsilon, WinnowAim::kProven); });
    if (s.params.features <= 2000) {
      Measure(s, "dp-winnow, batch", epsilon, runs, [&] {
        return MakePublished(s, epsilon, DpWinnow::Form::kBatch);
      });
      Measure(s, "dp-winnow, paper", epsilon, runs, [&] {
        return MakePublished(s, epsilon, DpWinnow::Form::kPaper);
      });
    }
    if (!s.ftrl) continue;
    for (const double margins : {10.0, 30.0}) {
      Measure(s, "ftrl, step " + std::to_string(margins).substr(0, 2), epsilon,
              std::min<std::uint64_t>(runs, 1),
              [&] { return MakeFtrl(s, epsilon, margins); });
    }
  }
}

// The lower bound on running code: points embedded as halfspaces, T = n. Half
// of the rounds ask for the secret point; mistakes until it is known, which
// means twenty right answers in a row.
double MistakesOnPoints(const Player& player, std::uint32_t n, bool dense,
                        std::uint64_t seed) {
  testing::SeededRng data(seed);
  testing::SeededRng noise(seed + 500);
  const auto secret = static_cast<std::uint32_t>(data.Next() % n);
  int mistakes = 0;
  for (int streak = 0; streak < 20;) {
    const bool ask = (data.Next() & 1) != 0;
    const auto x = ask ? secret : static_cast<std::uint32_t>(data.Next() % n);
    const RegretExample e = {
        dense ? PointEmbedding(x, n) : FeatureVector{{x, 1.0}}, x == secret};
    const bool wrong = player(e, noise) != e.y;
    mistakes += wrong ? 1 : 0;
    if (e.y) streak = wrong ? 0 : streak + 1;
  }
  return mistakes;
}

void MeasurePoints(std::uint64_t runs) {
  for (std::uint32_t n = 64; n <= 16'384; n *= 4) {
    // Sparse: the feature x and the bias; weights 2/3 and -1/3.
    double sums[2] = {0, 0};
    for (std::uint64_t run = 0; run < runs; ++run) {
      auto gaussian = PrivateWinnow::Create({.epsilon = 1,
                                             .delta = 1e-6,
                                             .features = n,
                                             .bias = true,
                                             .max_nonzeros = 2,
                                             .margin = 1.0 / 3,
                                             .horizon = n});
      auto sampled = DpWinnow::Create({.epsilon = 1,
                                       .delta = 1e-6,
                                       .features = n,
                                       .signs = false,
                                       .margin = 1,
                                       .horizon = n,
                                       .form = DpWinnow::Form::kBatch});
      if (!gaussian || !sampled) return;
      sums[0] +=
          MistakesOnPoints(Wrap(*std::move(gaussian)), n, false, 900 + run);
      if (n <= 1024) {
        sums[1] +=
            MistakesOnPoints(Wrap(*std::move(sampled)), n, true, 900 + run);
      }
    }
    const auto mean = [runs](double sum) {
      return nlohmann::json(sum / static_cast<double>(runs));
    };
    PrintLine(
        {{"stream", "points"},
         {"n", n},
         {"winnow", mean(sums[0])},
         {"dp-winnow, batch", n <= 1024 ? mean(sums[1]) : nlohmann::json()}});
  }
}

std::vector<Stream> Streams() {
  return {
      {"d=100", {.features = 100}, 0.5, 300'000, false, true},
      {"d=100, margin 0.2",
       {.features = 100, .lead = 1},
       0.2,
       300'000,
       false,
       true},
      {"d=100, dense target",
       {.features = 100, .relevant = 100, .lead = 20},
       0.2,
       100'000,
       true,
       true},
      {"d=1e6, sparse",
       {.features = 1'000'000, .present = 100},
       0.5,
       300'000,
       false,
       false},
      {"d=1000", {.features = 1000}, 0.5, 30'000, false, true},
  };
}

void Run(const Flags& flags) {
  const std::uint64_t runs = flags.Count("runs");
  const std::string& only = flags.Text("stream");
  if (only.empty() || only == "points") MeasurePoints(runs);
  for (Stream stream : Streams()) {
    stream.ftrl = stream.ftrl && !flags.On("no-ftrl");
    if (only.empty() || only == stream.name) MeasureAll(stream, runs);
  }
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  sotto::bench::Run(
      {argc, argv, {{"runs", "5"}, {"stream", ""}, {"no-ftrl", ""}}});
}
