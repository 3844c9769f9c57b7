#include "sotto/report/svg_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "sotto/base/printable.h"

namespace sotto {
namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 320;
constexpr double kLeft = 74;
constexpr double kRight = 16;
constexpr double kTop = 58;
constexpr double kBottom = 50;
constexpr int kAboutTicks = 6;
constexpr int kDensityColumns = 32;
constexpr int kDensityRows = 20;
// Bands narrower than this have no room for their names.
constexpr double kNamedBand = 46;

std::string Fixed(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", number);
  return text;
}

// 1500 is "1.5k", 2000000 is "2M".
std::string Short(double number) {
  static constexpr std::array<std::pair<double, const char*>, 3> kUnits = {
      {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  char text[32];
  for (const auto& [unit, name] : kUnits) {
    if (std::abs(number) < unit) continue;
    std::snprintf(text, sizeof(text), "%.4g%s", number / unit, name);
    return text;
  }
  std::snprintf(text, sizeof(text), "%.4g", number);
  return text;
}

// An axis: the places of values, and its tick marks.
struct Axis {
  double low = 0;
  double high = 1;
  bool log = false;
  double begin = 0;  // of the axis, in the picture
  double end = 1;

  double At(double value) const {
    const double share =
        log ? std::log(std::max(value, low) / low) / std::log(high / low)
            : (value - low) / (high - low);
    return begin + share * (end - begin);
  }
  std::vector<double> Ticks() const {
    std::vector<double> ticks;
    if (log) {
      const int decades = static_cast<int>(std::log10(high * 1.0001));
      for (int i = 0; i <= decades; ++i) ticks.push_back(std::pow(10, i));
      return ticks;
    }
    const double rough = (high - low) / kAboutTicks;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double nice : {5.0, 2.0, 1.0}) {
      if (nice * power >= rough) step = nice * power;
    }
    const int steps = static_cast<int>((high - low) / step * 1.0001);
    for (int i = 0; i <= steps; ++i) ticks.push_back(low + i * step);
    return ticks;
  }
};

std::string Line(const char* css_class, double x1, double y1, double x2,
                 double y2) {
  return "<line class=\"" + std::string(css_class) + "\" x1=\"" + Fixed(x1) +
         "\" y1=\"" + Fixed(y1) + "\" x2=\"" + Fixed(x2) + "\" y2=\"" +
         Fixed(y2) + "\"/>";
}

std::string Text(const char* css_class, double x, double y,
                 std::string_view text) {
  return "<text class=\"" + std::string(css_class) + "\" x=\"" + Fixed(x) +
         "\" y=\"" + Fixed(y) + "\">" + Escaped(text) + "</text>";
}

std::string Rect(const std::string& attributes, double x, double y,
                 double width, double height) {
  return "<rect " + attributes + " x=\"" + Fixed(x) + "\" y=\"" + Fixed(y) +
         "\" width=\"" + Fixed(width) + "\" height=\"" + Fixed(height) + "\"/>";
}

std::string Begin(const std::string& title) {
  return "<svg viewBox=\"0 0 " + Fixed(kWidth) + " " + Fixed(kHeight) +
         R"(" role="img" aria-label=")" + Escaped(title) + "\">" +
         Text("title", kLeft, 20, title);
}

std::string Axes(const Axis& x, const Axis& y, const std::string& x_label,
                 const std::string& y_label) {
  std::string svg;
  for (const double tick : y.Ticks()) {
    svg += Line("grid", kLeft, y.At(tick), kWidth - kRight, y.At(tick)) +
           Text("ytick", kLeft - 8, y.At(tick) + 4, Short(tick));
  }
  for (const double tick : x.Ticks()) {
    svg += Line("tick", x.At(tick), kHeight - kBottom, x.At(tick),
                kHeight - kBottom + 5) +
           Text("xtick", x.At(tick), kHeight - kBottom + 19, Short(tick));
  }
  svg += Line("axis", kLeft, kHeight - kBottom, kWidth - kRight,
              kHeight - kBottom);
  svg += Text("xlabel", (kLeft + kWidth - kRight) / 2, kHeight - 10, x_label);
  svg += R"(<text class="ylabel" transform="translate(16 )" +
         Fixed((kTop + kHeight - kBottom) / 2) + ") rotate(-90)\">" +
         Escaped(y_label) + "</text>";
  return svg;
}

std::string Bands(const Chart& chart, const Axis& x) {
  std::string svg;
  bool odd = false;
  for (const ChartBand& band : chart.bands) {
    const double from = x.At(band.from);
    const double width = x.At(band.to) - from;
    svg += Rect(odd ? R"(class="band odd")" : R"(class="band")", from, kTop,
                width, kHeight - kBottom - kTop);
    if (width >= kNamedBand) {
      svg += Text("bandname", from + width / 2, kTop + 13, band.name);
    }
    odd = !odd;
  }
  return svg;
}

std::string Curve(const ChartSeries& series, const Axis& x, const Axis& y) {
  std::string svg =
      "<polyline class=\"curve " + series.css_class + "\" points=\"";
  for (const ChartPoint& point : series.points) {
    svg += Fixed(x.At(point.x)) + "," + Fixed(y.At(point.y)) + " ";
  }
  return svg + "\"/>";
}

std::string Legend(const Chart& chart) {
  std::string svg;
  double place = kLeft;
  for (const ChartSeries& series : chart.series) {
    svg += "<line class=\"curve " + series.css_class + "\" x1=\"" +
           Fixed(place) + R"(" y1="38" x2=")" + Fixed(place + 22) +
           R"(" y2="38"/>)" + Text("legend", place + 28, 42, series.name);
    place += 50 + 6.6 * static_cast<double>(series.name.size());
  }
  return svg;
}

Axis XAxis(double low, double high, bool log) {
  return {.low = low,
          .high = std::max(high, low + 1),
          .log = log,
          .begin = kLeft,
          .end = kWidth - kRight};
}

Axis YAxis(double high) {
  return {.high = high > 0 ? high : 1, .begin = kHeight - kBottom, .end = kTop};
}

}  // namespace

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c == '\n' ? ' ' : c;
    }
  }
  return escaped;
}

