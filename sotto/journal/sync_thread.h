#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "sotto/base/result.h"

namespace sotto {

// A thread that runs one task while its owner runs another.
//
//   thread.Start([&] { return anchor.Sync(); });
//   Status journal = files.SyncData(fd);
//   Status anchor = thread.Wait();
//
// Every Start is followed by a Wait. Threads: one owner.
class SyncThread {
 public:
  SyncThread() : thread_([this] { Loop(); }) {}
  ~SyncThread() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  SyncThread(const SyncThread&) = delete;
  SyncThread& operator=(const SyncThread&) = delete;

  void Start(std::function<Status()> task) {
    {
      const std::lock_guard lock(mutex_);
      task_ = std::move(task);
      result_.reset();
    }
    changed_.notify_all();
  }

  Status Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return result_.has_value(); });
    return *std::exchange(result_, std::nullopt);
  }

 private:
  void Loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ends_ || task_; });
      if (ends_) return;
      const auto task = std::exchange(task_, nullptr);
      lock.unlock();
      Status result = task();
      lock.lock();
      result_ = std::move(result);
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<Status()> task_;
  std::optional<Status> result_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace sotto
