// How wrong is everything on real streams? Tide, Winnow, POP, DP-FTRL and naive
// Bayes with privacy; logistic regression, a Hoeffding tree and constants
// without. Progressive errors: every row is predicted before its label is used.
//
//   real_streams_bench FOLDER [--streams=adult,elec] [--methods=tide,winnow]
//                      [--epsilons=1,3] [--delta=1e-6] [--seeds=5] [--rows=0]
//                      [--tide="pairs on batch 100"] [--wide]
//
// FOLDER, or else SOTTO_STREAMS, has NAME.csv.gz and NAME.schema.json. Without
// a folder a generated table is played, by tide alone unless --methods asks for
// others. --tide gives options of tide; --wide measures the memory of tide with
// 100,000 coordinates instead. Where a method has several variants, the best
// one in hindsight is reported and named. Rows a second are measured on one
// core, reading aside and noise included. JSON on standard output;
// real_streams_page makes tables and figures of it.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "bench/real_streams_methods.h"
#include "sotto/models/tide/private_tide.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

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

// Forecast of the plan for a variant, beside the outcome of one run.
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
  Bench(const Flags& flags, std::string folder)
      : flags_(flags), folder_(std::move(folder)) {}

  void Run() {
    if (folder_.empty()) {
      constexpr std::uint64_t kRows = 40'000;
      const std::uint64_t rows = flags_.Count("rows");
      MeasureStream(GenerateTableStream(rows == 0 ? kRows : rows));
    } else {
      for (const std::string& name : flags_.List("streams")) {
        MeasureStream(
            Must(ReadTableStream(folder_, name, flags_.Count("rows"))));
      }
    }
    PrintJson({{"streams", streams_},
               {"results", results_},
               {"foretold", forecasts_}});
  }

 private:
  bool Wanted(const std::string& method) const {
    const bool all = !folder_.empty() || flags_.On("methods");
    return all ? flags_.Wants("methods", method) : method == "tide";
  }

  void MeasureStream(const TableStream& stream) {
    Describe(stream);
    for (const Method& method :
         MethodsFor(stream, Split(flags_.Text("tide"), ' '))) {
      if (Wanted(method.name)) Measure(stream, method);
    }
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
    for (const double epsilon : flags_.Numbers("epsilons")) {
      MeasureAt(stream, method,
                {.epsilon = epsilon, .delta = flags_.Number("delta")});
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
      if (entry) forecasts_.push_back(*entry);
      std::cerr << stream.name << ", " << method.name << " epsilon "
                << first.epsilon << " " << variant.options << ": "
                << course->loss << ", " << course->seconds << " s\n";
      if (best != nullptr && course->loss >= courses[0].loss) continue;
      best = &variant;
      courses = {*course};
    }
    if (best == nullptr) return;
    const std::uint64_t seeds = method.is_private ? flags_.Count("seeds") : 1;
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

  const Flags& flags_;
  std::string folder_;
  nlohmann::json streams_ = nlohmann::json::array();
  nlohmann::json results_ = nlohmann::json::array();
  nlohmann::json forecasts_ = nlohmann::json::array();
};

// Memory of tide with 100,000 hashed features, 2,000 rounds.
nlohmann::json Wide() {
  const double before = PeakMegabytes();
  auto tide = Must(PrivateTide::Create(
      {.epsilon = 1, .delta = 1e-6, .encoding = {.features = 100'000}}));
  testing::SeededRng rng(1);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const FeatureVector x = {{i % 1000, 1}, {1000 + i * 37 % 99'000, 0.5}};
    Must(tide.Play(x, Label(i % 3 == 0), rng));
  }
  return {{"coordinates", 100'001},
          {"megabytes", PeakMegabytes() - before},
          {"steps", tide.steps()}};
}

std::string FindFolder(const Flags& flags) {
  if (!flags.words().empty()) return flags.words().front();
  const char* folder = std::getenv("SOTTO_STREAMS");
  return folder == nullptr ? "" : folder;
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  using namespace sotto::bench;
  const Flags flags(argc, argv,
                    {{"streams", "adult,elec,bank,air,kdd,letter,bike"},
                     {"methods", ""},
                     {"epsilons", "1,3"},
                     {"delta", "1e-6"},
                     {"seeds", "5"},
                     {"rows", "0"},
                     {"tide", ""},
                     {"wide", ""}});
  if (flags.On("wide")) {
    PrintJson(Wide());
  } else {
    Bench(flags, FindFolder(flags)).Run();
  }
}
