#include "sotto/accounting/delta_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

// 6 / pi^2 = 0.60792710185402662866..., rounded down.
constexpr double kInverseBasel = 0.607927101854026;
constexpr std::size_t kMostPhases = 900;  // total / 2^901 is still a double
// A scaled At exceeds its exact product by two steps at most; the sum must
// cover that of every term. (Terms below 1e-308 are too few to matter.)
constexpr double kStepsOfScaling = 4 * std::numeric_limits<double>::epsilon();
constexpr double kLeastTotal = 1e-30;

bool IsShare(double x) { return x >= kLeastTotal && x < 1; }

// total / (2^(phase+1) length), rounded down.
double DeltaOfPhase(double total, int phase, std::uint64_t length) {
  const double share = std::ldexp(total, -(phase + 1));
  const double delta = DownDiv(share, StepUp(static_cast<double>(length)));
  return std::max(delta, 0.0);
}

}  // namespace

Result<DeltaSchedule> DeltaSchedule::Constant(double delta,
                                              std::uint64_t horizon) {
  if (!(delta >= 0 && delta < 1)) {
    return InvalidArgument("delta must lie in [0, 1)");
  }
  DeltaSchedule schedule(Kind::kConstant, delta);
  schedule.horizon_ = horizon;
  return schedule;
}

Result<DeltaSchedule> DeltaSchedule::Phases(
    double total, std::vector<std::uint64_t> lengths) {
  if (!IsShare(total)) {
    return InvalidArgument("the total delta must lie in [1e-30, 1)");
  }
  if (lengths.empty() || lengths.size() > kMostPhases) {
    return InvalidArgument("a schedule lists between 1 and 900 phases");
  }
  if (std::find(lengths.begin(), lengths.end(), 0U) != lengths.end()) {
    return InvalidArgument("a phase has at least one round");
  }
  DeltaSchedule schedule(Kind::kPhases, total);
  schedule.lengths_ = std::move(lengths);
  return schedule;
}

Result<DeltaSchedule> DeltaSchedule::InverseSquare(double total) {
  if (!IsShare(total)) {
    return InvalidArgument("the total delta must lie in [1e-30, 1)");
  }
  return DeltaSchedule(Kind::kInverseSquare, total);
}

Result<DeltaSchedule> DeltaSchedule::Table(std::vector<double> values) {
  if (values.empty()) {
    return InvalidArgument("a table needs at least delta(0), the training set");
  }
  double sum = 0;
  for (const double value : values) {
    if (!(value >= 0 && value < 1)) {
      return InvalidArgument("every delta(i) must lie in [0, 1)");
    }
    sum = LeastUpAdd(sum, value);
  }
  DeltaSchedule schedule(Kind::kTable, sum);
  schedule.table_ = std::move(values);
  return schedule;
}

double DeltaSchedule::PhasesAt(std::uint64_t round) const {
  if (round == 0) return DeltaOfPhase(value_, 1, lengths_.front());
  constexpr std::uint64_t kLongest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t before = round - 1;
  std::uint64_t length = 0;
  // Ends: once the list is used up, the length doubles while `before` falls.
  for (std::size_t i = 0;; ++i) {
    if (i < lengths_.size()) {
      length = lengths_[i];
    } else {
      length = length > kLongest / 2 ? kLongest : 2 * length;
    }
    if (before < length) {
      return DeltaOfPhase(value_, static_cast<int>(i) + 1, length);
    }
    before -= length;
  }
}

double DeltaSchedule::PlainAt(std::uint64_t round) const {
  switch (kind_) {
    case Kind::kConstant:
      return round <= horizon_ ? value_ : 0;
    case Kind::kPhases:
      return PhasesAt(round);
    case Kind::kInverseSquare: {
      const double n = UpAdd(StepUp(static_cast<double>(round)), 1);
      return DownDiv(DownMul(value_, kInverseBasel), UpMul(n, n));
    }
    case Kind::kTable:
      return round < table_.size() ? table_[round] : 0;
  }
  return 0;
}

// delta_schedule.md, steps 1 to 3.
double DeltaSchedule::PlainSum() const {
  switch (kind_) {
    case Kind::kConstant:
      return UpMul(value_, UpAdd(StepUp(static_cast<double>(horizon_)), 1));
    case Kind::kPhases:
      return UpAdd(value_ / 2, PhasesAt(0));
    case Kind::kInverseSquare:
    case Kind::kTable:
      return value_;
  }
  return 1;
}

double DeltaSchedule::At(std::uint64_t round) const {
  const double plain = PlainAt(round);
  if (plain == 0 || factor_ == 1) return plain;
  return std::min(1.0, UpMul(plain, factor_));
}

double DeltaSchedule::Sum() const {
  const double plain = PlainSum();
  if (plain == 0 || factor_ == 1) return plain;
  return InflateUp(plain * factor_, kStepsOfScaling);
}

Result<DeltaSchedule> DeltaSchedule::ScaledBy(double factor) const {
  if (!(factor >= 1) || std::isinf(factor)) {
    return InvalidArgument("the factor of a schedule is finite, at least 1");
  }
  DeltaSchedule scaled = *this;
  scaled.factor_ = factor_ == 1 ? factor : UpMul(factor_, factor);
  return scaled;
}

std::string DeltaSchedule::LengthsText() const {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, lengths_.size()); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(lengths_[i]);
  }
  if (lengths_.size() > kShown) {
    text += " and " + std::to_string(lengths_.size() - kShown) + " more";
  }
  return text + ", then each twice as long as the one before";
}

std::string DeltaSchedule::Formula() const {
  switch (kind_) {
    case Kind::kConstant:
      return TextUp(value_) + " for the training set and each of " +
             std::to_string(horizon_) + " rounds";
    case Kind::kPhases:
      return TextUp(value_) +
             " / (2^(p+1) t_p) in block p of t_p rounds, the training set as "
             "in "
             "block 1; lengths of blocks: " +
             LengthsText();
    case Kind::kInverseSquare:
      return TextUp(value_) + " * 6 / (pi (i+1))^2";
    case Kind::kTable:
      return "a table of " + std::to_string(table_.size()) + " values";
  }
  return "unknown";
}

std::string DeltaSchedule::Describe() const {
  std::string text = "delta(i) = " + Formula();
  if (factor_ != 1) text += ", times " + TextUp(factor_) + " for the group";
  return text + "; all rounds and the training set together at most " +
         TextUp(Sum());
}

}  // namespace sotto
