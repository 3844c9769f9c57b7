#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "sotto/models/winnow/private_winnow.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "private-winnow/1";
constexpr std::int64_t kMaxSum = std::int64_t{1} << 62;
constexpr std::int64_t kMaxBatchSum = std::int64_t{1} << 61;

Error OtherParameters() {
  return {ErrorCode::kFailedPrecondition,
          "the state belongs to a winnow with other parameters"};
}

void WriteIndices(std::span<const std::uint32_t> indices, ByteWriter& writer) {
  writer.Number(static_cast<std::uint64_t>(indices.size()));
  for (const std::uint32_t j : indices) writer.Number(j);
}

// Every index at most once and below `size`, or false.
bool ReadIndices(ByteReader& reader, std::size_t size,
                 std::vector<std::uint32_t>& indices) {
  const auto count = reader.Number<std::uint64_t>();
  if (count > size || count > reader.RoomFor(sizeof(std::uint32_t))) {
    return false;
  }
  std::vector<bool> seen(size, false);
  indices.resize(count);
  for (std::uint32_t& j : indices) {
    j = reader.Number<std::uint32_t>();
    if (j >= size || seen[j]) return false;
    seen[j] = true;
  }
  return true;
}

bool Within(std::int64_t sum, std::int64_t most) {
  return sum >= -most && sum <= most;
}

// Everything that determines the distribution, so that a state resumes only
// with the parameters it began with.
void WriteIdentity(const PrivateWinnow::Params& p, const WinnowNoise& noise,
                   const WinnowSetting& setting, const WinnowStep& step,
                   ByteWriter& writer) {
  writer.Text(kTag);
  writer.Number(p.features);
  writer.Number(p.published);
  writer.Number(
      static_cast<std::uint8_t>((p.signs ? 1 : 0) | (p.bias ? 2 : 0)));
  writer.Number(noise.norm_squared);
  writer.Number(static_cast<std::int32_t>(noise.scale_bits));
  writer.Number(noise.variance.numerator());
  writer.Number(noise.threshold);
  writer.Number(p.max_nonzeros);
  writer.Real(noise.stopper_epsilon);
  writer.Real(setting.margin);
  writer.Real(setting.confidence);
  writer.Number(step.batch);
  writer.Real(step.learning_rate);
}

}  // namespace

void PrivateWinnow::Save(ByteWriter& writer) const {
  WriteIdentity(params_, noise_, setting_, step_, writer);
  writer.Number(batches_);
  writer.Number(waiting_);
  stopper_.Save(writer);
  WriteIndices(touched_, writer);
  WriteIndices(active_, writer);
  for (const std::int64_t sum : released_) writer.Number(sum);
  for (const std::int64_t sum : batch_) writer.Number(sum);
}

Result<PrivateWinnow> PrivateWinnow::Load(const Params& params,
                                          ByteReader& reader) {
  auto winnow = Create(params);
  if (!winnow) return winnow.error();
  ByteWriter identity;
  WriteIdentity(winnow->params_, winnow->noise_, winnow->setting_,
                winnow->step_, identity);
  for (const char expected : identity.bytes()) {
    if (reader.Number<char>() != expected) return OtherParameters();
  }
  winnow->batches_ = reader.Number<std::uint64_t>();
  winnow->waiting_ = reader.Number<std::uint32_t>();
  SOTTO_TRY_ASSIGN(auto stopper,
                   Stopper::Load({.epsilon = winnow->noise_.stopper_epsilon,
                                  .limit = winnow->step_.batch},
                                 reader));
  winnow->stopper_ = std::move(stopper);
  const std::size_t size = winnow->batch_.size();
  bool sane = ReadIndices(reader, size, winnow->touched_) &&
              ReadIndices(reader, size, winnow->active_) &&
              std::ranges::is_sorted(winnow->active_);
  for (std::int64_t& sum : winnow->released_) {
    sum = reader.Number<std::int64_t>();
    sane = sane && Within(sum, kMaxSum);
  }
  for (std::int64_t& sum : winnow->batch_) {
    sum = reader.Number<std::int64_t>();
    sane = sane && Within(sum, kMaxBatchSum);
  }
  sane = sane && winnow->MarkTouched();
  if (!sane || reader.failed() || winnow->stopper_.halted()) {
    return Corruption("the state of winnow makes no sense");
  }
  winnow->Publish();
  return winnow;
}

// After loading: whether the indices agree with the sums.
bool PrivateWinnow::MarkTouched() {
  if (noise_.threshold == 0) {
    return touched_.empty() && active_.size() == batch_.size();
  }
  for (const std::uint32_t j : touched_) is_touched_[j] = true;
  for (std::size_t j = 0; j < batch_.size(); ++j) {
    if (batch_[j] != 0 && !is_touched_[j]) return false;
  }
  return true;
}

}  // namespace sotto
