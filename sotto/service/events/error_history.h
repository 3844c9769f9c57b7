#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/service/events/thinned_series.h"

namespace sotto {

// Sums since the first round of a model, at a time.
struct ErrorPoint {
  double time = 0;  // seconds since 1970
  std::uint64_t rounds = 0;
  std::uint64_t releases = 0;
  std::uint64_t labelled = 0;
  double own = 0;  // mistakes, or absolute errors
  double constant = 0;
  std::optional<double> non_private{};  // absent: not measured
};

// Errors over the whole life of a model in at most kMost points.
//
//   history.Add(point);
//   history.ToJson();   // [[time, window, own, non_private, constant, rounds,
//                       //   releases], ..]
//
// A point shows the rates over its own rounds, or over the last kWindow
// labelled rounds if that is longer.
// Threads: a value type.
class ErrorHistory {
 public:
  static constexpr std::size_t kMost = 120;
  static constexpr std::uint64_t kWindow = 2000;

  // Returns true if the point was kept: enough time has passed since the last.
  // Sums that went down (another life of the model) begin a new history.
  bool Add(const ErrorPoint& point);
  // The last point as ToJson shows it. Requires a kept one.
  Json Newest() const { return Show(points().size() - 1); }
  Json ToJson() const;

  // Sums of all points, to be read by Load.
  Json Save() const;
  void Load(const Json& json);
  const std::vector<ErrorPoint>& points() const { return series_.points(); }
  double step() const { return series_.step(); }

 private:
  Json Show(std::size_t index) const;

  ThinnedSeries<ErrorPoint> series_{kMost};
};

// The rates over the last kWindow labelled rounds, at any time.
class ErrorNow {
 public:
  void Add(const ErrorPoint& point);
  // {"window","own","non_private","constant"}; null before the first label.
  Json ToJson() const;

 private:
  std::vector<ErrorPoint> points_;
};

}  // namespace sotto
