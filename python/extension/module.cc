#include "extension/bindings.h"

namespace sotto::python {

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled half of sotto.";
  module.attr("__version__") = SOTTO_VERSION;
  BindErrors(module);
  BindRegistry(module);
  BindStream(module);
  BindBatch(module);
}

}  // namespace sotto::python
