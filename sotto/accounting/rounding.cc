#include "sotto/accounting/rounding.h"

#include <array>
#include <charconv>

#include "sotto/base/number_text.h"

namespace sotto {

std::string TextUp(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "infinity" : "-infinity";
  constexpr int kRoundTrip = std::numeric_limits<double>::max_digits10;
  std::array<char, 32> buffer{};
  char* const begin = buffer.data();
  for (int digits = 1; digits <= kRoundTrip; ++digits) {
    const char* const end = std::to_chars(begin, begin + buffer.size(), x,
                                          std::chars_format::general, digits)
                                .ptr;
    double read = 0;
    std::from_chars(begin, end, read);
    if (read >= x && read - x <= 1e-5 * std::abs(x)) return Shortest(read);
  }
  return Shortest(x);
}

}  // namespace sotto
