#pragma once

#include "arguments.h"

namespace sotto::app {

// `sotto audit exec:./mine`: a mechanism that is a program of the user's.
Command AuditExecCommand();

}  // namespace sotto::app
