// How wrong and how long are private lists on real tables? Mushroom (6,500 rows
// to learn, 1,624 to test, 20 splits) and any other table with a schema.
//
//   mushroom_bench TABLE.csv SCHEMA.json [--train=6500] [--splits=20]
//                  [--cap=ROWS --reward=1/2 --rules=40]
//
// --logistic measures private logistic regression instead, on the same
// questions as features: gradient descent over all rows with Gaussian noise,
// each row's gradient clipped to norm 1, the noise for all steps accounted for
// exactly. Its noise is in doubles: for comparison only.
//
// With --cap: that setting alone, at epsilon 1 and 3 and without privacy, all
// three with the same score.
//
// The paths may also come from SOTTO_TABLE and SOTTO_SCHEMA. Without a table it
// says so and ends well. JSON on standard output.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/base/rational.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/models/fits/greedy_cover/cover_columns.h"
#include "sotto/models/fits/greedy_cover/greedy_cover.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

struct Table {
  FitColumns columns;
  std::vector<std::vector<std::uint32_t>> rows;
  std::vector<bool> labels;
};

Result<Table> Read(const std::string& path, const Schema& schema) {
  SOTTO_TRY_ASSIGN(auto columns, MakeCoverColumns(schema, {}));
  SOTTO_TRY_ASSIGN(
      auto reader,
      ExampleReader::Open({.path = path,
                           .header = false,
                           .encoding = {.schema = CoverSchema(schema, {}),
                                        .raw_numbers = true}}));
  Table table{std::move(columns), {}, {}};
  Round round;
  for (;;) {
    SOTTO_TRY_ASSIGN(const auto more, reader.Next(round));
    if (!more) return table;
    if (!round.present() || !round.y) continue;
    std::vector<std::uint32_t> row(table.columns.size());
    table.columns.Encode(round.x, row);
    table.rows.push_back(std::move(row));
    table.labels.push_back(round.y->positive());
  }
}

std::vector<std::size_t> Shuffled(std::size_t n, Rng& rng) {
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  for (std::size_t i = n; i > 1; --i)
    std::swap(order[i - 1], order[rng.Next() % i]);
  return order;
}

struct Figures {
  double error = 0;
  double lines = 0;
  double seconds = 0;
};

Figures Measure(const Table& table, const GreedyCover& learner,
                std::size_t train, int splits, bool is_private) {
  Figures sum;
  for (int split = 0; split < splits; ++split) {
    testing::SeededRng rng(static_cast<std::uint64_t>(split));
    const auto order = Shuffled(table.rows.size(), rng);
    CoverData data(learner.space());
    for (std::size_t i = 0; i < train; ++i) {
      data.Add(table.rows[order[i]], table.labels[order[i]]);
    }
    const auto start = std::chrono::steady_clock::now();
    const DecisionList list =
        is_private ? learner.Fit(data, rng) : learner.FitWithoutPrivacy(data);
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    const DecisionList simple = list.Simplified();
    std::size_t wrong = 0;
    for (std::size_t i = train; i < order.size(); ++i) {
      wrong += simple.Predict(table.rows[order[i]]) != table.labels[order[i]];
    }
    sum.error +=
        static_cast<double>(wrong) / static_cast<double>(order.size() - train);
    sum.lines += static_cast<double>(simple.lines());
    sum.seconds += took.count();
  }
  return {sum.error / splits, sum.lines / splits, sum.seconds / splits};
}

// A row as the questions it answers with yes, and one that is always yes.
std::vector<std::uint32_t> Questions(const RuleSpace& space,
                                     std::span<const std::uint32_t> row) {
  std::vector<std::uint32_t> yes;
  for (std::uint32_t a = 0; a < space.atoms().size(); ++a) {
    const Atom& atom = space.atoms()[a];
    const FitColumn& column = space.columns()[atom.column];
    if (AtomHolds(column, atom.place, row[atom.column])) yes.push_back(a);
  }
  yes.push_back(static_cast<std::uint32_t>(space.atoms().size()));
  return yes;
}

