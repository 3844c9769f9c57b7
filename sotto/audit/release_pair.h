#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/audit/game_pair.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// Two neighbouring data sets: the worlds of one variant.
template <typename Data>
struct DataPair {
  Data zero;
  Data one;
};

// Releases of a data set that is fixed beforehand: plain differential privacy.
// `publish(data, rng, view)` appends all that is published to the view.
template <typename Data, typename Publish>
class ReleasePair final : public GamePair {
 public:
  ReleasePair(std::vector<DataPair<Data>> pairs, Publish publish)
      : pairs_(std::move(pairs)), publish_(std::move(publish)) {}

  std::size_t variants() const override { return pairs_.size(); }
  Status Play(std::size_t variant, bool world, Rng& rng,
              View& view) const override {
    view.Clear();
    const DataPair<Data>& pair = pairs_[variant];
    return publish_(world ? pair.one : pair.zero, rng, view);
  }

 private:
  std::vector<DataPair<Data>> pairs_;
  Publish publish_;
};

template <typename Data, typename Publish>
std::unique_ptr<GamePair> MakeReleasePair(std::vector<DataPair<Data>> pairs,
                                          Publish publish) {
  return std::make_unique<ReleasePair<Data, Publish>>(std::move(pairs),
                                                      std::move(publish));
}

}  // namespace sotto
