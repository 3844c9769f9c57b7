#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <type_traits>

// Classes of the module. Python can make an object whose constructor never ran,
// or failed: X.__new__(X), a subclass that forgets to call it. pybind11 hands
// out memory that holds nothing for such an object. The caster below refuses it
// with a TypeError, as `self` and as any other argument.
//
//   class PythonCounter {
//    public:
//     using IsPythonClass = void;
//     ...
//   };
//   MakeClass<PythonCounter>(module, "Counter").def(...);
namespace sotto::python {

template <typename T>
concept PythonClass = requires {
  typename T::IsPythonClass;
};

// Returns whether the constructor of an object of such a class has succeeded.
inline bool IsMade(pybind11::handle object) {
  auto* instance = reinterpret_cast<pybind11::detail::instance*>(object.ptr());
  for (const auto& part : pybind11::detail::values_and_holders(instance)) {
    if (!part.holder_constructed()) return false;
  }
  return true;
}

template <PythonClass T, typename... More>
pybind11::class_<T> MakeClass(pybind11::module_& module, const char* name,
                              const More&... more) {
  return pybind11::class_<T>(module, name, more...);
}

}  // namespace sotto::python

namespace pybind11::detail {

template <typename T>
class type_caster<T, std::enable_if_t<sotto::python::PythonClass<T>>>
    : public type_caster_base<T> {
 public:
  bool load(handle object, bool convert) {
    if (PyObject_TypeCheck(object.ptr(), this->typeinfo->type) != 0 &&
        !sotto::python::IsMade(object)) {
      throw type_error(std::string(Py_TYPE(object.ptr())->tp_name) +
                       ": this object was never made: call its class");
    }
    return type_caster_base<T>::load(object, convert);
  }
};

}  // namespace pybind11::detail
