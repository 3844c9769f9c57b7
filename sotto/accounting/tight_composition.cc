#include "sotto/accounting/tight_composition.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "sotto/accounting/composed_loss.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/safe_root.h"

namespace sotto {
namespace {

// Choices that affect speed and tightness, never validity.
constexpr double kPlanSpacing = 0.1;    // of the loss's deviation: first look
constexpr double kFirstSpacing = 0.04;  // of its tilted deviation: first answer
constexpr double kLeastFirst = 0.002;   // of its deviation
constexpr double kMaxFirstPoints = 0x1p14;
constexpr double kMaxSpacing = 2;
constexpr double kWindowTail = 1e-8;  // of the tilted mass, without damping
constexpr double kMaxWindowTail = 1e-4;
constexpr double kTailShare = 1e-9;  // of delta, for all truncated tails
constexpr double kGoodShare = 1e-5;  // certified error below this: accept
constexpr double kMaxShare = 1e-2;   // above this: no answer
constexpr double kRootTolerance = 1e-8;
constexpr double kLeastTail = 1e-300;
constexpr double kMinTilt = 1e-6;
constexpr double kMaxTilt = 1e9;
constexpr int kMaxLevels = 7;

// The question: delta at an epsilon, or epsilon at a delta. The answer is
// ln(delta) or epsilon.
struct Question {
  std::optional<double> epsilon;
  double log_delta = 0;
};

struct Answer {
  double value;
  double error_share;
};

// One direction of the composition.
class Composer {
 public:
  Composer(std::vector<LossTerm> terms, Question question,
           const TightOptions& options)
      : terms_(std::move(terms)), question_(question), options_(options) {}

  Result<double> Solve() {
    Measure();
    if (question_.epsilon && *question_.epsilon >= largest_) {
      return AtInfinityOnly();
    }
    SOTTO_TRY(Plan());
    if (auto exact = OnOwnLattice()) return Capped(*exact);
    return Refine();
  }

 private:
  using Grids = std::vector<LossGrid>;

  void Measure() {
    double squares = 0;
    for (const LossTerm& term : terms_) {
      const auto count = static_cast<double>(term.count);
      count_ += count;
      squares += count * term.loss.deviation() * term.loss.deviation();
      largest_ += UpMul(count, term.loss.largest_loss());
    }
    largest_ = InflateUp(largest_, 1e-15 * static_cast<double>(terms_.size()));
    deviation_ = std::sqrt(squares / count_);
    if (std::isfinite(largest_)) {
      deviation_ = std::max(deviation_, 1e-6 * std::abs(largest_) / count_);
    }
  }

  // Beyond the largest loss only what is at infinity is left.
  double AtInfinityOnly() const {
    double log_kept = 0;
    for (const LossTerm& term : terms_) {
      log_kept += static_cast<double>(term.count) *
                  std::log1p(-std::min(1.0, term.loss.infinity()));
    }
    if (log_kept == 0) return -HUGE_VAL;
    return std::log(InflateUp(-std::expm1(log_kept), 1e-14));
  }

  double Spacing(double share) const {
    const double wanted = std::min(kMaxSpacing, share * deviation_);
    return terms_.front().loss.AlignedSpacing(wanted);
  }

  Result<Grids> GridsAt(double spacing) const {
    Grids grids;
    for (const LossTerm& term : terms_) {
      SOTTO_TRY_ASSIGN(auto grid, term.loss.OnGrid(spacing, tail_));
      grids.push_back(std::move(grid));
    }
    return grids;
  }

  std::vector<GridTerm> TermsOn(const Grids& grids) const {
    std::vector<GridTerm> terms;
    for (std::size_t i = 0; i < grids.size(); ++i) {
      terms.push_back({&grids[i], terms_[i].count});
    }
    return terms;
  }

  // Saddle-point estimate of ln(delta) where the tilted mean is epsilon.
  static double LogDeltaGuess(const TiltedMoments& moments, double tilt) {
    const double spread = std::sqrt(6.283 * moments.variance);
    return moments.log_moment - tilt * moments.mean -
           std::log1p(tilt * (1 + (tilt + 1) * spread));
  }

  bool TiltTooLow(const TiltedMoments& moments, double tilt,
                  std::optional<double> epsilon) const {
    if (epsilon) return moments.mean < *epsilon;
    return LogDeltaGuess(moments, tilt) > question_.log_delta;
  }

  double FindTilt(const std::vector<GridTerm>& terms,
                  std::optional<double> epsilon) const {
    double low = std::log(kMinTilt);
    double high = std::log(kMaxTilt);
    if (!TiltTooLow(ComputeMoments(terms, kMinTilt), kMinTilt, epsilon))
      return 0;
    while (high - low > 0.01) {
      const double middle = (low + high) / 2;
      const double tilt = std::exp(middle);
      (TiltTooLow(ComputeMoments(terms, tilt), tilt, epsilon) ? low : high) =
          middle;
    }
    return std::exp(low);
  }

