// How many mistakes do the learners of finite classes make? For ten classes:
// the dimension and how long it took, and, on the same streams, the mistakes of
// the standard optimal algorithm, of halving, of POP over the former, of
// `littlestone`, of the leader over the class, and of the paper's DP-OL where
// it can be run. Two streams a seed: one drawn at random, and one made round by
// round by an adversary that sees what `littlestone` publishes; the others get
// what it made. Then classes of 1,024 functions against three such adversaries,
// and the rows that a batch needs.
//
//   littlestone_bench [--seeds=5] [--rounds=100000] [--no-pop]
//                     [--only=big|batch|gallery]
//
// JSON on standard output.

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/paper_learners.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/learners/version_space_learner.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/littlestone/finite_class_plan.h"
#include "sotto/models/papers/dp_online_plan.h"
#include "sotto/models/papers/littlestone_erm_plan.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/session.h"
#include "sotto/online/shared_options.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr double kEpsilon = 1;
constexpr double kDelta = 1e-6;

struct Options {
  std::uint64_t seeds = 5;
  std::uint64_t rounds = 100'000;
  bool pop = true;
  std::string only;
};

struct Class {
  std::string name;
  std::shared_ptr<const FiniteClass> functions;
};

Class Named(const std::string& name) {
  return {name, std::make_shared<const FiniteClass>(*ReadClass(name))};
}

// Each label is 1 with probability `share`.
Class Random(const std::string& name, std::size_t size, std::size_t points,
             double share) {
  std::mt19937_64 rng(7);
  std::string text;
  for (std::size_t h = 0; h < size; ++h) {
    for (std::size_t x = 0; x < points; ++x) {
      text += static_cast<double>(rng() >> 11) * 0x1p-53 < share ? '1' : '0';
    }
    text += '\n';
  }
  return {name, std::make_shared<const FiniteClass>(*FiniteClass::Parse(text))};
}

// Each point is 1 for two functions only: where a pair that was drawn agrees,
// few others do.
Class Pairs(std::size_t size) {
  std::mt19937_64 rng(7);
  std::vector<std::array<std::uint64_t, 2>> pairs(4 * size);
  for (auto& pair : pairs) pair = {rng() % size, rng() % size};
  return {"pairs",
          std::make_shared<const FiniteClass>(*FiniteClass::Create(
              size, pairs.size(), [&](std::uint64_t h, std::uint64_t x) {
                return pairs[x][0] == h || pairs[x][1] == h;
              }))};
}

struct Example {
  std::uint32_t point = 0;
  bool y = false;
};

// Which of the points that err it takes: where most functions that explain all
// labels are left, or any; slow: it errs every 40th round only.
enum class Taste { kMost, kAny, kSlow };

class Adversary {
 public:
  Adversary(const FiniteClass& functions, Taste taste, std::uint64_t seed)
      : functions_(functions),
        taste_(taste),
        rng_(seed),
        space_(functions.All()) {}

  // A round in which what is told at these points errs, if there is one and it
  // does not rest.
  std::optional<Example> Ask(const std::vector<bool>& prediction,
                             std::uint64_t round) {
    if (prediction != seen_) Look(prediction);
    seen_ = prediction;
    const bool rests = taste_ == Taste::kSlow && round % 40 != 0;
    if (!place_ || rests) return std::nullopt;
    const auto x = static_cast<std::uint32_t>(*place_);
    space_ = Restrict(functions_, space_, x, !prediction[x]);
    return Example{x, !prediction[x]};
  }

 private:
  void Look(const std::vector<bool>& prediction) {
    place_.reset();
    double best = 0;
    for (std::size_t x = 0; x < prediction.size(); ++x) {
      const auto left = static_cast<double>(
          CountMembers(Restrict(functions_, space_, x, !prediction[x])));
      const double value =
          taste_ == Taste::kAny
              ? (left > 0 ? 1 + static_cast<double>(rng_() % 1024) : 0)
              : left;
      if (value <= best) continue;
      best = value;
      place_ = x;
    }
  }

  const FiniteClass& functions_;
  Taste taste_;
  std::mt19937_64 rng_;
  FiniteClass::Set space_;
  std::vector<bool> seen_;
  std::optional<std::size_t> place_;
};

struct Fight {
  std::vector<Example> stream;
  std::uint64_t mistakes = 0;
  std::uint64_t changes = 0;
};

