#include "extension/bindings.h"

namespace sotto::python {

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled half of sotto.";
  module.attr("__version__") = SOTTO_VERSION;
  BindErrors(module);
  BindRegistry(module);
  BindStream(module);
  BindPublished(module);  // after BindStream
  BindBatch(module);
  BindAccount(module);
  BindBudget(module);
  BindCounters(module);
  BindRanks(module);
  BindThresholds(module);
  BindChoices(module);
  BindLearners(module);  // after BindStream
}

}  // namespace sotto::python
