#include "sotto/models/papers/sliced_side.h"

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

void SaveNumbers(const std::vector<double>& numbers, ByteWriter& writer) {
  writer.Number(static_cast<std::uint64_t>(numbers.size()));
  for (const double value : numbers) writer.Real(value);
}

bool LoadNumbers(std::vector<double>& numbers, ByteReader& reader) {
  const auto count = reader.Number<std::uint64_t>();
  if (count > reader.RoomFor(sizeof(double))) return false;
  numbers.resize(count);
  for (double& value : numbers) value = reader.Real();
  return !reader.failed() && std::none_of(numbers.begin(), numbers.end(),
                                          [](double x) { return x != x; });
}

}  // namespace

Result<SlicedSamplers> SlicedSamplers::Create(const SideNoise& noise) {
  SOTTO_TRY(Validate(noise));
  SOTTO_TRY_ASSIGN(auto tests, FixedWorkLaplace::Create(ExactRate(noise.rate)));
  SOTTO_TRY_ASSIGN(auto stopper,
                   FixedWorkLaplace::Create(ExactRate(noise.stopper)));
  return SlicedSamplers{noise, std::move(tests), std::move(stopper)};
}

void SlicedSide::Begin(const std::vector<SlicedPoint>& slice) {
  data_.clear();
  for (const SlicedPoint& x : slice) data_.push_back(by_.At(x));
  std::sort(data_.begin(), data_.end());
  undecided_.clear();
  mediums_ = 0;
}

void SlicedSide::Recycle() {
  data_ = std::exchange(undecided_, {});
  std::sort(data_.begin(), data_.end());
  mediums_ = 0;
}

SlicedSide::Zone SlicedSide::Test(const SlicedPoint& x,
                                  const SlicedSamplers& samplers, Rng& rng) {
  const double value = by_.At(x);
  const auto inner = std::upper_bound(data_.begin(), data_.end(), value);
  const std::int64_t count = rng.Private(
      "boundary count", static_cast<std::int64_t>(data_.end() - inner), 1);
  const Zone zone =
      TwoThresholds::FindZone(count + samplers.tests.Sample(rng),
                              samplers.noise.low, samplers.noise.high);
  if (zone == Zone::kMedium) {
    undecided_.push_back(value);
    ++mediums_;
  }
  return zone;
}

void SlicedSide::Save(ByteWriter& writer) const {
  SaveNumbers(data_, writer);
  SaveNumbers(undecided_, writer);
}

// Every medium is undecided, and nothing else is.
bool SlicedSide::Load(ByteReader& reader) {
  if (!LoadNumbers(data_, reader) || !LoadNumbers(undecided_, reader) ||
      !std::is_sorted(data_.begin(), data_.end())) {
    return false;
  }
  mediums_ = static_cast<std::int64_t>(undecided_.size());
  return true;
}

}  // namespace sotto
