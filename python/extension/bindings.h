#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

// What the files of the extension share. Each has one function that adds its
// part to the module; module.cc calls them all.
namespace sotto::python {

namespace py = pybind11;

void BindErrors(py::module_& module);
void BindRegistry(py::module_& module);
void BindStream(py::module_& module);
void BindBatch(py::module_& module);
void BindAccount(py::module_& module);
void BindCounters(py::module_& module);
void BindRanks(py::module_& module);
void BindThresholds(py::module_& module);
void BindChoices(py::module_& module);
void BindLearners(py::module_& module);

// Throws the Python exception of this error, with its text, in which flags are
// keywords. Requires the GIL.
[[noreturn]] void Raise(const Error& error);

// After an object's own method raised: an Exception says no more than that the
// object is none of what is expected, and is forgotten; anything else, an
// interrupt for example, is for whoever called, and thrown. Requires the GIL.
void ForgetException();

// The value, or the exception that stands for the error.
template <typename T>
T Checked(Result<T> result) {
  if (!result) Raise(result.error());
  return *std::move(result);
}
inline void Check(const Status& status) {
  if (!status) Raise(status.error());
}

// A list of (name of the option, text), checked against the table. Throws
// InvalidArgument.
Settings ParseSettings(OptionTable table, py::handle said);
// All that a batch model is told, for its plan and for a fit.
OptionTable BatchTable(const BatchModelEntry& entry);
// Throws InvalidArgument for options and schemas that are none.
Result<Plan> PlanBatch(const BatchModelEntry& entry, py::handle said,
                       py::handle schema);
// The JSON text of a schema, or None.
std::optional<Schema> MakeSchema(py::handle text);
// A text, or bytes as they are. Arguments beside private ones are taken as
// objects and turned into texts here: pybind11 would quote all of them in its
// exception. Throw InvalidArgument; `what` names them.
std::string ToText(py::handle text, const char* what);
std::vector<std::string> ToStrings(py::handle texts, const char* what);
// A user's name: None is nobody, otherwise a text or a number. Throws
// InvalidArgument.
std::string UserName(py::handle user);

}  // namespace sotto::python
