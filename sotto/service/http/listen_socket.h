#pragma once

#include <cstddef>

#include "sotto/base/result.h"
#include "sotto/service/http/address.h"

namespace sotto::http {

// Makes a non-blocking socket that listens on the address and fills in the port
// that the system gave. A Unix socket that no process serves any more is
// replaced; only its owner may use it. Fails with kUnavailable.
Result<int> ListenOn(Address& address);

// Makes room for `count` descriptors, or as many as the process may have. While
// the system makes it later, beside other threads, calls that open something
// wait for about 15 ms, at each doubling.
void ReserveDescriptors(int listening, std::size_t count);

// Accepts a connection, non-blocking. Returns -1 with errno set.
int AcceptFrom(int listening);

}  // namespace sotto::http
