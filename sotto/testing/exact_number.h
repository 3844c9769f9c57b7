#pragma once

#include <boost/multiprecision/gmp.hpp>

namespace sotto {

// An exact rational of any size. Expression templates are off: `auto x = a + b`
// is a number.
using ExactNumber =
    boost::multiprecision::number<boost::multiprecision::gmp_rational,
                                  boost::multiprecision::et_off>;

}  // namespace sotto
