#include "sotto/service/serve/event_log.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

namespace sotto {
namespace {

std::string TimeText() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> rest{};
  std::snprintf(rest.data(), rest.size(), ".%03dZ",
                static_cast<int>(milliseconds % 1000));
  return std::string(date.data()) + rest.data();
}

}  // namespace

void EventLog::Write(std::string_view event, const Json::Object& facts) {
  Json line = Json::Object{{"time", TimeText()}, {"event", event}};
  for (const auto& [name, value] : facts) line[name] = value;
  const std::string text = line.Dump() + "\n";
  const std::scoped_lock lock(mutex_);
  // A log that cannot be written must not stop the service.
  static_cast<void>(!write(descriptor_, text.data(), text.size()));
}

}  // namespace sotto
