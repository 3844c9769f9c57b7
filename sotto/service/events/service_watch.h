#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "sotto/base/json.h"
#include "sotto/service/events/event_feed.h"
#include "sotto/service/events/model_watch.h"
#include "sotto/service/host_set.h"
#include "sotto/service/metrics/request_meter.h"

namespace sotto {

struct ServiceWatchOptions {
  std::string folder;     // whose disk is watched, and where history is kept
  std::string version{};  // of the program
  std::function<bool()> draining = [] { return false; };
};

// Looks at all models once a second and tells readers of the feed. It shows
// what hosts show, and so only what is durable.
//
// The history of a service is in DIR/history, sealed, written once a minute and
// at the end: mistakes and events, for the operator only.
//
// Threads: its own thread; everything else may be called from any.
class ServiceWatch {
 public:
  // All must outlive it.
  ServiceWatch(const HostSet& hosts, const RequestMeter& meter,
               ServiceWatchOptions options);
  ServiceWatch(const ServiceWatch&) = delete;
  ServiceWatch& operator=(const ServiceWatch&) = delete;
  ~ServiceWatch();

  // Starts a stream of events. `last`: the number of the last one that the
  // reader has. Does not wait.
  void Subscribe(http::BodyWriter writer, std::optional<std::uint64_t> last);
  std::size_t readers() const { return feed_.readers(); }

  // {"free","size"} in bytes, of the folder's disk.
  Json DescribeDisk() const;
  double started() const { return started_; }

 private:
  void Run();
  void LookAtAll();
  ModelLook LookAt(const Host& host, double time);
  Json FindPopulation(const Json& status) const;
  Json DescribeService() const;
  Json Hello() const;
  void Load();
  void Save() const;

  const HostSet& hosts_;
  const RequestMeter& meter_;
  ServiceWatchOptions options_;
  const double started_;
  EventFeed feed_;

  // Used by the thread only.
  std::map<std::string, std::string> versions_{};  // of published models
  Json populations_{};

  mutable std::mutex mutex_{};  // of everything below
  std::condition_variable changed_{};
  std::map<std::string, ModelWatch> models_{};
  Json service_{};
  bool ended_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace sotto
