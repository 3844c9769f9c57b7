#include "sotto/models/tide/private_tide.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto {
namespace {

constexpr double kClip = 0.5;
constexpr double kNumberClip = 0.0625;
// Predictions use an average of the weights of about two steps.
constexpr double kAverage = 0.5;
// Standard deviations of noise that a mean must exceed to be kept.
constexpr double kMeanThreshold = 3;
// Shares change whenever the clock has grown by a fifth, or by this many
// rounds.
constexpr double kFirstShares = 1500;
constexpr double kSharesGrowth = 1.2;
constexpr double kSharesRounds = 2000;

std::uint32_t Outputs(const LabelType& label) {
  return label.kind == LabelType::Kind::kClasses ? label.classes() : 1;
}

double ComputeClip(const PrivateTide::Params& params) {
  if (params.clip != 0) return params.clip;
  return params.label.kind == LabelType::Kind::kNumber ? kNumberClip : kClip;
}

TidePrivacy MakePrivacy(const PrivateTide::Params& params,
                        const TideEncoding& encoding) {
  return {.epsilon = params.epsilon,
          .delta = params.delta,
          .relation = params.relation,
          .rounds_per_user = params.rounds_per_user,
          .coordinates = encoding.coordinates(),
          .outputs = Outputs(params.label),
          .max_entries = encoding.max_entries(),
          .signed_share = std::min(1.0, encoding.signed_share()),
          .clip = ComputeClip(params)};
}

Status CheckLabel(const LabelType& label) {
  if (label.kind == LabelType::Kind::kClasses && label.classes() < 2) {
    return InvalidArgument("tide needs the names of at least two classes");
  }
  if (label.kind == LabelType::Kind::kNumber &&
      !(label.low < label.high && std::isfinite(label.high - label.low))) {
    return InvalidArgument("tide needs a range for a label that is a number");
  }
  return Ok();
}

// Rates are finite, so weights stay finite indefinitely.
bool IsRate(double rate) { return rate >= 0 && rate <= 64; }

Status CheckSchedule(const TideSchedule& schedule) {
  if (schedule.start_rows > kTideMostRounds ||
      schedule.batch > kTideMostRounds ||
      schedule.memory > TideFilter::kMaxMemory || schedule.memory == 1 ||
      !IsRate(schedule.rate) || !IsRate(schedule.first_rate) ||
      !IsRate(schedule.early)) {
    return InvalidArgument("the schedule of tide is out of range");
  }
  return Ok();
}

// Noise of a part, by the part's name.
std::unique_ptr<TideNoiseSource> Gaussian(const FixedWorkGaussian& sampler,
                                          std::string_view name,
                                          double sensitivity) {
  return std::make_unique<TideGaussian>(sampler, name, sensitivity);
}

double Deviation(const Rational& variance, int bits) {
  return std::ldexp(std::sqrt(variance.ToDoubleUp()), -bits);
}

// Returns true if x meets the requirements of FeatureView. A repeated index
// would be two entries of one coordinate, longer together than the row that was
// measured.
bool IsProper(FeatureView x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i].value)) return false;
    if (i > 0 && x[i].index <= x[i - 1].index) return false;
  }
  return true;
}

Error Improper() {
  return InvalidArgument(
      "features must be finite, sorted by index, and no index there twice");
}

}  // namespace

Result<PrivateTide> PrivateTide::CreateWithNoise(
    const Params& params, std::unique_ptr<TideNoiseSource> start,
    std::unique_ptr<TideNoiseSource> step) {
  SOTTO_TRY(CheckLabel(params.label));
  SOTTO_TRY(CheckSchedule(params.schedule));
  SOTTO_TRY_ASSIGN(const auto encoding, TideEncoding::Create(params.encoding));
  const TidePrivacy privacy = MakePrivacy(params, encoding);
  SOTTO_TRY_ASSIGN(
      const auto schedule,
      ChooseTideSchedule(privacy, params.label.kind, params.schedule));
  TideFilter filter = TideFilter::ForMemory(schedule.memory);
  SOTTO_TRY_ASSIGN(const auto calibration, CalibrateTide(privacy, filter));
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee(
          {.notion = Notion::kDp,
           .relation = params.relation,
           .rounds_per_user = params.rounds_per_user,
           .protects = "a user's features and labels, and when labels come",
           .in_rounds = true,
           .spend = calibration.spend},
          {params.epsilon, params.delta}));
  PrivateTide tide(params, encoding, privacy, schedule, std::move(filter),
                   calibration, std::move(guarantee));
  tide.start_source_ = std::move(start);
  tide.step_source_ = std::move(step);
  return tide;
}

