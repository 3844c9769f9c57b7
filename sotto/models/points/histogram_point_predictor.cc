#include "sotto/models/points/histogram_point_predictor.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/base/rational.h"
#include "sotto/mechanisms/mirrors/mirror_promise.h"
#include "sotto/mechanisms/selection/selection_params.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "histogram-points/1";
constexpr std::uint64_t kMostPositives = 1 << 22;
constexpr std::uint64_t kMostWindow = 1 << 24;
constexpr std::uint64_t kMostFirstCount = std::uint64_t{1} << 40;

Status Check(const HistogramPointPredictor::Params& params) {
  const HistogramPointDesign& design = params.design;
  SOTTO_TRY(params.CheckPatience());
  if (design.positives < 1 || design.positives > kMostPositives ||
      design.window < design.positives || design.window > kMostWindow ||
      design.first_count < 1 || design.first_count > kMostFirstCount ||
      design.tolerance < 0) {
    return InvalidArgument("the numbers of Algorithm 3 do not fit together");
  }
  return Ok();
}

// Steps 4 to 6: histogram, mirror, Fake, and the simulation's two events, in
// both worlds.
Spend MakeSpend(const HistogramPointDesign& design,
                const SparseHistogram& histogram, const JdpDesign& mirror,
                const Rational& fake_rate) {
  const JdpDeltas deltas = ComputeDelta(mirror, design.mirror.epsilon);
  const double mirror_delta =
      std::max(deltas.one_over_zero, deltas.zero_over_one);
  const Spend parts = AddParts(
      "parts", {histogram.guarantee().spend(),
                MakePart("mirror", {design.mirror.epsilon, mirror_delta},
                         SpentNoise{.kind = SamplerKind::kTable}),
                PurePart("fake labels", SamplerKind::kLaplace,
                         fake_rate.ToDoubleUp(), 1)});
  const double missed = UpAdd(
      EarlyTop(mirror, design.first_count, design.window),
      LaplaceTail(fake_rate.ToDoubleDown(),
                  static_cast<std::int64_t>(design.window - design.positives) -
                      design.tolerance));
  const double sampler =
      std::ldexp(1.0, -FixedWorkLaplace::TotalVariationLog2());
  const double tau = std::min(
      1.0, BothWorldsSlack(Total(parts).epsilon, UpAdd(missed, sampler)));
  return AddParts("round", {parts.parts[0], parts.parts[1], parts.parts[2],
                            MakePart("simulation", {0, tau})});
}

}  // namespace

Result<HistogramPointPredictor> HistogramPointPredictor::Create(
    const Params& params) {
  SOTTO_TRY(Check(params));
  const HistogramPointDesign& design = params.design;
  SOTTO_TRY_ASSIGN(auto histogram,
                   SparseHistogram::Create({.epsilon = design.histogram.epsilon,
                                            .delta = design.histogram.delta}));
  SOTTO_TRY_ASSIGN(auto mirror,
                   JdpDesign::Published(design.shape.activation,
                                        design.shape.slope, design.shape.size));
  const JdpDeltas deltas = ComputeDelta(mirror, design.mirror.epsilon);
  if (!std::isfinite(deltas.one_over_zero)) {
    return Error{ErrorCode::kNotConverged,
                 "the mirror is not private at this epsilon"};
  }
  // The histogram's own rate: half, as a label 1 takes another's place.
  SOTTO_TRY_ASSIGN(const auto bin_rate,
                   RationalBelow(design.histogram.epsilon / 2));
  SOTTO_TRY_ASSIGN(const auto fake_rate, RationalBelow(design.fake_epsilon));
  SOTTO_TRY_ASSIGN(auto bin, FixedWorkLaplace::Create(bin_rate));
  SOTTO_TRY_ASSIGN(auto fake, FixedWorkLaplace::Create(fake_rate));
  Spend spend = MakeSpend(design, histogram, mirror, fake_rate);
  return HistogramPointPredictor(
      params, std::move(histogram), std::move(mirror),
      {std::move(bin), std::move(fake)}, std::move(spend));
}

double HistogramPointPredictor::expected_mistakes() const {
  return static_cast<double>(params_.patience) +
         params_.design.ExpectedMistakes();
}

