#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/service/host_request.h"

namespace sotto {

// One model at work for many callers: a queue, a thread, a journal.
//
//   host.Submit({.body = R"({"x":[0.5]})", .user = "u1"},
//               [](HostReply reply) {...});       // on the host's thread
//
// The order of Submit is the order of rounds; with the clock `slots` requests
// wait until their group ends. Requests that wait are taken together: their
// records are appended to the journal while the model computes, and replies
// leave when records and anchor are durable. If an append fails, everything
// computed from it is dropped and the model is frozen.
//
// Guarantee: that of the model; queue, journal and replies add nothing.
// Proof:     host.md, next to this file.
// Threads:   thread-safe. A callback must return soon and must not wait for
//            this host.
class Host {
 public:
  using Done = std::function<void(HostReply)>;
  using AllDone = std::function<void(std::vector<HostReply>)>;

  enum class State : std::uint8_t {
    kStarting,  // reading its journal
    kReady,
    kHalted,  // the budget is used up: labels are taken, rounds are not
    kDraining,
    kEnded,   // drained: everything is in a snapshot
    kFrozen,  // see Condition::reason; only an operator can help
  };
  struct Condition {
    State state = State::kStarting;
    std::string reason{};  // of kFrozen
    double replayed = 0;   // fraction of the journal, in [0, 1]
    bool ready() const { return state == State::kReady; }
  };
  static std::string_view StateName(State state);

  virtual ~Host() = default;

  virtual const std::string& name() const = 0;
  // True if this many requests would be taken now. Cheap.
  virtual bool CanTake(std::size_t requests) const = 0;
  // Never blocks and never fails: what cannot be done is a reply. `done` is
  // called exactly once, maybe before the call returns, with the replies in the
  // order of the requests. Requires at least one request.
  virtual void SubmitAll(std::vector<HostRequest> requests, AllDone done) = 0;
  void Submit(HostRequest request, Done done);
  // True if a request may name only the user whom its credential stands for:
  // with the clock `slots` no one may ask whether another has rounds left.
  virtual bool own_names_only() const { return false; }
  // Groups of the clock `slots` that had no place left: it is not covered there
  // whether a user came.
  virtual std::uint64_t full_groups() const { return 0; }
  // Length to which the replies of this model can be padded: no body is longer.
  virtual std::size_t longest_body() const = 0;

  virtual Condition condition() const = 0;
  // The operator's view: model, guarantee, parameters, phase, budget, rounds,
  // mistakes, labels waiting, positions of journal and anchor, condition.
  // Everything in it is durable: a crash takes nothing of it back.
  virtual Json Status() const = 0;
  // The newest published model that is durable, with its guarantee. Absent if
  // the model publishes none. `version` changes with it (for an ETag).
  struct Publication {
    std::string version;
    std::string json;
  };
  virtual std::optional<Publication> Hypothesis() const = 0;
  // The public configuration of a model of the registry, as JSON, for processes
  // that answer from its publications. Empty: there is none.
  virtual std::string Configuration() const { return ""; }
  // The current value of a counter or monitor, as in kCounted. Absent for
  // other models, and before the first step.
  virtual std::optional<std::string> Estimate() const = 0;

  // Answers what is queued, refuses what comes later, writes a snapshot and
  // ends the thread. Returns when that is done.
  virtual void Drain() = 0;
};

}  // namespace sotto
