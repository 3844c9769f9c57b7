#pragma once

#include "sotto/base/result.h"
#include "sotto/service/http/address.h"

namespace sotto::http {

// Makes a non-blocking socket that listens on the address and fills in the port
// that the system gave. A Unix socket that no process serves any more is
// replaced; only its owner may use it. Fails with kUnavailable.
Result<int> ListenOn(Address& address);

// Accepts a connection, non-blocking. Returns -1 with errno set.
int AcceptFrom(int listening);

}  // namespace sotto::http
