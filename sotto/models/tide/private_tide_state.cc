#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "sotto/base/feature_bytes.h"
#include "sotto/models/tide/private_tide.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "private-tide/4";

// The tags of states with other releases, or other rules for pairs.
constexpr std::string_view kOldTags[] = {"private-tide/2", "private-tide/3"};
constexpr double kMostLevel = 100;

Error BadState() {
  return {ErrorCode::kCorruption, "the state of tide makes no sense"};
}

void WriteWeights(const TideWeights& weights, ByteWriter& writer) {
  for (const double value : weights.values()) writer.Real(value);
}

bool ReadWeights(ByteReader& reader, TideWeights& weights) {
  bool sane = true;
  for (double& value : weights.values()) {
    value = reader.Real();
    sane = sane && std::abs(value) <= 1e100;
  }
  return sane;
}

// A round's flags: open in the lowest bit, its part above it, then whether its
// row has all features from 0 on and is written without their indices.
constexpr unsigned kOpen = 1;
constexpr unsigned kPartShift = 1;
constexpr unsigned kMostFlags = 5;
constexpr unsigned kDense = 8;

bool IsDense(FeatureView x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].index != i) return false;
  }
  return true;
}

FeatureVector ReadValues(ByteReader& reader) {
  const auto size = reader.Number<std::uint32_t>();
  FeatureVector x(
      std::min<std::uint64_t>(size, reader.RoomFor(sizeof(double)) + 1));
  for (std::uint32_t i = 0; i < x.size(); ++i) x[i] = {i, ReadValue(reader)};
  return x;
}

FeatureVector ReadFeatures(ByteReader& reader) {
  const auto size = reader.Number<std::uint32_t>();
  FeatureVector x(
      std::min<std::uint64_t>(size, reader.RoomFor(kFeatureBytes) + 1));
  for (Feature& feature : x) feature = ReadFeature(reader);
  return x;
}

}  // namespace

void TideRound::Save(ByteWriter& writer) const {
  const bool dense = IsDense(x_);
  writer.Number(static_cast<std::uint8_t>(
      (open_ ? kOpen : 0U) | static_cast<unsigned>(part_) << kPartShift |
      (dense ? kDense : 0U)));
  writer.Number(static_cast<std::uint32_t>(x_.size()));
  for (const Feature& feature : x_) {
    dense ? WriteValue(feature.value, writer) : WriteFeature(feature, writer);
  }
}

Result<TideRound> TideRound::Load(ByteReader& reader) {
  const auto written = reader.Number<std::uint8_t>();
  const unsigned flags = written & ~kDense;
  FeatureVector x =
      flags == written ? ReadFeatures(reader) : ReadValues(reader);
  if (flags > kMostFlags || !IsProperRow(x) || reader.failed())
    return BadState();
  TideRound round({}, x, static_cast<TidePart>(flags >> kPartShift));
  round.open_ = (flags & kOpen) != 0;
  return round;
}

// Everything that decides the distribution: a state of other parameters is
// refused.
void PrivateTide::WriteIdentity(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Real(privacy_.epsilon);
  writer.Real(privacy_.delta);
  writer.Number(static_cast<std::uint8_t>(privacy_.relation));
  writer.Number(privacy_.rounds_per_user);
  writer.Number(privacy_.outputs);
  writer.Real(privacy_.clip);
  writer.Number(static_cast<std::uint8_t>(label_.kind));
  writer.Real(label_.low);
  writer.Real(label_.high);
  for (const TideGroup& group : hypothesis_.frame.encoding().groups()) {
    writer.Number(static_cast<std::uint8_t>(group.kind));
    writer.Number(group.size);
    writer.Number(group.column);
    writer.Number(group.partner);
    writer.Real(group.share);
  }
  writer.Number(schedule_.level_rows);
  writer.Number(schedule_.start_rows);
  writer.Number(schedule_.batch);
  writer.Real(schedule_.rate);
  writer.Real(schedule_.first_rate);
  writer.Real(schedule_.early);
  writer.Number(static_cast<std::uint8_t>(schedule_.paced ? 1 : 0));
  writer.Number(schedule_.halving);
  writer.Number(filter_.epoch);
  for (const TideFilter::Buffer& buffer : filter_.buffers) {
    writer.Number(buffer.loss);
    writer.Number(buffer.weight);
  }
  writer.Number(static_cast<std::int32_t>(calibration_.step_bits));
  writer.Number(calibration_.step_variance.numerator());
  writer.Number(calibration_.start_variance.numerator());
  writer.Number(calibration_.level_variance.numerator());
}

void PrivateTide::Save(ByteWriter& writer) const {
  WriteIdentity(writer);
  writer.Number(ticks_);
  writer.Real(hypothesis_.level);
  if (start_) {
    level_.Save(writer);
    start_->Save(writer);
    return;
  }
  writer.Real(next_shares_);
  writer.Real(pace_);
  writer.Real(labels_);
  writer.Number(static_cast<std::uint8_t>(open_ ? 1 : 0));
  pairs_.Save(writer);
  hypothesis_.frame.Save(writer);
  WriteWeights(weights_, writer);
  WriteWeights(hypothesis_.weights, writer);
  relevance_.Save(writer);
  batch_.Save(writer);
  noise_.Save(writer);
}

Result<PrivateTide> PrivateTide::Load(const Params& params,
                                      ByteReader& reader) {
  auto tide = Create(params);
  if (!tide) return tide.error();
  ByteReader first = reader;
  if (std::ranges::count(kOldTags, first.Text()) > 0) {
    return FailedPrecondition(
        "the state was written by an earlier version of tide, which released "
        "other sums: finish it with that version, or begin again with other "
        "users");
  }
  ByteWriter identity;
  tide->WriteIdentity(identity);
  for (const char expected : identity.bytes()) {
    if (reader.Number<char>() != expected) {
      return FailedPrecondition(
          "the state belongs to a tide with other parameters");
    }
  }
  tide->ticks_ = reader.Number<std::uint64_t>();
  tide->hypothesis_.level = reader.Real();
  if (!(std::abs(tide->hypothesis_.level) <= kMostLevel)) return BadState();
  if (tide->part() != TidePart::kSteps) {
    SOTTO_TRY(tide->level_.Load(reader));
    SOTTO_TRY(tide->start_->Load(reader));
    return tide;
  }
  tide->start_.reset();
  tide->next_shares_ = reader.Real();
  tide->pace_ = reader.Real();
  tide->labels_ = reader.Real();
  const auto open = reader.Number<std::uint8_t>();
  tide->open_ = open == 1;
  if (!(tide->pace_ > 0 && tide->pace_ <= 1) || !std::isfinite(tide->labels_) ||
      open > 1) {
    return BadState();
  }
  SOTTO_TRY(tide->pairs_.Load(reader));
  SOTTO_TRY(tide->hypothesis_.frame.Load(reader));
  tide->FindRanges();
  if (!ReadWeights(reader, tide->weights_) ||
      !ReadWeights(reader, tide->hypothesis_.weights)) {
    return BadState();
  }
  tide->weights_.Centre(tide->hypothesis_.frame);
  tide->hypothesis_.weights.Centre(tide->hypothesis_.frame);
  for (const Status& part :
       {tide->relevance_.Load(reader), tide->batch_.Load(reader),
        tide->noise_.Load(reader)}) {
    if (!part) return part.error();
  }
  tide->hypothesis_.temper = tide->relevance_.Temper();
  return tide;
}

}  // namespace sotto
