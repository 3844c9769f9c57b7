#include "sotto/models/pop/pop_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

// The table's grid: examples a copy, and half the copies in noise scales.
constexpr int kExampleSteps = 72;
constexpr int kHalfSteps = 28;
const double kLogFewest = std::log(1e-4);
const double kLogMost = std::log(1e7);
const double kLogLeastHalf = std::log(0.25);
const double kLogMostHalf = std::log(256.0);

// A phase that ends at once, over and over, is not worth following.
constexpr std::size_t kMaxPhases = 256;

double LaplaceCdf(double z) {
  return z < 0 ? 0.5 * std::exp(z) : 1 - 0.5 * std::exp(-z);
}

// The chance that a copy with Poisson(m) examples puts its threshold at most u
// above the target, given mass t below the target (pop_plan.md, step 2).
double ShareOfVotes(double m, double t, double u) {
  const double reach = std::max(0.0, std::min(t, 1 - t - 2 * u));
  double late = -0.5 * std::expm1(-2 * m * reach);
  if (t < 1 - t - 2 * u) late += std::exp(-2 * m * t);
  return 1 - std::exp(-2 * m * u) * late;
}

}  // namespace

// The ages are the middles of as many equal parts of an exponential
// distribution.
PopModel::PopModel(PopVariant variant, double noise) : variant_(variant) {
  constexpr int kAges = 8;
  for (int i = 0; noise > 0 && i < kAges; ++i) {
    ages_.push_back(-std::log1p(-(i + 0.5) / kAges) / noise);
  }
  table_.reserve(
      static_cast<std::size_t>((kExampleSteps + 1) * (kHalfSteps + 1)));
  for (int i = 0; i <= kExampleSteps; ++i) {
    const double examples =
        std::exp(kLogFewest + (kLogMost - kLogFewest) * i / kExampleSteps);
    for (int j = 0; j <= kHalfSteps; ++j) {
      const double half = std::exp(
          kLogLeastHalf + (kLogMostHalf - kLogLeastHalf) * j / kHalfSteps);
      table_.push_back(Compute(examples, half));
    }
  }
}

// A wrong label restarts a copy, so a copy knows only the examples since the
// last wrong label. Averages over this many ages (pop_plan.md, step 5).
double PopModel::ExpectedVotes(double examples, double below,
                               double distance) const {
  if (ages_.empty()) return ShareOfVotes(examples, below, distance);
  double sum = 0;
  for (const double age : ages_) {
    sum += ShareOfVotes(std::min(examples, age), below, distance);
  }
  return sum / static_cast<double>(ages_.size());
}

// Integrates over the distance u from the target, on both sides of targets that
// stand for a uniform one in [0.2, 0.8].
PopModel::Rates PopModel::Compute(double examples, double half) const {
  constexpr int kSteps = 48;
  constexpr double kTargets[] = {0.26, 0.42, 0.58, 0.74};
  Rates rates;
  for (const double below : kTargets) {
    const double longest = 1 - below;
    const double shortest =
        std::min(0.5 * longest, 1e-3 / (examples * half + 1));
    const double ratio = std::pow(longest / shortest, 1.0 / kSteps);
    double from = 0;
    double to = shortest;
    for (int i = 0; i <= kSteps; ++i, from = to, to *= ratio) {
      const double width = to - from;
      const double margin =
          (2 * ExpectedVotes(examples, below, 0.5 * (from + to)) - 1) * half;
      if (variant_ == PopVariant::kMajority) {
        const double above = 1 - LaplaceCdf(std::abs(margin) - 0.5 * half);
        rates.paid += width * above;
        rates.mistake += width * (0.5 * above + (margin < 0 ? 1 - above : 0));
      } else {
        rates.mistake += width * LaplaceCdf(-margin);
        rates.paid += width * 0.5 * std::exp(-std::abs(margin));
      }
    }
  }
  // Two sides of one target are two targets here: halve the sum over four.
  return {rates.mistake / 2, rates.paid / 2};
}

PopModel::Rates PopModel::At(double examples, double half) const {
  const auto place = [](double value, double low, double high, int steps) {
    const double at = (std::log(value) - low) / (high - low) * steps;
    return std::clamp(at, 0.0, steps - 1e-9);
  };
  const double i =
      place(std::max(examples, 1e-12), kLogFewest, kLogMost, kExampleSteps);
  const double j = place(half, kLogLeastHalf, kLogMostHalf, kHalfSteps);
  const auto row = static_cast<std::size_t>(i);
  const auto column = static_cast<std::size_t>(j);
  const double di = i - static_cast<double>(row);
  const double dj = j - static_cast<double>(column);
  const auto cell = [&](std::size_t r, std::size_t c) -> const Rates& {
    return table_[r * (kHalfSteps + 1) + c];
  };
  const auto mix = [&](double Rates::*part) {
    const double here =
        cell(row, column).*part * (1 - dj) + cell(row, column + 1).*part * dj;
    const double next = cell(row + 1, column).*part * (1 - dj) +
                        cell(row + 1, column + 1).*part * dj;
    return here * (1 - di) + next * di;
  };
  return {mix(&Rates::mistake), mix(&Rates::paid)};
}

// One run of the model: time goes in steps over which the rates hardly change.
class PopModel::Run {
 public:
  Run(const PopModel& model, const PopSchedule& schedule,
      const PopBehaviour& behaviour, double enough)
      : model_(model),
        schedule_(schedule),
        behaviour_(behaviour),
        enough_(enough) {}

