#include "sotto/report/progress_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "sotto/base/printable.h"

namespace sotto {
namespace {

constexpr double kMostRounds = 1e18;
constexpr auto kNever = std::numeric_limits<std::uint64_t>::max();
// So that a run that is resumed finds its next row at once.
constexpr double kLeastFactor = 1.001;

std::string Cell(std::size_t width, std::string text) {
  text.insert(0, width > text.size() ? width - text.size() : 0, ' ');
  return text;
}

// Over labelled rounds; a dash while there are none.
std::string AverageCell(std::size_t width, double sum, std::uint64_t labelled) {
  if (labelled == 0) return Cell(width, "-");
  char text[32];
  std::snprintf(text, sizeof(text), "%.6f",
                sum / static_cast<double>(labelled));
  return Cell(width, text);
}

Error BadStep(const std::string& every) {
  return InvalidArgument(
      "--table-every must be an integer number of rounds, or "
      "a factor of 1.001 or more with a point such as 2.0, "
      "got '" +
      Printable(every) + "'");
}

}  // namespace

Result<ProgressTable> ProgressTable::Create(Params params,
                                            const RunStats::Point& start) {
  ProgressTable table(std::move(params));
  const std::string& every = table.params_.every;
  double number = 0;
  const char* end = every.data() + every.size();
  const auto read = std::from_chars(every.data(), end, number);
  const bool factor = every.find('.') != std::string::npos;
  if (read.ec != std::errc() || read.ptr != end ||
      !(number >= (factor ? kLeastFactor : 1) && number <= kMostRounds) ||
      (!factor && number != std::floor(number))) {
    return BadStep(every);
  }
  if (factor) {
    table.factor_ = number;
  } else {
    table.step_ = static_cast<std::uint64_t>(number);
    table.next_ = table.step_;
  }
  table.last_ = start;
  while (table.next_ <= start.rounds && table.next_ != kNever) {
    table.Advance(factor ? table.next_ : start.rounds);
  }
  return table;
}

std::string ProgressTable::Header() const {
  const std::string rounds = Cell(12, "rounds");
  if (params_.public_only && !params_.counted) {
    return "How often it errs is not shown: there is no private count of "
           "it.\n" +
           rounds + " " + Cell(6, "phase") + "\n";
  }
  if (params_.public_only) {
    return "Mistakes are private estimates: this table may be shown.\n" +
           rounds + " " + Cell(12, "mistakes") + " " + Cell(9, "per round") +
           " " + Cell(6, "phase") + "\n";
  }
  const bool number = params_.label.kind == LabelType::Kind::kNumber;
  return "The operator's own view, not covered by the guarantee "
         "(--public prints what is):\n" +
         rounds + " " + Cell(12, number ? "labelled" : "mistakes") + " " +
         Cell(9, number ? "mean err." : "average") + " " +
         Cell(10, "since last") + " " + Cell(10, "paid") + " " +
         Cell(6, "phase") + "\n";
}

std::string ProgressTable::PublicCells(const RunStats::Point& now) const {
  if (!params_.counted) return "";
  return Cell(12, std::to_string(now.shown)) + " " +
         AverageCell(9, static_cast<double>(now.shown), now.rounds) + " ";
}

double ProgressTable::Cost(const RunStats::Point& point) const {
  return params_.label.kind == LabelType::Kind::kNumber
             ? point.error
             : static_cast<double>(point.mistakes);
}

std::string ProgressTable::OperatorCells(const RunStats::Point& now) const {
  const bool number = params_.label.kind == LabelType::Kind::kNumber;
  return Cell(12, std::to_string(number ? now.labelled : now.mistakes)) + " " +
         AverageCell(9, Cost(now), now.labelled) + " " +
         AverageCell(10, Cost(now) - Cost(last_),
                     now.labelled - last_.labelled) +
         " " + Cell(10, std::to_string(now.paid)) + " ";
}

std::string ProgressTable::Row(const RunStats::Point& now,
                               std::uint64_t phase) {
  const std::string row =
      Cell(12, std::to_string(now.rounds)) + " " +
      (params_.public_only ? PublicCells(now) : OperatorCells(now)) +
      Cell(6, std::to_string(phase + 1)) + "\n";
  last_ = now;
  Advance(now.rounds);
  return row;
}

std::string ProgressTable::Last(const RunStats::Point& now,
                                std::uint64_t phase) {
  return now.rounds != last_.rounds ? Row(now, phase) : "";
}

void ProgressTable::Advance(std::uint64_t rounds) {
  if (step_ > 0) {
    const std::uint64_t steps = rounds / step_ + 1;
    next_ = steps > kNever / step_ || steps == 0 ? kNever : steps * step_;
    return;
  }
  const double next = std::ceil(static_cast<double>(next_) * factor_);
  next_ = next > kMostRounds
              ? kNever
              : std::max(next_ + 1, static_cast<std::uint64_t>(next));
}

}  // namespace sotto
