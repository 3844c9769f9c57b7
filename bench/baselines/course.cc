#include "bench/baselines/course.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <utility>

namespace sotto::bench {
namespace {

constexpr std::uint64_t kFirstPoint = 100;
constexpr double kPointsPerDecade = 8;
// A probability of 0 would cost everything.
constexpr double kLeastProbability = 1e-12;

// Processor time: other programs do not count.
double Now() {
  return static_cast<double>(std::clock()) /
         static_cast<double>(CLOCKS_PER_SEC);
}

double Loss(const LabelType& type, const Label& prediction, const Label& y) {
  if (type.kind == LabelType::Kind::kNumber) {
    return std::abs(prediction.number() - y.number());
  }
  return prediction.index() == y.index() ? 0 : 100;
}

}  // namespace

CourseRecorder::CourseRecorder(LabelType type)
    : type_(std::move(type)), next_(kFirstPoint), begin_(Now()) {}

void CourseRecorder::Add(const Prediction& prediction, const Label& y) {
  loss_ += Loss(type_, prediction.label, y);
  has_log_loss_ = has_log_loss_ && prediction.probability.has_value() &&
                  type_.kind == LabelType::Kind::kTwo;
  if (has_log_loss_) {
    const double p =
        y.positive() ? *prediction.probability : 1 - *prediction.probability;
    log_loss_ -= std::log(std::max(p, kLeastProbability));
  }
  if (++rows_ == next_) {
    course_.curve.push_back({rows_, loss_ / static_cast<double>(rows_)});
    next_ = static_cast<std::uint64_t>(std::ceil(
        static_cast<double>(next_) * std::pow(10, 1 / kPointsPerDecade)));
  }
}

Course CourseRecorder::Finish() const {
  Course course = course_;
  const auto rows = static_cast<double>(std::max<std::uint64_t>(1, rows_));
  course.loss = loss_ / rows;
  if (has_log_loss_) course.log_loss = log_loss_ / rows;
  if (course.curve.empty() || course.curve.back().rows < rows_) {
    course.curve.push_back({rows_, course.loss});
  }
  course.seconds = Now() - begin_;
  return course;
}

Course PlayStream(Player& player, const TableStream& stream) {
  CourseRecorder recorder(stream.label());
  for (std::size_t i = 0; i < stream.rows.size(); ++i) {
    recorder.Add(player.Tell(stream.rows[i]), stream.labels[i]);
    player.Learn(stream.rows[i], stream.labels[i]);
  }
  return recorder.Finish();
}

Courses Average(const std::vector<Course>& courses) {
  const auto n = static_cast<double>(courses.size());
  Courses average{.mean = courses.front()};
  Course& mean = average.mean;
  double squares = mean.loss * mean.loss;
  for (std::size_t i = 1; i < courses.size(); ++i) {
    mean.loss += courses[i].loss;
    squares += courses[i].loss * courses[i].loss;
    mean.seconds += courses[i].seconds;
    if (mean.log_loss) *mean.log_loss += courses[i].log_loss.value_or(0);
    for (std::size_t p = 0; p < mean.curve.size(); ++p) {
      mean.curve[p].loss += courses[i].curve[p].loss;
    }
  }
  mean.loss /= n;
  mean.seconds /= n;
  if (mean.log_loss) *mean.log_loss /= n;
  for (Course::Point& point : mean.curve) point.loss /= n;
  average.deviation =
      std::sqrt(std::max(0.0, squares / n - mean.loss * mean.loss));
  return average;
}

}  // namespace sotto::bench