double Normal(Rng& rng) {
  const auto uniform = [&] {
    return (static_cast<double>(rng.Next() >> 11) + 0.5) * 0x1p-53;
  };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

struct Logistic {
  double epsilon;  // 0: not private
  int steps;
  double step;  // of the mean gradient
};

using Examples = std::vector<std::vector<std::uint32_t>>;

// The error on the rows of `order` past `train`.
double LogisticError(const Logistic& s, const Examples& rows,
                     const std::vector<bool>& labels,
                     std::span<const std::size_t> order, std::size_t train,
                     std::size_t features, Rng& rng) {
  // Another row moves the sum of clipped gradients by 2.
  const auto noise =
      GaussianSigma(s.epsilon, 1e-6, static_cast<std::uint64_t>(s.steps));
  const double sigma = s.epsilon > 0 ? 2 * *noise : 0;
  std::vector<double> weights(features);
  std::vector<double> gradient(features);
  const auto margin = [&](std::size_t i) {
    double sum = 0;
    for (const std::uint32_t a : rows[i]) sum += weights[a];
    return sum;
  };
  for (int step = 0; step < s.steps; ++step) {
    for (double& g : gradient) g = sigma > 0 ? sigma * Normal(rng) : 0;
    for (const std::size_t i : order.first(train)) {
      const double norm = std::sqrt(static_cast<double>(rows[i].size()));
      const double off = (labels[i] ? 1 : 0) - 1 / (1 + std::exp(-margin(i)));
      const double clipped = std::clamp(off, -1 / norm, 1 / norm);
      for (const std::uint32_t a : rows[i]) gradient[a] += clipped;
    }
    for (std::size_t a = 0; a < features; ++a) {
      weights[a] += s.step * gradient[a] / static_cast<double>(train);
    }
  }
  std::size_t wrong = 0;
  for (const std::size_t i : order.subspan(train)) {
    wrong += (margin(i) > 0) != labels[i];
  }
  return static_cast<double>(wrong) / static_cast<double>(order.size() - train);
}

void MeasureLogistic(const Table& table, const RuleSpace& space,
                     std::size_t train, int splits) {
  Examples rows;
  rows.reserve(table.rows.size());
  for (const auto& row : table.rows) rows.push_back(Questions(space, row));
  for (const double epsilon : {1.0, 3.0, 0.0}) {
    for (const int steps : {60, 200}) {
      for (const double step : {3.0, 10.0, 30.0}) {
        double error = 0;
        for (int split = 0; split < splits; ++split) {
          testing::SeededRng rng(static_cast<std::uint64_t>(split));
          const auto order = Shuffled(rows.size(), rng);
          error += LogisticError({epsilon, steps, step}, rows, table.labels,
                                 order, train, space.atoms().size() + 1, rng);
        }
        bench::PrintLine({{"logistic", true},
                          {"epsilon", epsilon},
                          {"steps", steps},
                          {"step", step},
                          {"error", error / splits}});
      }
    }
  }
}

struct Setting {
  const char* name;
  double epsilon;
  std::uint32_t rules, penalty, reward;
  std::optional<double> bonus = std::nullopt;
  CoverCalibration::Method method = CoverCalibration::Method::kExact;
  bool is_private = true;
  std::optional<std::int64_t> cap = std::nullopt;
};

struct Request {
  std::vector<std::string> paths = {};
  std::size_t train = 6500;
  int splits = 20;
  std::uint32_t penalty = 2;
  std::uint32_t reward = 1;
  std::uint32_t rules = 40;
  bool logistic = false;
  std::optional<std::int64_t> cap = std::nullopt;
};

std::vector<Setting> Settings(const Request& request) {
  constexpr auto kPaper = CoverCalibration::Method::kPaper;
  constexpr auto kExact = CoverCalibration::Method::kExact;
  if (request.cap) {
    const auto with = [&](const char* name, double epsilon, bool is_private) {
      return Setting{
          name,         epsilon, request.rules, request.penalty, request.reward,
          std::nullopt, kExact,  is_private,    request.cap};
    };
    return {with("cap", 1, true), with("cap", 3, true),
            with("cap, not private", 3, false)};
  }
  return {
      Setting{"short", 1, 20, 3, 1, 8.0},
      Setting{"default", 1, 40, 5, 1},
      Setting{"noisy labels", 1, 40, 2, 1, 20.0},
      Setting{"errors only", 1, 200, 1, 0},
      Setting{"paper", 1, 200, 1, 0, std::nullopt, kPaper},
      Setting{"default", 3, 40, 5, 1},
      Setting{"noisy labels", 3, 40, 2, 1, 20.0},
      Setting{"errors only", 3, 400, 1, 0},
      Setting{"paper", 3, 200, 1, 0, std::nullopt, kPaper},
      Setting{"not private", 3, 40, 5, 1, std::nullopt, kExact, false},
      Setting{"not private, noisy labels", 3, 40, 2, 1, 20.0, kExact, false}};
}

int Run(const Request& request) {
  const std::string& schema_path = request.paths[1];
  const auto schema = Schema::FromFile(schema_path);
  if (!schema || !schema->label) {
    std::cerr << "no schema with a label in " << schema_path << "\n";
    return 2;
  }
  const auto table = Read(request.paths[0], *schema);
  if (!table) {
    std::cerr << table.error().message << "\n";
    return 2;
  }
  std::size_t train = request.train;
  if (table->rows.size() <= train) train = table->rows.size() * 4 / 5;
  const auto space = RuleSpace::Create(table->columns, 1);
  if (request.logistic) {
    MeasureLogistic(*table, *space, train, request.splits);
    return 0;
  }
  for (const Setting& s : Settings(request)) {
    const auto learner = GreedyCover::Create({.epsilon = s.epsilon,
                                              .delta = 1e-6,
                                              .calibration = s.method,
                                              .rules = s.rules,
                                              .penalty = s.penalty,
                                              .reward = s.reward,
                                              .bonus = s.bonus,
                                              .cap = s.cap},
                                             *space);
    if (!learner) {
      std::cerr << learner.error().message << "\n";
      return 1;
    }
    const Figures figures =
        Measure(*table, *learner, train, request.splits, s.is_private);
    bench::PrintLine({{"list", s.name},
                      {"epsilon", s.epsilon},
                      {"rules", s.rules},
                      {"error", figures.error},
                      {"lines", figures.lines},
                      {"fit_seconds", figures.seconds}});
  }
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  using namespace sotto;
  const bench::Flags flags(argc, argv,
                           {{"train", "6500"},
                            {"splits", "20"},
                            {"cap", ""},
                            {"rules", "40"},
                            {"reward", "1/2"},
                            {"logistic", ""}});
  const Rational reward = bench::Must(ParseRational(flags.Text("reward")));
  Request request{.paths = flags.words(),
                  .train = flags.Count("train"),
                  .splits = static_cast<int>(flags.Count("splits")),
                  .penalty = static_cast<std::uint32_t>(reward.denominator()),
                  .reward = static_cast<std::uint32_t>(reward.numerator()),
                  .rules = static_cast<std::uint32_t>(flags.Count("rules")),
                  .logistic = flags.On("logistic")};
  if (flags.On("cap")) {
    request.cap = static_cast<std::int64_t>(flags.Count("cap"));
  }
  if (request.paths.size() != 2) {
    const char* table = std::getenv("SOTTO_TABLE");
    const char* schema = std::getenv("SOTTO_SCHEMA");
    if (table == nullptr || schema == nullptr) {
      std::cerr << "no table given: nothing to measure\n";
      return 0;
    }
    request.paths = {table, schema};
  }
  return Run(request);
}
