#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/service/http/message.h"

namespace sotto {

// Server-sent events to any number of readers. Events are numbered; a reader
// that comes back within the last kKept events gets those it missed.
//
//   EventFeed feed(first);
//   feed.Publish("model", json);
//   feed.Subscribe(writer, last_event_id, hello);
//
// Numbers grow over restarts: `first` is made of the time. A number of an
// earlier process is below `first`, and its reader is greeted again.
//
// Threads: thread-safe.
class EventFeed {
 public:
  static constexpr std::size_t kKept = 4096;

  explicit EventFeed(std::uint64_t first) : first_(first), next_(first) {}

  void Publish(std::string_view event, const Json& data);
  // Sends what came after `last`, or `hello` if that is not known any more;
  // then everything that comes.
  void Subscribe(http::BodyWriter writer, std::optional<std::uint64_t> last,
                 const Json& hello);
  // Sends a comment, so that readers know that the connection lives, and
  // forgets readers that are gone.
  void SendComment();

  std::size_t readers() const;
  std::uint64_t next() const;

 private:
  void SendAll(const std::string& text);

  mutable std::mutex mutex_;
  std::uint64_t first_;
  std::uint64_t next_;
  std::deque<std::string> kept_{};  // the last before next_
  std::vector<http::BodyWriter> readers_{};
};

// One event as it is sent.
std::string FormatEvent(std::uint64_t id, std::string_view event,
                        const Json& data);

}  // namespace sotto
