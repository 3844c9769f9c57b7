#include "sotto/models/tide/private_tide.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/portable_math.h"

namespace sotto {
namespace {

constexpr double kClip = 0.5;
constexpr double kNumberClip = 0.0625;
// Predictions use an average of the weights of about two steps.
constexpr double kAverage = 0.5;
// Pace of the steps of numbers, if no label of the start has come.
constexpr double kBlindPace = 0.5;
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
          .number = params.label.kind == LabelType::Kind::kNumber,
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
  if (schedule.level_rows > kTideMostRounds ||
      schedule.start_rows > kTideMostRounds ||
      schedule.batch > kTideMostRounds ||
      schedule.memory > TideFilter::kMaxMemory || schedule.memory == 1 ||
      !IsRate(schedule.rate) || !IsRate(schedule.first_rate) ||
      !IsRate(schedule.early)) {
    return InvalidArgument("the schedule of tide is out of range");
  }
  return Ok();
}

// Noise of a part, by the part's name.
Result<std::unique_ptr<TideNoiseSource>> Gaussian(const Rational& variance,
                                                  std::string_view name,
                                                  double sensitivity) {
  SOTTO_TRY_ASSIGN(auto sampler, FixedWorkGaussian::Create(variance));
  return std::unique_ptr<TideNoiseSource>(
      std::make_unique<TideGaussian>(std::move(sampler), name, sensitivity));
}

double Deviation(const Rational& variance, int bits) {
  return std::ldexp(std::sqrt(variance.ToDoubleUp()), -bits);
}

// A label that comes, in units of a step: exact, as there are at least 2^8.
std::int64_t LabelUnits(int bits) {
  return static_cast<std::int64_t>(std::ldexp(kTideBatchCount / 2, bits));
}

// Returns true if x meets the requirements of FeatureView. A repeated index
// would be two entries of one coordinate, longer together than the row that was
// measured.
Error Improper() {
  return InvalidArgument(
      "features must be finite, sorted by index, and no index there twice");
}

}  // namespace

bool IsProperRow(FeatureView x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i].value)) return false;
    if (i > 0 && x[i].index <= x[i - 1].index) return false;
  }
  return true;
}

Result<PrivateTide> PrivateTide::CreateWithNoise(const Params& params,
                                                 Sources sources) {
  SOTTO_TRY(CheckLabel(params.label));
  SOTTO_TRY(CheckSchedule(params.schedule));
  TideEncoding::Params shape = params.encoding;
  shape.coarse = params.label.kind == LabelType::Kind::kClasses;
  SOTTO_TRY_ASSIGN(const auto encoding, TideEncoding::Create(shape));
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
  tide.sources_ = std::move(sources);
  return tide;
}

