#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "sotto/durable/journaled.h"
#include "sotto/random/key.h"
#include "sotto/random/rng.h"
#include "sotto/service/host.h"
#include "sotto/service/model_machine.h"
#include "sotto/service/model_store.h"
#include "sotto/service/slot_door.h"

namespace sotto {

struct ModelHostOptions {
  ModelConfiguration configuration;
  std::shared_ptr<ModelStore> store;
  std::vector<Key> roots;
  std::uint64_t snapshot_every = 1'000'000;  // records
  bool snapshot_at_end = true;
  std::size_t most_waiting = 1 << 16;
  std::string damage{};  // why the model cannot start; empty: it can
  // For tests: groups of the clock `slots` end by EndGroup alone, and places
  // are drawn from this key.
  bool groups_by_hand = false;
  std::optional<Key> places{};
};

// The Host of one model of a store. In a shared store it waits while another
// process writes the model's journal, takes over when that one has ended, and
// starts again from the journal when it was taken over itself.
//
// Threads: thread-safe. One thread replays, computes and replies; another one,
//          of Journaled, appends.
class ModelHost final : public Host {
 public:
  // Starts at once, in its own thread.
  explicit ModelHost(ModelHostOptions options);
  // Drains.
  ~ModelHost() override;

  // Returns when the state is not kStarting.
  void WaitUntilStarted() const;

  const std::string& name() const override {
    return options_.configuration.name;
  }
  bool own_names_only() const override {
    return options_.configuration.slots.has_value();
  }
  std::uint64_t full_groups() const override;
  // Ends the group that is open now. Returns when its replies are out.
  void EndGroup();
  bool CanTake(std::size_t requests) const override;
  void SubmitAll(std::vector<HostRequest> requests, AllDone done) override;
  std::size_t longest_body() const override;
  Condition condition() const override;
  Json Status() const override;
  std::optional<Publication> Hypothesis() const override;
  std::string Configuration() const override {
    return options_.configuration.ToJson().Dump();
  }
  std::optional<std::string> Estimate() const override;
  void Drain() override;

 private:
  // Requests that were submitted together.
  struct Group {
    std::vector<HostReply> replies;
    std::size_t left = 0;
    AllDone done;
  };
  struct Item {
    HostRequest request;
    std::shared_ptr<Group> group;
    std::size_t index = 0;
  };
  using Batch = std::vector<Item>;

  void Run();
  sotto::Status RunOnce();
  sotto::Status Yield();
  bool MayStartAgain(const Error& error) const;
  void StopTaking(const Error& error);
  void WaitForJournal(const std::string& reason);
  bool Ended() const;
  void End();
  sotto::Status Start();
  // Loads the newest snapshot. Returns the record it stands on, or 0.
  Result<std::uint64_t> LoadSnapshot(Journal& journal);
  sotto::Status ContinueOtherSemantics(Journal& journal, std::uint64_t after);
  sotto::Status MakeModel();
  void NoteProgress(std::uint64_t done, std::uint64_t all);

  // Empty: drained, the operator's view is wanted, or a publication is due.
  Batch TakeBatch();
  // The same for the clock `slots`: what came in the group that has ended.
  // Absent: none has.
  std::optional<Batch> TakeGroup();
  bool GroupHasEnded() const;
  sotto::Status ServeNext();
  sotto::Status ServeGroup(const Batch& batch, std::vector<HostReply>& replies);
  sotto::Status Commit(std::span<const Record> records,
                       const std::function<sotto::Status()>& compute);
  sotto::Status StartGroups();
  void NoteGroupEnd();
  // Queues what finds a place. Returns the others.
  Batch Admit(Batch items);
  // Fails if nothing of the batch may be shown.
  sotto::Status Serve(const Batch& batch, std::vector<HostReply>& replies);
  sotto::Status Retire();
  void TakeSnapshot();
  void FinishStart();
  // Shows what is durable now. Cheap unless a publication is due.
  void Publish();
  void Describe();
  void DescribeIfWanted();
  bool Drained() const;
  void Freeze(const std::string& reason);
  static void Reply(const Batch& batch, std::vector<HostReply> replies);
  bool taking() const {
    return condition_.state == State::kReady ||
           condition_.state == State::kHalted;
  }

  const ModelHostOptions options_;

  // Used by the host's thread only.
  std::unique_ptr<ModelMachine> machine_{};
  std::unique_ptr<Journaled> journaled_{};
  std::uint64_t snapshot_due_ = 0;  // records since the last one
  std::chrono::steady_clock::time_point publish_due_{};
  Json recovery_{Json::Object{}};
  std::unique_ptr<Rng> places_rng_{};  // with slots
  SlotClock::Time group_end_{};
  // From the start of the newest block until it was durable.
  std::chrono::duration<double> durable_lag_{0};

  mutable std::mutex mutex_{};  // of everything below
  mutable std::condition_variable changed_{};
  std::deque<Item> queue_{};
  Condition condition_{};
  bool draining_ = false;
  SlotDoor door_{};                  // without places: the clock of arrivals
  std::uint64_t surplus_ = 0;        // requests that found no place
  std::uint64_t groups_taken_ = 0;   // off the queue
  std::uint64_t groups_ended_ = 0;   // of them, with their replies
  std::uint64_t groups_wanted_ = 0;  // by EndGroup
  std::uint64_t full_groups_ = 0;
  bool last_group_played_ = false;  // after Drain
  std::size_t longest_body_ = 0;
  Json status_{Json::Object{}};
  mutable std::uint64_t wanted_ = 0;  // calls of Status
  std::uint64_t described_ = 0;       // of which status_ is fresh enough for
  std::optional<Publication> publication_{};
  std::optional<std::uint64_t> published_phase_{};
  std::optional<std::string> estimate_{};

  std::mutex join_mutex_{};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace sotto
