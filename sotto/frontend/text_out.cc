#include "sotto/frontend/text_out.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

#include "sotto/base/printable.h"

namespace sotto {
namespace {

constexpr int kLookMilliseconds = 100;
constexpr int kLooksAfterStop = 10;

}  // namespace

void TextOut::Print(std::string_view text) {
  if (fd_ < 0 || gone_ || !status_) return;
  const std::string shown = Printable(text);
  std::string_view rest = shown;
  while (!rest.empty()) {
    if (!Ready()) {
      gone_ = true;
      return;
    }
    // A pipe that is ready takes this much without waiting.
    const ssize_t written =
        ::write(fd_, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      gone_ = true;
      return;
    } else if (errno != EINTR && errno != EAGAIN) {
      status_ =
          Unavailable(std::string("cannot write: ") + std::strerror(errno));
      return;
    }
  }
}

// False if a signal has come and the reader does not read.
bool TextOut::Ready() const {
  int looks = 0;
  while (true) {
    pollfd request{.fd = fd_, .events = POLLOUT, .revents = 0};
    if (::poll(&request, 1, kLookMilliseconds) > 0) return true;
    if (*stop_ != 0 && ++looks > kLooksAfterStop) return false;
  }
}

}  // namespace sotto
