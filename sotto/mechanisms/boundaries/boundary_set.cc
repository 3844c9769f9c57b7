#include "sotto/mechanisms/boundaries/boundary_set.h"

#include <algorithm>
#include <utility>

namespace sotto {

BoundarySet BoundarySet::Of(std::int64_t size, std::vector<double> sorted,
                            std::int64_t beyond) {
  BoundarySet set(size);
  set.total_ = static_cast<std::int64_t>(sorted.size()) + beyond;
  set.values_ = std::move(sorted);
  return set;
}

// Small enough that sorting it delays no round, large enough that many points
// share the cost of merging it in.
std::size_t BoundarySet::chunk() const {
  constexpr std::int64_t kLeast = 64;
  return static_cast<std::size_t>(std::max(kLeast, size_ / 8));
}

void BoundarySet::Settle() {
  if (fresh_.empty()) return;
  std::sort(fresh_.begin(), fresh_.end());
  const auto middle = static_cast<std::ptrdiff_t>(values_.size());
  values_.insert(values_.end(), fresh_.begin(), fresh_.end());
  std::inplace_merge(values_.begin(), values_.begin() + middle, values_.end());
  if (values_.size() > static_cast<std::size_t>(size_)) {
    values_.resize(static_cast<std::size_t>(size_));
  }
  fresh_.clear();
  SetBar();
}

// A number that equals the largest would only take its place.
void BoundarySet::SetBar() {
  if (values_.size() < static_cast<std::size_t>(size_)) return;
  bar_ = values_.empty() ? -std::numeric_limits<double>::infinity()
                         : values_.back();
}

// Without branches that would have to be guessed: half of the steps would be
// guessed wrong.
std::size_t BoundarySet::AtMost(double value) const {
  if (values_.empty()) return 0;
  const double* base = values_.data();
  std::size_t length = values_.size();
  while (length > 1) {
    const std::size_t half = length / 2;
    base += base[half - 1] <= value ? half : 0;
    length -= half;
  }
  return static_cast<std::size_t>(base - values_.data()) +
         (*base <= value ? 1 : 0);
}

void BoundarySet::Save(ByteWriter& writer) const {
  writer.Number(total_);
  for (const std::vector<double>* part : {&values_, &fresh_}) {
    writer.Number(static_cast<std::uint64_t>(part->size()));
    for (const double value : *part) writer.Real(value);
  }
}

bool BoundarySet::Load(std::int64_t size, ByteReader& reader) {
  *this = BoundarySet(size);
  total_ = reader.Number<std::int64_t>();
  for (std::vector<double>* part : {&values_, &fresh_}) {
    const auto count = reader.Number<std::uint64_t>();
    if (count > reader.RoomFor(sizeof(double))) return false;
    part->resize(count);
    for (double& value : *part) value = reader.Real();
  }
  const bool numbers = std::none_of(fresh_.begin(), fresh_.end(),
                                    [](double x) { return x != x; });
  const auto kept = static_cast<std::int64_t>(values_.size());
  SetBar();
  return !reader.failed() && numbers && kept <= total_ && total_ <= size &&
         fresh_.size() < chunk() &&
         std::is_sorted(values_.begin(), values_.end()) &&
         (values_.empty() || values_.back() == values_.back());
}

}  // namespace sotto
