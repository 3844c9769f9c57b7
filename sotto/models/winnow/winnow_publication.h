#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/model/model_row.h"
#include "sotto/models/winnow/winnow_hypothesis.h"

namespace sotto {

// A halfspace as it is published: with everything that is needed to use it on
// other data. Nothing of it depends on data but the weights, which are private
// releases.
//
//   WinnowPublication publication(inputs, 0);
//   Json json = publication.Of(winnow.hypothesis());
//
// The format is described in winnow_publication.md.
// Threads: const calls may run at the same time.
class WinnowPublication {
 public:
  // `max_nonzeros` of an example count, the bias among them; 0: all.
  WinnowPublication(const Inputs& inputs, std::uint32_t max_nonzeros, bool bias)
      : inputs_(inputs), max_nonzeros_(max_nonzeros), bias_(bias) {}

  Json Of(const WinnowHypothesis& hypothesis) const;

 private:
  Json Weight(const Feature& weight) const;

  Inputs inputs_;
  std::uint32_t max_nonzeros_;
  bool bias_;
};

}  // namespace sotto
