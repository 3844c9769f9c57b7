#include "sotto/online/run_stats.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/portable_math.h"

namespace sotto {
namespace {

// A certainty that was wrong costs no more than this one.
constexpr double kSurest = 1e-15;

// Stays finite, whatever the range.
void AddTo(double& sum, double more) {
  sum = std::clamp(sum + more, std::numeric_limits<double>::lowest(),
                   std::numeric_limits<double>::max());
}

}  // namespace

void RunStats::Add(const Round& round, const LabelType& type,
                   std::int64_t shown) {
  while (phase_ends.size() < round.phase) phase_ends.push_back(now);
  ++now.rounds;
  if (round.presence == Presence::kAbsent) ++absent;
  if (round.presence == Presence::kUnusable) ++unusable;
  if (round.presence == Presence::kRefused) {
    ++refused;
    AddFree(round, type);
  }
  if (round.paid) ++now.paid;
  if (round.present() && round.prediction) {
    ++answered;
    if (round.y)
      AddDelayedLabel(*round.prediction, round.probability, *round.y, type);
    if (round.y && round.honest.value_or(false)) {
      ++honest.labelled;
      if (IsMistake(*round.prediction, *round.y)) ++honest.mistakes;
    }
  }
  now.shown = shown;
  const std::uint64_t last = trace.empty() ? 0 : trace.back().rounds;
  if (now.rounds >= NextPoint(last)) trace.push_back(now);
}

void RunStats::AddFree(const Round& round, const LabelType& type) {
  if (!round.prediction) return;
  ++free.answered;
  if (!round.y) return;
  ++free.labelled;
  if (!CountsMistakes(type.kind)) {
    AddTo(free.error, Loss(*round.prediction, *round.y));
  } else if (IsMistake(*round.prediction, *round.y)) {
    ++free.mistakes;
  }
}

void RunStats::AddDelayedLabel(const Label& prediction,
                               std::optional<double> probability,
                               const Label& y, const LabelType& type) {
  AddBaselines(y, type);
  ++now.labelled;
  if (!CountsMistakes(type.kind)) {
    AddTo(now.error, Loss(prediction, y));
    return;
  }
  if (IsMistake(prediction, y)) ++now.mistakes;
  metrics.Add(prediction, probability, y, type);
  if (type.kind != LabelType::Kind::kTwo || !probability ||
      !std::isfinite(*probability)) {
    return;
  }
  AddProbability(std::clamp(*probability, 0.0, 1.0), y.positive());
}

void RunStats::AddProbability(double probability, bool positive) {
  const double right = positive ? probability : 1 - probability;
  ++log_loss.rounds;
  log_loss.sum -= PortableLog(std::clamp(right, kSurest, 1.0));
  const std::size_t last = reliability.size() - 1;
  CalibrationBin& tenth =
      reliability[std::min(static_cast<std::size_t>(probability * 10), last)];
  ++tenth.rounds;
  tenth.said += probability;
  if (positive) ++tenth.positive;
}

void RunStats::Halt() {
  if (!halted_at) halted_at = now.rounds;
}

Label RunStats::MostFrequent(const LabelType& type) const {
  const auto most = std::max_element(frequency_.begin(), frequency_.end());
  return type.FromNumber(static_cast<double>(most - frequency_.begin()));
}

void RunStats::AddBaselines(const Label& y, const LabelType& type) {
  Label usual;
  Label before;
  if (!CountsMistakes(type.kind)) {
    const double middle = type.low / 2 + type.high / 2;
    usual = type.FromNumber(
        now.labelled > 0 ? sum_ / static_cast<double>(now.labelled) : middle);
    before = last_.value_or(type.FromNumber(middle));
    AddTo(sum_, y.number());
  } else {
    frequency_.resize(type.classes());
    usual = MostFrequent(type);
    before = last_.value_or(type.FromNumber(0));
    if (y.index() < frequency_.size()) ++frequency_[y.index()];
  }
  AddTo(baselines.majority, Loss(usual, y));
  AddTo(baselines.last_label, Loss(before, y));
  last_ = y;
}

}  // namespace sotto
