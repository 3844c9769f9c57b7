#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/journal/postgres/postgres_keys.h"

namespace sotto {

// API keys of a database that many processes use. A change at one process is
// known to all others when they next read.
//
// Threads: thread-safe.
class EngineKeys {
 public:
  using OnChange = std::function<void(const std::vector<StoredApiKey>&)>;

  explicit EngineKeys(std::string url) : url_(std::move(url)) {}

  // Called with all keys, after every change and at once if they are known.
  // Null: never again.
  void Watch(OnChange on_change);
  // Reads what changed. Call it a few times a second with a session to a
  // database that is in use.
  void Read(PostgresConnection& session);
  // Fail as AddApiKey and RemoveApiKey do, and with kUnavailable; then the key
  // may be there.
  Status Add(const StoredApiKey& key);
  Status Remove(const std::string& name);
  // True if the keys were read in this time.
  bool ReadWithin(std::chrono::milliseconds time) const;

 private:
  using Clock = std::chrono::steady_clock;

  Status Change(const std::function<Status(PostgresConnection&)>& change);
  void Refresh(PostgresConnection& session);

  const std::string url_;
  // Held while the database is asked, so that no one sees an older table after
  // a newer one.
  std::mutex mutex_{};
  OnChange on_change_{};
  std::optional<ApiKeyTable> table_{};
  mutable std::mutex time_mutex_{};
  std::optional<Clock::time_point> read_{};
};

}  // namespace sotto
