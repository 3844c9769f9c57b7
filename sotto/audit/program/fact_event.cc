#include "sotto/audit/program/fact_event.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "sotto/audit/statistics/confidence.h"

namespace sotto {
namespace {

constexpr std::size_t kMostCategories = 32;
constexpr std::size_t kMostThresholds = 500;
constexpr double kDoubt = 2;  // standard deviations of a rough bound

using Values = std::span<const FactValue>;

// The candidates of one reading: nested sets, each with one cut more. A value
// belongs to the sets from its rank on.
class Cuts {
 public:
  Cuts(const FactReading& reading, Values here, Values there, bool reversed)
      : reading_(reading) {
    if (reading.ordered()) {
      SetThresholds(here, there);
    } else {
      SetCategories(here, there, reversed);
    }
  }

  std::size_t size() const { return cuts_.size(); }
  // cuts().size() if it belongs to none.
  std::size_t Rank(const FactValue& value) const {
    const auto read = reading_.Of(value);
    if (!read) return cuts_.size();
    const auto found = reading_.ordered()
                           ? std::lower_bound(cuts_.begin(), cuts_.end(), *read)
                           : std::find(cuts_.begin(), cuts_.end(), *read);
    return static_cast<std::size_t>(found - cuts_.begin());
  }
  // The set of the first `count` cuts.
  FactEvent Event(std::size_t count) const {
    FactEvent event{.reading = reading_, .members = {}};
    if (reading_.ordered()) {
      event.bound = cuts_[count - 1];
    } else {
      event.members.assign(cuts_.begin(),
                           cuts_.begin() + static_cast<std::ptrdiff_t>(count));
      std::ranges::sort(event.members);
    }
    return event;
  }

 private:
  // Between all values, or every N-th of them.
  void SetThresholds(Values here, Values there) {
    std::vector<double> values;
    for (const Values& world : {here, there}) {
      for (const FactValue& value : world) {
        if (const auto read = reading_.Of(value)) values.push_back(*read);
      }
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const std::size_t stride = 1 + values.size() / kMostThresholds;
    for (std::size_t i = stride; i < values.size(); i += stride) {
      cuts_.push_back(std::midpoint(values[i - 1], values[i]));
    }
  }

  // By likelihood ratio, the likeliest here first, or there if reversed.
  void SetCategories(Values here, Values there, bool reversed) {
    std::map<double, std::pair<double, double>> counts;
    for (const FactValue& value : here) {
      if (const auto read = reading_.Of(value)) ++counts[*read].first;
    }
    for (const FactValue& value : there) {
      if (const auto read = reading_.Of(value)) ++counts[*read].second;
    }
    std::vector<std::pair<double, double>> ratios;
    for (const auto& [value, count] : counts) {
      const double ratio = (count.first + 1) / (count.second + 1);
      ratios.emplace_back(reversed ? 1 / ratio : ratio, value);
    }
    std::ranges::stable_sort(
        ratios, [](const auto& a, const auto& b) { return a.first > b.first; });
    if (ratios.size() > kMostCategories) ratios.resize(kMostCategories);
    for (const auto& [ratio, value] : ratios) cuts_.push_back(value);
  }

  FactReading reading_;
  std::vector<double> cuts_;
};

// How often each rank occurs in the choosing runs of a world.
std::vector<double> Histogram(const Cuts& cuts, Values values) {
  std::vector<double> counts(cuts.size() + 1);
  for (const FactValue& value : values) ++counts[cuts.Rank(value)];
  return counts;
}

double Rough(double hits, double others, double runs, double delta) {
  return std::max(
      RoughEpsilon(hits, others, runs, delta, kDoubt),
      RoughEpsilonByGuesses(hits + runs - others, 2 * runs, delta, kDoubt));
}

// Keeps the best orientation of a set that happened `here` and `there` times.
void Improve(const Cuts& cuts, std::size_t count, double here, double there,
             double runs, double delta, FactEvent& best) {
  for (const bool complement : {false, true}) {
    const double in_here = complement ? runs - here : here;
    const double in_there = complement ? runs - there : there;
    const bool other = in_there > in_here;
    const double promise = other ? Rough(in_there, in_here, runs, delta)
                                 : Rough(in_here, in_there, runs, delta);
    if (promise <= best.promise) continue;
    best = cuts.Event(count);
    best.complement = complement;
    best.there = other;
    best.promise = promise;
    best.when = std::log((in_here + 1) / (in_there + 1));
    best.unless = std::log((runs - in_here + 1) / (runs - in_there + 1));
  }
}

void TryCuts(const Cuts& cuts, Values here, Values there, double delta,
             FactEvent& best) {
  const auto of_here = Histogram(cuts, here);
  const auto of_there = Histogram(cuts, there);
  const auto runs = static_cast<double>(here.size());
  double hits_here = 0;
  double hits_there = 0;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    hits_here += of_here[i];
    hits_there += of_there[i];
    Improve(cuts, i + 1, hits_here, hits_there, runs, delta, best);
  }
}

bool OneValue(const std::vector<FactValue>& values) {
  return std::ranges::all_of(
      values, [&](const FactValue& value) { return value == values.front(); });
}

std::string Number(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

}  // namespace

bool FactColumn::constant() const { return OneValue(here) && OneValue(there); }

RunParts RunParts::Of(std::size_t runs) {
  const std::size_t sixth = std::max<std::size_t>(1, runs / 6);
  if (runs < 3) return {.order = runs, .choose = 0, .runs = runs};
  return {.order = sixth, .choose = sixth, .runs = runs};
}

std::size_t RunParts::RunsWith(std::size_t counted) {
  std::size_t runs = counted + counted / 2;
  while (Of(runs).counted() < counted) ++runs;
  return runs;
}

bool FactEvent::Contains(const FactValue& value) const {
  const auto read = reading.Of(value);
  const bool in =
      read && (reading.ordered() ? *read <= bound
                                 : std::ranges::binary_search(members, *read));
  return in != complement;
}

std::string FactEvent::Text() const {
  const std::string what = reading.Text();
  if (reading.ordered()) {
    return what + (complement ? " is above " : " is at most ") + Number(bound);
  }
  std::string text = what + (complement ? " is none of" : " is one of");
  if (reading.kind == FactReading::Kind::kText) {
    return text + " " + std::to_string(members.size());
  }
  for (const double member : members) text += " " + Number(member);
  return text;
}

FactEvent ChooseFactEvent(const FactColumn& column, const RunParts& parts,
                          double delta) {
  FactEvent best;
  if (parts.choose == 0) return best;
  const auto part = [&](bool other, std::size_t from, std::size_t count) {
    return Values(column.In(other)).subspan(from, count);
  };
  for (const FactReading& reading : FactReadings()) {
    // A threshold is one number and may be set and chosen on the same runs; a
    // set of categories would fit any noise.
    const std::size_t set = reading.ordered() ? parts.chosen() : parts.order;
    const std::size_t from = reading.ordered() ? 0 : parts.order;
    const std::size_t count = parts.chosen() - from;
    for (const bool reversed : {false, true}) {
      if (reversed && reading.ordered()) continue;
      const Cuts cuts(reading, part(false, 0, set), part(true, 0, set),
                      reversed);
      TryCuts(cuts, part(false, from, count), part(true, from, count), delta,
              best);
    }
  }
  return best;
}

}  // namespace sotto
