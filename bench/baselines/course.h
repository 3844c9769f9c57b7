#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/baselines/player.h"
#include "bench/baselines/table_stream.h"

namespace sotto::bench {

// Progressive losses of a learner: each row is predicted before it is learned.
// A loss is 100 for a wrong label (so that means are percentages), or
// the distance of a number.
struct Course {
  struct Point {
    std::uint64_t rows = 0;
    double loss = 0;  // mean over these rows
  };
  double loss = 0;                      // mean over all rows
  std::optional<double> log_loss = {};  // of two labels, in nats
  std::vector<Point> curve = {};        // about eight points a decade, the end
  double seconds = 0;                   // of the processor
};

// Adds up a course, row by row.
//
// Threads: not thread-safe.
class CourseRecorder {
 public:
  explicit CourseRecorder(LabelType type);

  void Add(const Prediction& prediction, const Label& y);
  Course Finish() const;

 private:
  LabelType type_;
  std::uint64_t rows_ = 0;
  std::uint64_t next_ = 0;  // of the curve
  double loss_ = 0;
  double log_loss_ = 0;
  bool has_log_loss_ = true;
  Course course_;
  double begin_;
};

// A whole stream.
Course PlayStream(Player& player, const TableStream& stream);

// The mean over several courses of one stream, and the deviation of the loss.
struct Courses {
  Course mean;
  double deviation = 0;
};
// Requires at least one.
Courses Average(const std::vector<Course>& courses);

}  // namespace sotto::bench
