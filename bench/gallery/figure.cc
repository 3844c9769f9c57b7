#include "bench/gallery/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/report/svg_chart.h"

namespace sotto::gallery {
namespace {

constexpr double kWidth = 900;
constexpr double kHeight = 460;
constexpr double kLeft = 78;
constexpr double kRight = 250;  // names of the curves
constexpr double kTop = 44;
constexpr double kBottom = 56;
constexpr double kNameHeight = 17;

// Colours that differ for colour-blind readers (Okabe and Ito), by place.
constexpr std::array<const char*, 8> kColours = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7",
    "#e69f00", "#56b4e9", "#8a6d00", "#7f7f7f"};

std::string Fixed(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", number);
  return text;
}

std::string TickText(double number, bool log) {
  char text[32];
  const double power = std::log10(std::abs(number));
  if (log && (power >= 4 || power <= -3)) {
    std::snprintf(text, sizeof(text), "1e%d",
                  static_cast<int>(std::lround(power)));
  } else {
    std::snprintf(text, sizeof(text), "%.4g", number);
  }
  return text;
}

struct Scale {
  double low = 0;
  double high = 1;
  bool log = false;
  double begin = 0;
  double end = 1;

  double At(double value) const {
    const double share =
        log ? std::log(std::max(value, low) / low) / std::log(high / low)
            : (value - low) / (high - low);
    return begin + std::clamp(share, 0.0, 1.0) * (end - begin);
  }
  std::vector<double> Ticks() const {
    std::vector<double> ticks;
    if (log) {
      const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
      const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
      const int step = std::max(1, (last - first) / 8);
      for (int i = first; i <= last; i += step) {
        ticks.push_back(std::pow(10, i));
      }
      return ticks;
    }
    const double rough = (high - low) / 6;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double nice : {5.0, 2.0, 1.0}) {
      if (nice * power >= rough) step = nice * power;
    }
    for (double tick = std::ceil(low / step) * step; tick <= high * 1.0001;
         tick += step) {
      ticks.push_back(tick);
    }
    return ticks;
  }
};

Scale MakeScale(const Figure& figure, bool y) {
  Scale scale{
      .low = 1e300, .high = -1e300, .log = y ? figure.log_y : figure.log_x};
  for (const FigureCurve& curve : figure.curves) {
    for (const FigurePoint& point : curve.points) {
      const double low = y ? point.low : point.x;
      if (!scale.log || low > 0) scale.low = std::min(scale.low, low);
      scale.high = std::max(scale.high, y ? point.high : point.x);
    }
  }
  if (!scale.log && y) scale.low = std::min(scale.low, 0.0);
  if (scale.log && y) {
    scale.low *= 0.8;
    scale.high *= 1.25;
  }
  scale.begin = y ? kHeight - kBottom : kLeft;
  scale.end = y ? kTop : kWidth - kRight;
  return scale;
}

std::string Axes(const Figure& figure, const Scale& x, const Scale& y) {
  std::string svg;
  for (const double tick : y.Ticks()) {
    const std::string at = Fixed(y.At(tick));
    svg += "<line class='grid' x1='" + Fixed(kLeft) + "' x2='" +
           Fixed(kWidth - kRight) + "' y1='" + at + "' y2='" + at +
           "'/><text class='tick' text-anchor='end' x='" + Fixed(kLeft - 8) +
           "' y='" + Fixed(y.At(tick) + 4) + "'>" + TickText(tick, y.log) +
           "</text>\n";
  }
  for (const double tick : x.Ticks()) {
    svg += "<text class='tick' text-anchor='middle' x='" + Fixed(x.At(tick)) +
           "' y='" + Fixed(kHeight - kBottom + 20) + "'>" +
           TickText(tick, x.log) + "</text>\n";
  }
  svg += "<line class='axis' x1='" + Fixed(kLeft) + "' x2='" +
         Fixed(kWidth - kRight) + "' y1='" + Fixed(kHeight - kBottom) +
         "' y2='" + Fixed(kHeight - kBottom) + "'/>\n";
  svg += "<text class='label' text-anchor='middle' x='" +
         Fixed((kLeft + kWidth - kRight) / 2) + "' y='" + Fixed(kHeight - 12) +
         "'>" + Escaped(figure.x_label) + "</text>\n";
  svg += "<text class='label' text-anchor='middle' transform='translate(18 " +
         Fixed((kTop + kHeight - kBottom) / 2) + ") rotate(-90)'>" +
         Escaped(figure.y_label) + "</text>\n";
  return svg;
}

