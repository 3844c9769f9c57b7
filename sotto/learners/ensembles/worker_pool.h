#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sotto {

// A fixed number of threads that do the parts of one task at a time.
//
//   WorkerPool pool(4);
//   pool.Run([&](std::size_t part) { sums[part] = Sum(slices[part]); });
//
// Threads: one caller at a time; the caller does part 0 itself. A part must not
// throw.
class WorkerPool {
 public:
  // Starts fewer threads if the system refuses more. Requires parts >= 1.
  explicit WorkerPool(std::size_t parts);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  std::size_t parts() const { return workers_.size() + 1; }
  // task(0), ..., task(parts() - 1), at the same time; returns after the last.
  void Run(const std::function<void(std::size_t part)>& task);

 private:
  void Work(std::size_t part);

  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::uint64_t tasks_ = 0;  // Started so far.
  std::size_t busy_ = 0;
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace sotto