  // A first look: the tilt, the tails worth keeping, the first spacing.
  Status Plan() {
    const double guess = question_.epsilon ? -680 : question_.log_delta;
    tail_ = std::clamp(std::exp(guess) * kTailShare / count_, kLeastTail, 1e-9);
    double share = kPlanSpacing;
    Result<Grids> grids = GridsAt(Spacing(share));
    while (!grids && grids.error().code == ErrorCode::kNotConverged &&
           Spacing(share) < kMaxSpacing && share < 1e9) {
      share *= 4;
      grids = GridsAt(Spacing(share));
    }
    if (!grids) return grids.error();
    const std::vector<GridTerm> terms = TermsOn(*grids);
    tilt_ = FindTilt(terms, question_.epsilon);
    const TiltedMoments moments = ComputeMoments(terms, tilt_);
    if (question_.epsilon) {
      const double log_delta = std::max(-680.0, LogDeltaGuess(moments, tilt_));
      tail_ = std::clamp(std::exp(log_delta) * kTailShare / count_, kLeastTail,
                         1e-9);
    }
    const double tilted = std::sqrt(moments.variance / count_) / deviation_;
    const auto points = static_cast<double>(grids->front().mass.size());
    const double least =
        std::max(kLeastFirst, share * points / kMaxFirstPoints);
    const double most = std::max(share / 2, kFirstSpacing);
    spread_ = std::sqrt(moments.variance);
    // The tilt damps what lies beyond the window: let it be narrower.
    window_tail_ =
        std::min(kMaxWindowTail,
                 kWindowTail * std::exp(std::min(30.0, 3 * tilt_ * spread_)));
    const double wanted =
        std::max(std::min(kFirstSpacing * tilted, most), least) * deviation_;
    spacing_ = Filled(std::min(kMaxSpacing, wanted));
    return Ok();
  }

  // A spacing of at most `spacing` that fills a power of two with the window.
  double Filled(double spacing) const {
    const double width =
        2.06 * std::sqrt(-2 * std::log(window_tail_)) * spread_;
    const double points = width / spacing;
    double filled = spacing;
    if (points > 64 && points < 1e9) {
      filled = width / static_cast<double>(
                           std::bit_ceil(static_cast<std::uint64_t>(points)));
    }
    return terms_.front().loss.AlignedSpacing(std::min(filled, spacing));
  }

  std::optional<double> OnOwnLattice() {
    const auto own = terms_.front().loss.lattice_spacing();
    if (terms_.size() != 1 || !own) return std::nullopt;
    const auto limit = static_cast<double>(options_.max_size);
    if (16 * spread_ / *own > limit) return std::nullopt;
    const auto build = [this]() -> Result<Grids> {
      SOTTO_TRY_ASSIGN(auto grid, terms_.front().loss.OnOwnLattice(tail_));
      return Grids{std::move(grid)};
    };
    const Result<Answer> answer = Certified(build);
    if (!answer) return std::nullopt;
    return answer->value;
  }

  // The answer on one lattice. Corrects a poor tilt or tails that are too
  // short.
  template <typename Build>
  Result<Answer> Certified(const Build& build) {
    Result<Answer> best = NotConverged("no lattice gave a certified bound");
    for (int attempt = 0; attempt < 4; ++attempt) {
      SOTTO_TRY_ASSIGN(const Grids grids, build());
      const std::vector<GridTerm> terms = TermsOn(grids);
      auto composed =
          ComposedLoss::Create(terms, {.tilt = tilt_,
                                       .window_tail = window_tail_,
                                       .max_size = options_.max_size});
      if (!composed) return best ? best : Result<Answer>(composed.error());
      const Result<Answer> answer = Ask(*composed);
      if (answer && (!best || answer->value < best->value)) best = answer;
      if (answer && answer->error_share <= kGoodShare) break;
      // The first guess of delta may be far off.
      tail_ = attempt < 2 ? std::max(kLeastTail, tail_ * 1e-6) : kLeastTail;
      window_tail_ = kWindowTail;
      if (answer && !question_.epsilon) {
        tilt_ = FindTilt(terms, answer->value);
      } else if (attempt == 0) {
        tilt_ = FindTilt(terms, question_.epsilon);
      } else {
        tilt_ = std::min(kMaxTilt, tilt_ * 1.25 + kMinTilt);
      }
    }
    if (best && best->error_share > kMaxShare) {
      return NotConverged("numerical errors exceed one per cent of delta");
    }
    return best;
  }

