#include "bench/gallery/figures.h"

namespace sotto::gallery {

std::vector<GalleryEntry> Gallery() {
  return {PopMistakes(),      PopHalt(),         PopCoins(),
          PopComposition(),   PerpLeakage(),     PerpPhases(),
          PerpSlices(),       PerpRows(),        PointsHorizon(),
          CounterHard(),      CounterHorizon(),  CounterSparse(),
          MirrorEpsilon(),    WinnowFeatures(),  ListsRounds(),
          ListsRows(),        LittlestoneRows(), LittlestoneOnline(),
          LittlestoneBottom()};
}

}  // namespace sotto::gallery
