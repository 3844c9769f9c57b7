#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <string_view>

#include "extension/gate.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/random/history_rng.h"
#include "sotto/random/key.h"

namespace sotto::python {

// What every mechanism of the package has around it: its noise, which depends
// on a key and on all that came before, whether that key is known, one thread
// at a time, and no continuation in a forked process.
class Drawing {
 public:
  Drawing(const Key& key, bool seeded) : rng_(key), seeded_(seeded) {}

  Gate& gate() { return gate_; }
  HistoryRng& rng() { return rng_; }
  bool seeded() const { return seeded_; }

 private:
  Gate gate_;
  HistoryRng rng_;
  bool seeded_;
};

// The promise as JSON; of noise that anyone can recompute its sentence says
// that it is none.
std::string Promise(const Guarantee& guarantee, bool seeded);

// The key of a mechanism that no command offers: the system's, or of a seed,
// which is None or a whole number.
struct FreshNoise {
  Key key;
  bool seeded = false;
};
FreshNoise MakeNoise(pybind11::handle seed, std::string_view kind,
                     const std::string& parameters);

}  // namespace sotto::python
