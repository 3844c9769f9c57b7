// How a stats is saved, and which bytes are one.
#include <array>
#include <cmath>
#include <span>

#include "sotto/online/run_stats.h"

namespace sotto {
namespace {

using Point = RunStats::Point;

void Write(const Point& point, ByteWriter& writer) {
  writer.Number(point.rounds);
  writer.Number(point.labelled);
  writer.Number(point.mistakes);
  writer.Real(point.error);
  writer.Number(point.paid);
  writer.Number(point.shown);
}

Point ReadPoint(ByteReader& reader) {
  Point point;
  point.rounds = reader.Number<std::uint64_t>();
  point.labelled = reader.Number<std::uint64_t>();
  point.mistakes = reader.Number<std::uint64_t>();
  point.error = reader.Real();
  point.paid = reader.Number<std::uint64_t>();
  point.shown = reader.Number<std::int64_t>();
  return point;
}

void Write(const std::vector<Point>& points, ByteWriter& writer) {
  writer.Number(static_cast<std::uint64_t>(points.size()));
  for (const Point& point : points) Write(point, writer);
}

// Too few if the bytes end too soon, which the reader remembers.
std::vector<Point> ReadPoints(ByteReader& reader) {
  const auto size = reader.Number<std::uint64_t>();
  std::vector<Point> points;
  for (std::uint64_t i = 0; i < size && !reader.failed(); ++i) {
    points.push_back(ReadPoint(reader));
  }
  return points;
}

void Write(const std::optional<double>& number, ByteWriter& writer) {
  writer.Number(static_cast<std::uint8_t>(number ? 1 : 0));
  writer.Real(number.value_or(0));
}

std::optional<double> ReadMaybe(ByteReader& reader) {
  const bool there = reader.Number<std::uint8_t>() != 0;
  const double number = reader.Real();
  return there ? std::optional(number) : std::nullopt;
}

bool Counted(double sum) { return std::isfinite(sum) && sum >= 0; }

bool MakesSense(const Point& point) {
  return point.labelled <= point.rounds && point.mistakes <= point.labelled &&
         point.paid <= point.rounds && point.shown >= 0 && Counted(point.error);
}

// `earlier` can have become `later`.
bool Precedes(const Point& earlier, const Point& later) {
  return earlier.rounds <= later.rounds && earlier.labelled <= later.labelled &&
         earlier.mistakes <= later.mistakes && earlier.error <= later.error &&
         earlier.paid <= later.paid;
}

bool MakeSense(const std::vector<Point>& points, const Point& now) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& next = i + 1 < points.size() ? points[i + 1] : now;
    if (!MakesSense(points[i]) || !Precedes(points[i], next)) return false;
  }
  return true;
}

bool MakeSense(std::span<const RunStats::CalibrationBin> tenths,
               std::uint64_t rounds) {
  for (const RunStats::CalibrationBin& tenth : tenths) {
    if (tenth.rounds > rounds || tenth.positive > tenth.rounds) return false;
    if (!Counted(tenth.said)) return false;
    rounds -= tenth.rounds;
  }
  return rounds == 0;
}

// When the points are taken is a function of the number of rounds.
bool TakenWhenDue(const std::vector<Point>& trace, std::uint64_t rounds) {
  std::uint64_t last = 0;
  for (const Point& point : trace) {
    if (point.rounds != RunStats::NextPoint(last)) return false;
    last = point.rounds;
  }
  return last <= rounds && RunStats::NextPoint(last) > rounds;
}

// The rest of the whole, or nothing if the parts are more.
std::optional<std::uint64_t> Left(std::span<const std::uint64_t> parts,
                                  std::uint64_t whole) {
  for (const std::uint64_t part : parts) {
    if (part > whole) return std::nullopt;
    whole -= part;
  }
  return whole;
}

}  // namespace

void RunStats::Save(ByteWriter& writer) const {
  Write(now, writer);
  for (const std::uint64_t count :
       {answered, absent, unusable, refused, log_loss.rounds, honest.labelled,
        honest.mistakes}) {
    writer.Number(count);
  }
  for (const double sum :
       {baselines.majority, baselines.last_label, log_loss.sum, sum_}) {
    writer.Real(sum);
  }
  for (const CalibrationBin& tenth : reliability) {
    writer.Number(tenth.rounds);
    writer.Number(tenth.positive);
    writer.Real(tenth.said);
  }
  writer.Number(static_cast<std::uint8_t>(halted_at ? 1 : 0));
  writer.Number(halted_at.value_or(0));
  Write(trace, writer);
  Write(phase_ends, writer);
  writer.Number(static_cast<std::uint64_t>(frequency_.size()));
  for (const std::uint64_t count : frequency_) writer.Number(count);
  Write(last_ ? std::optional(last_->number()) : std::nullopt, writer);
}