Result<PrivateTide> PrivateTide::Create(const Params& params) {
  auto tide = CreateWithNoise(params, nullptr, nullptr);
  if (!tide) return tide;
  SOTTO_TRY_ASSIGN(
      auto start, FixedWorkGaussian::Create(tide->calibration_.start_variance));
  SOTTO_TRY_ASSIGN(auto step,
                   FixedWorkGaussian::Create(tide->calibration_.step_variance));
  const TideCalibration& noise = tide->calibration_;
  tide->start_source_ =
      Gaussian(start, kTideStartPart,
               TideStartSensitivity(tide->privacy_, noise.start_bits));
  tide->step_source_ = Gaussian(
      step, kTideStepPart,
      TideStepSensitivity(tide->privacy_, tide->filter_, noise.step_bits));
  return tide;
}

PrivateTide::PrivateTide(const Params& params, const TideEncoding& encoding,
                         TidePrivacy privacy, TideSchedule schedule,
                         TideFilter filter, TideCalibration calibration,
                         Guarantee guarantee)
    : label_(params.label),
      privacy_(privacy),
      schedule_(schedule),
      filter_(std::move(filter)),
      calibration_(calibration),
      guarantee_(std::move(guarantee)),
      hypothesis_{TideFrame(encoding),
                  TideWeights(encoding.coordinates(), privacy.outputs),
                  params.label},
      weights_(encoding.coordinates(), privacy.outputs),
      relevance_(filter_, encoding.groups().size(), StepDeviation()),
      next_shares_(kFirstShares),
      batch_(encoding.coordinates(), privacy.outputs),
      noise_(filter_, std::size_t{encoding.coordinates()} * privacy.outputs),
      gradient_(std::size_t{encoding.coordinates()} * privacy.outputs, 0),
      scores_(privacy.outputs, 0.0),
      errors_(privacy.outputs, 0.0) {
  start_.emplace(hypothesis_.frame, privacy.outputs, calibration.start_bits);
}

double PrivateTide::StepDeviation() const {
  return 2 * privacy_.clip *
         Deviation(calibration_.step_variance, calibration_.step_bits);
}

// Advances the clock before anything that depends on the user (step 1).
void PrivateTide::Advance(Rng& rng) {
  if (ticks_ == schedule_.start_rows) {
    ReleaseStart(rng);
  } else if (ticks_ > schedule_.start_rows &&
             (ticks_ - schedule_.start_rows) % schedule_.batch == 0) {
    ReleaseBatch(rng);
  }
  ++ticks_;
}

void PrivateTide::PlayEmptyRound(Rng& rng) { Advance(rng); }

Result<PrivateTide::Round> PrivateTide::Open(FeatureView x, Rng& rng) {
  Advance(rng);
  if (!IsProper(x)) return Improper();
  std::vector<TideFeature> row;
  hypothesis_.frame.encoding().Encode(x, row);
  Begin(row);
  const TideAnswer answer = hypothesis_.Predict(row);
  return Round(answer, std::move(row), in_start());
}

void PrivateTide::Close(Round round, const Label& y) {
  if (!round.open_ || !label_.Has(y)) return;
  // A row of the start belongs to it permanently (step 2).
  if (round.in_start_ && !in_start()) return;
  Teach(round.row_, hypothesis_.frame.InverseLength(round.row_), y);
}

Result<TideAnswer> PrivateTide::Play(FeatureView x,
                                     const std::optional<Label>& y, Rng& rng) {
  Advance(rng);
  if (!IsProper(x)) return Improper();
  hypothesis_.frame.encoding().Encode(x, row_);
  Begin(row_);
  const double inverse = hypothesis_.frame.InverseLength(row_);
  const TideAnswer answer = hypothesis_.Predict(row_, inverse);
  if (y && label_.Has(*y)) Teach(row_, inverse, *y);
  return answer;
}

// Learns from a row without its label.
void PrivateTide::Begin(std::span<const TideFeature> row) {
  if (in_start()) start_->AddRow(row);
}

void PrivateTide::Teach(std::span<const TideFeature> row, double inverse_length,
                        const Label& y) {
  weights_.Scores(row, inverse_length, scores_);
  TideErrors(label_, scores_, y, privacy_.clip, errors_);
  if (in_start()) {
    start_->AddLabel(row, errors_);
    return;
  }
  const double units = std::ldexp(1 / (2 * privacy_.clip),
                                  calibration_.step_bits + kTideFineBits);
  batch_.Add(row, errors_, units * inverse_length);
}

