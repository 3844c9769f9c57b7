#include "extension/mechanism.h"

#include "extension/bindings.h"
#include "extension/whole_numbers.h"
#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/json.h"
#include "sotto/frontend/fresh_key.h"

namespace sotto::python {

std::string Promise(const Guarantee& guarantee, bool seeded) {
  Json promise = ToJson(guarantee);
  if (seeded) {
    promise["text"] =
        "NOT PRIVATE: a seed makes the noise known to anyone; it is for "
        "experiments only. Without the seed: " +
        guarantee.Describe();
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
