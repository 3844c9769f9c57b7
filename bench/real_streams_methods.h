#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/baselines/course.h"
#include "bench/baselines/model_runs.h"
#include "bench/baselines/table_stream.h"
#include "sotto/base/result.h"

namespace sotto::bench {

struct Trial {
  double epsilon = 0;  // 0: without privacy
  double delta = 1e-6;
  std::uint64_t seed = 1;
};

// One way to run a method.
struct Variant {
  std::string options;
  std::function<Result<Course>(const TableStream&, const Trial&)> run;
  // Options to plan it with. Models of the registry only.
  std::function<ModelOptions(const TableStream&, const Trial&)> plan = {};
};

// A row of the table. The best of several variants is chosen in hindsight, by
// the errors of the first seed: not private, and in favour of the method.
struct Method {
  std::string name;
  bool is_private = false;
  std::vector<Variant> variants;
};

// All methods that can predict this kind of label. `tide` has options of tide
// as name, value, name, value.
std::vector<Method> MethodsFor(const TableStream& stream,
                               const std::vector<std::string>& tide);

}  // namespace sotto::bench
