// How many mistakes does the private leader make, and how fast is it? With
// defaults only, beside POP on the same stream in the same run.
//
//   leader_bench [--seeds=10] [--epsilons=1,3] [--only=uniform,noisy,...]
//                [--rounds=0] [--no-pop] [--more="growth 3"]
//
// JSON on standard output.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/models/fits/stump_fit.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/session.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

struct Options {
  std::uint64_t seeds = 10;
  std::vector<double> epsilons = {1, 3};
  std::vector<std::string> only;
  std::uint64_t rounds = 0;
  std::string more;  // options of the leader, by hand
  bool pop = true;
};

double Unit(Rng& rng) {
  return std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
}

// A stream, and the mistakes of the best hypothesis on it.
struct Stream {
  std::vector<Round> rounds;
  std::uint64_t best = 0;
};

struct Kind {
  std::string name;
  std::uint64_t rounds;
  std::uint32_t features = 1;
  double wrong = 0;          // labels that are flipped
  bool skewed = false;       // Beta(2, 8) to three digits, target 0.345
  bool jump = false;         // of the target, at half time
  std::string more = {};     // options of the leader
  double asked[2] = {0, 0};  // mistakes at epsilon 1 and 3
};

// The second smallest of nine uniform numbers is Beta(2, 8).
double Skewed(Rng& rng) {
  double least = 1;
  double second = 1;
  for (int i = 0; i < 9; ++i) {
    const double u = Unit(rng);
    if (u < least) {
      second = least;
      least = u;
    } else if (u < second) {
      second = u;
    }
  }
  return std::floor(second * 1000) / 1000;
}

Stream Make(const Kind& kind, std::uint64_t seed) {
  testing::SeededRng rng(seed);
  Stream stream;
  double target = kind.skewed ? 0.345 : 0.2 + 0.6 * Unit(rng);
  const auto axis = static_cast<std::uint32_t>(rng.Next() % kind.features);
  stream.rounds.resize(kind.rounds);
  for (std::uint64_t i = 0; i < kind.rounds; ++i) {
    if (kind.jump && 2 * i == kind.rounds) {
      target = target < 0.5 ? target + 0.3 : target - 0.3;
    }
    Round& round = stream.rounds[i];
    for (std::uint32_t c = 0; c < kind.features; ++c) {
      round.x.push_back({c, kind.skewed ? Skewed(rng) : Unit(rng)});
    }
    const bool flipped = kind.wrong > 0 && Unit(rng) < kind.wrong;
    stream.best += flipped ? 1 : 0;
    round.y = Label((round.x[axis].value >= target) != flipped);
  }
  return stream;
}

struct Played {
  double mistakes = 0;  // beyond the best
  double seconds = 0;
};

Played Play(const OnlineModelEntry& entry,
            const std::vector<std::string>& flags, Stream stream,
            std::uint32_t features, std::uint64_t seed) {
  Settings settings(Session::Options(entry));
  for (std::size_t i = 0; i + 1 < flags.size(); i += 2) {
    const Status set = settings.Set(flags[i], flags[i + 1]);
    if (!set) std::cerr << set.error().message << "\n";
  }
  InputSpec inputs{.features = features, .dense = features, .print = "p"};
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = static_cast<std::byte>(seed);
  auto session =
      Session::Create(entry, settings, inputs, Key::FromBytes(bytes), true);
  if (!session) {
    std::cerr << session.error().message << "\n";
    std::exit(1);
  }
  const std::clock_t begin = std::clock();
  const auto played = (*session)->Play(stream.rounds);
  const double seconds =
      static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (!played) std::cerr << played.error().message << "\n";
  double mistakes = -static_cast<double>(stream.best);
  for (const Round& round : stream.rounds) {
    mistakes += round.prediction && *round.prediction == *round.y ? 0 : 1;
  }
  return {mistakes, seconds};
}

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream rest(text);
  for (std::string part; std::getline(rest, part, at);) parts.push_back(part);
  return parts;
}

