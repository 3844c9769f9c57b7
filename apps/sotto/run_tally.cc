#include "run_tally.h"

#include <algorithm>

namespace sotto::app {
namespace {

constexpr std::uint64_t kTraceStep = 100;

void Write(const RunTally::Point& point, ByteWriter& writer) {
  writer.Number(point.rounds);
  writer.Number(point.mistakes);
  writer.Number(point.paid);
  writer.Number(point.shown);
}

RunTally::Point ReadPoint(ByteReader& reader) {
  RunTally::Point point;
  point.rounds = reader.Number<std::uint64_t>();
  point.mistakes = reader.Number<std::uint64_t>();
  point.paid = reader.Number<std::uint64_t>();
  point.shown = reader.Number<std::int64_t>();
  return point;
}

void Write(const std::vector<RunTally::Point>& points, ByteWriter& writer) {
  writer.Number(static_cast<std::uint64_t>(points.size()));
  for (const auto& point : points) Write(point, writer);
}

std::vector<RunTally::Point> ReadPoints(ByteReader& reader) {
  const auto size = std::min(reader.Number<std::uint64_t>(),
                             reader.RoomFor(4 * sizeof(std::uint64_t)));
  std::vector<RunTally::Point> points;
  for (std::uint64_t i = 0; i < size; ++i) points.push_back(ReadPoint(reader));
  return points;
}

}  // namespace

void RunTally::Add(const Example& example, const RoundOutcome& outcome,
                   std::int64_t shown) {
  while (phase_ends.size() < outcome.phase) phase_ends.push_back(now);
  ++now.rounds;
  if (!outcome.answered) ++refused;
  if (outcome.paid) ++now.paid;
  if (outcome.answered && example.y) {
    ++labelled;
    if (*example.y != outcome.prediction) ++now.mistakes;
  }
  now.shown = shown;
  const std::uint64_t last = trace.empty() ? 0 : trace.back().rounds;
  if (now.rounds > last + last / kTraceStep) trace.push_back(now);
}

void RunTally::Save(ByteWriter& writer) const {
  Write(now, writer);
  writer.Number(labelled);
  writer.Number(refused);
  writer.Number(plain_mistakes);
  writer.Number(static_cast<std::uint8_t>(halted_at ? 1 : 0));
  writer.Number(halted_at.value_or(0));
  Write(trace, writer);
  Write(phase_ends, writer);
}

Result<RunTally> RunTally::Load(ByteReader& reader) {
  RunTally tally;
  tally.now = ReadPoint(reader);
  tally.labelled = reader.Number<std::uint64_t>();
  tally.refused = reader.Number<std::uint64_t>();
  tally.plain_mistakes = reader.Number<std::uint64_t>();
  const auto halted = reader.Number<std::uint8_t>();
  const auto halted_at = reader.Number<std::uint64_t>();
  if (halted != 0) tally.halted_at = halted_at;
  tally.trace = ReadPoints(reader);
  tally.phase_ends = ReadPoints(reader);
  if (reader.failed() || halted > 1 || tally.labelled > tally.now.rounds ||
      tally.now.mistakes > tally.labelled) {
    return Error{ErrorCode::kCorruption, "the saved counts make no sense"};
  }
  return tally;
}

}  // namespace sotto::app
