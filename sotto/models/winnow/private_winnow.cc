#include "sotto/models/winnow/private_winnow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

constexpr double kPracticalConfidence = 0.3;
// Rounding takes two units of the margin (step 8), at most twice this share.
constexpr double kRoundedShare = 1.0 / 128;
// And floating point takes this much: weights of 24 bits, lengths, scores.
constexpr double kFloatShare = 0x1p-20;
// Keeps exponents finite: sums stay below 2^62.
constexpr double kMaxLearningRate = 0x1p10;
constexpr std::size_t kNoiseChunk = 4096;
constexpr std::int64_t kMaxSum = std::int64_t{1} << 62;

std::uint32_t Coordinates(const PrivateWinnow::Params& params) {
  return params.features + (params.bias ? 1 : 0);
}

double ComputeNorm(const PrivateWinnow::Params& params) {
  if (params.max_norm > 0) return params.max_norm;
  return std::sqrt(static_cast<double>(
      params.max_nonzeros > 0 ? params.max_nonzeros : Coordinates(params)));
}

Status Validate(const PrivateWinnow::Params& p) {
  if (p.features < 1 || p.features > (1U << 24) - 1) {
    return InvalidArgument("winnow takes 1 to 2^24 - 1 features");
  }
  if (!(p.margin >= 0x1p-10 && p.margin <= 1)) {
    return InvalidArgument("--margin must be from 2^-10 to 1 for winnow");
  }
  if (p.horizon < 1) return InvalidArgument("the horizon must be positive");
  if (!(p.failure >= 1e-9 && p.failure < 1)) {
    return InvalidArgument("the failure probability must be in [1e-9, 1)");
  }
  if (p.confidence != -1 && !(p.confidence >= 0 && p.confidence < 1)) {
    return InvalidArgument("the confidence must be in [0, 1)");
  }
  if (p.batch < 0 || p.batch > (std::int64_t{1} << 40)) {
    return InvalidArgument("the batch must be in [0, 2^40]");
  }
  if (!(p.learning_rate >= 0 && p.learning_rate <= kMaxLearningRate)) {
    return InvalidArgument("the learning rate must be in [0, 2^10]");
  }
  if (p.max_nonzeros == 1 && p.bias) {
    return InvalidArgument("the bias is a non-zero: allow for one more");
  }
  if (!(p.max_norm >= 0)) return InvalidArgument("the norm is negative");
  return Ok();
}

WinnowSetting MakeSetting(const PrivateWinnow::Params& params,
                          const WinnowNoise& noise) {
  WinnowSetting s;
  s.sigma = noise.sigma;
  s.threshold =
      std::ldexp(static_cast<double>(noise.threshold), -noise.scale_bits);
  s.stopper_epsilon = noise.stopper_epsilon;
  s.margin = params.margin - std::ldexp(2.0, -noise.scale_bits) - kFloatShare;
  s.confidence = params.confidence;
  if (params.confidence == -1) {
    s.confidence =
        params.aim == WinnowAim::kPractical ? kPracticalConfidence : 0;
  }
  s.signs = params.signs;
  s.all_published =
      params.published == 0 || params.published >= Coordinates(params);
  s.weights = Coordinates(params) * (params.signs ? 2.0 : 1.0);
  s.horizon = params.horizon;
  s.failure = params.failure;
  return s;
}

Result<Guarantee> ComputeGuarantee(const PrivateWinnow::Params& params,
                                   const ApproximateDp& each,
                                   const WinnowNoise& noise,
                                   const Stopper& stopper) {
  const double length = std::sqrt(static_cast<double>(noise.norm_squared));
  const double moved = params.relation == Relation::kReplace ? 2 : 1;
  const ApproximateDp cost{each.epsilon, noise.delta};
  auto one = MakeGuarantee(
      {.notion = Notion::kDp,
       .relation = params.relation,
       .protects = "a round's features and label",
       .in_rounds = true,
       .spend = ComposeParts(
           "example", cost,
           {GaussianPart("batch sum", {},
                         std::sqrt(noise.variance.ToDoubleDown()),
                         moved * length),
            PurePart("stopper", SamplerKind::kGeometric, stopper.rate(), 1)})},
      cost);
  if (!one || params.rounds_per_user == 1) return one;
  return UserLevel(*one, params.rounds_per_user);
}

void AddTo(std::int64_t& sum, std::int64_t noisy) {
  sum = std::clamp(sum + noisy, -kMaxSum, kMaxSum);
}

}  // namespace