  Result<Answer> Ask(const ComposedLoss& composed) const {
    if (question_.epsilon) {
      const ComposedLoss::Bound bound = composed.At(*question_.epsilon);
      if (std::isnan(bound.log_delta)) return NotConverged("not a number");
      return Answer{bound.log_delta, bound.error_share};
    }
    const auto excess = [&](double epsilon) -> Result<double> {
      return composed.At(epsilon).log_delta - question_.log_delta;
    };
    const RootEnd zero{0, *excess(0)};
    if (zero.excess <= 0) return Answer{0, composed.At(0).error_share};
    const double top = InflateUp(std::max(1e-12, composed.highest()), 1e-12);
    const RootEnd end{top, *excess(top)};
    if (!(end.excess <= 0)) {
      return NotConverged("no epsilon reaches this delta");
    }
    RootEnd start = zero;
    if (composed.lowest() > 0) {
      const RootEnd low{composed.lowest(), *excess(composed.lowest())};
      if (low.excess > 0) start = low;
    }
    SOTTO_TRY_ASSIGN(const double root,
                     SafeRoot(excess, start, end, kRootTolerance));
    return Answer{root, composed.At(root).error_share};
  }

  // The error of connecting the dots grows with the square of the spacing. Two
  // answers determine how fine the lattice must be.
  Result<double> Refine() {
    const auto build = [this] { return GridsAt(spacing_); };
    Result<Answer> answer = Certified(build);
    for (int coarser = 0; coarser < 12 && !answer && spacing_ < kMaxSpacing;
         ++coarser) {
      spacing_ = terms_.front().loss.AlignedSpacing(
          std::min(kMaxSpacing, 3 * spacing_));
      answer = Certified(build);
    }
    if (!answer) return answer.error();
    double ratio = 2;
    for (int level = 1; level < kMaxLevels; ++level) {
      const double previous = spacing_;
      spacing_ = Filled(spacing_ / ratio);
      const Result<Answer> finer = Certified(build);
      if (!finer) break;  // too fine; what we have is a bound
      const double gain = answer->value - finer->value;
      if (finer->value < answer->value) answer = finer;
      const double steps = previous / spacing_;
      const double left = std::abs(gain) / (steps * steps - 1);
      const double allowed = Allowed(answer->value);
      if (left <= allowed) break;
      ratio = std::clamp(std::sqrt(left / allowed) * 1.1, 1.5, 8.0);
    }
    return Capped(answer->value);
  }

  double Allowed(double value) const {
    if (question_.epsilon) return 10 * options_.tolerance;  // of ln(delta)
    return options_.tolerance * std::abs(value);
  }

  // No epsilon above the largest loss is ever needed.
  double Capped(double value) const {
    return question_.epsilon ? value : std::min(value, largest_);
  }

  std::vector<LossTerm> terms_;
  Question question_;
  const TightOptions& options_;
  double count_ = 0;
  double largest_ = 0;
  double deviation_ = 0;
  double tilt_ = 0;
  double tail_ = 0;
  double spacing_ = 0;
  double spread_ = 0;
  double window_tail_ = kWindowTail;
};

Result<double> SolveBothWays(std::span<const LossTerm> terms, Question question,
                             const TightOptions& options) {
  if (terms.empty()) return InvalidArgument("nothing to compose");
  bool symmetric = true;
  std::vector<LossTerm> forward;
  std::vector<LossTerm> backward;
  for (const LossTerm& term : terms) {
    if (term.count == 0 || term.count >= (std::uint64_t{1} << 53)) {
      return InvalidArgument("a count must be positive and below 2^53");
    }
    symmetric = symmetric && term.loss.symmetric();
    forward.push_back(term);
    backward.push_back({term.loss.Reversed(), term.count});
  }
  Result<double> answer = Composer(forward, question, options).Solve();
  if (symmetric || !answer) return answer;
  SOTTO_TRY_ASSIGN(const double other,
                   Composer(backward, question, options).Solve());
  return std::max(*answer, other);
}

}  // namespace

Result<double> TightDelta(std::span<const LossTerm> terms, double epsilon,
                          const TightOptions& options) {
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    return InvalidArgument("epsilon must be finite and not negative");
  }
  SOTTO_TRY_ASSIGN(const double log_delta,
                   SolveBothWays(terms, {.epsilon = epsilon}, options));
  if (log_delta == -HUGE_VAL) return 0.0;
  const double delta = std::exp(log_delta);
  return std::min(1.0, InflateUp(delta, 0x1p-51));
}

Result<double> TightEpsilon(std::span<const LossTerm> terms, double delta,
                            const TightOptions& options) {
  if (!(delta > 0) || !(delta < 1)) {
    return InvalidArgument("delta must be strictly between 0 and 1");
  }
  const double log_delta = StepDown(std::log(delta));
  return SolveBothWays(
      terms,
      {.epsilon = std::nullopt,
       .log_delta = log_delta - 4 * std::abs(log_delta) * 0x1p-53},
      options);
}

}  // namespace sotto
