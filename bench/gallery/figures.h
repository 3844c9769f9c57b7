#pragma once

#include "bench/gallery/figure.h"

namespace sotto::gallery {

GalleryEntry PopMistakes();
GalleryEntry PopHalt();
GalleryEntry PopCoins();
GalleryEntry PopComposition();
GalleryEntry PerpLeakage();
GalleryEntry PerpPhases();
GalleryEntry PerpSlices();
GalleryEntry PerpRows();
GalleryEntry PointsHorizon();
GalleryEntry CounterHorizon();
GalleryEntry CounterHard();
GalleryEntry CounterSparse();
GalleryEntry MirrorEpsilon();
GalleryEntry WinnowFeatures();
GalleryEntry ListsRounds();
GalleryEntry ListsRows();
GalleryEntry LittlestoneRows();
GalleryEntry LittlestoneOnline();
GalleryEntry LittlestoneBottom();

// Adds "expected ..." to the failures unless `holds`.
inline void Expect(bool holds, std::string_view what, Failures& failures) {
  if (!holds) failures.push_back("expected: " + std::string(what));
}

}  // namespace sotto::gallery