Result<PrivateWinnow> PrivateWinnow::Create(const Params& params) {
  SOTTO_TRY(Validate(params));
  SOTTO_TRY_ASSIGN(
      const auto each,
      PerRoundTarget({params.epsilon, params.delta}, params.rounds_per_user));
  SOTTO_TRY_ASSIGN(
      const auto noise,
      CalibrateWinnowNoise(
          {.epsilon = each.epsilon,
           .delta = each.delta,
           .relation = params.relation,
           .coordinates = Coordinates(params),
           .max_norm = ComputeNorm(params),
           .resolution = std::max(params.margin * kRoundedShare, 0x1p-16),
           .nonzeros = params.max_nonzeros}));
  const WinnowSetting setting = MakeSetting(params, noise);
  WinnowStep step = ChooseWinnowStep(setting, params.aim);
  if (params.batch > 0) step.batch = params.batch;
  if (params.learning_rate > 0) step.learning_rate = params.learning_rate;
  SOTTO_TRY_ASSIGN(
      auto stopper,
      Stopper::Create({.epsilon = noise.stopper_epsilon, .limit = step.batch}));
  SOTTO_TRY_ASSIGN(auto sampler, FixedWorkGaussian::Create(noise.variance));
  SOTTO_TRY_ASSIGN(auto guarantee,
                   ComputeGuarantee(params, each, noise, stopper));
  return PrivateWinnow(params, noise, setting, step, std::move(stopper),
                       std::move(sampler), std::move(guarantee));
}

PrivateWinnow::PrivateWinnow(const Params& params, const WinnowNoise& noise,
                             const WinnowSetting& setting,
                             const WinnowStep& step, Stopper stopper,
                             FixedWorkGaussian sampler, Guarantee guarantee)
    : params_(params),
      noise_(noise),
      setting_(setting),
      step_(step),
      fresh_stopper_(stopper),
      stopper_(std::move(stopper)),
      sampler_(std::move(sampler)),
      guarantee_(std::move(guarantee)),
      released_(Coordinates(params), 0),
      batch_(Coordinates(params), 0) {
  if (noise_.threshold > 0) {
    is_touched_.resize(batch_.size(), false);
  } else {
    active_.resize(batch_.size());
    std::iota(active_.begin(), active_.end(), 0U);
  }
  Publish();
}

PrivateWinnow PrivateWinnow::Restarted() const {
  return {params_,        noise_,   setting_,  step_,
          fresh_stopper_, sampler_, guarantee_};
}

// Advances the clock before anything that depends on the user (step 1).
void PrivateWinnow::PlayEmptyRound(Rng& rng) {
  const bool enough = stopper_.Advance(std::exchange(waiting_, 0), rng);
  if (enough) Release(rng);
}

Result<PrivateWinnow::Round> PrivateWinnow::Open(FeatureView x, Rng& rng) {
  PlayEmptyRound(rng);
  SOTTO_TRY(Check(x));
  const FeatureView kept = Kept(x);
  const double score = ScaledScore(kept);
  return Round(score > 0, kept, score, batches_);
}

Status PrivateWinnow::Check(FeatureView x) const {
  std::uint64_t next = 0;
  for (const Feature& feature : x) {
    if (feature.index < next || feature.index >= params_.features) {
      return InvalidArgument("features must be sorted, none twice, and below " +
                             std::to_string(params_.features));
    }
    if (!std::isfinite(feature.value)) {
      return InvalidArgument("features must be finite");
    }
    next = std::uint64_t{feature.index} + 1;
  }
  return Ok();
}

// Features of x that count: no more non-zeros than were stated.
FeatureView PrivateWinnow::Kept(FeatureView x) const {
  if (params_.max_nonzeros == 0) return x;
  const std::size_t room = params_.max_nonzeros - (params_.bias ? 1 : 0);
  return x.first(std::min(x.size(), room));
}

// By which an example of this length is scaled down to the public norm.
double PrivateWinnow::LengthFactor(double norm_squared) const {
  const double limit = std::ldexp(static_cast<double>(noise_.norm_squared),
                                  -2 * noise_.scale_bits);
  return norm_squared <= limit ? 1 : std::sqrt(limit / norm_squared);
}

// <w, x> for x as it will be added.
double PrivateWinnow::ScaledScore(FeatureView x) const {
  double norm_squared = 0;
  const double score = hypothesis_.Score(x, &norm_squared);
  return score * LengthFactor(norm_squared);
}

// An example is judged by the hypothesis of now: one that has become right and
// confident in the meantime teaches nothing.
void PrivateWinnow::Close(Round round, bool y) {
  if (!round.open_) return;
  if (round.releases_ != batches_) round.score_ = ScaledScore(Kept(round.x_));
  const double margin = y ? round.score_ : -round.score_;
  if (margin > setting_.confidence * setting_.margin) return;
  if (!Check(round.x_)) return;
  AddToBatch(Kept(round.x_), y);
  ++waiting_;
}

