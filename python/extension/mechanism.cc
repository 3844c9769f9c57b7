#include "extension/mechanism.h"

#include "extension/whole_numbers.h"
#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/json.h"
#include "sotto/frontend/fresh_key.h"

namespace sotto::python {

std::string Mechanism::guarantee() const {
  Json promise = ToJson(guarantee_);
  if (noise_.seeded) {
    promise["text"] =
        "NOT PRIVATE: a seed makes the noise known to anyone; it is for "
        "experiments only. Without the seed: " +
        guarantee_.Describe();
  }
  return promise.Dump();
}

FreshNoise MakeNoise(py::handle seed, std::string_view kind,
                     const std::string& parameters) {
  std::optional<std::uint64_t> word;
  if (!seed.is_none()) {
    const std::int64_t number = ToInt64(seed, "seed");
    if (number < 0) Raise(InvalidArgument("seed must not be negative"));
    word = static_cast<std::uint64_t>(number);
  }
  const Key root = Checked(FreshKey(word));
  return {root.Derive("noise-v1", kind, {parameters}), word.has_value()};
}

}  // namespace sotto::python
