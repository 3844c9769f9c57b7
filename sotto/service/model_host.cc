#include "sotto/service/model_host.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <span>
#include <utility>

#include "sotto/random/thread_cache.h"
#include "sotto/service/reply_text.h"

namespace sotto {
namespace {

// Bounds of one block: requests, and bytes of their bodies. A record can take
// six times the bytes of its body; a block may have 64 MiB.
constexpr std::size_t kMostRequests = 4096;
constexpr std::size_t kMostBodyBytes = std::size_t{4} << 20;

// A publication takes as long as many rounds, so under load there is one in
// this time at most. It shows what is durable then.
constexpr std::chrono::milliseconds kPublishEvery{50};

// How long a host waits before it tries to take a shared journal over.
constexpr std::chrono::milliseconds kTakeOverEvery{250};

// How often an idle host asks whether another process should have the model.
constexpr std::chrono::seconds kYieldEvery{1};

// Status waits this long for the host's thread, which may write a snapshot.
constexpr std::chrono::seconds kStatusPatience{1};

constexpr std::string_view kLostRecords =
    "a ticket came that records which are gone gave out: journal and anchor "
    "were restored from a backup. See 'sotto journal declare-rollback'";

}  // namespace

ModelHost::ModelHost(ModelHostOptions options)
    : options_(std::move(options)), thread_([this] {
        Run();
        FreeThreadCache();
      }) {}

ModelHost::~ModelHost() { Drain(); }

void ModelHost::Run() {
  try {
    while (!Ended()) {
      const auto served = RunOnce();
      if (served) return End();
      if (!MayStartAgain(served.error())) {
        return Freeze(served.error().message);
      }
      WaitForJournal(served.error().message);
    }
    End();
  } catch (const std::exception& failure) {
    Freeze(failure.what());
  }
}

// From the journal's opening until the host is drained.
Status ModelHost::RunOnce() {
  SOTTO_TRY(Start());
  FinishStart();
  while (!Drained()) {
    DescribeIfWanted();
    SOTTO_TRY(ServeNext());
    if (journaled_->since_snapshot() >= snapshot_due_) TakeSnapshot();
    if (options_.store->ShouldYield(name())) return Yield();
  }
  if (options_.snapshot_at_end) TakeSnapshot();
  Describe();
  return Ok();
}

// Lets another process take the journal over: callers ask again.
Status ModelHost::Yield() {
  const Error left = Unavailable("a process that joined writes this model");
  StopTaking(left);
  TakeSnapshot();
  return left;
}

// Takes what waits, if it is time, and replies.
Status ModelHost::ServeNext() {
  const bool groups = machine_->model()->slots() != nullptr;
  auto batch = groups ? TakeGroup() : std::optional(TakeBatch());
  if (!batch || (!groups && batch->empty())) {
    Publish();
    return Ok();
  }
  std::vector<HostReply> replies;
  const auto served =
      groups ? ServeGroup(*batch, replies) : Serve(*batch, replies);
  if (!served) {
    StopTaking(served.error());
    // A shared store may have kept the block although it did not say so.
    const bool unknown = MayStartAgain(served.error());
    Reply(*batch, unknown ? std::vector(batch->size(), UnknownReply())
                          : std::vector<HostReply>());
    return served;
  }
  Publish();
  Reply(*batch, std::move(replies));
  if (groups) NoteGroupEnd();
  return Ok();
}

// Another process may have taken a shared journal over, or the store may not
// have answered: what was computed is dropped, and the journal says what
// counts.
bool ModelHost::MayStartAgain(const Error& error) const {
  return options_.store->shared() && error.code == ErrorCode::kUnavailable;
}

// The state changes before the callers of the lost batch get their replies.
void ModelHost::StopTaking(const Error& error) {
  if (!MayStartAgain(error)) return Freeze(error.message);
  const std::lock_guard lock(mutex_);
  condition_ = {.state = State::kStarting, .reason = error.message};
}

void ModelHost::WaitForJournal(const std::string& reason) {
  journaled_.reset();
  machine_.reset();
  Batch waiting;
  {
    const std::lock_guard lock(mutex_);
    condition_ = {.state = State::kStarting, .reason = reason};
    published_phase_.reset();
    for (Item& item : queue_) waiting.push_back(std::move(item));
    queue_.clear();
    door_.NextGroup();
  }
  Reply(waiting, {});
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kTakeOverEvery, [this] { return draining_; });
}

bool ModelHost::Ended() const {
  const std::lock_guard lock(mutex_);
  return draining_ && condition_.state == State::kStarting && !machine_;
}

void ModelHost::End() {
  journaled_.reset();
  const std::lock_guard lock(mutex_);
  condition_.state = State::kEnded;
  changed_.notify_all();
}

