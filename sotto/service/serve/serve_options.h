#pragma once

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/service/serve/service_config.h"

namespace sotto {

// Options of `sotto serve`: those of the service, and those of every model.
const OptionTable& ServeOptions();

// The configuration that they ask for, over that of --config. Leaves out the
// version. Fails with kInvalidArgument, saying where.
Result<ServiceConfig> MakeServiceConfig(const Settings& settings);

}  // namespace sotto
