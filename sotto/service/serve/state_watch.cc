#include "sotto/service/serve/state_watch.h"

#include <chrono>

namespace sotto {
namespace {

constexpr auto kPeriod = std::chrono::milliseconds(200);

}  // namespace

StateWatch::StateWatch(const HostSet& hosts, EventLog& log)
    : hosts_(hosts), log_(log), thread_([this] { Run(); }) {}

StateWatch::~StateWatch() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StateWatch::Run() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    Look();
    changed_.wait_for(lock, kPeriod, [this] { return ended_; });
  }
  Look();
}

// Says aloud that there was a full group: who came is not covered there.
void StateWatch::NoteFullGroups(const Host& host) {
  std::uint64_t& known = full_groups_[host.name()];
  const std::uint64_t full = host.full_groups();
  if (full <= known) return;
  known = full;
  log_.Write("full_groups", {{"model", host.name()}, {"full_groups", full}});
}

void StateWatch::Look() {
  for (const Host* host : hosts_.hosts()) {
    NoteFullGroups(*host);
    const Host::Condition condition = host->condition();
    const auto [entry, fresh] =
        known_.try_emplace(host->name(), condition.state);
    if (!fresh && entry->second == condition.state) continue;
    entry->second = condition.state;
    Json::Object facts = {{"model", host->name()},
                          {"state", Host::StateName(condition.state)}};
    if (!condition.reason.empty()) {
      facts.emplace_back("reason", condition.reason);
    }
    log_.Write("model_state", facts);
  }
}

}  // namespace sotto
