#include "sotto/mechanisms/thresholds/above_threshold.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/binomial_composition.h"
#include "sotto/accounting/composed_mechanism.h"
#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "above_threshold/1";
constexpr double kMinRate = 0x1p-30;
constexpr double kMaxRate = 64;
// No noise of rate 2^-30 is larger: 71 * 2^30 < 2^37 (fixed_work_geometric.md).
constexpr std::int64_t kMaxNoise = std::int64_t{1} << 37;

// By how much an "above" moves next to the shifted threshold (step 3).
double ShiftPerReport(bool monotone) { return monotone ? 1 : 2; }

bool IsRate(double rate) { return rate >= kMinRate && rate <= kMaxRate; }

double Mean(double rate) { return 1 / std::expm1(rate); }

// Pr[X >= m] for X with Pr[X >= x] = e^(-rate x), x = 0, 1, ...
double GeometricTail(double rate, std::int64_t m) {
  return std::exp(-rate * static_cast<double>(std::max<std::int64_t>(m, 0)));
}

// Pr[X - Y >= m] for independent X and Y of these rates (step 6).
double DifferenceTail(double x_rate, double y_rate, std::int64_t m) {
  const double both = std::expm1(-x_rate - y_rate);
  if (m >= 0) return GeometricTail(x_rate, m) * std::expm1(-y_rate) / both;
  return 1 - GeometricTail(y_rate, 1 - m) * std::expm1(-x_rate) / both;
}

// The split of `epsilon` = e1 + weight e2 with the least e1^-2 + e2^-2
// (step 5), both rounded down.
struct Split {
  double threshold;
  double query;
};
Result<Split> BestSplit(double epsilon, double weight) {
  const double share = 1 / (1 + std::cbrt(weight * weight));
  SOTTO_TRY_ASSIGN(const auto threshold,
                   SnapRate(std::min(kMaxRate, epsilon * share)));
  const double rest = DownDiv(DownAdd(epsilon, -threshold), weight);
  if (!IsRate(threshold) || !IsRate(rest)) {
    return InvalidArgument("epsilon is too small for so many reports");
  }
  SOTTO_TRY_ASSIGN(const auto query, SnapRate(rest));
  return Split{threshold, query};
}

double TotalUp(double threshold, double query, double weight) {
  return UpAdd(threshold, UpMul(weight, query));
}

Error NotMet(const char* what, double value) {
  return {ErrorCode::kBudgetExhausted, std::string("this noise costs ") + what +
                                           " = " + TextUp(value) +
                                           ", more than the target"};
}

}  // namespace

Result<AboveThreshold::Choice> AboveThreshold::ChooseKept(
    const Params& params) {
  const double weight = UpMul(ShiftPerReport(params.monotone),
                              static_cast<double>(params.reports));
  if (params.threshold_rate == 0) {
    SOTTO_TRY_ASSIGN(const auto split, BestSplit(params.epsilon, weight));
    return Choice{{split.threshold, split.query}, params.epsilon, 0};
  }
  const double total =
      TotalUp(params.threshold_rate, params.query_rate, weight);
  if (params.epsilon == 0) {
    return Choice{{params.threshold_rate, params.query_rate}, total, 0};
  }
  // Either inequality proves the cost. The second is the one BestSplit solves
  // for, so what it chose, and a saved state brings back, always passes.
  const double rest =
      DownDiv(DownAdd(params.epsilon, -params.threshold_rate), weight);
  if (total > params.epsilon && !(params.query_rate <= rest)) {
    return NotMet("epsilon", total);
  }
  return Choice{{params.threshold_rate, params.query_rate}, params.epsilon, 0};
}

