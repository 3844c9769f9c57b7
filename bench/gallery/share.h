#pragma once

#include <cstdint>

#include "bench/gallery/figure.h"
#include "sotto/audit/statistics/confidence.h"

namespace sotto::gallery {

// A measured probability with its exact interval of 95 %.
inline FigurePoint Share(double x, std::uint64_t hits, std::uint64_t games) {
  return {x, static_cast<double>(hits) / static_cast<double>(games),
          hits == 0 ? 0 : ClopperPearsonLower(hits, games, 0.025),
          hits == games ? 1 : ClopperPearsonUpper(hits, games, 0.025)};
}

}  // namespace sotto::gallery
