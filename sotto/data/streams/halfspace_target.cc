// A half-space over {-1, 1}^D: s relevant features of weight 1/s each, all
// others 0, so that the weights are non-negative and add up to 1. With a of the
// relevant features at 1 the row has <w, x> = (2a - s) / s.

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/int128.h"
#include "sotto/data/streams/generated_target.h"

namespace sotto {
namespace {

class HalfspaceTarget final : public GeneratedTarget {
 public:
  HalfspaceTarget(std::uint32_t features, std::uint32_t nonzeros, double margin,
                  std::vector<std::uint32_t> relevant)
      : features_(features),
        nonzeros_(nonzeros),
        relevant_(std::move(relevant)),
        size_(static_cast<std::int64_t>(relevant_.size())) {
    // 2a - s is whole; the slack forgives the rounding of margin * s.
    least_ = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(
               std::ceil(margin * static_cast<double>(size_) - 1e-9)));
    if ((size_ - least_) % 2 != 0) ++least_;  // 2a - s is odd or even as s is
    std::int64_t choose = 1;                  // of s, a
    for (std::int64_t a = 0; a <= size_; ++a) {
      if (std::abs(2 * a - size_) >= least_) {
        total_ += choose;
        counts_.push_back({a, total_});
      }
      choose =
          static_cast<std::int64_t>(Int128{choose} * (size_ - a) / (a + 1));
    }
  }

  void Row(Rng& rng, GeneratedRow& row) const override {
    const std::int64_t drawn = Below(rng, total_);
    const auto count =
        std::find_if(counts_.begin(), counts_.end(),
                     [&](const Count& c) { return drawn < c.upto; });
    Fill(rng, count->positives, row);
    row.y = 2 * count->positives > size_;
  }
  // At the least margin that rows have, with the wrong label.
  void Poison(Rng& rng, GeneratedRow& row) const override {
    const bool positive = (rng.Next() & 1) != 0;
    Fill(rng, (size_ + (positive ? least_ : -least_)) / 2, row);
    row.y = !positive;
  }
  // All features alike, as far from the boundary as can be.
  void Flood(Rng& rng, GeneratedRow& row) const override {
    const bool positive = (rng.Next() & 1) != 0;
    Fill(rng, positive ? size_ : 0, row);
    row.cells.assign(row.cells.size(), positive ? 1 : -1);
    row.y = !positive;
  }

 private:
  // How many relevant features are 1, and how many of `total_` equally likely
  // choices have that many or fewer.
  struct Count {
    std::int64_t positives = 0;
    std::int64_t upto = 0;
  };

  void Fill(Rng& rng, std::int64_t positives, GeneratedRow& row) const {
    if (nonzeros_ == 0) {
      row.cells.resize(features_);
    } else {
      DrawIndices(rng, row.index);
      row.cells.resize(row.index.size());
    }
    DrawBits(rng, -1, 1, row.cells);
    std::int64_t left = size_;
    for (const std::uint32_t feature : relevant_) {
      const bool one = Below(rng, left--) < positives;
      positives -= one ? 1 : 0;
      row.cells[Place(row, feature)] = one ? 1 : -1;
    }
  }
  // All relevant features and as many others as there is room for.
  void DrawIndices(Rng& rng, std::vector<std::uint32_t>& index) const {
    index = relevant_;
    while (index.size() < nonzeros_) {
      for (std::size_t i = index.size(); i < nonzeros_; ++i) {
        index.push_back(static_cast<std::uint32_t>(Below(rng, features_)));
      }
      std::sort(index.begin(), index.end());
      index.erase(std::unique(index.begin(), index.end()), index.end());
    }
  }
  static std::size_t Place(const GeneratedRow& row, std::uint32_t feature) {
    if (row.index.empty()) return feature;
    return static_cast<std::size_t>(
        std::lower_bound(row.index.begin(), row.index.end(), feature) -
        row.index.begin());
  }

  std::uint32_t features_;
  std::uint32_t nonzeros_;
  std::vector<std::uint32_t> relevant_;
  std::int64_t size_;
  std::int64_t least_ = 1;  // of |2a - s|
  std::int64_t total_ = 0;
  std::vector<Count> counts_;
};

}  // namespace

std::unique_ptr<GeneratedTarget> DrawHalfspace(
    const GeneratedTarget::Params& params, Rng& rng) {
  return std::make_unique<HalfspaceTarget>(
      params.features, params.nonzeros, params.margin,
      DrawSubset(params.features, params.length, rng));
}

}  // namespace sotto