Result<AboveThreshold::Choice> AboveThreshold::ChooseRedrawn(
    const Params& params) {
  const double weight = ShiftPerReport(params.monotone);
  const auto reports = static_cast<std::uint64_t>(params.reports);
  const double slack = SamplerSlack(params.epsilon);
  if (params.threshold_rate == 0) {
    const double delta = DownAdd(params.delta, -slack);
    if (!(delta > 0 && params.delta < 1)) {
      return InvalidArgument(
          "delta must be below 1 and above what the samplers cost, " +
          TextUp(slack));
    }
    SOTTO_TRY_ASSIGN(const auto each, ParameterFor(NoiseKind::kPure, reports,
                                                   params.epsilon, delta));
    SOTTO_TRY_ASSIGN(const auto split, BestSplit(each, weight));
    return Choice{{split.threshold, split.query}, params.epsilon, delta};
  }
  const double each = TotalUp(params.threshold_rate, params.query_rate, weight);
  SOTTO_TRY_ASSIGN(const auto delta,
                   BinomialDelta(each, reports, params.epsilon));
  if (params.delta != 0 && UpAdd(delta, slack) > params.delta) {
    return NotMet("delta", UpAdd(delta, slack));
  }
  return Choice{
      {params.threshold_rate, params.query_rate}, params.epsilon, delta};
}

Result<AboveThreshold::Choice> AboveThreshold::Choose(const Params& params) {
  const bool by_hand = params.threshold_rate != 0 || params.query_rate != 0;
  const bool kept = params.threshold_noise == ThresholdNoise::kKept;
  const double epsilon =
      by_hand && kept && params.epsilon == 0 ? 1 : params.epsilon;
  if (Status status =
          CheckThresholdTest(epsilon, params.reports, params.threshold);
      !status) {
    return status.error();
  }
  Params snapped = params;
  if (by_hand) {
    if (!IsRate(params.threshold_rate) || !IsRate(params.query_rate)) {
      return InvalidArgument("rates must be in [2^-30, 64], both or none");
    }
    snapped.threshold_rate = *SnapRate(params.threshold_rate);
    snapped.query_rate = *SnapRate(params.query_rate);
  }
  auto choice = kept ? ChooseKept(snapped) : ChooseRedrawn(snapped);
  if (choice && choice->epsilon > kMaxThresholdEpsilon) {
    return InvalidArgument("this noise costs an epsilon above 16");
  }
  return choice;
}

AboveThreshold::AboveThreshold(const Params& params, const Rates& rates,
                               Guarantee guarantee,
                               FixedWorkGeometric threshold_noise,
                               FixedWorkGeometric query_noise)
    : params_(params),
      rates_(rates),
      guarantee_(std::move(guarantee)),
      threshold_noise_(std::move(threshold_noise)),
      query_noise_(std::move(query_noise)),
      offset_(std::llround(Mean(rates.query) - Mean(rates.threshold))),
      reports_left_(params.reports) {}

Result<AboveThreshold> AboveThreshold::Create(const Params& params) {
  SOTTO_TRY_ASSIGN(const auto choice, Choose(params));
  const double delta = LeastUpAdd(choice.delta, SamplerSlack(choice.epsilon));
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      ThresholdGuarantee(
          choice.epsilon,
          choice.delta > 0 && params.delta > 0 ? params.delta : delta,
          params.monotone ? Relation::kAddRemove : Relation::kReplace));
  SOTTO_TRY_ASSIGN(
      auto threshold_noise,
      FixedWorkGeometric::Create(ExactRate(choice.rates.threshold)));
  SOTTO_TRY_ASSIGN(auto query_noise,
                   FixedWorkGeometric::Create(ExactRate(choice.rates.query)));
  return AboveThreshold(params, choice.rates, std::move(guarantee),
                        std::move(threshold_noise), std::move(query_noise));
}

AboveThreshold::Answer AboveThreshold::Test(std::int64_t value, Rng& rng) {
  if (halted()) return Answer::kHalted;
  return Decide(value, query_noise_.Sample(rng), rng);
}

// Charging "below" is charging "above" for -value against 1 - threshold.
AboveThreshold::Answer AboveThreshold::Decide(std::int64_t value,
                                              std::int64_t noise, Rng& rng) {
  if (halted()) return Answer::kHalted;
  const bool mirrored = params_.charge == Charge::kBelow;
  if (!has_threshold_) {
    const std::int64_t threshold =
        mirrored ? 1 - params_.threshold : params_.threshold;
    noisy_threshold_ = threshold + offset_ + threshold_noise_.Sample(rng);
    has_threshold_ = true;
  }
  ++rounds_;
  const std::int64_t clamped =
      rng.Private("threshold query", ClampQuery(value), 1);
  const std::int64_t noisy = (mirrored ? -clamped : clamped) + noise;
  if (noisy < noisy_threshold_) {
    return mirrored ? Answer::kAbove : Answer::kBelow;
  }
  --reports_left_;
  if (params_.threshold_noise == ThresholdNoise::kRedrawn) {
    has_threshold_ = false;
  }
  return mirrored ? Answer::kBelow : Answer::kAbove;
}

