#include "sotto/service/metrics/prometheus.h"

#include <cmath>

#include "sotto/base/number_text.h"

namespace sotto {
namespace {

std::string Escape(std::string_view text, bool quotes) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\n') {
      escaped += "\\n";
      continue;
    }
    if (c == '\\' || (quotes && c == '"')) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return Shortest(value);
}

}  // namespace

void MetricsText::Begin(std::string_view name, std::string_view type,
                        std::string_view help) {
  family_ = name;
  text_.append("# HELP ").append(name).append(" ");
  text_.append(Escape(help, false)).append("\n# TYPE ");
  text_.append(name).append(" ").append(type).append("\n");
}

void MetricsText::Add(std::string_view suffix, const Labels& labels,
                      double value) {
  text_.append(family_).append(suffix);
  std::string_view before = "{";
  for (const auto& [name, content] : labels) {
    text_.append(before).append(name).append("=\"");
    text_.append(Escape(content, true)).append("\"");
    before = ",";
  }
  if (!labels.empty()) text_.append("}");
  text_.append(" ").append(NumberText(value)).append("\n");
}

void MetricsText::AddHistogram(const Labels& labels,
                               const LatencyCounts& counts) {
  // Every fourth bound: 10^(4/10) apart.
  constexpr std::size_t kStep = 4;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < LatencyCounts::kBins; ++i) {
    below += counts.bins[i];
    const bool last = i + 1 == LatencyCounts::kBins;
    if (i % kStep != 0 && !last) continue;
    const std::string bound = NumberText(LatencyCounts::Bound(i));
    Labels with = labels;
    with.emplace_back("le", bound);
    Add("_bucket", with, static_cast<double>(below));
  }
  Add("_sum", labels, counts.seconds);
  Add("_count", labels, static_cast<double>(below));
}

}  // namespace sotto
