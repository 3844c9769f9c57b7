// How wrong is everything on real streams? Tide, Winnow, POP, DP-FTRL and naive
// Bayes with privacy; logistic regression, a Hoeffding tree and constants
// without. Progressive errors: every row is answered before its label is told.
//
//   real_streams_bench FOLDER [--streams=adult,elec] [--methods=tide,winnow]
//                      [--epsilons=1,3] [--delta=1e-6] [--seeds=5] [--rows=0]
//
// FOLDER has NAME.csv.gz and NAME.schema.json; SOTTO_STREAMS may name it
// instead. Without it this says so and ends well. Where a method has several
// variants the best one is taken in hindsight and said. JSON on standard
// output; real_streams_page makes tables and figures of it.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/real_streams_methods.h"

namespace sotto::bench {
namespace {

struct Options {
  std::string folder;
  std::vector<std::string> streams = {"adult", "elec",   "bank", "air",
                                      "kdd",   "letter", "bike"};
  std::vector<std::string> methods;  // empty: all
  std::vector<double> epsilons = {1, 3};
  double delta = 1e-6;
  std::uint64_t seeds = 5;
  std::uint64_t rows = 0;
};

nlohmann::json MakeCurve(const Course& course) {
  nlohmann::json curve = nlohmann::json::array();
  for (const Course::Point& point : course.curve) {
    curve.push_back({point.rows, point.loss});
  }
  return curve;
}

nlohmann::json MakeResult(const TableStream& stream, const Method& method,
                          const Variant& variant, const Courses& courses,
                          std::uint64_t seeds) {
  nlohmann::json result = {
      {"stream", stream.name},
      {"method", method.name},
      {"options", variant.options},
      {"hindsight", method.variants.size() > 1},
      {"loss", courses.mean.loss},
      {"deviation", courses.deviation},
      {"seeds", seeds},
      {"rows_per_second", static_cast<double>(stream.rows.size()) /
                              std::max(courses.mean.seconds, 1e-9)},
      {"curve", MakeCurve(courses.mean)}};
  if (courses.mean.log_loss) result["log_loss"] = *courses.mean.log_loss;
  return result;
}

// What plan says of a variant, beside what one run of it was.
std::optional<nlohmann::json> MakeForecast(const TableStream& stream,
                                           const Method& method,
                                           const Variant& variant,
                                           const Trial& trial,
                                           double measured) {
  if (!variant.plan) return std::nullopt;
  const auto forecast = PlanModel(variant.plan(stream, trial), stream.features);
  if (!forecast) return std::nullopt;
  nlohmann::json entry = {
      {"stream", stream.name},      {"method", method.name},
      {"options", variant.options}, {"epsilon", trial.epsilon},
      {"measured", measured},       {"verdict", forecast->verdict}};
  if (forecast->mistakes) {
    entry["foretold"] =
        100 * *forecast->mistakes / static_cast<double>(stream.rows.size());
  }
  return entry;
}

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)) {}

  bool Run() {
    for (const std::string& name : options_.streams) {
      const auto stream = ReadTableStream(options_.folder, name, options_.rows);
      if (!stream) {
        std::cerr << stream.error().message << "\n";
        return false;
      }
      Describe(*stream);
      for (const Method& method : MethodsFor(*stream)) {
        if (Wanted(method.name)) Measure(*stream, method);
      }
    }
    std::cout << nlohmann::json{{"streams", streams_},
                                {"results", results_},
                                {"foretold", foretold_}}
                     .dump(1)
              << "\n";
    return true;
  }

 private:
  bool Wanted(const std::string& method) const {
    return options_.methods.empty() ||
           std::ranges::find(options_.methods, method) !=
               options_.methods.end();
  }

  void Describe(const TableStream& stream) {
    static constexpr const char* kKinds[] = {"two", "classes", "number"};
    streams_.push_back(
        {{"name", stream.name},
         {"rows", stream.rows.size()},
         {"columns", stream.schema.columns.size()},
         {"features", stream.features},
         {"label", kKinds[static_cast<std::size_t>(stream.label().kind)]},
         {"classes", stream.label().classes()}});
  }

  void Measure(const TableStream& stream, const Method& method) {
    if (!method.is_private) {
      MeasureAt(stream, method, {.epsilon = 0, .delta = 0});
      return;
    }
    for (const double epsilon : options_.epsilons) {
      MeasureAt(stream, method, {.epsilon = epsilon, .delta = options_.delta});
    }
  }

  void MeasureAt(const TableStream& stream, const Method& method,
                 const Trial& first) {
    const Variant* best = nullptr;
    std::vector<Course> courses;
    for (const Variant& variant : method.variants) {
      const auto course = variant.run(stream, first);
      if (!course) {
        std::cerr << stream.name << ", " << method.name << " "
                  << variant.options << ": " << course.error().message << "\n";
        continue;
      }
      const auto entry =
          MakeForecast(stream, method, variant, first, course->loss);
      if (entry) foretold_.push_back(*entry);
      std::cerr << stream.name << ", " << method.name << " epsilon "
                << first.epsilon << " " << variant.options << ": "
                << course->loss << ", " << course->seconds << " s\n";
      if (best != nullptr && course->loss >= courses[0].loss) continue;
      best = &variant;
      courses = {*course};
    }
    if (best == nullptr) return;
    const std::uint64_t seeds = method.is_private ? options_.seeds : 1;
    for (std::uint64_t seed = 2; seed <= seeds; ++seed) {
      Trial trial = first;
      trial.seed = seed;
      const auto course = best->run(stream, trial);
      if (course) courses.push_back(*course);
    }
    auto result =
        MakeResult(stream, method, *best, Average(courses), courses.size());
    if (method.is_private) result["epsilon"] = first.epsilon;
    results_.push_back(std::move(result));
  }

  Options options_;
  nlohmann::json streams_ = nlohmann::json::array();
  nlohmann::json results_ = nlohmann::json::array();
  nlohmann::json foretold_ = nlohmann::json::array();
};

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
  if (const char* folder = std::getenv("SOTTO_STREAMS")) {
    options.folder = folder;
  }
  std::string value;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (Take(argument, "--streams=", value)) {
      options.streams = Split(value);
    } else if (Take(argument, "--methods=", value)) {
      options.methods = Split(value);
    } else if (Take(argument, "--epsilons=", value)) {
      options.epsilons.clear();
      for (const auto& e : Split(value)) options.epsilons.push_back(stod(e));
    } else if (Take(argument, "--delta=", value)) {
      options.delta = std::stod(value);
    } else if (Take(argument, "--seeds=", value)) {
      options.seeds = std::stoull(value);
    } else if (Take(argument, "--rows=", value)) {
      options.rows = std::stoull(value);
    } else if (!argument.starts_with("-")) {
      options.folder = argument;
    }
  }
  return options;
}

}  // namespace
}  // namespace sotto::bench

int main(int count, char** arguments) {
  auto options = sotto::bench::Parse(count, arguments);
  if (options.folder.empty() || !std::filesystem::exists(options.folder)) {
    std::cerr << "real_streams_bench: no folder of streams; nothing was "
                 "measured\n";
    std::cout << "{}\n";
    return 0;
  }
  return sotto::bench::Bench(std::move(options)).Run() ? 0 : 1;
}
