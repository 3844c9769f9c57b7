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
#include "sotto/models/batch/published_model.h"
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

struct ColumnReach {
  std::string column;
  double reach = 0;
};

// One kind of model file, for `show` and `predict`: what online and batch
// models publish. Distinguished by the member "model".
struct ModelFileFormat {
  std::string_view name;
  // A human-readable form of the model. Fails with kInvalidArgument.
  Result<std::string> (*show)(const Json& model);
  // Fails with kInvalidArgument: what is missing or wrong.
  Result<PublishedModel> (*read)(const Json& model);
  // How far each column alone can move the score, the furthest first. Null, or
  // empty: columns have no such number.
  Result<std::vector<ColumnReach>> (*reach)(const Json& model) = nullptr;
};

}  // namespace sotto
