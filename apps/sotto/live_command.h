#pragma once

#include <optional>

#include "sotto/base/settings.h"
#include "sotto/frontend/held_states.h"
#include "sotto/frontend/run_session.h"
#include "sotto/online/model_entry.h"

namespace sotto::app {

// `sotto run MODEL --live`: JSON lines on standard input and output. Returns
// the exit code.
int RunLive(const OnlineModelEntry& entry, Settings settings,
            const std::optional<LoadedState>& state, const HeldStates& held);

}  // namespace sotto::app
