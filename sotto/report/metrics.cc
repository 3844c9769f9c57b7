#include "sotto/report/metrics.h"

#include <cstdint>
#include <cstdio>

#include "sotto/base/number_text.h"

namespace sotto {
namespace {

std::string LabelName(const LabelType& type, std::uint32_t place) {
  return type.Name(type.FromNumber(place));
}

}  // namespace

void AddMetrics(const LabelMetrics& metrics, const LabelType& type,
                Json& json) {
  const std::uint32_t classes = metrics.classes();
  if (classes == 0) return;
  Json names = Json::Array{};
  Json rows = Json::Array{};
  for (std::uint32_t y = 0; y < classes; ++y) {
    Json row = Json::Array{};
    for (std::uint32_t p = 0; p < classes; ++p) row.Add(metrics.Count(y, p));
    rows.Add(std::move(row));
    names.Add(LabelName(type, y));
  }
  json["labels"] = std::move(names);
  json["confusion"] = std::move(rows);
  if (const auto auc = metrics.Auc()) json["auc"] = *auc;
}

std::string MetricsText(const LabelMetrics& metrics, const LabelType& type) {
  std::string text;
  if (metrics.classes() == 2) {
    for (std::uint32_t y = 0; y < 2; ++y) {
      text += PlanLine("label " + LabelName(type, y),
                       WithCommas(metrics.Count(y, 0)) + " predicted " +
                           LabelName(type, 0) + ", " +
                           WithCommas(metrics.Count(y, 1)) + " predicted " +
                           LabelName(type, 1));
    }
  }
  if (const auto auc = metrics.Auc()) {
    char area[16];
    std::snprintf(area, sizeof area, "%.3f", *auc);
    text += PlanLine("AUC", area);
  }
  return text;
}

}  // namespace sotto