// Rounds in which the adversary rests, or can do nothing, are empty; they are
// left out of the stream that others get.
Fight PlayAgainst(const Class& it, Taste taste, std::uint64_t rounds,
                  std::uint64_t seed) {
  FiniteClassOptions options{
      .functions = it.functions, .user = {kEpsilon, kDelta}, .horizon = rounds};
  auto learner = *FiniteClassLearner::Create(*ChooseFiniteClass(options));
  testing::SeededRng rng(seed);
  Adversary adversary(*it.functions, taste, seed);
  Fight fight;
  for (std::uint64_t t = 0; t < rounds; ++t) {
    // It changes as the round opens: an adversary that asks before is as good.
    const auto example = adversary.Ask(learner.hypothesis(), t);
    if (!example) {
      learner.PlayEmptyRound(rng);
      continue;
    }
    const auto round = learner.Open(example->point, rng);
    learner.Close(round, example->y);
    fight.mistakes += round.prediction != example->y ? 1 : 0;
    fight.stream.push_back(*example);
  }
  fight.changes = learner.changes();
  return fight;
}

std::vector<Example> Drawn(const Class& it, std::uint64_t rounds,
                           std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const std::size_t target = rng() % it.functions->size();
  std::vector<Example> stream;
  for (std::uint64_t t = 0; t < rounds; ++t) {
    const auto x = static_cast<std::uint32_t>(rng() % it.functions->points());
    stream.push_back({x, it.functions->Label(target, x)});
  }
  return stream;
}

template <typename L>
double Plain(L learner, const std::vector<Example>& stream) {
  double mistakes = 0;
  for (const Example& example : stream) {
    const FeatureVector x = {{0, static_cast<double>(example.point)}};
    mistakes += learner.Predict(x) != example.y ? 1 : 0;
    learner.Update(x, example.y);
  }
  return mistakes;
}

double PlayModel(const char* model, const std::vector<std::string>& flags,
                 const std::vector<Example>& stream, std::uint64_t seed) {
  const OnlineModelEntry& entry = *FindOnlineModel(model);
  Settings settings(Session::Options(entry));
  for (std::size_t i = 0; i + 1 < flags.size(); i += 2) {
    const Status set = settings.Set(flags[i], flags[i + 1]);
    if (!set) std::cerr << set.error().message << "\n";
  }
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = static_cast<std::byte>(seed);
  auto session = Session::Create(entry, settings,
                                 {.features = 1, .dense = 1, .print = "p"},
                                 Key::FromBytes(bytes), true);
  if (!session) {
    std::cerr << model << ": " << session.error().message << "\n";
    return -1;
  }
  std::vector<Round> rounds(stream.size());
  for (std::size_t i = 0; i < stream.size(); ++i) {
    rounds[i].x = {{0, static_cast<double>(stream[i].point)}};
    rounds[i].y = Label(stream[i].y);
  }
  const auto played = (*session)->Play(rounds);
  if (!played) std::cerr << played.error().message << "\n";
  double mistakes = 0;
  for (const Round& round : rounds) {
    mistakes += round.prediction && *round.prediction == *round.y ? 0 : 1;
  }
  return mistakes;
}

std::string Save(const Class& it) {
  std::string path =
      std::filesystem::temp_directory_path() / "littlestone_bench.class";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const std::string bytes = CompactClass(*it.functions);
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  return path;
}

Result<DpOnlineLearner::Params> MakePaper(const Class& it,
                                          const Options& options) {
  return ChooseDpOnline({.functions = it.functions,
                         .user = {kEpsilon, kDelta},
                         .horizon = options.rounds});
}

bool PaperRuns(const Class& it, const Options& options) {
  const auto params = MakePaper(it, options);
  return params && CheckDpOnlineSize(*params);
}

// Of all its calls.
double PaperMistakes(const Class& it, const Options& options) {
  const auto params = MakePaper(it, options);
  return params ? DpOnlineMistakes(*params) : -1;
}