Status ModelHost::Start() {
  if (!options_.damage.empty()) return Corruption(options_.damage);
  SOTTO_TRY_ASSIGN(auto opened,
                   options_.store->Open(options_.configuration.name));
  auto journal = std::move(opened.journal);
  recovery_ = std::move(opened.recovery);
  machine_ = std::make_unique<ModelMachine>(options_.roots, journal->lineage());
  SOTTO_TRY_ASSIGN(const auto after, LoadSnapshot(*journal));
  SOTTO_TRY_ASSIGN(const bool other, machine_->FromOtherSemantics());
  if (other) SOTTO_TRY(ContinueOtherSemantics(*journal, after));
  SOTTO_TRY_ASSIGN(journaled_,
                   Journaled::Resume(std::move(journal), *machine_, after,
                                     {.progress = [this](auto done, auto all) {
                                       NoteProgress(done, all);
                                     }}));
  if (!machine_->retired().empty()) {
    return FailedPrecondition("the model was retired: " + machine_->retired());
  }
  const bool made = machine_->model() == nullptr;
  if (made) SOTTO_TRY(MakeModel());
  SOTTO_TRY(StartGroups());
  snapshot_due_ = options_.snapshot_every;
  if (!made && !other) return Ok();
  // Planning takes longer than loading a plan.
  SOTTO_TRY_ASSIGN(const auto state, machine_->Save());
  return journaled_->WriteSnapshot(state, true);
}

void ModelHost::FinishStart() {
  Publish();
  Describe();
  const std::lock_guard lock(mutex_);
  longest_body_ = machine_->model()->longest_body();
  const SlotClock* const slots = machine_->model()->slots();
  door_ =
      SlotDoor(slots == nullptr ? 0 : static_cast<std::size_t>(slots->rounds));
  condition_.state =
      machine_->model()->halted() ? State::kHalted : State::kReady;
  condition_.replayed = 1;
  condition_.reason.clear();
  changed_.notify_all();
}

ModelHost::Batch ModelHost::TakeBatch() {
  std::unique_lock lock(mutex_);
  const auto called = [this] {
    return draining_ || !queue_.empty() || described_ < wanted_;
  };
  const bool shown = published_phase_ == machine_->model()->phase();
  if (shown && options_.store->shared()) {
    changed_.wait_for(lock, kYieldEvery, called);
  } else if (shown) {
    changed_.wait(lock, called);
  } else {
    changed_.wait_until(lock, publish_due_, called);
  }
  Batch batch;
  std::size_t bytes = 0;
  while (!queue_.empty() && batch.size() < kMostRequests) {
    bytes += queue_.front().request.body.size();
    if (!batch.empty() && bytes > kMostBodyBytes) break;
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return batch;
}

Status ModelHost::Serve(const Batch& batch, std::vector<HostReply>& replies) {
  ServedModel& model = *machine_->model();
  std::vector<ServedStep> steps;
  std::vector<Record> records;
  steps.reserve(batch.size());
  records.reserve(batch.size());
  for (const Item& item : batch) {
    ServedStep& step = steps.emplace_back(model.Prepare(item.request));
    if (step.from_lost_records) return Retire();
    // Apply asks only whether there was a record.
    if (step.record) records.push_back(std::move(*step.record));
  }
  replies.reserve(steps.size());
  return Commit(records, [&]() -> sotto::Status {
    for (ServedStep& step : steps) {
      SOTTO_TRY_ASSIGN(auto reply, model.Apply(step));
      replies.push_back(std::move(reply));
    }
    return Ok();
  });
}

Status ModelHost::Commit(std::span<const Record> records,
                         const std::function<sotto::Status()>& compute) {
  const auto start = std::chrono::steady_clock::now();
  SOTTO_TRY(journaled_->Commit(records, compute));
  durable_lag_ = std::chrono::steady_clock::now() - start;
  return Ok();
}

// The proof of a roll-back is kept, so that a restart does not forget it.
Status ModelHost::Retire() {
  const std::vector<Record> records = {
      {RecordType::kRollback, std::string(kLostRecords)}};
  SOTTO_TRY(journaled_->Commit(records, [&] {
    return machine_->Replay({records[0].type, records[0].payload});
  }));
  return FailedPrecondition(std::string(kLostRecords));
}

void ModelHost::TakeSnapshot() {
  // One record is the claim.
  if (journaled_->since_snapshot() <= 1) return;
  snapshot_due_ = journaled_->since_snapshot() + options_.snapshot_every;
  const auto state = machine_->Save();
  if (!state || !journaled_->WriteSnapshot(*state, true)) return;
  snapshot_due_ = options_.snapshot_every;
}

void ModelHost::Publish() {
  const ServedModel& model = *machine_->model();
  const auto now = std::chrono::steady_clock::now();
  const bool changed = published_phase_ != model.phase() && now >= publish_due_;
  if (changed) publish_due_ = now + kPublishEvery;
  auto hypothesis = changed ? model.Hypothesis() : std::nullopt;
  auto estimate = model.Estimate();
  const std::lock_guard lock(mutex_);
  estimate_ = std::move(estimate);
  if (condition_.state == State::kReady && model.halted()) {
    condition_.state = State::kHalted;
  }
  if (!changed) return;
  published_phase_ = model.phase();
  publication_.reset();
  if (hypothesis) {
    publication_ =
        Publication{ReleaseName(model.phase()), *std::move(hypothesis)};
  }
}

bool ModelHost::Drained() const {
  const std::lock_guard lock(mutex_);
  return draining_ && queue_.empty() &&
         (door_.places() == 0 || last_group_played_);
}

void ModelHost::DescribeIfWanted() {
  {
    const std::lock_guard lock(mutex_);
    if (described_ == wanted_) return;
  }
  Describe();
}

void ModelHost::Describe() {
  Json status = machine_->model()->Describe();
  const Journal& journal = journaled_->journal();
  status["journal"] =
      Json::Object{{"records", journal.position().tail},
                   {"first_kept", journal.first()},
                   {"since_snapshot", journaled_->since_snapshot()},
                   {"term", journal.term()},
                   {"durable_lag_ms", 1e3 * durable_lag_.count()},
                   {"recovery", recovery_}};
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
  described_ = wanted_;
  changed_.notify_all();
}

void ModelHost::Freeze(const std::string& reason) {
  journaled_.reset();
  Batch waiting;
  {
    const std::lock_guard lock(mutex_);
    condition_.state = State::kFrozen;
    condition_.reason = reason;
    for (Item& item : queue_) waiting.push_back(std::move(item));
    queue_.clear();
    changed_.notify_all();
  }
  Reply(waiting, {});
}

// Without replies: the model is not available.
void ModelHost::Reply(const Batch& batch, std::vector<HostReply> replies) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Group& group = *batch[i].group;
    group.replies[batch[i].index] =
        replies.empty() ? UnavailableReply() : std::move(replies[i]);
    if (--group.left == 0) group.done(std::move(group.replies));
  }
}

