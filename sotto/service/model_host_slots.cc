// The part of ModelHost that keeps the clock `slots`: when groups end, who has
// a place, and how a group is played. Proof: slots.md.

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "sotto/random/chacha_rng.h"
#include "sotto/service/model_host.h"
#include "sotto/service/slot_group.h"

namespace sotto {
namespace {

// A host looks this often whether a group has ended or a release is to be
// published.
constexpr std::chrono::seconds kLongestWait{1};
constexpr std::chrono::milliseconds kLook{50};

}  // namespace

// The groups of the time in which no process ran are not made up.
Status ModelHost::StartGroups() {
  const SlotClock* const slots = machine_->model()->slots();
  if (slots == nullptr) return Ok();
  SOTTO_TRY_ASSIGN(const auto key, Key::Generate());
  places_rng_ = std::make_unique<ChaChaRng>(options_.places.value_or(key));
  group_end_ = slots->NextEnd(std::chrono::system_clock::now());
  return Ok();
}

bool ModelHost::GroupHasEnded() const {
  if (draining_ || groups_taken_ < groups_wanted_) return true;
  return !options_.groups_by_hand &&
         std::chrono::system_clock::now() >= group_end_;
}

std::optional<ModelHost::Batch> ModelHost::TakeGroup() {
  std::unique_lock lock(mutex_);
  const auto called = [this] {
    return GroupHasEnded() || described_ < wanted_;
  };
  group_end_ = machine_->model()->slots()->KeepEnd(
      group_end_, std::chrono::system_clock::now());
  // A release is published soon after it is due, however long groups are.
  const auto patience = std::min<std::chrono::system_clock::duration>(
      group_end_ - std::chrono::system_clock::now(),
      published_phase_ == machine_->model()->phase() ? kLongestWait : kLook);
  changed_.wait_for(lock, options_.groups_by_hand ? kLook : patience, called);
  if (!GroupHasEnded()) return std::nullopt;
  Batch batch(std::make_move_iterator(queue_.begin()),
              std::make_move_iterator(queue_.end()));
  queue_.clear();
  door_.NextGroup();
  ++groups_taken_;
  // Nothing comes after it; it is played whether anybody came or not.
  last_group_played_ = draining_;
  group_end_ =
      machine_->model()->slots()->NextEnd(std::chrono::system_clock::now());
  return batch;
}

Status ModelHost::ServeGroup(const Batch& batch,
                             std::vector<HostReply>& replies) {
  ServedModel& model = *machine_->model();
  std::vector<const HostRequest*> requests;
  for (const Item& item : batch) requests.push_back(&item.request);
  auto group = MakeSlotGroup(model, requests, *places_rng_);
  std::vector<Record> records;
  for (const SlotStep& at : group) {
    if (at.step.from_lost_records) return Retire();
    if (at.step.record) records.push_back(*at.step.record);
  }
  replies.resize(batch.size());
  return Commit(records, [&]() -> sotto::Status {
    for (SlotStep& at : group) {
      SOTTO_TRY_ASSIGN(auto reply, model.Apply(at.step));
      if (at.request) replies[*at.request] = std::move(reply);
    }
    return Ok();
  });
}

// Each round of a bulk has its own place: were they refused together, a user
// could be turned away from a group that is not full.
ModelHost::Batch ModelHost::Admit(Batch items) {
  const bool room = queue_.size() + items.size() <= options_.most_waiting;
  if (!taking() || draining_ || !room) return items;
  Batch surplus;
  for (Item& item : items) {
    const bool round = item.request.kind == HostRequest::Kind::kPredict;
    if (round && !door_.Enter()) {
      surplus.push_back(std::move(item));
    } else {
      queue_.push_back(std::move(item));
    }
  }
  return surplus;
}

void ModelHost::NoteGroupEnd() {
  const std::lock_guard lock(mutex_);
  groups_ended_ = groups_taken_;
  full_groups_ = machine_->model()->full_groups();
  changed_.notify_all();
}

std::uint64_t ModelHost::full_groups() const {
  const std::lock_guard lock(mutex_);
  return full_groups_;
}

void ModelHost::EndGroup() {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = groups_taken_ + 1;
  groups_wanted_ = mine;
  changed_.notify_all();
  changed_.wait(lock, [&] { return groups_ended_ >= mine || !taking(); });
}

}  // namespace sotto
