#include "sotto/service/events/release_history.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sotto/service/events/model_trouble.h"

namespace sotto {

bool ReleaseHistory::Add(double time, const Json& release) {
  const Json& columns = Look(release, "columns");
  if (columns.array() == nullptr) return false;
  return series_.Add({time, Look(release, "n"), columns});
}

Json ReleaseHistory::ToJson() const {
  Json points = Json::Array{};
  for (const Point& point : series_.points()) {
    points.Add(Json::Array{point.time, point.n, point.columns});
  }
  return Json::Object{{"step", series_.step()}, {"points", std::move(points)}};
}

void ReleaseHistory::Load(const Json& json) {
  series_.Clear();
  const Json::Array* const saved = Look(json, "points").array();
  if (saved == nullptr) return;
  std::vector<Point> points;
  for (const Json& entry : *saved) {
    const Json::Array* const values = entry.array();
    const bool good = values != nullptr && values->size() == 3 &&
                      (*values)[0].number() && (*values)[2].array() != nullptr;
    if (!good || points.size() == kMost) break;
    points.push_back({*(*values)[0].number(), (*values)[1], (*values)[2]});
  }
  const double step = Look(json, "step").number().value_or(1);
  series_.Restore(std::max(1.0, step), std::move(points));
}

}  // namespace sotto
