#include <string>
#include <string_view>

#include "extension/bindings.h"

namespace sotto::python {
namespace {

// Each code has its own class, which is also the built-in exception a Python
// program would expect there.
struct Exceptions {
  PyObject* base = nullptr;
  PyObject* invalid = nullptr;
  PyObject* precondition = nullptr;
  PyObject* budget = nullptr;
  PyObject* converged = nullptr;
  PyObject* corruption = nullptr;
  PyObject* unavailable = nullptr;
};
Exceptions& Known() {
  static Exceptions known;
  return known;
}

PyObject* Make(py::module_& module, const char* name, const char* text,
               PyObject* first, PyObject* second) {
  const py::tuple bases =
      second == nullptr ? py::make_tuple(py::handle(first))
                        : py::make_tuple(py::handle(first), py::handle(second));
  const std::string full = std::string("sotto.") + name;
  PyObject* made =
      PyErr_NewExceptionWithDoc(full.c_str(), text, bases.ptr(), nullptr);
  if (made == nullptr) throw py::error_already_set();
  module.attr(name) = py::handle(made);
  return made;
}

PyObject* MakeClass(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return Known().invalid;
    case ErrorCode::kFailedPrecondition:
      return Known().precondition;
    case ErrorCode::kBudgetExhausted:
      return Known().budget;
    case ErrorCode::kNotConverged:
      return Known().converged;
    case ErrorCode::kCorruption:
      return Known().corruption;
    case ErrorCode::kUnavailable:
      break;
  }
  return Known().unavailable;
}

bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

// Flags of the command line as keywords of Python: --rounds-per-user is
// rounds_per_user, --class is class_.
std::string AsKeywords(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool flag = text.substr(i, 2) == "--" && i + 2 < text.size() &&
                      IsLetter(text[i + 2]) && (i == 0 || text[i - 1] == ' ');
    if (!flag) {
      made += text[i];
      continue;
    }
    std::string word;
    for (i += 2; i < text.size() && (IsLetter(text[i]) || text[i] == '-');
         ++i) {
      word += text[i] == '-' ? '_' : text[i];
    }
    made += word == "class" ? "class_" : word;
    --i;
  }
  return made;
}

}  // namespace

void BindErrors(py::module_& module) {
  Exceptions& known = Known();
  known.base = Make(module, "SottoError", "Any refusal of this module.",
                    PyExc_Exception, nullptr);
  known.invalid =
      Make(module, "InvalidArgument", "A value that is not allowed.",
           known.base, PyExc_ValueError);
  known.precondition =
      Make(module, "FailedPrecondition", "Not in a state that allows the call.",
           known.base, PyExc_RuntimeError);
  known.budget = Make(module, "BudgetExhausted",
                      "Answering would exceed the privacy budget.", known.base,
                      PyExc_RuntimeError);
  known.converged =
      Make(module, "NotConverged", "A numerical bound could not be certified.",
           known.base, PyExc_ArithmeticError);
  known.corruption = Make(module, "Corruption",
                          "Stored bytes do not match their checksum or format.",
                          known.base, PyExc_ValueError);
  known.unavailable =
      Make(module, "Unavailable", "A file, peer or device did not answer.",
           known.base, PyExc_OSError);
}

void Raise(const Error& error) {
  // Names of files may hold any bytes.
  const std::string text = AsKeywords(error.message);
  const auto shown = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (shown) PyErr_SetObject(MakeClass(error.code), shown.ptr());
  throw py::error_already_set();
}

std::string ToText(py::handle text, const char* what) {
  py::detail::make_caster<std::string> caster;
  if (caster.load(text, false)) {
    return py::detail::cast_op<std::string&&>(std::move(caster));
  }
  Raise(InvalidArgument(std::string(what) + ": an object of type " +
                        Py_TYPE(text.ptr())->tp_name +
                        ": expected a text that can be written as UTF-8"));
}

std::vector<std::string> ToStrings(py::handle texts, const char* what) {
  std::vector<std::string> made;
  for (const py::handle text : texts) made.push_back(ToText(text, what));
  return made;
}

void ForgetException() {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) {
    throw py::error_already_set();
  }
  PyErr_Clear();
}

}  // namespace sotto::python
