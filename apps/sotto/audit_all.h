#pragma once

#include "arguments.h"

namespace sotto::app {

// `sotto audit all`: every target, a page for each and a table of all.
Command AuditAllCommand();

}  // namespace sotto::app