Result<PrivateTide> PrivateTide::Create(const Params& params) {
  auto tide = CreateWithNoise(params, {});
  if (!tide) return tide;
  const TideCalibration& noise = tide->calibration_;
  const TidePrivacy& privacy = tide->privacy_;
  SOTTO_TRY_ASSIGN(tide->sources_.start,
                   Gaussian(noise.start_variance, kTideStartPart,
                            TideStartSensitivity(privacy, noise.start_bits)));
  SOTTO_TRY_ASSIGN(
      tide->sources_.step,
      Gaussian(noise.step_variance, kTideStepPart,
               TideStepSensitivity(privacy, tide->filter_, noise.step_bits)));
  if (!privacy.number) return tide;
  SOTTO_TRY_ASSIGN(tide->sources_.level,
                   Gaussian(noise.level_variance, kTideLevelPart,
                            TideLevelSensitivity(privacy, noise.level_bits)));
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
      pairs_(encoding, static_cast<double>(schedule.halving)),
      next_shares_(kFirstShares),
      level_(calibration.level_bits),
      batch_(encoding.coordinates(), privacy.outputs),
      noise_(filter_,
             std::size_t{encoding.coordinates()} * privacy.outputs + 1),
      gradient_(std::size_t{encoding.coordinates()} * privacy.outputs + 1, 0),
      scores_(privacy.outputs, 0.0),
      errors_(privacy.outputs, 0.0) {
  FindRanges();
  start_.emplace(hypothesis_.frame, privacy.outputs, calibration.start_bits,
                 privacy.number);
}

double PrivateTide::StepDeviation() const {
  return 2 * privacy_.clip *
         Deviation(calibration_.step_variance, calibration_.step_bits);
}

// Advances the clock before anything that depends on the user (step 1).
void PrivateTide::Advance(Rng& rng) {
  if (ticks_ == first_rows()) {
    ReleaseStart(rng);
  } else if (ticks_ > first_rows() &&
             (ticks_ - first_rows()) % schedule_.batch == 0) {
    ReleaseBatch(rng);
  } else if (ticks_ == schedule_.level_rows && ticks_ > 0) {
    ReleaseLevel(rng);
  }
  ++ticks_;
}

// The part that the newest round belongs to.
TidePart PrivateTide::part() const {
  if (ticks_ <= schedule_.level_rows) return TidePart::kLevel;
  return ticks_ <= first_rows() ? TidePart::kStart : TidePart::kSteps;
}

void PrivateTide::PlayEmptyRound(Rng& rng) { Advance(rng); }

Result<PrivateTide::Round> PrivateTide::Open(FeatureView x, Rng& rng) {
  Advance(rng);
  if (!IsProperRow(x)) return Improper();
  hypothesis_.frame.encoding().Encode(x, row_);
  Begin(row_);
  const TideAnswer answer = hypothesis_.Predict(row_);
  return Round(answer, x, part());
}

void PrivateTide::Close(Round round, const Label& y) {
  if (!round.open_ || !label_.Has(y)) return;
  // A row of the level or the start belongs to it permanently (step 1).
  if (round.part_ != TidePart::kSteps && round.part_ != part()) return;
  hypothesis_.frame.encoding().Encode(round.x_, row_);
  Teach(row_, hypothesis_.frame.InverseLength(row_), y);
}

Result<TideAnswer> PrivateTide::Play(FeatureView x,
                                     const std::optional<Label>& y, Rng& rng) {
  Advance(rng);
  if (!IsProperRow(x)) return Improper();
  hypothesis_.frame.encoding().Encode(x, row_);
  Begin(row_);
  const double inverse = hypothesis_.frame.InverseLength(row_);
  const TideAnswer answer = hypothesis_.Predict(row_, inverse);
  if (y && label_.Has(*y)) Teach(row_, inverse, *y);
  return answer;
}

// Learns from a row without its label.
void PrivateTide::Begin(std::span<const TideFeature> row) {
  if (part() == TidePart::kStart) start_->AddRow(row);
}

void PrivateTide::Teach(std::span<const TideFeature> row, double inverse_length,
                        const Label& y) {
  switch (part()) {
    case TidePart::kLevel:
      level_.Add(FindTidePlace(label_, y.number()));
      return;
    case TidePart::kStart:
      TeachStart(row, y);
      return;
    case TidePart::kSteps:
      break;
  }
  weights_.Scores(row, inverse_length, scores_);
  for (double& score : scores_) score += hypothesis_.level;
  TideErrors(label_, scores_, y, privacy_.clip, errors_);
  const double units = std::ldexp(1 / (2 * privacy_.clip),
                                  calibration_.step_bits + kTideFineBits);
  batch_.Add(row, errors_, units * inverse_length);
  batch_.AddLabel(LabelUnits(calibration_.step_bits));
}

// At weights 0, with errors in units of 2C.
void PrivateTide::TeachStart(std::span<const TideFeature> row, const Label& y) {
  std::ranges::fill(scores_, hypothesis_.level);
  TideErrors(label_, scores_, y, privacy_.clip, errors_);
  for (double& error : errors_) error /= 2 * privacy_.clip;
  start_->AddLabel(row, errors_);
  if (!privacy_.number) return;
  const double predicted = 1 / (1 + PortableExp(-hypothesis_.level));
  start_->AddGap(std::abs(predicted - FindTidePlace(label_, y.number())));
}

void PrivateTide::ReleaseLevel(Rng& rng) {
  hypothesis_.level =
      level_.Release(schedule_.level_rows, *sources_.level, rng);
}

void PrivateTide::ReleaseStart(Rng& rng) {
  const TideStart::Released released = start_->Release(*sources_.start, rng);
  start_.reset();
  SetFirstMeans(released);
  open_ = HasLabels(released);
  if (!open_) {  // first weights would be noise
    pace_ = schedule_.paced ? kBlindPace : 1;
    return;
  }
  if (privacy_.number) SetFirstNumbers(released);
  SetFirstWeights(released);
}

// Returns true if at least half of the start's labels have come, or if the
// noise is too large to tell.
bool PrivateTide::HasLabels(const TideStart::Released& released) const {
  const auto rows = static_cast<double>(schedule_.start_rows);
  const double deviation =
      Deviation(calibration_.start_variance, calibration_.start_bits) /
      kTideStartCount;
  return deviation > rows / 6 || released.labels >= rows / 2;
}

// Where numbers lie, again, and how far steps may go.
void PrivateTide::SetFirstNumbers(const TideStart::Released& released) {
  const auto start = static_cast<double>(schedule_.start_rows);
  const double rows = std::clamp(released.labels, start / 2, start);
  const TideFirstNumbers first = {
      .level = hypothesis_.level,
      .mean_error =
          2 * privacy_.clip * released.gradients[0] / (kTideBias * rows),
      .mean_gap = released.gaps / rows};
  hypothesis_.level = RefineTideLevel(first);
  if (schedule_.paced) pace_ = ComputeTidePace(first);
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
  const double step = schedule_.first_rate * pace_ * 2 * privacy_.clip;
  const double deviation =
      Deviation(calibration_.start_variance, calibration_.start_bits);
  const std::size_t outputs = privacy_.outputs;
  const auto weights = weights_.values();
  const auto& gradients = released.gradients;
  for (std::size_t c = 0; c < outputs; ++c) {
    // A number's constant is in its level.
    weights[c] = privacy_.number ? 0 : -step * gradients[c];
  }
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
  batch_.Take(hypothesis_.frame, kTideFineBits,
              std::span(gradient_).first(weight_count()));
  gradient_.back() = batch_.TakeLabels();
  noise_.Release(gradient_, ranges_, *sources_.step, rng);
  // From here on only the release is used (step 8).
  const double rate = pace_ * TideRateAt(schedule_, ticks_);
  StepBack(rate);
  CountLabels();
  relevance_.Step(hypothesis_.frame, rate);
  if (static_cast<double>(ticks_) >= next_shares_) UpdateShares();
  hypothesis_.temper = relevance_.Temper();
}

// Weights made of noise are not used: if labels of the start were missing, not
// before as many have come.
void PrivateTide::CountLabels() {
  labels_ += static_cast<double>(gradient_.back()) /
             static_cast<double>(LabelUnits(calibration_.step_bits));
  if (open_ || labels_ < static_cast<double>(schedule_.start_rows)) return;
  open_ = true;
  hypothesis_.weights = weights_;
}

// Against the noisy gradient, and the average follows.
void PrivateTide::StepBack(double rate) {
  const TideFrame& frame = hypothesis_.frame;
  const std::size_t outputs = privacy_.outputs;
  const double unit =
      std::ldexp(2 * privacy_.clip * rate, -calibration_.step_bits);
  const auto weights = weights_.values();
  const auto average = hypothesis_.weights.values();
  const double part = open_ ? kAverage : 0;
  const auto step = [&](std::size_t first, std::size_t end, double reach) {
    for (std::size_t i = first; i < end; ++i) {
      weights[i] -= reach * static_cast<double>(gradient_[i]);
      average[i] += part * (weights[i] - average[i]);
    }
  };
  step(0, outputs, unit);
  for (std::size_t g = 0; g < frame.encoding().groups().size(); ++g) {
    const TideGroup& group = frame.encoding().groups()[g];
    if (frame.encoding().dropped(g)) continue;
    step(group.first * outputs, (group.first + group.size) * outputs,
         unit * frame.scale(g));
  }
  weights_.Centre(frame);
  hypothesis_.weights.Centre(frame);
}

void PrivateTide::UpdateShares() {
  const auto ticks = static_cast<double>(ticks_);
  next_shares_ = std::min(ticks * kSharesGrowth, ticks + kSharesRounds);
  TideFrame& frame = hypothesis_.frame;
  const std::uint32_t outputs = privacy_.outputs;
  const auto values = weights_.values();
  std::vector<double> evidence = relevance_.Evidence(frame, values, outputs);
  for (const std::size_t group :
       pairs_.Judge(ticks_, frame, values, outputs, relevance_, evidence)) {
    DropPair(group);
  }
  // A state that is loaded now finds these by the weights that are left.
  weights_.Centre(frame);
  hypothesis_.weights.Centre(frame);
  if (schedule_.paced) {
    pace_ = RaiseTidePace(pace_, relevance_.Signal(frame, values, outputs));
  }
  frame.SetShares(TideRelevance::Shares(frame.shares(),
                                        pairs_.FirstShares(frame), evidence));
}

// From now on nothing of it is released.
void PrivateTide::DropPair(std::size_t group) {
  const TideGroup& pair = hypothesis_.frame.encoding().groups()[group];
  const std::size_t first = std::size_t{pair.first} * privacy_.outputs;
  const std::size_t size = std::size_t{pair.size} * privacy_.outputs;
  std::ranges::fill(weights_.values().subspan(first, size), 0.0);
  std::ranges::fill(hypothesis_.weights.values().subspan(first, size), 0.0);
  hypothesis_.frame.DropPair(group);
  relevance_.Drop(group);
  FindRanges();
}

// Neighbouring groups are one range.
void PrivateTide::FindRanges() {
  const TideEncoding& encoding = hypothesis_.frame.encoding();
  const std::size_t outputs = privacy_.outputs;
  ranges_ = {{0, outputs}};
  for (std::size_t g = 0; g < encoding.groups().size(); ++g) {
    if (encoding.dropped(g)) continue;
    const TideGroup& group = encoding.groups()[g];
    const std::size_t first = group.first * outputs;
    if (ranges_.back().end != first) ranges_.push_back({first, first});
    ranges_.back().end = first + group.size * outputs;
  }
  ranges_.push_back({weight_count(), weight_count() + 1});
}

}  // namespace sotto
