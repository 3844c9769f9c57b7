#pragma once

#include "arguments.h"

namespace sotto::app {

// The rows of the program's table, each in its own file.
Command AccountCommand();
Command AuditCommand();
Command ServiceCallCommand();
Command CountCommand();
Command FitCommand();
Command GenerateCommand();
Command JournalCommand();
Command LdimCommand();
Command MonitorCommand();
Command PlanCommand();
Command PredictCommand();
Command QuantileCommand();
Command RunCommand();
Command SchemaCommand();
Command ServeCommand();
Command ShowCommand();

}  // namespace sotto::app