// All methods on one stream, `littlestone` aside.
void AddOthers(const Class& it, const Options& options,
               const std::vector<Example>& stream, std::uint64_t seed,
               nlohmann::json& sums) {
  const auto add = [&sums](const char* name, double mistakes) {
    sums[name] = sums.value(name, 0.0) + mistakes;
  };
  add("halving", Plain(HalvingLearner(it.functions.get()), stream));
  const auto soa = SoaLearner::Create(it.functions.get());
  if (soa) add("soa", Plain(*soa, stream));
  const std::string path = Save(it);
  const std::string horizon = std::to_string(options.rounds);
  add("leader", PlayModel("leader",
                          {"epsilon", "1", "horizon", horizon, "learner",
                           "finite", "class", path},
                          stream, seed));
  const std::vector<std::string> budget = {"epsilon", "1",       "delta",
                                           "1e-6",    "horizon", horizon};
  const auto with = [&budget](std::vector<std::string> flags) {
    flags.insert(flags.end(), budget.begin(), budget.end());
    return flags;
  };
  if (PaperRuns(it, options)) {
    add("dp_ol",
        PlayModel("littlestone", with({"calibration", "paper", "class", path}),
                  stream, seed));
  }
  if (!options.pop) return;
  // Where the optimal labels of all functions take too long to work out.
  const std::string learner = soa ? "soa" : "halving";
  add(("pop_" + learner).c_str(),
      PlayModel(
          "pop",
          with({"learner", learner + ":class=@" + path, "anyway", "true"}),
          stream, seed));
}

nlohmann::json Means(nlohmann::json sums, std::uint64_t seeds) {
  for (auto& [name, sum] : sums.items()) {
    sum = sum.get<double>() / static_cast<double>(seeds);
  }
  return sums;
}

nlohmann::json GalleryRow(const Class& it, const Options& options) {
  const std::clock_t start = std::clock();
  const DimensionBounds bounds = SearchDimension(*it.functions);
  const double seconds =
      static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  nlohmann::json drawn = nlohmann::json::object();
  nlohmann::json fought = nlohmann::json::object();
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    const auto stream = Drawn(it, options.rounds, seed);
    drawn["littlestone"] =
        drawn.value("littlestone", 0.0) +
        PlayModel("littlestone",
                  {"epsilon", "1", "delta", "1e-6", "horizon",
                   std::to_string(options.rounds), "class", Save(it)},
                  stream, seed);
    AddOthers(it, options, stream, seed, drawn);
    const Fight fight = PlayAgainst(it, Taste::kMost, options.rounds, seed);
    fought["littlestone"] =
        fought.value("littlestone", 0.0) + static_cast<double>(fight.mistakes);
    AddOthers(it, options, fight.stream, seed, fought);
  }
  std::cerr << it.name << "\n";
  return {{"class", it.name},
          {"functions", it.functions->size()},
          {"points", it.functions->points()},
          {"lo", bounds.lo},
          {"hi", bounds.hi},
          {"processor_seconds", seconds},
          {"drawn", Means(drawn, options.seeds)},
          {"adversary", Means(fought, options.seeds)},
          {"dp_ol_of_all_calls", PaperMistakes(it, options)}};
}

nlohmann::json Big(const Options& options) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Class& it :
       {Named("thresholds:1023"), Named("points:1024"),
        Random("random 1024 x 64", 1024, 64, 0.5),
        Random("random 1024 x 256, 5 % ones", 1024, 256, 0.05), Pairs(1024),
        Named("intervals:44"), Named("rectangles:7x7")}) {
    for (const auto& [taste, name] :
         {std::pair(Taste::kMost, "most"), std::pair(Taste::kAny, "any"),
          std::pair(Taste::kSlow, "slow")}) {
      double sum = 0;
      double most = 0;
      std::uint64_t changes = 0;
      for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
        const Fight fight = PlayAgainst(it, taste, options.rounds, seed);
        sum += static_cast<double>(fight.mistakes);
        most = std::max(most, static_cast<double>(fight.mistakes));
        changes = std::max(changes, fight.changes);
      }
      rows.push_back({{"class", it.name},
                      {"functions", it.functions->size()},
                      {"adversary", name},
                      {"mistakes", sum / static_cast<double>(options.seeds)},
                      {"most", most},
                      {"most_changes", changes}});
      std::cerr << rows.back() << "\n";
    }
    nlohmann::json drawn = nlohmann::json::object();
    nlohmann::json made = nlohmann::json::object();
    for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
      AddOthers(it, options, Drawn(it, options.rounds, seed), seed, drawn);
      AddOthers(it, options,
                PlayAgainst(it, Taste::kMost, options.rounds, seed).stream,
                seed, made);
    }
    rows.push_back({{"class", it.name},
                    {"drawn", Means(drawn, options.seeds)},
                    {"made", Means(made, options.seeds)},
                    {"dp_ol_of_all_calls", PaperMistakes(it, options)}});
    std::cerr << rows.back() << "\n";
  }
  return rows;
}

