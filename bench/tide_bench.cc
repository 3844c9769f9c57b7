// How wrong is Tide on real streams, and how fast? Progressive errors with
// defaults only: every row is answered before its label is told.
//
//   tide_bench [FOLDER] [--streams=adult,elec] [--epsilons=1,3] [--seeds=5]
//              [--delta=1e-6] [--rows=0] [--pairs] [--wide]
//              [--clip=0] [--rate=0] [--batch=0] [--start=0]
//
// FOLDER has NAME.csv.gz and NAME.schema.json. Without it the rows are
// generated. Rows a second are measured on one core, reading aside and noise
// included; --wide measures the memory of a model with 100,000 coordinates.
// JSON on standard output.

#include <sys/resource.h>

#include <cmath>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/baselines/table_stream.h"
#include "sotto/models/tide/private_tide.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

struct Options {
  std::string folder;
  std::vector<std::string> streams;
  std::vector<double> epsilons = {1, 3};
  std::uint64_t seeds = 5;
  double delta = 1e-6;
  std::uint64_t rows = 0;
  bool pairs = false;
  bool wide = false;
  // By hand; zeros are chosen.
  double clip = 0;
  TideSchedule schedule;
};

// Mixed columns and a noisy rule over four of them that changes once.
bench::TableStream Generate(std::uint64_t rows) {
  bench::TableStream stream;
  stream.schema.label = SchemaLabel{.column = "y", .type = {}};
  for (int c = 0; c < 12; ++c) {
    SchemaColumn column;
    column.name = "c" + std::to_string(c);
    if (c % 2 == 0) {
      column.type = SchemaColumn::Type::kCategory;
      for (int v = 0; v < 4 + c; ++v) {
        column.values.push_back(std::to_string(v));
      }
    } else {
      column.range = {0, 1};
    }
    stream.schema.columns.push_back(std::move(column));
  }
  testing::SeededRng rng(11);
  for (std::uint64_t i = 0; i < rows; ++i) {
    FeatureVector x;
    std::uint32_t first = 0;
    double score = -0.5;
    const double turn = 2 * i < rows ? 1 : -1;
    for (std::size_t c = 0; c < 12; ++c) {
      const auto values =
          static_cast<std::uint32_t>(stream.schema.columns[c].values.size());
      const double u = std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
      if (values > 0) {
        const auto v = static_cast<std::uint32_t>(u * values);
        x.push_back({first + v, 1});
        if (c == 2) score += turn * (v % 2 == 0 ? 2 : -2);
        if (c == 6) score += v % 3 == 0 ? 2 : -1;
        first += values;
      } else {
        x.push_back({first++, u});
        if (c == 1) score += 4 * (2 * u - 1);
        if (c == 5) score += u > 0.7 ? 2 : -1;
      }
    }
    const double coin = std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
    stream.rows.push_back(std::move(x));
    stream.labels.emplace_back(coin < 1 / (1 + std::exp(-score)));
  }
  return stream;
}

PrivateTide::Params ParamsFor(const bench::TableStream& stream,
                              const Options& options, double epsilon) {
  return {.epsilon = epsilon,
          .delta = options.delta,
          .encoding = {.schema = &stream.schema, .pairs = options.pairs},
          .label = stream.label(),
          .clip = options.clip,
          .schedule = options.schedule};
}

double Loss(const LabelType& type, const Label& prediction, const Label& y) {
  if (type.kind == LabelType::Kind::kNumber) {
    return std::abs(prediction.number() - y.number());
  }
  return prediction == y ? 0 : 100;
}

double LogLoss(const LabelType& type, const TideAnswer& answer,
               const Label& y) {
  if (type.kind != LabelType::Kind::kTwo) return 0;
  const double p = y.positive() ? *answer.probability : 1 - *answer.probability;
  return -std::log(std::max(p, 1e-12));
}

struct Played {
  double loss = 0;
  double log_loss = 0;
  double seconds = 0;
};

Played Play(const bench::TableStream& stream, const PrivateTide::Params& params,
            std::uint64_t seed) {
  auto tide = PrivateTide::Create(params);
  if (!tide) {
    std::cerr << tide.error().message << "\n";
    std::exit(1);
  }
  testing::SeededRng rng(seed);
  Played played;
  // Of the processor: other programs do not count.
  const std::clock_t begin = std::clock();
  for (std::size_t i = 0; i < stream.rows.size(); ++i) {
    const auto answer = tide->Play(stream.rows[i], stream.labels[i], rng);
    played.loss += Loss(stream.label(), answer->prediction, stream.labels[i]);
    played.log_loss += LogLoss(stream.label(), *answer, stream.labels[i]);
  }
  played.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const auto n = static_cast<double>(stream.rows.size());
  played.loss /= n;
  played.log_loss /= n;
  return played;
}

