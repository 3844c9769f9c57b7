#include "bench/gallery/figures.h"

namespace sotto::gallery {

std::vector<GalleryEntry> Gallery() {
  return {PopHalt(),       PopCoins(),      PopComposition(),
          PerpSlices(),    PointsHorizon(), CounterHorizon(),
          CounterSparse(), MirrorEpsilon(), ListsRounds()};
}

}  // namespace sotto::gallery
