#include "bench/real_streams_methods.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "bench/baselines/dp_ebm.h"
#include "bench/baselines/hoeffding_tree.h"
#include "bench/baselines/linear_players.h"
#include "bench/baselines/naive_bayes.h"
#include "bench/baselines/simple_players.h"

namespace sotto::bench {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;
// The batches of DP-FTRL: each costs as many draws as there are coordinates.
constexpr std::uint64_t kBatches = 1500;

std::string Number(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", number);
  return text;
}

Variant ModelVariant(std::string model, Options options) {
  const auto make = [model = std::move(model), options = std::move(options)](
                        const TableStream& stream, const Trial& trial) {
    return ModelOptions{.model = model,
                        .options = options,
                        .epsilon = trial.epsilon,
                        .delta = trial.delta,
                        .horizon = stream.rows.size()};
  };
  return {.options = OptionText(make({}, {})),
          .run =
              [make](const TableStream& stream, const Trial& trial) {
                return RunModel(make(stream, trial), stream, trial.seed);
              },
          .plan = make};
}

Result<Course> Played(const Result<std::unique_ptr<Player>>& player,
                      const TableStream& stream) {
  if (!player) return player.error();
  return PlayStream(**player, stream);
}

// `make` returns a Result<std::unique_ptr<Player>>.
template <typename Make>
Variant PlayerVariant(const std::string& options, Make make) {
  return {.options = options,
          .run = [make](const TableStream& stream, const Trial& trial) {
            return Played(make(stream, trial), stream);
          }};
}

template <typename P, typename... Arguments>
Result<std::unique_ptr<Player>> Made(Arguments&&... arguments) {
  return std::unique_ptr<Player>(
      std::make_unique<P>(std::forward<Arguments>(arguments)...));
}

Method Tide(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    options.emplace_back(words[i], words[i + 1]);
  }
  return {.name = "tide",
          .is_private = true,
          .variants = {ModelVariant("tide", options)}};
}

Method Winnow(const TableStream& stream) {
  Method method{.name = "winnow", .is_private = true, .variants = {}};
  const auto entries = static_cast<double>(stream.schema.columns.size() + 1);
  for (const char* margin :
       {"0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.4"}) {
    const Options both = {{"margin", margin}, {"bias", "true"}};
    Options dense = both;
    dense.emplace_back("max-norm", Number(std::sqrt(entries) + 1e-3));
    method.variants.push_back(ModelVariant("winnow", dense));
    Options sparse = both;
    sparse.emplace_back("max-nonzeros", Number(entries));
    method.variants.push_back(ModelVariant("winnow", sparse));
  }
  return method;
}

Method Pop(const TableStream& stream) {
  Method method{
      .name = "pop", .is_private = true, .variants = {ModelVariant("pop", {})}};
  for (const char* learner :
       {"logistic", "logistic:rate=1", "perceptron", "stump"}) {
    method.variants.push_back(ModelVariant("pop", {{"learner", learner}}));
  }
  // Its ensemble has no short cut: minutes on longer streams.
  constexpr std::size_t kShort = 100'000;
  if (stream.rows.size() <= kShort) {
    method.variants.push_back(ModelVariant("pop", {{"learner", "winnow"}}));
  }
  return method;
}

Method Ftrl(const TableStream& stream) {
  Method method{.name = "dp-ftrl", .is_private = true, .variants = {}};
  const bool number = stream.label().kind == LabelType::Kind::kNumber;
  const std::vector<double> clips =
      number ? std::vector{0.0625, 0.25} : std::vector{0.5};
  for (const double clip : clips) {
    for (const double rate : {0.003, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 1.0}) {
      method.variants.push_back(PlayerVariant(
          "rate " + Number(rate) + ", clip " + Number(clip),
          [rate, clip](const TableStream& s, const Trial& trial) {
            return TreeFtrl::Create(s.schema, {.epsilon = trial.epsilon,
                                               .delta = trial.delta,
                                               .rate = rate,
                                               .clip = clip,
                                               .rows = s.rows.size(),
                                               .batch = std::max<std::uint64_t>(
                                                   1, s.rows.size() / kBatches),
                                               .seed = trial.seed});
          }));
    }
  }
  return method;
}

