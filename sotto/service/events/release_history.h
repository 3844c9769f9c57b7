#pragma once

#include <cstddef>

#include "sotto/base/json.h"
#include "sotto/service/events/thinned_series.h"

namespace sotto {

// Publications over the life of a model, at most kMost: how far each column
// could move the score. All of it is public.
//
//   history.Add(time, release);  // {"columns":[[name, value], ..], "n": ..}
//   history.ToJson();
//   // {"step":.., "points":[[time, n, [[name, value]..]]..]}
//
// Threads: a value type.
class ReleaseHistory {
 public:
  static constexpr std::size_t kMost = 60;

  // Returns true if the release was kept. One without columns is not.
  bool Add(double time, const Json& release);
  void Clear() { series_.Clear(); }
  double step() const { return series_.step(); }

  Json ToJson() const;
  void Load(const Json& json);

 private:
  struct Point {
    double time = 0;
    Json n{};
    Json columns{};
  };
  ThinnedSeries<Point> series_{kMost};
};

}  // namespace sotto
