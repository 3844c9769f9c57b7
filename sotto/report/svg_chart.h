#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// Plots as inline SVG, coloured by the classes of the page's style sheet.
//
//   Chart chart{.title = "Mistakes", .x_label = "rounds", .y_label = "count"};
//   chart.series.push_back({"mistakes", "c1", points});
//   page += RenderChart(chart);
//
// Threads: pure functions.

struct ChartPoint {
  double x = 0;
  double y = 0;
};

struct ChartSeries {
  std::string name;
  std::string css_class;
  std::vector<ChartPoint> points;  // x ascending
};

// A part of the x axis with a different background.
struct ChartBand {
  double from = 0;
  double to = 0;
  std::string name;
};

struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;  // all x are then at least 1
  std::vector<ChartSeries> series = {};
  std::vector<ChartBand> bands = {};
};
std::string RenderChart(const Chart& chart);

// How dense points are, in cells, x in [1, x_max] on a logarithmic
// axis, y in [0, y_max].
struct DensityChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  double x_max = 1;
  double y_max = 1;
  std::vector<ChartPoint> points = {};
};
std::string RenderDensity(const DensityChart& chart);

// For text in HTML and SVG, attributes too.
std::string Escaped(std::string_view text);

}  // namespace sotto