Method Bayes() {
  return {
      .name = "naive-bayes",
      .is_private = true,
      .variants = {PlayerVariant("", [](const TableStream& s, const Trial& t) {
        return NaiveBayes::Create(s.schema, {.epsilon = t.epsilon,
                                             .delta = t.delta,
                                             .rows = s.rows.size(),
                                             .seed = t.seed});
      })}};
}

Variant BoostedVariant(const DpEbm::Params& params) {
  return PlayerVariant("rate " + Number(params.rate) + ", passes " +
                           std::to_string(params.passes) + ", leaves " +
                           std::to_string(params.leaves) + ", epochs of " +
                           Number(params.first_epoch) + " times " +
                           Number(params.growth),
                       [params](const TableStream& s, const Trial& trial) {
                         DpEbm::Params own = params;
                         own.epsilon = trial.epsilon;
                         own.delta = trial.delta;
                         own.seed = trial.seed;
                         return DpEbm::Create(s.schema, own);
                       });
}

Method Boosted(const TableStream& stream, bool continued) {
  Method method{.name = continued ? "dp-ebm-continued" : "dp-ebm",
                .is_private = true,
                .variants = {}};
  const bool number = stream.label().kind == LabelType::Kind::kNumber;
  for (const auto& [first, growth] :
       {std::pair{300.0, 1.0}, {1000.0, 1.0}, {1000.0, 1.5}, {1000.0, 2.0}}) {
    for (const auto& [passes, rate] :
         {std::pair{2U, 0.2}, {5U, 0.1}, {5U, 0.4}, {20U, 0.1}, {20U, 0.4}}) {
      for (const std::uint32_t leaves : {3U, 8U}) {
        method.variants.push_back(BoostedVariant({.continued = continued,
                                                  .rate = rate,
                                                  .passes = passes,
                                                  .leaves = leaves,
                                                  .clip = number ? 0.25 : 0.5,
                                                  .first_epoch = first,
                                                  .growth = growth}));
      }
    }
  }
  return method;
}

Method Regression() {
  Method method{.name = "logistic", .variants = {}};
  for (const bool pairs : {false, true}) {
    for (const double rate : {0.1, 0.3, 1.0, 3.0, 10.0}) {
      method.variants.push_back(
          PlayerVariant("rate " + Number(rate) + (pairs ? ", pairs" : ""),
                        [pairs, rate](const TableStream& s, const Trial&) {
                          return AdaptiveRegression::Create(
                              s.schema, {.rate = rate, .pairs = pairs});
                        }));
    }
  }
  return method;
}

Method Tree() {
  return {
      .name = "hoeffding-tree",
      .variants = {PlayerVariant("", [](const TableStream& s, const Trial&) {
        return Made<HoeffdingTree>(s.schema, HoeffdingTree::Params{});
      })}};
}

Method MeanOrMedian(bool mean) {
  return {.name = mean ? "running-mean" : "running-median",
          .variants = {PlayerVariant("", [mean](const TableStream& s,
                                                const Trial&) {
            return mean ? Made<RunningMean>() : Made<RunningMedian>(s.label());
          })}};
}

Method Majority() {
  return {
      .name = "majority",
      .variants = {PlayerVariant("", [](const TableStream& s, const Trial&) {
        return Made<Constant>(Constant::FindBest(s));
      })}};
}

Method Last() {
  return {.name = "last-label",
          .variants = {PlayerVariant("", [](const TableStream&, const Trial&) {
            return Made<LastLabel>();
          })}};
}

}  // namespace

std::vector<Method> MethodsFor(const TableStream& stream,
                               const std::vector<std::string>& tide) {
  const LabelType::Kind kind = stream.label().kind;
  std::vector<Method> methods = {Tide(tide), Ftrl(stream)};
  if (kind == LabelType::Kind::kTwo) {
    methods.push_back(Winnow(stream));
    methods.push_back(Pop(stream));
  }
  if (kind != LabelType::Kind::kClasses) {
    methods.push_back(Boosted(stream, false));
    methods.push_back(Boosted(stream, true));
  }
  methods.push_back(Regression());
  methods.push_back(Last());
  if (kind == LabelType::Kind::kNumber) {
    methods.push_back(MeanOrMedian(true));
    methods.push_back(MeanOrMedian(false));
    return methods;
  }
  methods.push_back(Bayes());
  methods.push_back(Tree());
  methods.push_back(Majority());
  return methods;
}

}  // namespace sotto::bench