// Zeros among W labels, each with probability 1 - rate, and the noise of Fake.
double HistogramPointPredictor::SuccessProbability(double rate) const {
  const HistogramPointDesign& design = params_.design;
  const auto window = static_cast<double>(design.window);
  double passes = 0;
  for (std::uint64_t zeros = 0; zeros <= design.window; ++zeros) {
    const auto n = static_cast<double>(zeros);
    double weight = zeros == 0 ? 1 : 0;
    if (rate < 1) {
      weight = std::exp(std::lgamma(window + 1) - std::lgamma(n + 1) -
                        std::lgamma(window - n + 1) + n * std::log1p(-rate) +
                        (window - n) * std::log(rate));
    }
    const std::int64_t margin =
        design.tolerance - static_cast<std::int64_t>(zeros);
    const double above = margin >= 0
                             ? LaplaceTail(design.fake_epsilon, margin + 1)
                             : 1 - LaplaceTail(design.fake_epsilon, -margin);
    passes += weight * (1 - above);
    if (rate >= 1) break;
  }
  const std::int64_t threshold = histogram_.threshold();
  const auto shown = static_cast<std::int64_t>(design.positives) - threshold;
  const double found = shown >= 0
                           ? 1 - LaplaceTail(histogram_.rate(), shown + 1)
                           : LaplaceTail(histogram_.rate(), -shown);
  return std::clamp(found * passes, 0.0, 1.0);
}

// Every round draws a coin and the noise of a bin, and the first one what is
// drawn once, whatever anybody brings (step 2).
HistogramPointPredictor::Drawn HistogramPointPredictor::Tick(Rng& rng) {
  if (clock_ == 0) {
    for (std::uint64_t& length : lengths_) length = mirror_.length.Draw(rng);
    fake_noise_ = noise_.fake.Sample(rng);
  }
  ++clock_;
  if (flag_ == 0 && count_ >= params_.design.positives) RunHistogram();
  const bool active = rng.Next() < mirror_.activation;
  return {active, noise_.bin.Sample(rng)};
}

// Line 3(b)iii. Ties go to the smaller name: a function of what a histogram
// releases.
void HistogramPointPredictor::RunHistogram() {
  const PointName* best = nullptr;
  std::int64_t largest = histogram_.threshold() - 1;
  for (const auto& [name, cell] : cells_) {
    if (cell.counted == 0) continue;
    const auto count = static_cast<std::int64_t>(cell.counted) + cell.noise;
    const bool better =
        count > largest || (count == largest && best && name < *best);
    if (!better) continue;
    largest = count;
    best = &name;
  }
  if (best != nullptr) {
    Start(*best);
  } else {
    flag_ = 3;
  }
  cells_.clear();
}

// The mirror has got a one for every occurrence so far. If it said "top" to one
// of them, all is over.
void HistogramPointPredictor::Start(const PointName& name) {
  const Cell cell = cells_.at(name);
  if (cell.active > phase_one()) {
    flag_ = 3;
    return;
  }
  flag_ = 1;
  found_.emplace(name, cell);
}

HistogramPointPredictor::Cell* HistogramPointPredictor::Find(
    const PointName& name) {
  if (flag_ == 0) return &cells_[name];
  return found_ && found_->first == name ? &found_->second : nullptr;
}

OpenedPoint HistogramPointPredictor::Open(const PointName& name, Rng& rng) {
  const Drawn drawn = Tick(rng);
  OpenedPoint opened{.round = {.name = name, .tick = clock_}};
  Cell* cell = Find(name);
  if (cell == nullptr) return opened;
  opened.round.counts = cell->rounds < params_.design.window;
  if (cell->rounds == 0) cell->noise = drawn.bin;
  ++cell->rounds;
  // An exact delay: ones that count for nothing.
  const bool counts = cell->rounds > params_.patience;
  const std::uint64_t before = cell->active;
  if (counts && drawn.active) ++cell->active;
  if (flag_ == 0 || !counts) return opened;
  // Phase one: bottom. Phase two: top if active. Then top.
  const std::uint64_t first = phase_one();
  const bool top =
      before >= first + lengths_[1] || (before >= first && drawn.active);
  if (top && flag_ == 1) {
    flag_ = Passes() ? 2 : 3;
    if (flag_ == 3) found_.reset();
  }
  opened.prediction = top && flag_ == 2;
  return opened;
}

// Line 3(c)ii. A label that did not come in time is a fake one (step 4).
bool HistogramPointPredictor::Passes() const {
  const Cell& cell = found_->second;
  const std::uint64_t labels = std::min(cell.rounds, params_.design.window);
  const auto zeros = static_cast<std::int64_t>(labels - cell.positives);
  return zeros + fake_noise_ <= params_.design.tolerance;
}

