#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace sotto::python {

// Converters of private numbers. Exceptions depend on types alone (a str, an
// array of floats where counts are expected), never on a value: a value out of
// range is clipped to the range, which moves no two numbers apart.

// Converts a bool or an int, also NumPy's. `what` names it in a TypeError.
std::int64_t ToInt64(pybind11::handle number, std::string_view what);
// Converts an array of integers or any iterable of them.
std::vector<std::int64_t> ToInt64Vector(pybind11::handle numbers,
                                        std::string_view what);

// Converts a number; None is a missing one, as NaN is.
double ToDouble(pybind11::handle number, std::string_view what);
std::vector<double> ToDoubles(pybind11::handle numbers, std::string_view what);

// Converts each item of any iterable that is not text.
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

// Returns the memory of numbers, for the package to make an array of.
template <typename T>
pybind11::bytes ToBytes(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          numbers.size() * sizeof(T)};
}

}  // namespace sotto::python
