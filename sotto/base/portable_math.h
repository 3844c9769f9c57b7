#pragma once

namespace sotto {

// The exponential and the logarithm to within two units of the last place, the
// same bits on every processor: sums, products and quotients only. A C library
// chooses among several versions by the processor, and their last bits differ.
// Whatever decides a later answer of a model calls these, so that a journal
// replays anywhere.
//
//   double place = 1 / (1 + PortableExp(-score));

// e^x; 0 and infinity where doubles end.
double PortableExp(double x);
// ln x; -infinity at 0, NaN below it.
double PortableLog(double x);

}  // namespace sotto