nlohmann::json Errors(const Options& options, const bench::TableStream& stream,
                      const std::string& name) {
  nlohmann::json entries = nlohmann::json::array();
  for (const double epsilon : options.epsilons) {
    const auto params = ParamsFor(stream, options, epsilon);
    double sum = 0;
    double squares = 0;
    double log_loss = 0;
    double seconds = 0;
    for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
      const Played played = Play(stream, params, seed);
      sum += played.loss;
      squares += played.loss * played.loss;
      log_loss += played.log_loss;
      seconds += played.seconds;
    }
    const auto n = static_cast<double>(options.seeds);
    const double mean = sum / n;
    nlohmann::json entry = {
        {"stream", name},
        {"rows", stream.rows.size()},
        {"epsilon", epsilon},
        {"delta", options.delta},
        {stream.label().kind == LabelType::Kind::kNumber ? "mean_absolute_error"
                                                         : "error_percent",
         mean},
        {"deviation", std::sqrt(std::max(0.0, squares / n - mean * mean))},
        {"rows_per_second",
         n * static_cast<double>(stream.rows.size()) / seconds}};
    if (stream.label().kind == LabelType::Kind::kTwo) {
      entry["log_loss"] = log_loss / n;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// 100,000 hashed features, 2,000 rounds.
nlohmann::json Wide() {
  const double before = PeakMegabytes();
  auto tide = PrivateTide::Create(
      {.epsilon = 1, .delta = 1e-6, .encoding = {.features = 100'000}});
  testing::SeededRng rng(1);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const FeatureVector x = {{i % 1000, 1}, {1000 + i * 37 % 99'000, 0.5}};
    static_cast<void>(tide->Play(x, Label(i % 3 == 0), rng));
  }
  return {{"coordinates", 100'001},
          {"megabytes", PeakMegabytes() - before},
          {"steps", tide->steps()}};
}

bool Take(std::string_view argument, std::string_view flag, std::string& out) {
  if (!argument.starts_with(flag)) return false;
  out = argument.substr(flag.size());
  return true;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream rest(text);
  for (std::string part; std::getline(rest, part, ',');) parts.push_back(part);
  return parts;
}

Options Parse(int count, char** arguments) {
  Options options;
  std::string value;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (Take(argument, "--streams=", value)) {
      options.streams = Split(value);
    } else if (Take(argument, "--epsilons=", value)) {
      options.epsilons.clear();
      for (const auto& e : Split(value)) options.epsilons.push_back(stod(e));
    } else if (Take(argument, "--seeds=", value)) {
      options.seeds = std::stoull(value);
    } else if (Take(argument, "--delta=", value)) {
      options.delta = std::stod(value);
    } else if (Take(argument, "--rows=", value)) {
      options.rows = std::stoull(value);
    } else if (Take(argument, "--clip=", value)) {
      options.clip = std::stod(value);
    } else if (Take(argument, "--rate=", value)) {
      options.schedule.rate = std::stod(value);
    } else if (Take(argument, "--batch=", value)) {
      options.schedule.batch = std::stoull(value);
    } else if (Take(argument, "--start=", value)) {
      options.schedule.start_rows = std::stoull(value);
    } else if (argument == "--pairs") {
      options.pairs = true;
    } else if (argument == "--wide") {
      options.wide = true;
    } else if (!argument.starts_with("-")) {
      options.folder = argument;
    }
  }
  return options;
}

int Run(const Options& options) {
  nlohmann::json report = nlohmann::json::array();
  if (options.wide) {
    std::cout << Wide().dump(1) << "\n";
    return 0;
  }
  if (options.folder.empty()) {
    const auto stream = Generate(options.rows == 0 ? 40'000 : options.rows);
    std::cout << Errors(options, stream, "generated").dump(1) << "\n";
    return 0;
  }
  const std::vector<std::string> all = {"adult", "elec",   "bank", "air",
                                        "kdd",   "letter", "bike"};
  for (const auto& name : options.streams.empty() ? all : options.streams) {
    const auto stream =
        bench::ReadTableStream(options.folder, name, options.rows);
    if (!stream) {
      std::cerr << stream.error().message << "\n";
      return 1;
    }
    for (auto& entry : Errors(options, *stream, name)) report.push_back(entry);
  }
  std::cout << report.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int count, char** arguments) {
  return sotto::Run(sotto::Parse(count, arguments));
}
