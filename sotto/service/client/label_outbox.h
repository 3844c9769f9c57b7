#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"

namespace sotto {

// Labels that a service does not have yet, in a file that survives a crash.
//
//   auto outbox = LabelOutbox::Open("labels.outbox");
//   auto number = outbox->Add(R"({"ticket":"...","y":1})");  // durable now
//   ... send it ...
//   Status removed = outbox->Remove(*number);
//
// The file has a line for each label, `+N LABEL`, and `-N` where label N is no
// longer needed. It is written again, without those, when it is opened and when
// nothing waits. A label that was removed may come back after a
// crash; sending it again does no harm.
//
// Threads: one object, one thread. Processes: one at a time, by a lock.
class LabelOutbox {
 public:
  // An empty path keeps labels in memory. Fails with kUnavailable, and with
  // kFailedPrecondition if another process has the file.
  static Result<LabelOutbox> Open(const std::string& path,
                                  FileSystem& files = RealFiles());
  LabelOutbox(LabelOutbox&& other) noexcept;
  LabelOutbox& operator=(LabelOutbox&&) = delete;
  LabelOutbox(const LabelOutbox&) = delete;
  LabelOutbox& operator=(const LabelOutbox&) = delete;
  ~LabelOutbox();

  // The label is one line. After a failure it is not kept, but may be found
  // when the file is opened again.
  Result<std::uint64_t> Add(std::string_view label);
  Status Remove(std::uint64_t number);
  // By number: in the order in which they came.
  const std::map<std::uint64_t, std::string>& waiting() const {
    return waiting_;
  }

 private:
  LabelOutbox(std::string path, FileSystem& files)
      : path_(std::move(path)), files_(&files) {}
  void Read(std::string_view text);
  Status WriteAgain();
  Status Append(const std::string& line);

  std::string path_;
  FileSystem* files_;
  int lock_ = -1;
  int fd_ = -1;
  std::uint64_t size_ = 0;  // bytes that are durable
  std::uint64_t next_ = 0;
  bool torn_ = false;  // the last line failed
  std::map<std::uint64_t, std::string> waiting_;
};

}  // namespace sotto
