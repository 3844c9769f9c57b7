#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sotto/service/host.h"
#include "sotto/service/peers/peer_lane.h"

namespace sotto {

// The process that writes a model, as others know it.
struct PeerTarget {
  std::string address;
  std::uint64_t term = 0;
  bool operator==(const PeerTarget&) const = default;
};

struct PeerLinkOptions {
  std::string model;
  Key key;  // DerivePeerKey
  // The writer of the model now. Absent: it is not known, or this process.
  std::function<std::optional<PeerTarget>()> target;
  // Called with every new publication, and with the model's configuration, on a
  // thread of the link. May be null.
  std::function<void(const std::string& configuration,
                     const Host::Publication& publication)>
      on_published{};
  std::size_t most_waiting = 1 << 16;              // requests
  std::chrono::milliseconds deadline{10'000};      // of an answer
  std::chrono::milliseconds look_every{200};       // if no user asks
  std::chrono::milliseconds silence_means{3'000};  // the writer is gone
};

// Takes requests for one model to the process that writes it, over two kept
// connections. What waits while both are busy goes together with the next
// question; requests that were submitted together stay together.
//
// A request ends with the writer's reply, or as unavailable if it never left,
// or as unknown: if the answer is lost, late, or another process became the
// writer meanwhile. It is never sent a second time.
//
// Threads: thread-safe.
class PeerLink {
 public:
  explicit PeerLink(PeerLinkOptions options);
  // Ends what is under way as unknown.
  ~PeerLink();
  PeerLink(const PeerLink&) = delete;
  PeerLink& operator=(const PeerLink&) = delete;

  // The newest answer of the writer.
  struct View {
    bool reachable = false;  // it answered a moment ago, and is still the one
    Host::State state = Host::State::kStarting;
    std::size_t longest_body = 0;
    std::optional<std::string> estimate{};
    std::optional<Host::Publication> publication{};
    std::string configuration{};
    std::string address{};
    bool taking() const {
      return reachable &&
             (state == Host::State::kReady || state == Host::State::kHalted);
    }
  };
  View view() const;
  bool CanTake(std::size_t requests) const;
  void SubmitAll(std::vector<HostRequest> requests, Host::AllDone done);

 private:
  using Clock = std::chrono::steady_clock;
  struct Group {
    std::vector<HostRequest> requests;
    Host::AllDone done;
  };
  using Batch = std::vector<Group>;

  void Run();
  Batch TakeBatch();
  bool LookIsDue(Clock::time_point now);
  void Exchange(PeerLane& lane, const PeerTarget& target, Batch batch);
  void Note(const PeerTarget& target, PeerAnswer& answer);
  bool taking(std::size_t requests) const;
  static void Finish(Batch& batch, std::vector<HostReply> replies);
  static void Finish(Batch& batch, const HostReply& all);

  const PeerLinkOptions options_;
  std::mutex note_mutex_{};  // taken before the other one
  mutable std::mutex mutex_{};
  std::condition_variable changed_{};
  bool ended_ = false;
  std::deque<Group> queue_{};
  std::size_t waiting_ = 0;  // requests in the queue
  Clock::time_point look_due_{};
  View view_{};
  PeerTarget answered_by_{};
  std::optional<Clock::time_point> answered_{};
  std::vector<std::thread> lanes_{};  // last: they use all of the above
};

}  // namespace sotto