void PrivateTide::ReleaseStart(Rng& rng) {
  const TideStart::Released released = start_->Release(*start_source_, rng);
  start_.reset();
  SetFirstMeans(released);
  SetFirstWeights(released);
}

void PrivateTide::SetFirstMeans(const TideStart::Released& released) {
  TideFrame& frame = hypothesis_.frame;
  const double bar = kMeanThreshold * Deviation(calibration_.start_variance,
                                                calibration_.start_bits);
  const auto rows = static_cast<double>(schedule_.start_rows);
  std::vector<double> means(frame.encoding().coordinates(), 0.0);
  for (std::size_t g = 0; g < frame.encoding().groups().size(); ++g) {
    const TideGroup& group = frame.encoding().groups()[g];
    for (std::size_t j = group.first; j < group.first + group.size; ++j) {
      const double sum = released.sums[j];
      if (std::abs(sum) >= bar) means[j] = sum / (rows * frame.scale(g));
    }
  }
  frame.SetMeans(means);
}

void PrivateTide::SetFirstWeights(const TideStart::Released& released) {
  const TideFrame& frame = hypothesis_.frame;
  const double step = schedule_.first_rate;
  const double deviation =
      Deviation(calibration_.start_variance, calibration_.start_bits);
  const std::size_t outputs = privacy_.outputs;
  const auto weights = weights_.values();
  const auto& gradients = released.gradients;
  for (std::size_t c = 0; c < outputs; ++c) weights[c] = -step * gradients[c];
  std::vector<double> deviations;
  for (std::size_t g = 0; g < frame.encoding().groups().size(); ++g) {
    const TideGroup& group = frame.encoding().groups()[g];
    const double scale = frame.scale(g);
    deviations.push_back(step * scale * deviation);
    for (std::size_t j = group.first; j < group.first + group.size; ++j) {
      const double middle = scale * frame.mean(j) / kTideBias;
      for (std::size_t c = 0; c < outputs; ++c) {
        const std::size_t at = j * outputs + c;
        weights[at] = -step * scale * (gradients[at] - gradients[c] * middle);
      }
    }
  }
  relevance_.Begin(deviations);
  hypothesis_.temper = relevance_.Temper();
  weights_.Centre(frame);
  hypothesis_.weights = weights_;
}

void PrivateTide::ReleaseBatch(Rng& rng) {
  batch_.Take(hypothesis_.frame, kTideFineBits, gradient_);
  noise_.Release(gradient_, *step_source_, rng);
  // From here on only the release is used (step 8).
  const double rate = TideRateAt(schedule_, ticks_);
  StepBack(rate);
  relevance_.Step(hypothesis_.frame, rate);
  hypothesis_.temper = relevance_.Temper();
  if (static_cast<double>(ticks_) >= next_shares_) UpdateShares();
}

// Against the noisy gradient, and the average follows.
void PrivateTide::StepBack(double rate) {
  const TideFrame& frame = hypothesis_.frame;
  const std::size_t outputs = privacy_.outputs;
  const double unit =
      std::ldexp(2 * privacy_.clip * rate, -calibration_.step_bits);
  const auto weights = weights_.values();
  const auto average = hypothesis_.weights.values();
  const auto step = [&](std::size_t first, std::size_t end, double reach) {
    for (std::size_t i = first; i < end; ++i) {
      weights[i] -= reach * static_cast<double>(gradient_[i]);
      average[i] += kAverage * (weights[i] - average[i]);
    }
  };
  step(0, outputs, unit);
  for (std::size_t g = 0; g < frame.encoding().groups().size(); ++g) {
    const TideGroup& group = frame.encoding().groups()[g];
    step(group.first * outputs, (group.first + group.size) * outputs,
         unit * frame.scale(g));
  }
  weights_.Centre(frame);
  hypothesis_.weights.Centre(frame);
}

void PrivateTide::UpdateShares() {
  const auto ticks = static_cast<double>(ticks_);
  next_shares_ = std::min(ticks * kSharesGrowth, ticks + kSharesRounds);
  hypothesis_.frame.SetShares(relevance_.Shares(
      hypothesis_.frame, weights_.values(), privacy_.outputs));
}

}  // namespace sotto
