#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extension/python_class.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/model_entry.h"

// Declarations that the files of the extension share. Each file has one
// function that adds its part to the module; module.cc calls them all.
namespace sotto::python {

namespace py = pybind11;

void BindErrors(py::module_& module);
void BindRegistry(py::module_& module);
void BindStream(py::module_& module);
void BindBatch(py::module_& module);
void BindPublished(py::module_& module);
void BindAccount(py::module_& module);
void BindBudget(py::module_& module);
void BindCounters(py::module_& module);
void BindRanks(py::module_& module);
void BindThresholds(py::module_& module);
void BindChoices(py::module_& module);
void BindLearners(py::module_& module);

// Throws the Python exception of this error, with its text, in which flags are
// keywords. Requires the GIL.
[[noreturn]] void Raise(const Error& error);

// Handles the exception of an object's own method. Clears an Exception: the
// object is not what was expected. Throws anything else, an interrupt for
// example. Requires the GIL.
void ForgetException();

// Returns the value, or throws the exception that stands for the error.
template <typename T>
T Checked(Result<T> result) {
  if (!result) Raise(result.error());
  return *std::move(result);
}
inline void Check(const Status& status) {
  if (!status) Raise(status.error());
}

// Reads a list of (option name, text) and checks it against the table. Throws
// InvalidArgument.
Settings ParseSettings(OptionTable table, py::handle options);
// The same; throws also if a required option is missing.
Settings ParseRequired(OptionTable table, py::handle options);
// All options of a batch model, for its plan and its fit.
OptionTable BatchTable(const BatchModelEntry& entry);
// Throws InvalidArgument for invalid options and schemas.
Result<Plan> PlanBatch(const BatchModelEntry& entry, py::handle options,
                       py::handle schema);
// Parses the JSON text of a schema, or None.
std::optional<Schema> MakeSchema(py::handle text);
// Converts a text, or bytes as they are. Functions with a private argument take
// the others as objects and convert them here: pybind11 would quote all of them
// in its exception. Throw InvalidArgument; `what` names the argument.
std::string ToText(py::handle text, const char* what);
std::vector<std::string> ToStrings(py::handle texts, const char* what);
// Reads a user's name: None (unnamed), a text or a number. Throws
// InvalidArgument.
std::string UserName(py::handle user);

}  // namespace sotto::python
