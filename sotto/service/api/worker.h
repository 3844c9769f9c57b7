#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sotto::api {

// A thread for calls that may take long, one after the other. Its destructor
// waits for what was added.
// Threads: thread-safe.
class Worker {
 public:
  Worker() : thread_([this] { Work(); }) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    Add(nullptr);
    thread_.join();
  }

  void Add(std::function<void()> task) {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
    added_.notify_one();
  }

 private:
  std::function<void()> Take() {
    std::unique_lock lock(mutex_);
    added_.wait(lock, [this] { return !tasks_.empty(); });
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

  void Work() {
    while (const auto task = Take()) task();
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace sotto::api