// A label counts depending only on its own round and the clock (step 3).
void HistogramPointPredictor::Close(const Round& round, bool y) {
  if (!y || clock_ - round.tick > params_.patience || flag_ == 3) return;
  Cell* cell = nullptr;
  if (flag_ == 0) {
    const auto found = cells_.find(round.name);
    if (found != cells_.end()) cell = &found->second;
  } else if (found_ && found_->first == round.name) {
    cell = &found_->second;
  }
  if (cell == nullptr) return;
  if (round.counts) ++cell->positives;
  if (flag_ == 0 && count_ < params_.design.positives) {
    ++cell->counted;
    ++count_;
  }
}

void HistogramPointPredictor::Cell::Save(ByteWriter& writer) const {
  for (const std::uint64_t number : {rounds, active, counted, positives}) {
    writer.Number(number);
  }
  writer.Number(noise);
}

HistogramPointPredictor::Cell HistogramPointPredictor::Cell::Load(
    ByteReader& reader) {
  Cell cell;
  for (std::uint64_t* number :
       {&cell.rounds, &cell.active, &cell.counted, &cell.positives}) {
    *number = reader.Number<std::uint64_t>();
  }
  cell.noise = reader.Number<std::int64_t>();
  return cell;
}

std::uint64_t HistogramPointPredictor::Digest() const {
  MirrorDigest digest;
  digest.Add(mirror_.activation);
  digest.Add(mirror_.length);
  digest.Add(static_cast<std::uint64_t>(histogram_.threshold()));
  return digest.value();
}

void HistogramPointPredictor::Save(ByteWriter& writer) const {
  SavePointHead(kTag, params_, Digest(), writer);
  writer.Number(clock_);
  for (const std::uint64_t length : lengths_) writer.Number(length);
  writer.Number(fake_noise_);
  writer.Number(static_cast<std::uint8_t>(flag_));
  writer.Number(count_);
  SavePointTable(cells_, writer, [&](const Cell& cell) { cell.Save(writer); });
  writer.Number(static_cast<std::uint8_t>(found_.has_value()));
  if (!found_) return;
  SavePointName(found_->first, writer);
  found_->second.Save(writer);
}

Status HistogramPointPredictor::LoadCells(ByteReader& reader) {
  const auto size = reader.Number<std::uint64_t>();
  for (std::uint64_t i = 0; i < size && !reader.failed(); ++i) {
    const PointName name = LoadPointName(reader);
    if (!cells_.emplace(name, Cell::Load(reader)).second)
      return CorruptPoints();
  }
  const auto found = reader.Number<std::uint8_t>();
  if (reader.failed() || found > 1) return CorruptPoints();
  if (found == 1) {
    const PointName name = LoadPointName(reader);
    found_.emplace(name, Cell::Load(reader));
  }
  if (reader.failed()) return CorruptPoints();
  return Ok();
}

// Lengths are in range, labels do not outnumber rounds, and the labels 1 that
// were counted are those of the cells.
bool HistogramPointPredictor::IsConsistent() const {
  const auto valid = [&](const Cell& cell) {
    return cell.rounds >= 1 && cell.rounds <= clock_ &&
           cell.active <= cell.rounds && cell.counted <= cell.rounds &&
           cell.positives <= std::min(cell.rounds, params_.design.window);
  };
  std::uint64_t counted = 0;
  for (const auto& [name, cell] : cells_) {
    if (!valid(cell)) return false;
    counted += cell.counted;
  }
  if (found_ && !valid(found_->second)) return false;
  const auto in_range = [&](std::uint64_t length) {
    return clock_ == 0 ? length == 0
                       : length >= 1 && length <= mirror_.length.last();
  };
  if (!in_range(lengths_[0]) || !in_range(lengths_[1])) return false;
  if (count_ > params_.design.positives || flag_ > 3) return false;
  const bool named = flag_ == 1 || flag_ == 2;
  if (named != found_.has_value()) return false;
  return flag_ == 0 ? counted == count_ : cells_.empty();
}

Result<HistogramPointPredictor> HistogramPointPredictor::Load(
    const Params& params, ByteReader& reader) {
  SOTTO_TRY_ASSIGN(auto points, LoadPointHead<HistogramPointPredictor>(
                                    kTag, params, reader));
  points.clock_ = reader.Number<std::uint64_t>();
  for (std::uint64_t& length : points.lengths_) {
    length = reader.Number<std::uint64_t>();
  }
  points.fake_noise_ = reader.Number<std::int64_t>();
  points.flag_ = reader.Number<std::uint8_t>();
  points.count_ = reader.Number<std::uint64_t>();
  SOTTO_TRY(points.LoadCells(reader));
  if (!points.IsConsistent()) return CorruptPoints();
  return points;
}

}  // namespace sotto
