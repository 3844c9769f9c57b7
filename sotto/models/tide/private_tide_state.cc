#include <cmath>
#include <string_view>
#include <utility>

#include "sotto/models/tide/private_tide.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "private-tide/2";

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

}  // namespace

void TideRound::Save(ByteWriter& writer) const {
  writer.Number(
      static_cast<std::uint8_t>((open_ ? 1 : 0) | (in_start_ ? 2 : 0)));
  writer.Number(static_cast<std::uint64_t>(row_.size()));
  for (const TideFeature& f : row_) {
    writer.Real(f.value);
    writer.Number(f.index);
    writer.Number(f.group);
  }
}

Result<TideRound> TideRound::Load(const TideEncoding& encoding,
                                  ByteReader& reader) {
  const auto flags = reader.Number<std::uint8_t>();
  const auto size = reader.Number<std::uint64_t>();
  if (size > encoding.max_entries() || flags > 3) return BadState();
  std::vector<TideFeature> row(size);
  for (TideFeature& f : row) {
    f.value = reader.Real();
    f.index = reader.Number<std::uint32_t>();
    f.group = reader.Number<std::uint32_t>();
    if (!(f.value >= -1 && f.value <= 1) ||
        f.group >= encoding.groups().size()) {
      return BadState();
    }
    const TideGroup& group = encoding.groups()[f.group];
    if (f.index - group.first >= group.size) return BadState();
    if (&f != row.data() && f.index <= (&f - 1)->index) return BadState();
  }
  if (reader.failed()) return BadState();
  TideRound round({}, std::move(row), (flags & 2) != 0);
  round.open_ = (flags & 1) != 0;
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
  }
  writer.Number(schedule_.start_rows);
  writer.Number(schedule_.batch);
  writer.Real(schedule_.rate);
  writer.Real(schedule_.first_rate);
  writer.Real(schedule_.early);
  writer.Number(filter_.epoch);
  for (const TideFilter::Buffer& buffer : filter_.buffers) {
    writer.Number(buffer.loss);
    writer.Number(buffer.weight);
  }
  writer.Number(static_cast<std::int32_t>(calibration_.step_bits));
  writer.Number(calibration_.step_variance.numerator());
  writer.Number(calibration_.start_variance.numerator());
}

void PrivateTide::Save(ByteWriter& writer) const {
  WriteIdentity(writer);
  writer.Number(ticks_);
  if (start_) {
    start_->Save(writer);
    return;
  }
  writer.Real(next_shares_);
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
  ByteWriter identity;
  tide->WriteIdentity(identity);
  for (const char expected : identity.bytes()) {
    if (reader.Number<char>() != expected) {
      return FailedPrecondition(
          "the state belongs to a tide with other parameters");
    }
  }
  tide->ticks_ = reader.Number<std::uint64_t>();
  if (tide->in_start()) {
    SOTTO_TRY(tide->start_->Load(reader));
    return tide;
  }
  tide->start_.reset();
  tide->next_shares_ = reader.Real();
  SOTTO_TRY(tide->hypothesis_.frame.Load(reader));
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
