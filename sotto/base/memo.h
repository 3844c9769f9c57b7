#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

namespace sotto {

// The last results of a pure function that takes long, such as a plan.
//
//   static Memo<Request, Result<Plan>> memo;
//   return memo.Get(request, [&] { return ComputePlan(request); });
//
// Requires: equal keys have equal results, and nothing of a user is in a key:
// how long a call takes depends on the keys of earlier calls.
// Threads: calls may run at the same time; two may compute the same result.
// Keeps `most` results; the oldest goes first.
template <typename Key, typename Value, std::size_t most = 64>
class Memo {
 public:
  template <typename Compute>
  Value Get(const Key& key, const Compute& compute) {
    {
      const std::scoped_lock lock(mutex_);
      const auto known = std::ranges::find(known_, key, &Known::first);
      if (known != known_.end()) return known->second;
    }
    Value value = compute();
    const std::scoped_lock lock(mutex_);
    if (known_.size() == most) known_.pop_front();
    known_.emplace_back(key, value);
    return value;
  }

 private:
  using Known = std::pair<Key, Value>;

  std::mutex mutex_;
  std::deque<Known> known_;
};

}  // namespace sotto
