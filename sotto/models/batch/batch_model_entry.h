#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/tables/fit_result.h"
#include "sotto/data/tables/table_source.h"
#include "sotto/online/plan.h"
#include "sotto/random/key.h"

namespace sotto {

struct ModelFileFormat;

// One batch model of the registry.
struct BatchModelEntry {
  std::string_view name;
  std::string_view help;
  std::string_view example;
  OptionTable options;
  std::string_view publishes;
  Result<Plan> (*plan)(const Settings& settings);
  // Reads the table once. Users of the table go through a UserLedger.
  Result<FitResult> (*fit)(const Settings& settings, const TableSource& source,
                           const Key& key);
  // Reads the table as `fit` does, and fits nothing.
  Result<TableUse> (*check)(const Settings& settings,
                            const TableSource& source);
  OptionTable plan_options = {};  // for `plan` only, beside `options`
  // Format of the model that it publishes.
  const ModelFileFormat* file = nullptr;
};

// One kind of model file, for `show` and `predict`: what online and batch
// models publish. Distinguished by the member "model".
struct ModelFileFormat {
  std::string_view name;
  // A human-readable form of the model. Fails with kInvalidArgument.
  Result<std::string> (*show)(const Json& model);
  // Calls `take` for every row of the table, with its prediction as text and
  // its loss if the row's label is known: 1 for a mistake, else 0; the absolute
  // error of a number. Labels are read only if `with_labels`. Fails with
  // kInvalidArgument, naming line and column, or as `take` does.
  using Take = std::function<Status(std::string_view prediction,
                                    std::optional<double> cost)>;
  Status (*predict)(const Json& model, const TableSource& source,
                    bool with_labels, const Take& take);
};

}  // namespace sotto
