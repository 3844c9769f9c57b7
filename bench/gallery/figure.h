#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::gallery {

// One point of a curve. low and high span the error bar; equal to y: none.
struct FigurePoint {
  double x = 0;
  double y = 0;
  double low = 0;
  double high = 0;
};
inline FigurePoint Exact(double x, double y) { return {x, y, y, y}; }

struct FigureCurve {
  std::string name;
  std::vector<FigurePoint> points = {};
  int seeds = 0;        // runs behind each point; 0: computed
  bool marks = false;   // marks instead of a line
  bool dashed = false;  // a bound or a guide, no mechanism
};

struct Figure {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = true;
  bool log_y = true;
  std::vector<FigureCurve> curves = {};
};

// A failed expectation about the figure: what should have been.
using Failures = std::vector<std::string>;

// One figure of the gallery, a file of this folder.
struct GalleryEntry {
  std::string_view name;
  std::string_view claim;      // theorem of the paper
  std::string_view paragraph;  // for readers who do not know the paper
  // `small` makes it for a test, in a second or so.
  std::function<Figure(bool small)> make;
  // The conclusion, asserted.
  std::string_view conclusion;
  std::function<Failures(const Figure&)> check;
};

// The curve of that name. Requires that it is there.
const FigureCurve& Curve(const Figure& figure, std::string_view name);
// y at the point of the curve that is nearest to x.
double At(const FigureCurve& curve, double x);

// A picture on its own, readable in print and on a dark screen; curves are
// labelled at their ends.
std::string DrawSvg(const Figure& figure);
// curve,x,y,low,high,seeds
std::string WriteCsv(const Figure& figure);

// All figures, in the order of the page.
std::vector<GalleryEntry> Gallery();

}  // namespace sotto::gallery
