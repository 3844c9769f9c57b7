#include "sotto/models/winnow/dp_winnow.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "sotto/accounting/renyi.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/random/exact_samplers.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "dp-winnow/1";
constexpr int kScaleBits = 10;  // one unit of a feature is 2^-10
constexpr std::int64_t kMaxSum = std::int64_t{1} << 61;

std::size_t WeightCount(const DpWinnow::Params& params) {
  return std::size_t{params.features} * (params.signs ? 2 : 1);
}

std::int64_t Units(double value) {
  return std::llround(std::ldexp(std::clamp(value, -1.0, 1.0), kScaleBits));
}

// dp_winnow.md, step 3.
double Slack(const DpWinnow::Params& params,
             const DpWinnow::Constants& constants) {
  const double draws = static_cast<double>(constants.samples) *
                       static_cast<double>(constants.updates);
  const int log2 =
      ExponentialSelection::TotalVariationLog2(WeightCount(params));
  const double both = InflateUp(1 + std::exp(params.epsilon), 1e-12);
  return UpAdd(UpMul(both, std::ldexp(draws, -log2)),
               SamplerSlack(params.epsilon));
}

// dp_winnow.md, steps 2 and 3: all draws by their zCDP, and one Stopper.
Result<Spend> ComposeCost(const DpWinnow::Params& params,
                          const DpWinnow::Constants& constants,
                          const Rational& rate, const Stopper& stopper) {
  constexpr double kMoved = 4 << kScaleBits;  // differences of two scores
  const Spend draw = PurePart("draw of a weight", SamplerKind::kSelection,
                              rate.ToDoubleUp(), kMoved);
  const double epsilon = Total(draw).epsilon;
  const double draws = UpMul(static_cast<double>(constants.samples),
                             static_cast<double>(constants.updates));
  const double rho = UpMul(draws, UpMul(UpMul(epsilon, epsilon), 0.125));
  const double slack = Slack(params, constants);
  const double delta = DownAdd(params.delta, -slack);
  SOTTO_TRY_ASSIGN(const double all,
                   EpsilonFromRenyi(ConcentratedCurve(rho), delta));
  return AddParts(
      "example",
      {ComposeParts("samples of weights", {all, delta}, {draw}),
       PurePart("stopper", SamplerKind::kGeometric, stopper.rate(), 1, slack)});
}

}  // namespace

Result<DpWinnow> DpWinnow::Create(const Params& params) {
  SOTTO_TRY_ASSIGN(const auto constants, ChooseDpWinnow(params));
  SOTTO_TRY_ASSIGN(
      const auto rate,
      RationalBelow(std::ldexp(constants.learning_rate, -kScaleBits) /
                    static_cast<double>(constants.batch) * (1 - 1e-12)));
  SOTTO_TRY_ASSIGN(auto selection, ExponentialSelection::Create(rate));
  SOTTO_TRY_ASSIGN(auto stopper,
                   Stopper::Create({.epsilon = constants.stopper_epsilon,
                                    .limit = constants.limit}));
  if (!(Slack(params, constants) <= params.delta * 0x1p-10)) {
    return NotConverged("delta is too small for what the samplers lack");
  }
  SOTTO_TRY_ASSIGN(auto spend, ComposeCost(params, constants, rate, stopper));
  SOTTO_TRY_ASSIGN(auto guarantee,
                   MakeGuarantee({.notion = Notion::kDp,
                                  .relation = Relation::kReplace,
                                  .protects = "a round's features and label",
                                  .in_rounds = true,
                                  .spend = std::move(spend)},
                                 {params.epsilon, params.delta}));
  return DpWinnow(params, constants, std::move(stopper), std::move(selection),
                  std::move(guarantee));
}

DpWinnow::DpWinnow(const Params& params, const Constants& constants,
                   Stopper stopper, ExponentialSelection selection,
                   Guarantee guarantee)
    : params_(params),
      constants_(constants),
      fresh_stopper_(stopper),
      stopper_(std::move(stopper)),
      selection_(std::move(selection)),
      guarantee_(std::move(guarantee)),
      taught_(params.features, 0),
      batch_(params.features, 0),
      counts_(params.features, 0) {
  const std::vector<double> zeros(params.features, 0.0);
  hypothesis_ = WinnowHypothesis(
      ComputeWeights(zeros, 0, params.signs, 0).weights, false);
}

void DpWinnow::PlayEmptyRound(Rng& rng) {
  if (updates_ < constants_.updates &&
      stopper_.Advance(std::exchange(waiting_, 0), rng)) {
    Update(rng);
  }
}

Result<DpWinnow::Round> DpWinnow::Open(FeatureView x, Rng& rng) {
  PlayEmptyRound(rng);
  SOTTO_TRY(Check(x));
  return Round(hypothesis_.Predict(x), x, 0, WinnowRound::kNotScored);
}

