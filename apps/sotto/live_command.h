#pragma once

#include <optional>

#include "sotto/model/model_row.h"
#include "sotto/model/settings.h"
#include "sotto/run/run_session.h"

namespace sotto::app {

// `sotto run MODEL --live`: JSON lines on standard input and output. Returns
// the exit code.
int RunLive(const OnlineRow& row, Settings settings,
            const std::optional<LoadedState>& state);

}  // namespace sotto::app
