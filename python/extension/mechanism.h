#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "extension/bindings.h"
#include "extension/gate.h"
#include "extension/without_gil.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/random/history_rng.h"
#include "sotto/random/key.h"

namespace sotto::python {

// The key of a mechanism's noise, and whether it comes from a seed.
struct FreshNoise {
  Key key;
  bool seeded = false;
};
// For a mechanism without its own command: the system's key, or that of a seed,
// which is None or an integer.
FreshNoise MakeNoise(pybind11::handle seed, std::string_view kind,
                     const std::string& parameters);

// Base of the mechanisms of the package: their noise, which depends on the key
// and on the whole history, their guarantee, one thread at a time, and no
// continuation in a forked process.
class Mechanism {
 public:
  using IsPythonClass = void;

  // The guarantee as JSON. With a seed its text says that the noise is known.
  std::string guarantee() const;
  bool is_private() const { return !noise_.seeded; }

 protected:
  Mechanism(Guarantee guarantee, const FreshNoise& noise)
      : guarantee_(std::move(guarantee)), noise_(noise), rng_(noise.key) {}

  Gate& gate() { return gate_; }
  HistoryRng& rng() { return rng_; }
  // Noise for the next step, which depends on this number too.
  HistoryRng& RngAfter(std::uint64_t input) {
    rng_.Absorb(input);
    return rng_;
  }
  template <typename Read>
  auto Locked(const Read& read) {
    const Gate::Pass pass(gate_);
    return read();
  }

 private:
  Gate gate_;
  Guarantee guarantee_;
  FreshNoise noise_;
  HistoryRng rng_;
};

// Calls step(0), step(1), ... without the GIL, `count` times or until one
// returns false. Throws the error of one that fails.
template <typename Step>
void RunSteps(std::size_t count, const Step& step) {
  Result<bool> more = true;
  {
    const WithoutGil released;
    for (std::size_t i = 0; more && *more && i < count; ++i) more = step(i);
  }
  static_cast<void>(Checked(std::move(more)));
}

template <typename T>
pybind11::class_<T> MakeMechanism(pybind11::module_& module, const char* name) {
  return MakeClass<T>(module, name)
      .def("guarantee", &T::guarantee)
      .def("private", &T::is_private);
}

}  // namespace sotto::python