std::string RenderChart(const Chart& chart) {
  double x_high = 1;
  double y_high = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      x_high = std::max(x_high, point.x);
      y_high = std::max(y_high, point.y);
    }
  }
  const Axis x = XAxis(chart.log_x ? 1 : 0, x_high, chart.log_x);
  // Room above the curves for the names of the bands.
  const Axis y = YAxis(y_high * 1.15);
  std::string svg = Begin(chart.title) + Bands(chart, x) +
                    Axes(x, y, chart.x_label, chart.y_label);
  for (const ChartSeries& series : chart.series) svg += Curve(series, x, y);
  return svg + Legend(chart) + "</svg>\n";
}

std::string RenderDensity(const DensityChart& chart) {
  const double x_high = std::max(chart.x_max, 2.0);
  const Axis x = XAxis(1, x_high, true);
  const Axis y = YAxis(chart.y_max);
  std::array<std::array<double, kDensityRows>, kDensityColumns> cells{};
  std::array<double, kDensityColumns> most{};
  for (const ChartPoint& point : chart.points) {
    const double column =
        kDensityColumns * std::log(point.x) / std::log(x_high);
    const double row = kDensityRows * point.y / chart.y_max;
    const auto c = static_cast<std::size_t>(
        std::clamp(column, 0.0, kDensityColumns - 1.0));
    const auto r =
        static_cast<std::size_t>(std::clamp(row, 0.0, kDensityRows - 1.0));
    most[c] = std::max(most[c], ++cells[c][r]);
  }
  const double width = (x.end - x.begin) / kDensityColumns;
  const double height = (y.begin - y.end) / kDensityRows;
  std::string svg = Begin(chart.title);
  for (std::size_t c = 0; c < kDensityColumns; ++c) {
    for (std::size_t r = 0; r < kDensityRows; ++r) {
      if (cells[c][r] == 0) continue;
      svg += Rect(R"(class="cell" fill-opacity=")" +
                      Fixed(0.15 + 0.85 * cells[c][r] / most[c]) + "\"",
                  x.begin + width * static_cast<double>(c),
                  y.begin - height * static_cast<double>(r + 1), width, height);
    }
  }
  return svg + Axes(x, y, chart.x_label, chart.y_label) + "</svg>\n";
}

}  // namespace sotto
