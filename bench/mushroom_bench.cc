// How wrong and how long are private lists on real tables? Mushroom (6,500 rows
// to learn, 1,624 to test, 20 splits) and any other table with a schema.
//
//   mushroom_bench TABLE.csv SCHEMA.json [--train=6500] [--splits=20]
//
// The paths may also come from SOTTO_TABLE and SOTTO_SCHEMA. Without a table it
// says so and ends well. JSON on standard output.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/cover/greedy_cover.h"
#include "sotto/streams/table_reader.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

struct Table {
  CoverColumns columns;
  std::vector<std::vector<double>> rows;
  std::vector<bool> labels;
};

Result<Table> Read(const std::string& path, const Schema& schema) {
  auto columns = CoverColumns::FromSchema(schema, {});
  if (!columns) return columns.error();
  auto reader = TableReader::Open(
      {.path = path, .header = false, .skip_bad = false, .input = {}});
  if (!reader) return reader.error();
  Table table{*std::move(columns), {}, {}};
  const auto label = reader->Find(schema.label->column);
  if (!label) return InvalidArgument("no label column");
  std::span<const std::string_view> fields;
  for (;;) {
    const auto more = reader->Next(fields);
    if (!more) return more.error();
    if (!*more) return table;
    std::vector<double> row;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const auto place = reader->Find(table.columns[c].name);
      if (!place) return InvalidArgument("no column " + table.columns[c].name);
      const auto value = table.columns.Encode(c, fields[*place]);
      if (!value) return value.error();
      row.push_back(*value);
    }
    table.rows.push_back(std::move(row));
    table.labels.push_back(fields[*label] == schema.label->positive);
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

struct Setting {
  const char* name;
  double epsilon;
  std::uint32_t rules, penalty, reward;
  std::optional<double> bonus = std::nullopt;
  CoverCalibration::Method method = CoverCalibration::Method::kExact;
  bool is_private = true;
};

int Run(const std::string& path, const std::string& schema_path,
        std::size_t train, int splits) {
  const auto schema = Schema::FromFile(schema_path);
  if (!schema || !schema->label) {
    std::cerr << "no schema with a label in " << schema_path << "\n";
    return 2;
  }
  const auto table = Read(path, *schema);
  if (!table) {
    std::cerr << table.error().message << "\n";
    return 2;
  }
  if (table->rows.size() <= train) train = table->rows.size() * 4 / 5;
  const auto space = RuleSpace::Create(table->columns, 1);
  constexpr auto kPaper = CoverCalibration::Method::kPaper;
  constexpr auto kExact = CoverCalibration::Method::kExact;
  for (const Setting& s :
       {Setting{"short", 1, 20, 3, 1, 8.0}, Setting{"default", 1, 40, 5, 1},
        Setting{"noisy labels", 1, 40, 2, 1, 20.0},
        Setting{"errors only", 1, 200, 1, 0},
        Setting{"paper", 1, 200, 1, 0, std::nullopt, kPaper},
        Setting{"default", 3, 40, 5, 1},
        Setting{"noisy labels", 3, 40, 2, 1, 20.0},
        Setting{"errors only", 3, 400, 1, 0},
        Setting{"paper", 3, 200, 1, 0, std::nullopt, kPaper},
        Setting{"not private", 3, 40, 5, 1, std::nullopt, kExact, false},
        Setting{"not private, noisy labels", 3, 40, 2, 1, 20.0, kExact,
                false}}) {
    const auto learner = GreedyCover::Create({.epsilon = s.epsilon,
                                              .delta = 1e-6,
                                              .calibration = s.method,
                                              .rules = s.rules,
                                              .penalty = s.penalty,
                                              .reward = s.reward,
                                              .bonus = s.bonus},
                                             *space);
    if (!learner) {
      std::cerr << learner.error().message << "\n";
      return 1;
    }
    const Figures figures =
        Measure(*table, *learner, train, splits, s.is_private);
    std::cout << nlohmann::ordered_json{{"list", s.name},
                                        {"epsilon", s.epsilon},
                                        {"rules", s.rules},
                                        {"error", figures.error},
                                        {"lines", figures.lines},
                                        {"fit_seconds", figures.seconds}}
                     .dump()
              << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  std::vector<std::string> paths;
  std::size_t train = 6500;
  int splits = 20;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--train=")) {
      train = std::strtoull(argv[i] + 8, nullptr, 10);
    } else if (argument.starts_with("--splits=")) {
      splits = static_cast<int>(std::strtol(argv[i] + 9, nullptr, 10));
    } else {
      paths.emplace_back(argument);
    }
  }
  if (paths.size() != 2) {
    const char* table = std::getenv("SOTTO_TABLE");
    const char* schema = std::getenv("SOTTO_SCHEMA");
    if (table == nullptr || schema == nullptr) {
      std::cerr << "no table given: nothing to measure\n";
      return 0;
    }
    paths = {table, schema};
  }
  return sotto::Run(paths[0], paths[1], train, splits);
}
