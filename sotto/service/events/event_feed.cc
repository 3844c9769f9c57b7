#include "sotto/service/events/event_feed.h"

#include <utility>

namespace sotto {

std::string FormatEvent(std::uint64_t id, std::string_view event,
                        const Json& data) {
  std::string text = "id: " + std::to_string(id) + "\nevent: ";
  return text.append(event)
      .append("\ndata: ")
      .append(data.Dump())
      .append("\n\n");
}

void EventFeed::Publish(std::string_view event, const Json& data) {
  const std::scoped_lock lock(mutex_);
  kept_.push_back(FormatEvent(next_++, event, data));
  SendAll(kept_.back());
  if (kept_.size() > kKept) kept_.pop_front();
}

void EventFeed::SendAll(const std::string& text) {
  std::erase_if(readers_, [](const auto& reader) { return !reader.open(); });
  for (const http::BodyWriter& reader : readers_) reader.write(text);
}

void EventFeed::Subscribe(http::BodyWriter writer,
                          std::optional<std::uint64_t> last,
                          const Json& hello) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t oldest = next_ - kept_.size();
  std::string text = "retry: 2000\n\n";
  if (last && *last + 1 >= oldest && *last + 1 >= first_ && *last < next_) {
    for (std::uint64_t id = *last + 1; id < next_; ++id) {
      text += kept_[static_cast<std::size_t>(id - oldest)];
    }
  } else {
    text += FormatEvent(next_ - 1, "hello", hello);
  }
  writer.write(std::move(text));
  readers_.push_back(std::move(writer));
}

void EventFeed::SendComment() {
  const std::scoped_lock lock(mutex_);
  SendAll(": alive\n\n");
}

std::size_t EventFeed::readers() const {
  const std::scoped_lock lock(mutex_);
  std::size_t open = 0;
  for (const http::BodyWriter& reader : readers_) open += reader.open() ? 1 : 0;
  return open;
}

std::uint64_t EventFeed::next() const {
  const std::scoped_lock lock(mutex_);
  return next_;
}

}  // namespace sotto
