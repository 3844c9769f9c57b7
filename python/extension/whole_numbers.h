#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace sotto::python {

// Private numbers that a caller hands over. What raises here depends on types
// alone (a str among them, an array of floats where counts are expected), never
// on a value: one that is too large or too small is cut to what there is room
// for, which moves no two numbers apart.

// A bool or an int, also NumPy's. `what` names it in a TypeError.
std::int64_t ToInt64(pybind11::handle number, std::string_view what);
// A sequence of them, an array of whole numbers where it is, or any iterable.
std::vector<std::int64_t> ToInt64Vector(pybind11::handle numbers,
                                        std::string_view what);

// A number; None is one that nobody has told, as NaN is.
double ToDouble(pybind11::handle number, std::string_view what);
std::vector<double> ToDoubles(pybind11::handle numbers, std::string_view what);

// Of any iterable that is no text, what `take` makes of each item.
pybind11::iterator MakeIterator(pybind11::handle numbers,
                                std::string_view what);
template <typename T, typename Take>
std::vector<T> ConvertEach(pybind11::handle numbers, std::string_view what,
                           const Take& take) {
  std::vector<T> values;
  for (const pybind11::handle item : MakeIterator(numbers, what)) {
    values.push_back(take(item, what));
  }
  return values;
}

// The memory of numbers, for the package to make an array of.
template <typename T>
pybind11::bytes ToBytes(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          numbers.size() * sizeof(T)};
}

}  // namespace sotto::python
