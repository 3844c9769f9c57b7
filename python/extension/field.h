#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "sotto/data/streams/row_error.h"

namespace sotto::python {

// One value of a row, as a csv file would hold it: nothing, a number or a text.
// Which Python objects are what: None, NaN, pandas' NA and what a mask of NumPy
// hides are nothing; whatever
// has a float value is a number, True and False are 1 and 0; a str is a text.
// Anything else is unknown.
struct Field {
  enum class Kind : std::uint8_t { kMissing, kNumber, kText, kUnknown };
  Kind kind = Kind::kMissing;
  double number = 0;
  std::string_view text = {};  // of a text; valid as long as the object is
  // What it is, for an error: the name of its type.
  std::string_view type = {};

  // Never fails: an object whose methods raise is unknown. Throws what is no
  // Exception, an interrupt for example. Requires the GIL.
  static Field Of(PyObject* object);
  static Field OfNumber(double number);

  // A number as Python has it, but for the .0 of what is whole: 3, 100000, 0.5,
  // 1e+30.
  std::string NumberText() const;
  // Whether a category or a label has this number, by one of the texts that may
  // stand for it: 3 or 3.0; of 1 also true and True, of 0 false and False. One
  // value of a column may make its Booleans numbers, or its whole numbers
  // fractions, so these are all the same.
  template <typename Known>
  bool Spelled(const Known& known) const {
    const std::string digits = NumberText();
    if (known(digits) || known(digits + ".0")) return true;
    if (number != 0 && number != 1) return false;
    const bool yes = number == 1;
    return known(yes ? "true" : "false") || known(yes ? "True" : "False");
  }
};

// Python's, and NumPy's, which is no int; whether it is true, which one that
// raises is not. Throws as Field::Of.
bool IsBool(PyObject* object);
bool IsTrue(PyObject* object);

// Says that the field is no value; false.
bool NoValue(const Field& field, RowError& fault);

// A user's name, as a csv file would hold it: a text, or a whole number with
// all its digits; nothing is nobody, the empty name. False, and the fault, for
// what is no name. Throws as Field::Of. Requires the GIL.
bool ReadName(PyObject* user, std::string& name, RowError& fault);

}  // namespace sotto::python
