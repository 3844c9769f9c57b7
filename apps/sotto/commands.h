#pragma once

#include <string_view>

#include "arguments.h"

namespace sotto::app {

// The rows of the program's table, each in its own file.
Command AccountCommand();
Command AuditCommand();
Command BudgetCommand();
Command ServiceCallCommand();
Command EngineCommand();
Command FitCommand();
Command GenerateCommand();
Command JournalCommand();
Command LdimCommand();
// count or monitor.
Command LineCommand(std::string_view name);
Command QuantileCommand();
// histogram, sum or mean.
Command RangeCommand(std::string_view name);
Command PlanCommand();
Command PredictCommand();
Command RunCommand();
Command SchemaCommand();
Command ServeCommand();
Command ShowCommand();

}  // namespace sotto::app