// Integers from here on, each cut off towards 0 (step 8). That leaves no vector
// longer than it was, but for what floating point may have done to its length:
// the integers are checked. The loop ends: the factor goes to 0.
void PrivateWinnow::AddToBatch(FeatureView x, bool y) {
  // The sums of a million features are not in the cache.
  for (const Feature& f : x) __builtin_prefetch(&batch_[f.index], 1);
  double length = params_.bias ? 1 : 0;
  for (const Feature& f : x) {
    const double value = std::clamp(f.value, -1.0, 1.0);
    length += value * value;
  }
  double factor = std::ldexp(y ? 1.0 : -1.0, noise_.scale_bits);
  if (const double down = LengthFactor(length); down < 1) {
    factor *= down * (1 - 0x1p-40);
  }
  for (double less = 0x1p-40;; less = std::min(2 * less, 0.5)) {
    scratch_.clear();
    std::uint64_t norm_squared = 0;
    const auto add = [&](double value) {
      const auto units = static_cast<std::int64_t>(value * factor);
      norm_squared += static_cast<std::uint64_t>(units * units);
      scratch_.push_back(units);
    };
    for (const Feature& f : x) add(std::clamp(f.value, -1.0, 1.0));
    if (params_.bias) add(1);
    if (norm_squared <= noise_.norm_squared) break;
    factor *= 1 - less;
  }
  const auto count = [&](std::uint32_t j, std::int64_t units) {
    batch_[j] += units;
    if (noise_.threshold == 0 || is_touched_[j]) return;
    is_touched_[j] = true;
    touched_.push_back(j);
  };
  for (std::size_t i = 0; i < x.size(); ++i) count(x[i].index, scratch_[i]);
  if (params_.bias) count(params_.features, scratch_.back());
}

// Empties the cache and starts the Stopper from scratch: step 2 rests on it.
void PrivateWinnow::Release(Rng& rng) {
  if (noise_.threshold > 0) {
    ReleaseTouched(rng);
  } else {
    ReleaseAll(rng);
  }
  stopper_ = fresh_stopper_;
  ++batches_;
  Publish();
}

// By how much one coordinate of a batch may differ; all of them together differ
// by no more (step 4).
std::int64_t PrivateWinnow::MostInBatch() const {
  const double length = std::sqrt(static_cast<double>(noise_.norm_squared));
  return 2 * static_cast<std::int64_t>(std::ceil(length));
}

void PrivateWinnow::ReleaseAll(Rng& rng) {
  const std::int64_t most = MostInBatch();
  std::array<std::int64_t, kNoiseChunk> noise;
  for (std::size_t first = 0; first < batch_.size(); first += kNoiseChunk) {
    const std::size_t count = std::min(kNoiseChunk, batch_.size() - first);
    sampler_.Fill(rng, std::span(noise).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t sum =
          rng.Private("batch sum", batch_[first + i], most);
      AddTo(released_[first + i], sum + noise[i]);
    }
  }
  std::ranges::fill(batch_, 0);
}

// Steps 6 and 7: what is not in any example of the batch is not even drawn.
void PrivateWinnow::ReleaseTouched(Rng& rng) {
  const std::int64_t most = MostInBatch();
  std::vector<std::int64_t> noise(touched_.size());
  sampler_.Fill(rng, noise);
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    const std::uint32_t j = touched_[i];
    is_touched_[j] = false;
    const std::int64_t sum =
        rng.Private("batch sum", std::exchange(batch_[j], 0), most);
    const std::int64_t noisy = sum + noise[i];
    if (std::abs(noisy) < noise_.threshold) continue;
    AddTo(released_[j], noisy);
    active_.push_back(j);
  }
  touched_.clear();
  std::ranges::sort(active_);
  active_.erase(std::unique(active_.begin(), active_.end()), active_.end());
}

// A function of released_ alone.
void PrivateWinnow::Publish() {
  const double per_unit = std::ldexp(step_.learning_rate, -noise_.scale_bits);
  std::vector<double> exponents(active_.size());
  std::ranges::transform(active_, exponents.begin(), [&](std::uint32_t j) {
    return per_unit * static_cast<double>(released_[j]);
  });
  const WinnowWeights w =
      ComputeWeights(exponents, released_.size() - active_.size(),
                     params_.signs, params_.published);
  std::vector<float> weights(released_.size(), w.other);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    weights[active_[i]] = w.weights[i];
  }
  hypothesis_ = WinnowHypothesis(std::move(weights), params_.bias);
}

}  // namespace sotto