Status DpWinnow::Check(FeatureView x) const {
  std::uint64_t next = 0;
  for (const Feature& feature : x) {
    if (feature.index < next || feature.index >= params_.features ||
        !std::isfinite(feature.value)) {
      return InvalidArgument(
          "features must be finite, sorted, none twice, and below " +
          std::to_string(params_.features));
    }
    next = std::uint64_t{feature.index} + 1;
  }
  return Ok();
}

void DpWinnow::Close(Round round, bool y) {
  if (!round.open_ || updates_ >= constants_.updates) return;
  if (!Check(round.x_)) return;
  const double score = hypothesis_.Score(round.x_);
  if ((y ? score : -score) > 0) return;
  ++waiting_;
  if (cached_ == constants_.batch) return;
  ++cached_;
  for (const Feature& f : round.x_) {
    batch_[f.index] += y ? Units(f.value) : -Units(f.value);
  }
}

// Integers until the sample is drawn: scores, rate and weights are exact.
void DpWinnow::Update(Rng& rng) {
  for (std::size_t j = 0; j < taught_.size(); ++j) taught_[j] += batch_[j];
  std::vector<std::int64_t> scores = taught_;
  if (params_.signs) {
    for (const std::int64_t sum : taught_) scores.push_back(-sum);
  }
  std::vector<Uint128> cumulative = selection_.Weights(scores);
  for (std::size_t j = 1; j < cumulative.size(); ++j) {
    cumulative[j] += cumulative[j - 1];
  }
  std::ranges::fill(counts_, 0);
  for (std::int64_t i = 0; i < constants_.samples; ++i) {
    const Uint128 target = UniformBelow(cumulative.back(), rng);
    const auto place = static_cast<std::size_t>(
        std::ranges::upper_bound(cumulative, target) - cumulative.begin());
    const bool plus = place < counts_.size();
    counts_[plus ? place : place - counts_.size()] += plus ? 1 : -1;
  }
  std::ranges::fill(batch_, 0);
  cached_ = 0;
  stopper_ = fresh_stopper_;
  ++updates_;
  PublishCounts();
}

void DpWinnow::PublishCounts() {
  std::vector<float> weights(counts_.size());
  std::ranges::transform(counts_, weights.begin(), [&](std::int64_t count) {
    return static_cast<float>(static_cast<double>(count) /
                              static_cast<double>(constants_.samples));
  });
  hypothesis_ = WinnowHypothesis(std::move(weights), false);
}

void DpWinnow::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(static_cast<std::uint32_t>(params_.features));
  writer.Number(static_cast<std::uint8_t>(params_.signs ? 1 : 0));
  writer.Number(constants_.samples);
  writer.Number(constants_.updates);
  writer.Number(constants_.batch);
  writer.Real(constants_.learning_rate);
  writer.Number(cached_);
  writer.Number(waiting_);
  writer.Number(updates_);
  stopper_.Save(writer);
  for (const auto* sums : {&taught_, &batch_, &counts_}) {
    for (const std::int64_t sum : *sums) writer.Number(sum);
  }
}

Result<DpWinnow> DpWinnow::Load(const Params& params, ByteReader& reader) {
  auto winnow = Create(params);
  if (!winnow) return winnow.error();
  const Constants& constants = winnow->constants_;
  const bool same = reader.Text() == kTag &&
                    reader.Number<std::uint32_t>() == params.features &&
                    reader.Number<std::uint8_t>() == (params.signs ? 1 : 0) &&
                    reader.Number<std::int64_t>() == constants.samples &&
                    reader.Number<std::int64_t>() == constants.updates &&
                    reader.Number<std::int64_t>() == constants.batch &&
                    reader.Real() == constants.learning_rate;
  if (!same) {
    return FailedPrecondition(
        "the state belongs to a winnow with other parameters");
  }
  winnow->cached_ = reader.Number<std::int64_t>();
  winnow->waiting_ = reader.Number<std::uint32_t>();
  winnow->updates_ = reader.Number<std::int64_t>();
  SOTTO_TRY_ASSIGN(auto stopper,
                   Stopper::Load({.epsilon = constants.stopper_epsilon,
                                  .limit = constants.limit},
                                 reader));
  winnow->stopper_ = std::move(stopper);
  bool sane = winnow->cached_ >= 0 && winnow->cached_ <= constants.batch &&
              winnow->updates_ >= 0 && winnow->updates_ <= constants.updates;
  for (auto* sums : {&winnow->taught_, &winnow->batch_, &winnow->counts_}) {
    for (std::int64_t& sum : *sums) {
      sum = reader.Number<std::int64_t>();
      sane = sane && sum >= -kMaxSum && sum <= kMaxSum;
    }
  }
  if (!sane || reader.failed()) {
    return Corruption("the state of winnow makes no sense");
  }
  if (winnow->updates_ > 0) winnow->PublishCounts();
  return winnow;
}

}  // namespace sotto
