#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/json.h"
#include "sotto/service/events/error_history.h"
#include "sotto/service/events/release_history.h"
#include "sotto/service/metrics/request_meter.h"

namespace sotto {

// One model as a watcher saw it at a time.
struct ModelLook {
  double time = 0;  // seconds since 1970
  Json status{};    // of Host::Status: durable
  // A newly published model, as ViewRelease shows it; null: the same as before.
  Json release{};
  RequestMeter::Traffic traffic{};
  Json population{};  // {"name","epsilon","delta","models","limit"}, or null
};

// Turns looks at one model into events for pages, and keeps what a page needs
// that comes later: newest figures, at most 120 points of history, 60 releases
// and 40 events.
//
//   watch.Take(look, [&](auto event, Json data) {
//     feed.Publish(event, data);
//   });
//   hello["models"].Add(watch.Hello());
//
// It writes every sentence and says who may see it; a page derives nothing.
// Threads: not thread-safe.
class ModelWatch {
 public:
  using Emit = std::function<void(std::string_view event, Json data)>;

  explicit ModelWatch(std::string name) : name_(std::move(name)) {}

  void Take(const ModelLook& look, const Emit& emit);
  // {"promise","model","error":[..],"calibration","release","releases",
  //  "events"}.
  Json Hello() const;

  // History, events and promise, over a restart of the process.
  Json Save() const;
  void Load(const Json& json);

 private:
  static constexpr std::size_t kMostEvents = 40;
  static constexpr std::size_t kMinute = 60;

  void TakePromise(const ModelLook& look, const Emit& emit);
  void TakeState(const ModelLook& look, const Emit& emit);
  void TakeStart(const ModelLook& look, const Emit& emit);
  void TakePhase(const ModelLook& look, const Emit& emit);
  void TakeErrors(const ModelLook& look, const Emit& emit);
  void TakeRelease(const ModelLook& look, const Emit& emit);
  void TakeRefusals(const ModelLook& look, const Emit& emit);
  void TakeFigures(const ModelLook& look, const Emit& emit);
  void AddEvent(const ModelLook& look, std::string_view kind, bool is_public,
                const std::string& text, const Emit& emit);
  Json MakeFigures(const ModelLook& look) const;
  Json DescribeRefusals(const RequestMeter::Traffic& traffic) const;
  double Rate(const ModelLook& look) const;

  std::string name_;
  std::string state_{};
  std::optional<std::uint64_t> phase_{};
  bool started_ = false;  // its first complete status was seen
  bool known_ = false;    // from an earlier process
  Json promise_{}, figures_{}, calibration_{}, release_{}, earlier_{};
  double release_time_ = 0, earlier_time_ = 0, calibration_time_ = 0,
         refusals_time_ = 0;
  ErrorHistory history_{};
  ReleaseHistory releases_{};
  ErrorNow now_{};
  std::deque<Json> events_{};
  // The last minute, a look a second.
  struct Second {
    double time = 0;
    std::uint64_t rounds = 0;
    RequestMeter::Traffic traffic{};
  };
  std::deque<Second> minute_{};
};

}  // namespace sotto
