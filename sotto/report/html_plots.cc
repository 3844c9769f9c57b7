#include "sotto/report/html_plots.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/report/svg_chart.h"

namespace sotto {
namespace {

// Rates over fewer rounds say nothing, and would set the scale.
constexpr double kFirstRate = 20;

// The mistakes up to some round.
struct Sample {
  double rounds = 0;
  double judged = 0;  // the rounds that are judged: with a label
  double cost = 0;    // mistakes, or the sum of absolute errors
};

// The data of the plots, for either view.
struct Course {
  std::vector<Sample> samples;
  std::vector<std::uint64_t> phase_ends;
  std::uint64_t rounds = 0;
  bool of_numbers = false;
  std::string what;  // "mistakes"
};

std::vector<ChartBand> PhaseBands(const Course& course, double first) {
  std::vector<ChartBand> bands;
  double from = first;
  std::size_t phase = 0;
  const auto add = [&](std::uint64_t end) {
    ++phase;
    const auto to = static_cast<double>(end);
    if (to <= from) return;
    bands.push_back({from, to, "phase " + std::to_string(phase)});
    from = to;
  };
  for (const std::uint64_t end : course.phase_ends) add(end);
  add(course.rounds);
  return bands;
}

std::vector<ChartPoint> Costs(const Course& course) {
  std::vector<ChartPoint> points;
  for (const Sample& sample : course.samples) {
    points.push_back({sample.rounds, sample.cost});
  }
  return points;
}

double Rate(const Course& course, double cost, double judged) {
  if (!(judged > 0)) return 0;
  return course.of_numbers ? cost / judged
                           : std::clamp(100 * cost / judged, 0.0, 100.0);
}

std::vector<ChartPoint> Average(const Course& course) {
  std::vector<ChartPoint> points;
  for (const Sample& sample : course.samples) {
    if (sample.rounds < kFirstRate) continue;
    points.push_back({sample.rounds, Rate(course, sample.cost, sample.judged)});
  }
  return points;
}

// The same over the latter half of the way, so that what was learned late
// shows.
std::vector<ChartPoint> Lately(const Course& course) {
  std::vector<ChartPoint> points;
  const auto& samples = course.samples;
  std::size_t half = 0;
  for (const Sample& sample : samples) {
    while (half + 1 < samples.size() &&
           samples[half + 1].rounds <= sample.rounds / 2) {
      ++half;
    }
    const Sample& then = samples[half];
    if (sample.rounds < kFirstRate || then.rounds > sample.rounds / 2) continue;
    points.push_back({sample.rounds, Rate(course, sample.cost - then.cost,
                                          sample.judged - then.judged)});
  }
  return points;
}

ChartSeries Level(std::string name, const char* css_class, double height,
                  const Course& course) {
  return {std::move(name),
          css_class,
          {{0, height}, {static_cast<double>(course.rounds), height}}};
}

Chart CostChart(const Course& course, const OnlineModel::Forecast& forecast) {
  Chart chart{
      .title = course.of_numbers ? "Errors over time" : "Mistakes over time",
      .x_label = "rounds",
      .y_label =
          course.of_numbers ? "sum of absolute errors" : "mistakes so far"};
  chart.bands = PhaseBands(course, 0);
  chart.series.push_back({course.what, "c1", Costs(course)});
  const double highest =
      course.samples.empty() ? 0 : course.samples.back().cost;
  // The plan is drawn where it does not flatten everything else.
  if (!course.of_numbers && forecast.expected &&
      *forecast.expected < 4 * highest + 100) {
    chart.series.push_back(Level("expected by the plan at its horizon", "c3",
                                 *forecast.expected, course));
  }
  return chart;
}

std::string RateChart(const Course& course, bool public_only) {
  Chart chart{.title = "How often it errs",
              .x_label = "rounds (logarithmic)",
              .y_label = course.of_numbers ? "mean absolute error"
                         : public_only     ? "mistakes in 100 rounds"
                                           : "mistakes in 100 labelled rounds",
              .log_x = true};
  chart.bands = PhaseBands(course, 1);
  chart.series = {
      {"since the start", "c1", Average(course)},
      {"in the latter half of the rounds so far", "c2", Lately(course)}};
  return RenderChart(chart);
}

std::string Card(const std::string& html) {
  return "<div class=\"card\">" + html + "</div>\n";
}

Course PublicCourse(const PublicRun& shown) {
  Course course{.samples = {},
                .phase_ends = shown.phase_ends,
                .rounds = shown.rounds,
                .what = "mistakes (private estimate)"};
  const auto add = [&](const PublicRun::Point& point) {
    const auto rounds = static_cast<double>(point.rounds);
    course.samples.push_back(
        {rounds, rounds, static_cast<double>(point.mistakes)});
  };
  for (const PublicRun::Point& point : shown.mistakes->trace) add(point);
  add(shown.mistakes->now);
  return course;
}

Course OwnCourse(const RunReport& report) {
  const RunStats& stats = report.stats;
  Course course{
      .samples = {},
      .phase_ends = PublicPart(report).phase_ends,
      .rounds = stats.now.rounds,
      .of_numbers = report.facts.label.kind == LabelType::Kind::kNumber,
      .what = "mistakes"};
  if (course.of_numbers) course.what = "absolute errors";
  const auto add = [&](const RunStats::Point& point) {
    course.samples.push_back(
        {static_cast<double>(point.rounds), static_cast<double>(point.labelled),
         course.of_numbers ? point.error
                           : static_cast<double>(point.mistakes)});
  };
  for (const RunStats::Point& point : stats.trace) add(point);
  add(stats.now);
  return course;
}

// How often the positive label came where so much was said.
std::string ReliabilityChart(const RunStats& stats) {
  // Shares of fewer rounds say nothing.
  constexpr std::uint64_t kLeast = 20;
  ChartSeries came{"how often it came, by tenths of what was said", "c1", {}};
  for (const RunStats::CalibrationBin& tenth : stats.reliability) {
    if (tenth.rounds < kLeast) continue;
    const auto rounds = static_cast<double>(tenth.rounds);
    came.points.push_back({100 * tenth.said / rounds,
                           100 * static_cast<double>(tenth.positive) / rounds});
  }
  if (came.points.empty()) return "";
  const Chart chart{
      .title = "Are its probabilities right?",
      .x_label = "probability of the positive label, as told, in %",
      .y_label = "how often it came, in %",
      .series = {std::move(came),
                 {"as it should be", "c3", {{0, 0}, {100, 100}}}}};
  return RenderChart(chart);
}

ChartSeries PaidSeries(const RunStats& stats) {
  ChartSeries paid{"paid rounds", "c2", {}};
  const auto add = [&](const RunStats::Point& point) {
    paid.points.push_back(
        {static_cast<double>(point.rounds), static_cast<double>(point.paid)});
  };
  for (const RunStats::Point& point : stats.trace) add(point);
  add(stats.now);
  return paid;
}

std::string OwnCostChart(const RunReport& report, const Course& course) {
  Chart chart = CostChart(course, report.facts.forecast);
  if (!course.of_numbers) chart.series.push_back(PaidSeries(report.stats));
  if (report.stats.now.labelled > 0) {
    chart.series.push_back(
        Level(course.of_numbers ? "the mean so far, at the end"
                                : "the most frequent label, at the end",
              "c5", report.stats.baselines.majority, course));
  }
  std::optional<double> plain = report.plain_error;
  if (report.plain_mistakes)
    plain = static_cast<double>(*report.plain_mistakes);
  if (plain) {
    chart.series.push_back(
        Level("without privacy, at the end", "c4", *plain, course));
  }
  return RenderChart(chart);
}

std::string SpreadChart(const RunReport& report) {
  DensityChart chart{.title = "Spread of the votes (stronger: more often)",
                     .x_label = "rounds (logarithmic)",
                     .y_label = "margin, 0 = tie, 0.5 = all agree",
                     .x_max = static_cast<double>(report.stats.now.rounds),
                     .y_max = 0.5};
  for (const VoteSample& vote : report.votes) {
    chart.points.push_back(
        {static_cast<double>(vote.round), std::abs(vote.share - 0.5)});
  }
  return RenderDensity(chart) +
         "<p><small>How far the votes of a sampled round were from a tie, as a "
         "share of the copies. Rounds near a tie are the ones that are paid "
         "for. This run only, not those before a resume.</small></p>";
}

}  // namespace

std::string PublicPlots(const RunFacts& facts, const PublicRun& shown) {
  if (!shown.mistakes) return "";
  const Course course = PublicCourse(shown);
  return Card(RenderChart(CostChart(course, facts.forecast))) +
         Card(RateChart(course, true));
}

std::string OperatorPlots(const RunReport& report) {
  const Course course = OwnCourse(report);
  std::string html =
      Card(OwnCostChart(report, course)) + Card(RateChart(course, false));
  if (report.stats.log_loss.rounds > 0) {
    const std::string reliability = ReliabilityChart(report.stats);
    if (!reliability.empty()) html += Card(reliability);
  }
  if (!report.votes.empty()) html += Card(SpreadChart(report));
  return html;
}

}  // namespace sotto