nlohmann::json Measure(const Kind& kind, double epsilon, double asked,
                       const Options& options) {
  std::ostringstream number;
  number << epsilon;
  const std::vector<std::string> shared = {"epsilon", number.str(), "horizon",
                                           std::to_string(kind.rounds)};
  std::vector<std::string> leader = shared;
  leader.insert(leader.end(),
                {"learner", kind.features == 1 ? "threshold" : "stump"});
  for (const auto& word : Split(kind.more + " " + options.more, ' ')) {
    if (!word.empty()) leader.push_back(word);
  }
  std::vector<std::string> pop = shared;
  pop.insert(pop.end(), {"delta", "1e-6", "learner",
                         kind.features == 1 ? "threshold" : "stump"});
  Played sum;
  double squares = 0;
  double pop_mistakes = 0;
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    const Stream stream = Make(kind, 100 + seed);
    const Played one =
        Play(*FindOnlineModel("leader"), leader, stream, kind.features, seed);
    sum.mistakes += one.mistakes;
    sum.seconds += one.seconds;
    squares += one.mistakes * one.mistakes;
    if (!options.pop) continue;
    pop_mistakes +=
        Play(*FindOnlineModel("pop"), pop, stream, kind.features, seed)
            .mistakes;
  }
  const auto n = static_cast<double>(options.seeds);
  const double mean = sum.mistakes / n;
  nlohmann::json entry = {
      {"stream", kind.name},
      {"rounds", kind.rounds},
      {"epsilon", epsilon},
      {"delta", 0},
      {"mistakes", mean},
      {"deviation", std::sqrt(std::max(0.0, squares / n - mean * mean))},
      {"asked", asked},
      {"rounds_per_second",
       n * static_cast<double>(kind.rounds) / sum.seconds}};
  if (options.pop) {
    entry["pop_mistakes"] = pop_mistakes / n;
    entry["pop_delta"] = 1e-6;
    entry["ratio"] = pop_mistakes / n / mean;
  }
  return entry;
}

// One fit of a stump, 1e5 rows by 100 numbers, on one core.
nlohmann::json FitSpeed() {
  constexpr std::uint32_t kColumns = 100;
  constexpr std::size_t kRows = 100'000;
  const auto columns =
      FitColumns::Of({.features = kColumns, .dense = kColumns}, {0, 1});
  const auto fit = StumpFit::Create(*columns, {.user = {1, 0}});
  testing::SeededRng rng(1);
  FitBatch batch(kColumns);
  std::vector<std::uint32_t> codes(kColumns);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (auto& code : codes) code = static_cast<std::uint32_t>(rng.Next());
    batch.Add(codes, codes[17] >= 1U << 30);
  }
  const std::clock_t begin = std::clock();
  const FitHypothesis h = (*fit)->Fit(batch, rng);
  const double seconds =
      static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
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

bool Take(std::string_view argument, std::string_view flag, std::string& out) {
  if (!argument.starts_with(flag)) return false;
  out = argument.substr(flag.size());
  return true;
}

int Run(int count, char** arguments) {
  Options options;
  std::string value;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (Take(argument, "--seeds=", value)) {
      options.seeds = std::stoull(value);
    } else if (Take(argument, "--epsilons=", value)) {
      options.epsilons.clear();
      for (const auto& e : Split(value, ',')) {
        options.epsilons.push_back(std::stod(e));
      }
    } else if (Take(argument, "--only=", value)) {
      options.only = Split(value, ',');
    } else if (Take(argument, "--rounds=", value)) {
      options.rounds = std::stoull(value);
    } else if (Take(argument, "--more=", value)) {
      options.more = value;
    } else if (argument == "--no-pop") {
      options.pop = false;
    }
  }
  nlohmann::json report = nlohmann::json::array();
  report.push_back(FitSpeed());
  std::cerr << report.back().dump() << "\n";
  for (Kind kind : Kinds()) {
    const bool wanted =
        options.only.empty() ||
        std::ranges::find(options.only, kind.name) != options.only.end();
    if (!wanted) continue;
    if (options.rounds > 0) kind.rounds = options.rounds;
    for (const double epsilon : options.epsilons) {
      const double asked = kind.asked[epsilon > 2 ? 1 : 0];
      report.push_back(Measure(kind, epsilon, asked, options));
      std::cerr << report.back().dump() << "\n";
    }
  }
  std::cout << report.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int count, char** arguments) { return sotto::Run(count, arguments); }
