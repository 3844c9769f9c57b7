#include "sotto/service/peers/peer_link.h"

#include <iterator>
#include <utility>

#include "sotto/service/reply_text.h"

namespace sotto {
namespace {

constexpr int kLanes = 2;  // one is committed while the other fills
constexpr std::size_t kMostRequests = 4096;
constexpr std::size_t kMostBodyBytes = std::size_t{4} << 20;

}  // namespace

PeerLink::PeerLink(PeerLinkOptions options) : options_(std::move(options)) {
  for (int i = 0; i < kLanes; ++i) lanes_.emplace_back([this] { Run(); });
}

PeerLink::~PeerLink() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& lane : lanes_) lane.join();
  Batch left(std::make_move_iterator(queue_.begin()),
             std::make_move_iterator(queue_.end()));
  Finish(left, UnavailableReply());
}

void PeerLink::Run() {
  PeerLane lane{PeerSeal(options_.key)};
  std::unique_lock lock(mutex_);
  while (!ended_) {
    changed_.wait_for(lock, options_.look_every,
                      [this] { return ended_ || !queue_.empty(); });
    if (ended_) return;
    Batch batch = TakeBatch();
    const auto target = options_.target();
    if (target && batch.empty() && !LookIsDue(Clock::now())) continue;
    lock.unlock();
    if (target) {
      Exchange(lane, *target, std::move(batch));
    } else {
      Finish(batch, UnavailableReply());
    }
    lock.lock();
  }
}

// Whole groups: their requests are played in order.
PeerLink::Batch PeerLink::TakeBatch() {
  Batch batch;
  std::size_t requests = 0;
  std::size_t bytes = 0;
  while (!queue_.empty()) {
    Group& next = queue_.front();
    requests += next.requests.size();
    for (const HostRequest& request : next.requests) {
      bytes += request.body.size();
    }
    const bool full = requests > kMostRequests || bytes > kMostBodyBytes;
    if (!batch.empty() && full) break;
    waiting_ -= next.requests.size();
    batch.push_back(std::move(next));
    queue_.pop_front();
  }
  return batch;
}

bool PeerLink::LookIsDue(Clock::time_point now) {
  if (now < look_due_) return false;
  look_due_ = now + options_.look_every;
  return true;
}

void PeerLink::Exchange(PeerLane& lane, const PeerTarget& target, Batch batch) {
  PeerAsk ask{.model = options_.model};
  for (Group& group : batch) {
    for (HostRequest& request : group.requests) {
      ask.requests.push_back(std::move(request));
    }
  }
  {
    const std::lock_guard lock(mutex_);
    if (view_.publication) ask.known = view_.publication->version;
    ask.configured = !view_.configuration.empty();
  }
  const auto end = Clock::now() + options_.deadline;
  const auto patient = [&] {
    const std::lock_guard lock(mutex_);
    return !ended_ && Clock::now() < end && options_.target() == target;
  };
  PeerAnswer answer;
  const auto outcome = lane.Ask(target.address, ask, patient, answer);
  const bool whole = outcome == PeerLane::Outcome::kDone &&
                     answer.replies.size() == ask.requests.size();
  if (whole) {
    Note(target, answer);
    return Finish(batch, std::move(answer.replies));
  }
  {
    const std::lock_guard lock(mutex_);
    if (answered_by_ == target) answered_.reset();
  }
  const bool not_sent = outcome == PeerLane::Outcome::kNotSent;
  Finish(batch, not_sent ? UnavailableReply() : UnknownReply());
}

// A publication is ready for use before others see that it is there. Answers of
// two lanes are noted one after the other: what is used is what is seen.
void PeerLink::Note(const PeerTarget& target, PeerAnswer& answer) {
  const std::lock_guard one_at_a_time(note_mutex_);
  if (answer.publication && options_.on_published) {
    if (answer.configuration.empty()) {
      const std::lock_guard lock(mutex_);
      answer.configuration = view_.configuration;
    }
    options_.on_published(answer.configuration, *answer.publication);
  }
  const std::lock_guard lock(mutex_);
  answered_ = Clock::now();
  answered_by_ = target;
  view_.state = answer.state;
  if (answer.longest_body > 0) view_.longest_body = answer.longest_body;
  if (answer.estimate) view_.estimate = std::move(answer.estimate);
  if (answer.publication) view_.publication = std::move(answer.publication);
  if (!answer.configuration.empty()) {
    view_.configuration = std::move(answer.configuration);
  }
  view_.address = target.address;
}

// The writer's replies, group by group.
void PeerLink::Finish(Batch& batch, std::vector<HostReply> replies) {
  auto next = std::make_move_iterator(replies.begin());
  for (Group& group : batch) {
    const auto end = next + static_cast<std::ptrdiff_t>(group.requests.size());
    group.done({next, end});
    next = end;
  }
}

void PeerLink::Finish(Batch& batch, const HostReply& all) {
  for (Group& group : batch) {
    group.done(std::vector(group.requests.size(), all));
  }
}

PeerLink::View PeerLink::view() const {
  const auto target = options_.target();
  const std::lock_guard lock(mutex_);
  View view = view_;
  view.reachable = target && target == answered_by_ && answered_ &&
                   Clock::now() < *answered_ + options_.silence_means;
  return view;
}

bool PeerLink::CanTake(std::size_t requests) const {
  if (!view().taking()) return false;
  const std::lock_guard lock(mutex_);
  return !ended_ && waiting_ + requests <= options_.most_waiting;
}

void PeerLink::SubmitAll(std::vector<HostRequest> requests,
                         Host::AllDone done) {
  if (!CanTake(requests.size())) {
    return done(std::vector(requests.size(), UnavailableReply()));
  }
  {
    const std::lock_guard lock(mutex_);
    waiting_ += requests.size();
    queue_.push_back({std::move(requests), std::move(done)});
  }
  changed_.notify_one();
}

}  // namespace sotto
