#include "sotto/learners/ensembles/worker_pool.h"

#include <system_error>

namespace sotto {

WorkerPool::WorkerPool(std::size_t parts) {
  workers_.reserve(parts - 1);
  try {
    for (std::size_t part = 1; part < parts; ++part) {
      workers_.emplace_back([this, part] { Work(part); });
    }
  } catch (const std::system_error&) {
    // No more threads available: continue with fewer.
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::Run(const std::function<void(std::size_t)>& task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    ++tasks_;
    busy_ = workers_.size();
  }
  start_.notify_all();
  task(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
}

void WorkerPool::Work(std::size_t part) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    start_.wait(lock, [&] { return ending_ || tasks_ != seen; });
    if (ending_) return;
    seen = tasks_;
    const auto* task = task_;
    lock.unlock();
    (*task)(part);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace sotto
