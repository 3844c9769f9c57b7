#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/data/streams/row_error.h"

namespace sotto::python {

// One value of a row, as a csv file would hold it: nothing, a number or a text.
// None, NaN, pandas' NA and a value under a NumPy mask are nothing. An object
// with a float value is a number, True and False are 1 and 0. A str is a text.
// Anything else is unknown.
struct Field {
  enum class Kind : std::uint8_t { kMissing, kNumber, kText, kUnknown };
  Kind kind = Kind::kMissing;
  double number = 0;
  std::string_view text = {};  // of a text; valid as long as the object is
  // Name of the object's type, for an error.
  std::string_view type = {};

  // Never fails: an object whose methods raise is unknown. Throws what is not
  // an Exception, an interrupt for example. Requires the GIL.
  static Field Of(PyObject* object);
  static Field OfNumber(double number);

  // The number as Python prints it, without the .0 of an integer: 3, 100000,
  // 0.5, 1e+30.
  std::string NumberText() const;
  // Returns whether `known` accepts one of the texts of this number: 3 or 3.0;
  // for 1 also true and True, for 0 false and False. One value of a column can
  // turn its Booleans into numbers, or its integers into floats, so all mean
  // the same.
  template <typename Known>
  bool Spelled(const Known& known) const {
    const std::string digits = NumberText();
    if (known(digits) || known(digits + ".0")) return true;
    if (number != 0 && number != 1) return false;
    const bool yes = number == 1;
    return known(yes ? "true" : "false") || known(yes ? "True" : "False");
  }
};

// Booleans of Python, and of NumPy, which are not ints. IsTrue is false for one
// whose method raises. Throw as Field::Of.
bool IsBool(PyObject* object);
bool IsTrue(PyObject* object);

// Returns whether it is a complex number, or a date, a duration or raw memory
// of NumPy's: these may have a float or an integer value, which is not what
// they mean.
bool IsNotReal(PyObject* object);

// Sets the fault: the field is not a value. Returns false.
bool NoValue(const Field& field, RowError& fault);

// Reads a user's name, as a csv file would hold it: a text, or an integer with
// all its digits; nothing is the empty name (unnamed). Returns false and the
// fault for anything else. Throws as Field::Of. Requires the GIL.
bool ReadName(PyObject* user, std::string& name, RowError& fault);

}  // namespace sotto::python