bool ModelHost::CanTake(std::size_t requests) const {
  const std::lock_guard lock(mutex_);
  return taking() && !draining_ &&
         queue_.size() + requests <= options_.most_waiting;
}

void ModelHost::SubmitAll(std::vector<HostRequest> requests, AllDone done) {
  const auto group = std::make_shared<Group>();
  group->left = requests.size();
  group->replies.resize(requests.size());
  group->done = std::move(done);
  Batch items;
  items.reserve(requests.size());
  for (HostRequest& request : requests) {
    items.push_back({std::move(request), group, items.size()});
  }
  {
    const std::lock_guard lock(mutex_);
    items = Admit(std::move(items));
    if (taking() && door_.places() > 0) surplus_ += items.size();
    // While some wait, the others are answered with them.
    if (items.size() < group->left) {
      for (const Item& item : items) {
        group->replies[item.index] = UnavailableReply();
      }
      group->left -= items.size();
      items.clear();
    }
  }
  if (items.empty()) return changed_.notify_all();
  Reply(items, {});
}

std::size_t ModelHost::longest_body() const {
  const std::lock_guard lock(mutex_);
  return longest_body_;
}

Host::Condition ModelHost::condition() const {
  const std::lock_guard lock(mutex_);
  Condition condition = condition_;
  if (draining_ && taking()) condition.state = State::kDraining;
  return condition;
}

Json ModelHost::Status() const {
  const Condition now = condition();
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = ++wanted_;
  changed_.notify_all();
  changed_.wait_for(lock, kStatusPatience,
                    [&] { return described_ >= mine || !taking(); });
  Json json = Json::Object{{"name", name()},
                           {"state", StateName(now.state)},
                           {"ready", now.ready()},
                           {"replayed", now.replayed}};
  if (!now.reason.empty()) json["reason"] = now.reason;
  json["waiting"] = queue_.size();
  if (door_.places() > 0) json["turned_away"] = surplus_;
  if (!options_.configuration.population.empty()) {
    json["population"] = options_.configuration.population;
  }
  for (const auto& [key, value] : *status_.object()) json[key] = value;
  return json;
}

std::optional<Host::Publication> ModelHost::Hypothesis() const {
  const std::lock_guard lock(mutex_);
  return publication_;
}

std::optional<std::string> ModelHost::Estimate() const {
  const std::lock_guard lock(mutex_);
  return estimate_;
}

void ModelHost::WaitUntilStarted() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return condition_.state != State::kStarting; });
}

void ModelHost::Drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    changed_.notify_all();
  }
  const std::lock_guard lock(join_mutex_);
  if (thread_.joinable()) thread_.join();
}

}  // namespace sotto
