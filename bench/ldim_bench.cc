// How long does the Littlestone dimension of a class take, against the naive
// recursion in the same run? Every tree is given to the checker before its time
// is believed; where the naive recursion takes too long it is stopped by a
// budget and the ratio is a lower bound. Times are the processor's, of all
// threads, and by the clock on the wall. One JSON document on standard output.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/named_class.h"

namespace sotto {
namespace {

// Of the processor, all threads together, and of the wall.
class Stopwatch {
 public:
  double processor() const {
    return static_cast<double>(std::clock() - processor_) / CLOCKS_PER_SEC;
  }
  double wall() const {
    return std::chrono::duration<double>(Clock::now() - wall_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::clock_t processor_ = std::clock();
  Clock::time_point wall_ = Clock::now();
};

// The definition, that stops when its time is over.
class Naive {
 public:
  Naive(const FiniteClass& functions, double seconds)
      : functions_(functions), seconds_(seconds) {}

  std::optional<int> Run() {
    watch_ = {};
    const int found = Of(functions_.All());
    taken_ = watch_.processor();
    if (late_) return std::nullopt;
    return found;
  }
  double taken() const { return taken_; }

 private:
  int Of(const FiniteClass::Set& set) {
    if (CountMembers(set) == 0) return -1;
    if (++calls_ % 1024 == 0 && watch_.processor() > seconds_) late_ = true;
    int best = 0;
    for (std::size_t x = 0; x < functions_.points() && !late_; ++x) {
      const auto zeros = Restrict(functions_, set, x, false);
      const auto ones = Restrict(functions_, set, x, true);
      if (CountMembers(zeros) == 0 || CountMembers(ones) == 0) continue;
      best = std::max(best, 1 + std::min(Of(zeros), Of(ones)));
    }
    return best;
  }

  const FiniteClass& functions_;
  double seconds_;
  Stopwatch watch_;
  std::uint64_t calls_ = 0;
  double taken_ = 0;
  bool late_ = false;
};

FiniteClass Random(std::size_t size, std::size_t points, unsigned eighths) {
  std::mt19937_64 rng(3);
  std::string text;
  for (std::size_t h = 0; h < size; ++h) {
    for (std::size_t x = 0; x < points; ++x) {
      text += rng() % 8 < eighths ? '1' : '0';
    }
    text += '\n';
  }
  return *FiniteClass::Parse(text);
}

nlohmann::json Measure(const std::string& name, const FiniteClass& functions,
                       double naive_seconds) {
  const Stopwatch watch;
  const DimensionBounds found = SearchDimension(functions);
  const double seconds = watch.processor();
  const double wall = watch.wall();
  const Stopwatch one_watch;
  const DimensionBounds one = SearchDimension(functions, {.threads = 1});
  const double one_seconds = one_watch.processor();
  Naive naive(functions, naive_seconds);
  const std::optional<int> plain = naive.Run();
  nlohmann::json row = {
      {"class", name},
      {"functions", functions.size()},
      {"points", functions.points()},
      {"lo", found.lo},
      {"hi", found.hi},
      {"tree_holds", CheckMistakeTree(found.tree, functions).has_value()},
      {"nodes", found.nodes},
      {"seconds", seconds},
      {"wall_seconds", wall},
      {"one_thread_seconds", one_seconds},
      {"naive_seconds", naive.taken()},
      {"naive_finished", plain.has_value()},
      {"times_faster_than_naive", naive.taken() / seconds}};
  row["agrees"] = (!plain || (found.lo == *plain && found.hi == *plain)) &&
                  one.lo <= found.hi && found.lo <= one.hi;
  return row;
}

nlohmann::json ClosedForm(const std::string& name) {
  const Stopwatch watch;
  const auto named = NamedClass::Parse(name);
  const double seconds = watch.wall();
  const MistakeTree tree = named->tree();
  return {{"class", name},
          {"dimension", *named->dimension},
          {"seconds", seconds},
          {"tree_holds",
           CheckMistakeTree(tree, named->size, named->points, named->rule)
               .has_value()}};
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  using namespace sotto;
  double naive_seconds = 1;
  for (const std::string_view argument : std::span(argv, argv + argc)) {
    constexpr std::string_view kNaive = "--naive_seconds=";
    if (!argument.starts_with(kNaive)) continue;
    naive_seconds = std::stod(std::string(argument.substr(kNaive.size())));
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const char* name :
       {"points:1024", "thresholds:63", "thresholds:1024", "intervals:8",
        "intervals:32", "conjunctions:3", "conjunctions:5",
        "monotone-conjunctions:8", "stumps:8x8x8", "rectangles:6x6",
        "rectangles:16x16"}) {
    const auto functions = NamedClass::Parse(name)->Matrix();
    rows.push_back(Measure(name, *functions, naive_seconds));
  }
  rows.push_back(Measure("random 16 x 8", Random(16, 8, 4), naive_seconds));
  rows.push_back(
      Measure("random 2^10 x 64", Random(1024, 64, 4), naive_seconds));
  rows.push_back(
      Measure("random 2^12 x 64", Random(4096, 64, 4), naive_seconds));
  rows.push_back(Measure("random 2^12 x 64, 1 in 8 ones", Random(4096, 64, 1),
                         naive_seconds));
  rows.push_back(Measure("random 2^12 x 24, 1 in 8 ones", Random(4096, 24, 1),
                         naive_seconds));
  nlohmann::json closed = nlohmann::json::array();
  for (const char* name : {"thresholds:65536", "points:1e6"}) {
    closed.push_back(ClosedForm(name));
  }
  std::printf("%s\n",
              nlohmann::json{{"searched", rows}, {"closed_form", closed}}
                  .dump(2)
                  .c_str());
  return 0;
}
