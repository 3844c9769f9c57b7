#pragma once

#include "arguments.h"

namespace sotto::app {

// `sotto audit program`: a whole program in two worlds.
Command AuditProgramCommand();

}  // namespace sotto::app