// The share of batches that give a function which errs on at most a tenth of
// the points.
double GoodShare(const Class& it, const PrivateFit& fit, std::uint64_t rows,
                 std::uint64_t runs) {
  testing::SeededRng rng(1);
  int good = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto stream = Drawn(it, rows, run);
    FitBatch batch(1);
    for (const Example& example : stream) {
      batch.Add(std::array{example.point}, example.y, false);
    }
    batch.PadTo(rows);
    const FitHypothesis h = fit.Fit(batch, rng);
    std::mt19937_64 again(run);
    const std::size_t target = again() % it.functions->size();
    std::size_t wrong = 0;
    for (std::uint32_t x = 0; x < it.functions->points(); ++x) {
      wrong +=
          h.Predict(std::array{x}) != it.functions->Label(target, x) ? 1 : 0;
    }
    good += 10 * wrong <= it.functions->points() ? 1 : 0;
  }
  return static_cast<double>(good) / static_cast<double>(runs);
}

// The exponential mechanism and the teachers, each with its own bound, and what
// the paper's proof asks for.
nlohmann::json Batches() {
  constexpr std::uint64_t kRuns = 400;
  constexpr std::uint64_t kTeacherRuns = 100;  // slower: lists of each teacher
  nlohmann::json rows = nlohmann::json::array();
  for (const Class& it :
       {Named("thresholds:1023"), Random("random 1024 x 64", 1024, 64, 0.5),
        Named("monotone-conjunctions:10")}) {
    const auto finite =
        FiniteFit::Create(it.functions, {.user = {kEpsilon, 0}});
    const auto teachers = LittlestoneErm::Create(*ChooseErm(
        {.functions = it.functions, .budget = {.user = {kEpsilon, kDelta}}}));
    for (const std::uint64_t n : {100, 200, 400, 700}) {
      rows.push_back(
          {{"class", it.name},
           {"rows", n},
           {"finite", GoodShare(it, **finite, n, kRuns)},
           {"littlestone_erm", GoodShare(it, **teachers, n, kTeacherRuns)}});
      std::cerr << rows.back() << "\n";
    }
    const DimensionBounds bounds = SearchDimension(*it.functions);
    rows.push_back(
        {{"class", it.name},
         {"finite_bound", (*finite)->RowsFor(0.1, 0.05)},
         {"littlestone_erm_bound", (*teachers)->RowsFor(0.1, 0.05)},
         {"paper_dp_erm",
          PaperErmFor(bounds.lo, 0.1, 0.05, kEpsilon, kDelta).rows}});
  }
  return rows;
}

nlohmann::json Gallery(const Options& options) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Class& it :
       {Named("points:256"), Named("thresholds:255"), Named("intervals:22"),
        Named("conjunctions:5"), Named("monotone-conjunctions:8"),
        Named("stumps:8x8x8"), Named("rectangles:5x5"),
        Random("random 256 x 32", 256, 32, 0.5),
        Random("random 256 x 64, 5 % ones", 256, 64, 0.05),
        Random("random 1024 x 64", 1024, 64, 0.5)}) {
    rows.push_back(GalleryRow(it, options));
  }
  return rows;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  sotto::Options options;
  for (const std::string argument : std::span(argv, argv + argc)) {
    const std::string value = argument.substr(argument.find('=') + 1);
    if (argument.starts_with("--seeds=")) options.seeds = std::stoull(value);
    if (argument.starts_with("--rounds=")) options.rounds = std::stoull(value);
    if (argument == "--no-pop") options.pop = false;
    if (argument.starts_with("--only=")) options.only = value;
  }
  const auto wants = [&options](const char* part) {
    return options.only.empty() || options.only == part;
  };
  nlohmann::json report;
  if (wants("big")) report["big"] = sotto::Big(options);
  if (wants("batch")) report["batch"] = sotto::Batches();
  if (wants("gallery")) report["gallery"] = sotto::Gallery(options);
  std::cout << report.dump(2) << "\n";
  return 0;
}