  PopExpectation Go() {
    const auto rounds = static_cast<double>(behaviour_.rounds);
    BeginPhase();
    while (now_ < rounds && result_.mistakes < enough_) {
      Advance(NextStep(rounds));
      if (!PhaseOver()) continue;
      const bool ends = schedule_.handover == PhaseEnd::kHalt;
      if (ends || result_.phases.size() >= kMaxPhases) {
        result_.mistakes += 0.5 * (rounds - now_);
        break;
      }
      active_ = schedule_.handover == PhaseEnd::kStandby ? waiting_ : 0;
      waiting_ = 0;
      BeginPhase();
    }
    result_.standby_examples = waiting_;
    return result_;
  }

 private:
  const PopPhase& phase() const {
    return schedule_.At(result_.phases.size() - 1);
  }

  void BeginPhase() {
    result_.phases.push_back({.begins = now_});
    phase_began_ = now_;
  }

  // Rounds since the stream began or the target moved last: labels that are
  // still on their way teach nothing.
  double SinceDrift() const {
    if (behaviour_.drift == 0) return now_;
    return std::fmod(now_, static_cast<double>(behaviour_.drift));
  }

  double NextStep(double rounds) const {
    const auto copies = static_cast<double>(phase().copies);
    const double lessons =
        std::max(0.04 * copies * behaviour_.complexity, 0.1 * active_);
    double step = std::max(1.0, lessons / behaviour_.label_rate);
    const auto cap = [&](double until) {
      if (until > 0) step = std::min(step, until);
    };
    cap(rounds - now_);
    cap(phase_began_ + static_cast<double>(phase().solo) - now_);
    if (phase().rounds > 0) {
      cap(phase_began_ + static_cast<double>(phase().rounds) - now_);
    }
    if (behaviour_.drift > 0) {
      cap(static_cast<double>(behaviour_.drift) - SinceDrift());
    }
    cap(static_cast<double>(behaviour_.label_delay) - SinceDrift());
    // Large enough to move a clock of 1e18.
    return std::max({step, 1e-3, now_ * 0x1p-40});
  }

  double ActiveShare() const {
    if (schedule_.handover != PhaseEnd::kStandby) return 1;
    if (now_ - phase_began_ < static_cast<double>(phase().solo)) return 1;
    return static_cast<double>(phase().active_share) / PopPhase::kAllExamples;
  }

  void Advance(double step) {
    const bool labelled =
        SinceDrift() >= static_cast<double>(behaviour_.label_delay);
    const double share = ActiveShare();
    const double taught = labelled ? behaviour_.label_rate * step : 0;
    const auto copies = static_cast<double>(phase().copies);
    const double middle = active_ + 0.5 * share * taught;
    const double half = 0.5 * copies * phase().rate;
    const Rates rates =
        model_.At(middle / (copies * behaviour_.complexity), half);
    const bool band = schedule_.variant == PopVariant::kBand;
    const double width =
        band ? static_cast<double>(phase().gap) * phase().rate : 1;
    const double paid = std::min(1.0, rates.paid * width) * step;
    // Where the label is wrong, a wrong answer counts as right.
    const double noise = behaviour_.noise;
    const double wrong = (noise + (1 - 2 * noise) * rates.mistake) * step;
    result_.phases.back().mistakes += wrong;
    result_.phases.back().paid += paid;
    result_.mistakes += wrong;
    result_.paid += paid;
    active_ += share * taught;
    waiting_ += (1 - share) * taught;
    now_ += step;
    if (behaviour_.drift > 0 && SinceDrift() < 0.5) active_ = waiting_ = 0;
  }

  // When the Stopper is about to halt: its checks' noise reaches so far.
  bool Reaches(double count, double limit) const {
    const double checks = std::max(2.0, now_ - phase_began_);
    const double noise = std::log(checks / 0.7) / schedule_.stopper;
    return count + 1.5 * std::sqrt(count) + noise >= limit;
  }

  bool PhaseOver() const {
    const PopPhaseExpectation& so_far = result_.phases.back();
    if (Reaches(so_far.paid, static_cast<double>(phase().reports))) return true;
    return phase().rounds > 0 &&
           now_ - phase_began_ >= static_cast<double>(phase().rounds) - 0.5;
  }

  const PopModel& model_;
  const PopSchedule& schedule_;
  const PopBehaviour& behaviour_;
  double enough_;
  PopExpectation result_;
  double now_ = 0;
  double phase_began_ = 0;
  double active_ = 0;   // examples the active generation knows
  double waiting_ = 0;  // and the one that waits
};

PopExpectation PopModel::Expect(const PopSchedule& schedule,
                                const PopBehaviour& behaviour,
                                double enough) const {
  // Number of target moves after which further moves are alike.
  constexpr std::uint64_t kMostDrifts = 40;
  const std::uint64_t followed = kMostDrifts * behaviour.drift;
  if (behaviour.drift == 0 || behaviour.rounds <= followed) {
    return Run(*this, schedule, behaviour, enough).Go();
  }
  PopBehaviour part = behaviour;
  part.rounds = followed;
  const double times =
      static_cast<double>(behaviour.rounds) / static_cast<double>(followed);
  // A little more, so that rounding does not make it fewer than enough.
  const double share = enough / times * (1 + 1e-9);
  PopExpectation expected = Run(*this, schedule, part, share).Go();
  expected.mistakes *= times;
  expected.paid *= times;
  return expected;
}

}  // namespace sotto
