#include "sotto/accounting/rounding.h"

#include <array>
#include <charconv>

namespace sotto {

std::string TextUp(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "infinity" : "-infinity";
  constexpr int kRoundTrip = std::numeric_limits<double>::max_digits10;
  std::array<char, 32> buffer{};
  char* const begin = buffer.data();
  char* end = begin;
  for (int digits = 1; digits <= kRoundTrip; ++digits) {
    end = std::to_chars(begin, begin + buffer.size(), x,
                        std::chars_format::general, digits)
              .ptr;
    double read = 0;
    std::from_chars(begin, end, read);
    if (read >= x && read - x <= 1e-5 * std::abs(x)) {
      // The same decimal, written 20 and not 2e+01.
      end = std::to_chars(begin, begin + buffer.size(), read).ptr;
      break;
    }
  }
  return {begin, end};
}

}  // namespace sotto
