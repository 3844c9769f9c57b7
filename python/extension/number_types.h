#pragma once

#include <string_view>

namespace sotto::python {

// Calls `visit` with a value of the C type that a format of Python's module
// struct stands for, in this machine's order of bytes. False if it stands for
// no single number.
template <typename Visit>
bool VisitNumberType(std::string_view format, const Visit& visit) {
  if (format.starts_with('@') || format.starts_with('=')) {
    format.remove_prefix(1);
  }
  if (format.size() != 1) return false;
  switch (format[0]) {
    case '?':
    case 'B':
      return visit(static_cast<unsigned char>(0));
    case 'b':
      return visit(static_cast<signed char>(0));
    case 'h':
      return visit(static_cast<short>(0));
    case 'H':
      return visit(static_cast<unsigned short>(0));
    case 'i':
      return visit(0);
    case 'I':
      return visit(0U);
    case 'l':
      return visit(0L);
    case 'L':
      return visit(0UL);
    case 'q':
      return visit(0LL);
    case 'Q':
      return visit(0ULL);
    case 'f':
      return visit(0.0F);
    case 'd':
      return visit(0.0);
    default:
      return false;
  }
}

}  // namespace sotto::python
