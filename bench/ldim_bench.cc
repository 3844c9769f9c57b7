// How long does the Littlestone dimension of a class take, against the naive
// recursion in the same run? Every tree is given to the checker before its time
// is believed; where the naive recursion takes too long it is stopped by a
// budget and the ratio is a lower bound. Times are the processor's, of all
// threads, and by the clock on the wall. One JSON document on standard output.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/named_class.h"

namespace sotto::bench {
namespace {

// Recursion by the definition. Stops when its time is over.
class Naive {
 public:
  Naive(const FiniteClass& functions, double seconds)
      : functions_(functions), seconds_(seconds) {}

  std::optional<int> Run() {
    watch_ = {};
    const int found = Dimension(functions_.All());
    taken_ = watch_.processor();
    if (late_) return std::nullopt;
    return found;
  }
  double taken() const { return taken_; }

 private:
  int Dimension(const FiniteClass::Set& set) {
    if (CountMembers(set) == 0) return -1;
    if (++calls_ % 1024 == 0 && watch_.processor() > seconds_) late_ = true;
    int best = 0;
    for (std::size_t x = 0; x < functions_.points() && !late_; ++x) {
      const auto zeros = Restrict(functions_, set, x, false);
      const auto ones = Restrict(functions_, set, x, true);
      if (CountMembers(zeros) == 0 || CountMembers(ones) == 0) continue;
      best = std::max(best, 1 + std::min(Dimension(zeros), Dimension(ones)));
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

void Run(double naive_seconds) {
  nlohmann::json rows = nlohmann::json::array();
  const auto add = [&](const std::string& name, const FiniteClass& functions) {
    rows.push_back(Measure(name, functions, naive_seconds));
  };
  for (const char* name :
       {"points:1024", "thresholds:63", "thresholds:1024", "intervals:8",
        "intervals:32", "conjunctions:3", "conjunctions:5",
        "monotone-conjunctions:8", "stumps:8x8x8", "rectangles:6x6",
        "rectangles:16x16"}) {
    add(name, *NamedClass::Parse(name)->Matrix());
  }
  add("random 16 x 8", Random(16, 8, 4));
  add("random 2^10 x 64", Random(1024, 64, 4));
  add("random 2^12 x 64", Random(4096, 64, 4));
  add("random 2^12 x 64, 1 in 8 ones", Random(4096, 64, 1));
  add("random 2^12 x 24, 1 in 8 ones", Random(4096, 24, 1));
  PrintJson({{"searched", rows},
             {"closed_form",
              {ClosedForm("thresholds:65536"), ClosedForm("points:1e6")}}});
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  using namespace sotto::bench;
  Run(Flags(argc, argv, {{"naive_seconds", "1"}}).Number("naive_seconds"));
}
