#pragma once

#include "arguments.h"

namespace sotto::app {

// `sotto audit coins`: the game of the papers that has no privacy.
Command AuditCoinsCommand();

}  // namespace sotto::app