Result<RunStats> RunStats::Load(ByteReader& reader, const LabelType& type) {
  RunStats stats;
  stats.now = ReadPoint(reader);
  for (std::uint64_t* count :
       {&stats.answered, &stats.absent, &stats.unusable, &stats.refused,
        &stats.log_loss.rounds, &stats.honest.labelled,
        &stats.honest.mistakes}) {
    *count = reader.Number<std::uint64_t>();
  }
  for (double* sum : {&stats.baselines.majority, &stats.baselines.last_label,
                      &stats.log_loss.sum, &stats.sum_}) {
    *sum = reader.Real();
  }
  for (CalibrationBin& tenth : stats.reliability) {
    tenth.rounds = reader.Number<std::uint64_t>();
    tenth.positive = reader.Number<std::uint64_t>();
    tenth.said = reader.Real();
  }
  const bool halted = reader.Number<std::uint8_t>() != 0;
  const auto halted_at = reader.Number<std::uint64_t>();
  if (halted) stats.halted_at = halted_at;
  stats.trace = ReadPoints(reader);
  stats.phase_ends = ReadPoints(reader);
  const auto classes = reader.Number<std::uint64_t>();
  for (std::uint64_t i = 0; i < classes && !reader.failed(); ++i) {
    stats.frequency_.push_back(reader.Number<std::uint64_t>());
  }
  if (const auto last = ReadMaybe(reader)) stats.last_ = type.FromNumber(*last);
  if (reader.failed() || !stats.MakesSense(type)) {
    return Corruption("the saved counts make no sense");
  }
  return stats;
}

void RunStats::SaveLater(ByteWriter& writer) const {
  for (const std::uint64_t count :
       {free.answered, free.labelled, free.mistakes}) {
    writer.Number(count);
  }
  writer.Real(free.error);
  metrics.Save(writer);
}

Status RunStats::LoadLater(ByteReader& reader, const LabelType& type) {
  for (std::uint64_t* count :
       {&free.answered, &free.labelled, &free.mistakes}) {
    *count = reader.Number<std::uint64_t>();
  }
  free.error = reader.Real();
  const bool number = !CountsMistakes(type.kind);
  if (reader.failed() || free.answered > refused ||
      free.labelled > free.answered || free.mistakes > free.labelled ||
      !Counted(free.error) || (number ? free.mistakes > 0 : free.error > 0)) {
    return Corruption("the saved counts of free answers make no sense");
  }
  SOTTO_TRY_ASSIGN(metrics, LabelMetrics::Load(reader, type));
  if (metrics.labelled() <= now.labelled) return Ok();
  return Corruption("the saved confusion matrix makes no sense");
}

bool RunStats::MakesSense(const LabelType& type) const {
  if (!sotto::MakesSense(now) || !sotto::MakeSense(trace, now) ||
      !sotto::MakeSense(phase_ends, now) || !TakenWhenDue(trace, now.rounds)) {
    return false;
  }
  if (!sotto::MakeSense(std::span(reliability), log_loss.rounds)) return false;
  const std::array parts = {answered, absent, unusable, refused};
  const bool number = !CountsMistakes(type.kind);
  const bool any = now.labelled > 0;
  const auto most = static_cast<double>(now.labelled);
  return Left(parts, now.rounds) && now.labelled <= answered &&
         log_loss.rounds <= now.labelled && Counted(log_loss.sum) &&
         honest.labelled <= now.labelled && honest.mistakes <= now.mistakes &&
         halted_at.value_or(0) <= now.rounds && Counted(baselines.majority) &&
         Counted(baselines.last_label) && std::isfinite(sum_) &&
         last_.has_value() == any && (!any || type.Has(*last_)) &&
         frequency_.size() == (number || !any ? 0 : type.classes()) &&
         (number
              ? now.mistakes == 0
              : Left(frequency_, now.labelled) == 0 && now.error == 0 &&
                    baselines.majority <= most && baselines.last_label <= most);
}

}  // namespace sotto
