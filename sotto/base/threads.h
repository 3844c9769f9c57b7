#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace sotto {

// Calls work(i) for i below `threads`, at least for 0, on as many threads as
// the system gives up to that number, one of them the caller's. For work that
// is shared out as it goes: fewer threads do the same.
//
//   OnThreads(4, [&](std::size_t) { while (TakeNextPart()) ...; });
//
// Stacks may take all the memory that a process is allowed, so some is set
// aside until every thread is there, and none begins before. `work` must not
// throw.
template <typename Work>
void OnThreads(std::size_t threads, const Work& work) {
  constexpr std::size_t kSetAside = std::size_t{32} << 20;
  std::unique_ptr<char[]> set_aside(
      threads > 1 ? new (std::nothrow) char[kSetAside] : nullptr);
  std::atomic<bool> begin = false;
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    try {
      others.emplace_back([&work, &begin, i] {
        begin.wait(false);
        work(i);
      });
    } catch (const std::system_error&) {
      break;
    }
  }
  set_aside.reset();
  begin = true;
  begin.notify_all();
  work(std::size_t{0});
}

}  // namespace sotto
