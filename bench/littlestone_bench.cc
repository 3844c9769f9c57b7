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

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/baselines/model_runs.h"
#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/paper_learners.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/learners/version_space_learner.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/littlestone/finite_class_plan.h"
#include "sotto/models/papers/dp_online_plan.h"
#include "sotto/models/papers/littlestone_erm_plan.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

constexpr double kEpsilon = 1;
constexpr double kDelta = 1e-6;

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

struct Setting {
  std::uint64_t rounds = 0;
  std::uint64_t seed = 1;
  bool pop = true;
};

struct Example {
  std::uint32_t point = 0;
  bool y = false;
};

// Choice among the points with a wrong prediction: where most functions that
// explain all labels are left, or any. kSlow asks one in every 40th round only.
enum class Taste { kMost, kAny, kSlow };

class Adversary {
 public:
  Adversary(const FiniteClass& functions, Taste taste, std::uint64_t seed)
      : functions_(functions),
        taste_(taste),
        rng_(seed),
        space_(functions.All()) {}

  // Returns a round in which the prediction at its point is wrong. Returns none
  // if there is no such point, and in rounds in which the adversary rests.
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
Fight PlayAgainst(const Class& it, Taste taste, const Setting& setting) {
  FiniteClassOptions options{.functions = it.functions,
                             .user = {kEpsilon, kDelta},
                             .horizon = setting.rounds};
  auto learner = *FiniteClassLearner::Create(*ChooseFiniteClass(options));
  testing::SeededRng rng(setting.seed);
  Adversary adversary(*it.functions, taste, setting.seed);
  Fight fight;
  for (std::uint64_t t = 0; t < setting.rounds; ++t) {
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

// -1 if the model cannot be made.
double PlayModel(const std::string& model, const Setting& setting,
                 std::vector<std::pair<std::string, std::string>> options,
                 const std::vector<Example>& stream, double delta = kDelta) {
  std::vector<Round> rounds(stream.size());
  for (std::size_t i = 0; i < stream.size(); ++i) {
    rounds[i].x = {{0, static_cast<double>(stream[i].point)}};
    rounds[i].y = Label(stream[i].y);
  }
  const auto run = PlaySession({.model = model,
                                .options = std::move(options),
                                .epsilon = kEpsilon,
                                .delta = delta,
                                .horizon = setting.rounds},
                               1, rounds, setting.seed);
  if (run) return run->mistakes;
  std::cerr << model << ": " << run.error().message << "\n";
  return -1;
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
                                          std::uint64_t rounds) {
  return ChooseDpOnline({.functions = it.functions,
                         .user = {kEpsilon, kDelta},
                         .horizon = rounds});
}

// Expected mistakes of all calls of the paper's algorithm, -1 if it cannot be
// planned.
double PaperMistakes(const Class& it, std::uint64_t rounds) {
  const auto params = MakePaper(it, rounds);
  return params ? DpOnlineMistakes(*params) : -1;
}

// Adds the mistakes of all methods on one stream, `littlestone` aside.
void AddOthers(const Class& it, const Setting& setting,
               const std::vector<Example>& stream, nlohmann::json& sums) {
  const auto add = [&sums](const std::string& name, double mistakes) {
    sums[name] = sums.value(name, 0.0) + mistakes;
  };
  add("halving", Plain(HalvingLearner(it.functions.get()), stream));
  const auto soa = SoaLearner::Create(it.functions.get());
  if (soa) add("soa", Plain(*soa, stream));
  const std::string path = Save(it);
  add("leader", PlayModel("leader", setting,
                          {{"learner", "finite"}, {"class", path}}, stream, 0));
  const auto paper = MakePaper(it, setting.rounds);
  if (paper && CheckDpOnlineSize(*paper)) {
    add("dp_ol",
        PlayModel("littlestone", setting,
                  {{"calibration", "paper"}, {"class", path}}, stream));
  }
  if (!setting.pop) return;
  // Halving where the optimal labels of all functions take too long.
  const std::string learner = soa ? "soa" : "halving";
  add("pop_" + learner,
      PlayModel("pop", setting,
                {{"learner", learner + ":class=@" + path}, {"anyway", "true"}},
                stream));
}

nlohmann::json Means(nlohmann::json sums, std::uint64_t seeds) {
  for (auto& [name, sum] : sums.items()) {
    sum = sum.get<double>() / static_cast<double>(seeds);
  }
  return sums;
}

Setting MakeSetting(const Flags& flags, std::uint64_t seed) {
  return {.rounds = flags.Count("rounds"),
          .seed = seed,
          .pop = !flags.On("no-pop")};
}

// Mean mistakes on a drawn stream and on the stream that an adversary of
// `littlestone` made. With `own`, those of `littlestone` too.
struct BothStreams {
  nlohmann::json drawn = nlohmann::json::object();
  nlohmann::json made = nlohmann::json::object();
};

BothStreams MeasureBoth(const Class& it, const Flags& flags, bool own) {
  BothStreams sums;
  const std::uint64_t seeds = flags.Count("seeds");
  double drawn = 0;
  double made = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Setting setting = MakeSetting(flags, seed);
    const auto stream = Drawn(it, setting.rounds, seed);
    if (own) {
      drawn += PlayModel("littlestone", setting, {{"class", Save(it)}}, stream);
    }
    AddOthers(it, setting, stream, sums.drawn);
    const Fight fight = PlayAgainst(it, Taste::kMost, setting);
    made += static_cast<double>(fight.mistakes);
    AddOthers(it, setting, fight.stream, sums.made);
  }
  if (own) {
    sums.drawn["littlestone"] = drawn;
    sums.made["littlestone"] = made;
  }
  return {Means(sums.drawn, seeds), Means(sums.made, seeds)};
}

nlohmann::json GalleryRow(const Class& it, const Flags& flags) {
  const Stopwatch watch;
  const DimensionBounds bounds = SearchDimension(*it.functions);
  const double seconds = watch.processor();
  const BothStreams means = MeasureBoth(it, flags, true);
  return {{"class", it.name},
          {"functions", it.functions->size()},
          {"points", it.functions->points()},
          {"lo", bounds.lo},
          {"hi", bounds.hi},
          {"processor_seconds", seconds},
          {"drawn", means.drawn},
          {"adversary", means.made},
          {"dp_ol_of_all_calls", PaperMistakes(it, flags.Count("rounds"))}};
}

nlohmann::json FightRow(const Class& it, Taste taste, const char* name,
                        const Flags& flags) {
  std::uint64_t changes = 0;
  const Sample sample = Repeat(flags.Count("seeds"), [&](std::uint64_t seed) {
    const Fight fight = PlayAgainst(it, taste, MakeSetting(flags, seed));
    changes = std::max(changes, fight.changes);
    return static_cast<double>(fight.mistakes);
  });
  return {{"class", it.name},       {"functions", it.functions->size()},
          {"adversary", name},      {"mistakes", sample.mean},
          {"most", sample.largest}, {"most_changes", changes}};
}

nlohmann::json Big(const Flags& flags) {
  Entries rows;
  for (const Class& it :
       {Named("thresholds:1023"), Named("points:1024"),
        Random("random 1024 x 64", 1024, 64, 0.5),
        Random("random 1024 x 256, 5 % ones", 1024, 256, 0.05), Pairs(1024),
        Named("intervals:44"), Named("rectangles:7x7")}) {
    rows.Add(FightRow(it, Taste::kMost, "most", flags));
    rows.Add(FightRow(it, Taste::kAny, "any", flags));
    rows.Add(FightRow(it, Taste::kSlow, "slow", flags));
    const BothStreams means = MeasureBoth(it, flags, false);
    rows.Add(
        {{"class", it.name},
         {"drawn", means.drawn},
         {"made", means.made},
         {"dp_ol_of_all_calls", PaperMistakes(it, flags.Count("rounds"))}});
  }
  return rows.json();
}

// Fraction of batches that give a function which is wrong on at most a tenth of
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
  Entries rows;
  for (const Class& it :
       {Named("thresholds:1023"), Random("random 1024 x 64", 1024, 64, 0.5),
        Named("monotone-conjunctions:10")}) {
    const auto finite =
        FiniteFit::Create(it.functions, {.user = {kEpsilon, 0}});
    const auto teachers = LittlestoneErm::Create(*ChooseErm(
        {.functions = it.functions, .budget = {.user = {kEpsilon, kDelta}}}));
    for (const std::uint64_t n : {100, 200, 400, 700}) {
      rows.Add(
          {{"class", it.name},
           {"rows", n},
           {"finite", GoodShare(it, **finite, n, kRuns)},
           {"littlestone_erm", GoodShare(it, **teachers, n, kTeacherRuns)}});
    }
    const DimensionBounds bounds = SearchDimension(*it.functions);
    rows.Add({{"class", it.name},
              {"finite_bound", (*finite)->RowsFor(0.1, 0.05)},
              {"littlestone_erm_bound", (*teachers)->RowsFor(0.1, 0.05)},
              {"paper_dp_erm",
               PaperErmFor(bounds.lo, 0.1, 0.05, kEpsilon, kDelta).rows}});
  }
  return rows.json();
}

nlohmann::json Gallery(const Flags& flags) {
  Entries rows;
  for (const Class& it :
       {Named("points:256"), Named("thresholds:255"), Named("intervals:22"),
        Named("conjunctions:5"), Named("monotone-conjunctions:8"),
        Named("stumps:8x8x8"), Named("rectangles:5x5"),
        Random("random 256 x 32", 256, 32, 0.5),
        Random("random 256 x 64, 5 % ones", 256, 64, 0.05),
        Random("random 1024 x 64", 1024, 64, 0.5)}) {
    rows.Add(GalleryRow(it, flags));
  }
  return rows.json();
}

void Run(const Flags& flags) {
  nlohmann::json report;
  if (flags.Wants("only", "big")) report["big"] = Big(flags);
  if (flags.Wants("only", "batch")) report["batch"] = Batches();
  if (flags.Wants("only", "gallery")) report["gallery"] = Gallery(flags);
  PrintJson(report);
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  sotto::bench::Run(
      {argc,
       argv,
       {{"seeds", "5"}, {"rounds", "100000"}, {"no-pop", ""}, {"only", ""}}});
}