double AboveThreshold::NoiseDeviation() const {
  return std::hypot(GeometricDeviation(rates_.threshold),
                    GeometricDeviation(rates_.query));
}

// Step 6.
std::int64_t AboveThreshold::ErrorBound(std::uint64_t tests,
                                        double failure) const {
  const double t = static_cast<double>(std::max<std::uint64_t>(tests, 1));
  const bool kept = params_.threshold_noise == ThresholdNoise::kKept;
  const double thresholds =
      kept ? 1 : std::min(t, static_cast<double>(params_.reports));
  const double lacking =
      std::ldexp(t + thresholds, -FixedWorkGeometric::TotalVariationLog2());
  // Charging "below" tests -v against 1 - threshold.
  const std::int64_t shift = params_.charge == Charge::kBelow ? 1 : 0;
  const auto fails = [&](std::int64_t w) {
    const std::int64_t up = w + shift + offset_;
    const std::int64_t down = w - shift - offset_ + 1;
    const double early = t * DifferenceTail(rates_.query, rates_.threshold, up);
    const double late =
        thresholds *
        std::min(t * DifferenceTail(rates_.threshold, rates_.query, down),
                 GeometricTail(rates_.threshold, down));
    return !(InflateUp(early + late, 1e-12) + lacking <= failure);
  };
  std::int64_t low = 0;
  std::int64_t high = std::int64_t{1} << 40;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (fails(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void AboveThreshold::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(params_.threshold);
  writer.Number(params_.reports);
  writer.Number(static_cast<std::uint8_t>(params_.charge));
  writer.Number(static_cast<std::uint8_t>(params_.threshold_noise));
  writer.Real(rates_.threshold);
  writer.Real(rates_.query);
  writer.Number(reports_left_);
  writer.Number(rounds_);
  writer.Number(static_cast<std::uint8_t>(has_threshold_ ? 1 : 0));
  writer.Number(noisy_threshold_);
}

Result<AboveThreshold> AboveThreshold::Load(const Params& params,
                                            ByteReader& reader) {
  const bool same = reader.Text() == kTag &&
                    reader.Number<std::int64_t>() == params.threshold &&
                    reader.Number<std::int64_t>() == params.reports &&
                    reader.Number<std::uint8_t>() ==
                        static_cast<std::uint8_t>(params.charge) &&
                    reader.Number<std::uint8_t>() ==
                        static_cast<std::uint8_t>(params.threshold_noise);
  if (!same && !reader.failed()) {
    return FailedPrecondition(
        "the state belongs to another test or other parameters");
  }
  Params saved = params;
  saved.threshold_rate = reader.Real();
  saved.query_rate = reader.Real();
  const auto reports_left = reader.Number<std::int64_t>();
  const auto rounds = reader.Number<std::uint64_t>();
  const auto has_threshold = reader.Number<std::uint8_t>();
  const auto noisy_threshold = reader.Number<std::int64_t>();
  const std::int64_t most = kQueryLimit + 2 * kMaxNoise + 1;
  if (reader.failed() || !IsRate(saved.threshold_rate) ||
      !IsRate(saved.query_rate) || reports_left < 0 ||
      reports_left > params.reports || rounds > kMaxThresholdRounds ||
      has_threshold > 1 || noisy_threshold > most || noisy_threshold < -most) {
    return Corruption("the saved test makes no sense");
  }
  auto test = Create(saved);
  if (!test) return test.error();
  test->params_ = params;
  test->reports_left_ = reports_left;
  test->rounds_ = rounds;
  test->has_threshold_ = has_threshold == 1;
  test->noisy_threshold_ = noisy_threshold;
  return test;
}

}  // namespace sotto