std::string DrawCurve(const FigureCurve& curve, const char* colour,
                      const Scale& x, const Scale& y) {
  std::string svg;
  for (const FigurePoint& p : curve.points) {
    if (p.high <= p.low) continue;
    svg += "<line stroke='" + std::string(colour) + "' x1='" +
           Fixed(x.At(p.x)) + "' x2='" + Fixed(x.At(p.x)) + "' y1='" +
           Fixed(y.At(p.low)) + "' y2='" + Fixed(y.At(p.high)) + "'/>";
  }
  if (curve.marks) {
    for (const FigurePoint& p : curve.points) {
      svg += "<circle r='3.5' fill='" + std::string(colour) + "' cx='" +
             Fixed(x.At(p.x)) + "' cy='" + Fixed(y.At(p.y)) + "'/>";
    }
    return svg + "\n";
  }
  svg += "<polyline fill='none' stroke-width='2' stroke='" +
         std::string(colour) + "'" +
         (curve.dashed ? " stroke-dasharray='6 4'" : "") + " points='";
  for (const FigurePoint& p : curve.points) {
    svg += Fixed(x.At(p.x)) + "," + Fixed(y.At(p.y)) + " ";
  }
  return svg + "'/>\n";
}

// Names at the ends of the curves, pushed apart until none covers another.
std::string DrawNames(const Figure& figure, const Scale& x, const Scale& y) {
  struct Name {
    std::size_t curve;
    double at;
    double end;
  };
  std::vector<Name> names;
  for (std::size_t i = 0; i < figure.curves.size(); ++i) {
    if (figure.curves[i].points.empty()) continue;
    const double end = y.At(figure.curves[i].points.back().y);
    names.push_back({i, end, end});
  }
  // From above; of curves that end at one height, the longest first.
  std::ranges::sort(names, {}, [&](const Name& name) {
    return std::pair(std::lround(name.end / kNameHeight),
                     -figure.curves[name.curve].points.back().x);
  });
  for (std::size_t i = 1; i < names.size(); ++i) {
    names[i].at = std::max(names[i].at, names[i - 1].at + kNameHeight);
  }
  double limit = kHeight - kBottom;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    name->at = std::min(name->at, limit);
    limit = name->at - kNameHeight;
  }
  std::string svg;
  for (const Name& name : names) {
    const FigureCurve& curve = figure.curves[name.curve];
    const std::string colour = kColours[name.curve % kColours.size()];
    svg += "<line class='lead' stroke='" + colour + "' x1='" +
           Fixed(x.At(curve.points.back().x)) + "' y1='" + Fixed(name.end) +
           "' x2='" + Fixed(kWidth - kRight + 16) + "' y2='" + Fixed(name.at) +
           "'/><text class='name' fill='" + colour + "' x='" +
           Fixed(kWidth - kRight + 20) + "' y='" + Fixed(name.at + 4) + "'>" +
           Escaped(curve.name) + "</text>\n";
  }
  return svg;
}

constexpr const char* kStyle =
    "<style>text{font-family:Helvetica,Arial,sans-serif}"
    ".back{fill:#fff}.title{font-size:16px;font-weight:bold;fill:#222}"
    ".tick{font-size:12px;fill:#555}.label{font-size:13px;fill:#333}"
    ".name{font-size:13px}.grid{stroke:#ddd}.axis{stroke:#888}"
    ".lead{stroke-width:.7;stroke-dasharray:2 2}"
    "@media(prefers-color-scheme:dark){.back{fill:#161b22}"
    ".title,.label{fill:#e6edf3}.tick{fill:#9da7b3}.grid{stroke:#30363d}}"
    "</style>\n";

}  // namespace

const FigureCurve& Curve(const Figure& figure, std::string_view name) {
  for (const FigureCurve& curve : figure.curves) {
    if (curve.name == name) return curve;
  }
  std::fprintf(stderr, "gallery: no curve '%.*s'\n",
               static_cast<int>(name.size()), name.data());
  std::exit(1);
}

double At(const FigureCurve& curve, double x) {
  const FigurePoint* best = nullptr;
  for (const FigurePoint& point : curve.points) {
    if (best == nullptr || std::abs(point.x - x) < std::abs(best->x - x)) {
      best = &point;
    }
  }
  return best == nullptr ? 0 : best->y;
}

std::string DrawSvg(const Figure& figure) {
  const Scale x = MakeScale(figure, false);
  const Scale y = MakeScale(figure, true);
  std::string svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " +
                    Fixed(kWidth) + " " + Fixed(kHeight) +
                    "' role='img' aria-label='" + Escaped(figure.title) +
                    "'>\n" + kStyle + "<rect class='back' width='" +
                    Fixed(kWidth) + "' height='" + Fixed(kHeight) +
                    "'/>\n<text class='title' x='" + Fixed(kLeft) +
                    "' y='26'>" + Escaped(figure.title) + "</text>\n";
  svg += Axes(figure, x, y);
  for (std::size_t i = 0; i < figure.curves.size(); ++i) {
    svg += DrawCurve(figure.curves[i], kColours[i % kColours.size()], x, y);
  }
  return svg + DrawNames(figure, x, y) + "</svg>\n";
}

std::string WriteCsv(const Figure& figure) {
  std::string csv = "curve,x,y,low,high,seeds\n";
  for (const FigureCurve& curve : figure.curves) {
    for (const FigurePoint& point : curve.points) {
      char line[160];
      std::snprintf(line, sizeof(line), ",%.9g,%.6g,%.6g,%.6g,%d\n", point.x,
                    point.y, point.low, point.high, curve.seeds);
      csv += "\"" + curve.name + "\"" + line;
    }
  }
  return csv;
}

}  // namespace sotto::gallery
