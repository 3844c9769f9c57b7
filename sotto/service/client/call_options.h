#pragma once

#include <string>
#include <vector>

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/service/client/call.h"

namespace sotto {

// Options of `sotto call`.
const OptionTable& CallOptionTable();

// Where requests go, and as whom. Fails as reading --key-file does.
Result<CallOptions> MakeCallOptions(const std::string& url,
                                    const Settings& settings);
// The lines to send: those of --data, or one of --x or of --ticket and --y.
// Fails with kInvalidArgument if there is nothing to send.
Result<std::vector<std::string>> MakeCallLines(const std::string& verb,
                                               const Settings& settings);

}  // namespace sotto
