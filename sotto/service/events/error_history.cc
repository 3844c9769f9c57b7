#include "sotto/service/events/error_history.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sotto {
namespace {

// Points from which ErrorNow finds the beginning of its window.
constexpr std::uint64_t kSpacing = ErrorHistory::kWindow / 40;

struct Rates {
  std::uint64_t window = 0;
  Json own{};
  Json non_private{};
  Json constant{};
};

// Rates from one point to another.
Rates Compare(const ErrorPoint& from, const ErrorPoint& to) {
  Rates rates{.window = to.labelled - from.labelled};
  if (rates.window == 0) return rates;
  const auto labels = static_cast<double>(rates.window);
  rates.own = (to.own - from.own) / labels;
  rates.constant = (to.constant - from.constant) / labels;
  if (to.non_private && (from.non_private || from.labelled == 0)) {
    rates.non_private =
        (*to.non_private - from.non_private.value_or(0)) / labels;
  }
  return rates;
}

bool WentDown(const ErrorPoint& from, const ErrorPoint& to) {
  return to.rounds < from.rounds || to.labelled < from.labelled ||
         to.own < from.own;
}

double NumberAt(const Json::Array& values, std::size_t index) {
  return index < values.size() ? values[index].number().value_or(0) : 0;
}

std::uint64_t CountAt(const Json::Array& values, std::size_t index) {
  return index < values.size() ? values[index].natural().value_or(0) : 0;
}

}  // namespace

bool ErrorHistory::Add(const ErrorPoint& point) {
  if (!points().empty() && WentDown(points().back(), point)) series_.Clear();
  return series_.Add(point);
}

Json ErrorHistory::Show(std::size_t index) const {
  const ErrorPoint& at = points()[index];
  ErrorPoint from = index > 0 ? points()[index - 1] : ErrorPoint{};
  for (std::size_t i = index; i-- > 0;) {
    from = points()[i];
    if (at.labelled - from.labelled >= kWindow) break;
    if (i == 0) from = ErrorPoint{};
  }
  const Rates rates = Compare(from, at);
  return Json::Array{at.time,           rates.window,   rates.own,
                     rates.non_private, rates.constant, at.rounds,
                     at.releases};
}

Json ErrorHistory::ToJson() const {
  Json list = Json::Array{};
  for (std::size_t i = 0; i < points().size(); ++i) list.Add(Show(i));
  return list;
}

Json ErrorHistory::Save() const {
  Json list = Json::Array{};
  for (const ErrorPoint& point : points()) {
    list.Add(Json::Array{point.time, point.rounds, point.releases,
                         point.labelled, point.own, point.constant,
                         point.non_private});
  }
  return Json::Object{{"step", step()}, {"points", list}};
}

void ErrorHistory::Load(const Json& json) {
  series_.Clear();
  const Json* const step = json.Find("step");
  const Json* const points = json.Find("points");
  if (step == nullptr || points == nullptr || points->array() == nullptr) {
    return;
  }
  std::vector<ErrorPoint> read;
  for (const Json& entry : *points->array()) {
    if (entry.array() == nullptr || read.size() == kMost) break;
    const Json::Array& values = *entry.array();
    ErrorPoint point{.time = NumberAt(values, 0),
                     .rounds = CountAt(values, 1),
                     .releases = CountAt(values, 2),
                     .labelled = CountAt(values, 3),
                     .own = NumberAt(values, 4),
                     .constant = NumberAt(values, 5)};
    if (values.size() > 6) point.non_private = values[6].number();
    if (!read.empty() && WentDown(read.back(), point)) break;
    read.push_back(point);
  }
  series_.Restore(std::max(1.0, step->number().value_or(1)), std::move(read));
}

void ErrorNow::Add(const ErrorPoint& point) {
  if (!points_.empty() && WentDown(points_.back(), point)) points_.clear();
  const std::size_t size = points_.size();
  const bool close =
      size >= 2 && point.labelled < points_[size - 2].labelled + kSpacing;
  if (close) {
    points_.back() = point;
  } else {
    points_.push_back(point);
  }
  const auto enough = [&](const ErrorPoint& from) {
    return point.labelled - from.labelled >= ErrorHistory::kWindow;
  };
  while (points_.size() > 2 && enough(points_[1])) {
    points_.erase(points_.begin());
  }
}

Json ErrorNow::ToJson() const {
  if (points_.empty()) return {};
  const ErrorPoint& now = points_.back();
  // A service that has just started knows sums only.
  const bool single = points_.front().labelled == now.labelled;
  const Rates rates = Compare(single ? ErrorPoint{} : points_.front(), now);
  if (rates.window == 0) return {};
  return Json::Object{{"window", rates.window},
                      {"own", rates.own},
                      {"non_private", rates.non_private},
                      {"constant", rates.constant}};
}

}  // namespace sotto
