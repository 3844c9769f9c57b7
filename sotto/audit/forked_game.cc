#include "sotto/audit/forked_game.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace sotto {
namespace {

bool WriteAll(int to, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::write(to, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

bool ReadAll(int from, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t done = ::read(from, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

// Header of the pipe's data: success, and how many numbers, or characters of
// the error, follow.
struct Head {
  std::uint64_t played = 0;
  std::uint64_t size = 0;
};

// Ends this process, which is the copy.
[[noreturn]] void RunAudit(const std::function<Status(View&)>& play, int to) {
  View view;
  const Status played = play(view);
  Head head{played ? 1u : 0u, view.seen.size()};
  if (!played) head.size = played.error().message.size();
  bool sent = WriteAll(to, &head, sizeof head);
  if (played) {
    sent = sent && WriteAll(to, view.seen.data(),
                            view.seen.size() * sizeof(std::int64_t));
  } else {
    sent = sent && WriteAll(to, played.error().message.data(), head.size);
  }
  ::_exit(sent ? EXIT_SUCCESS : EXIT_FAILURE);
}

Status Receive(int from, View& view) {
  Head head;
  if (!ReadAll(from, &head, sizeof head)) {
    return Unavailable("the game ended without a word");
  }
  if (head.played == 0) {
    std::string why(head.size, ' ');
    if (!ReadAll(from, why.data(), why.size())) why = "the game failed";
    return FailedPrecondition(why);
  }
  view.seen.resize(head.size);
  if (!ReadAll(from, view.seen.data(), head.size * sizeof(std::int64_t))) {
    return Unavailable("the game ended in the middle of its view");
  }
  return Ok();
}

}  // namespace

Status PlayForked(const std::function<Status(View&)>& play, View& view) {
  view.Clear();
  std::array<int, 2> ends = {};
  if (::pipe(ends.data()) != 0) return Unavailable("no pipe for a game");
  const pid_t copy = ::fork();
  if (copy == 0) {
    ::close(ends[0]);
    RunAudit(play, ends[1]);
  }
  ::close(ends[1]);
  Status heard = copy < 0 ? Status(Unavailable("no process for a game"))
                          : Receive(ends[0], view);
  ::close(ends[0]);
  while (copy > 0 && ::waitpid(copy, nullptr, 0) < 0 && errno == EINTR) {
  }
  return heard;
}

}  // namespace sotto
