#include "sotto/service/peers/peer_hosts.h"

#include <algorithm>
#include <utility>

#include "sotto/service/published_answers.h"

namespace sotto {
namespace {

using State = Host::State;

bool IsLost(const HostReply& reply) {
  return reply.kind == HostReply::Kind::kUnavailable ||
         reply.kind == HostReply::Kind::kUnknown;
}

// One model, here or elsewhere.
class RoutedHost final : public Host {
 public:
  // `local` may be null, and outlives it otherwise.
  RoutedHost(std::string name, Host* local, const PeerHostsOptions& options)
      : name_(std::move(name)),
        local_(local),
        link_({.model = name_,
               .key = options.key,
               .target =
                   [this, find = options.find]() {
                     return Writes() ? std::nullopt : find(name_);
                   },
               .on_published =
                   [this](const auto& configuration, const auto& publication) {
                     Use(PublishedAnswers::Make(configuration, publication));
                   }}) {}

  const std::string& name() const override { return name_; }
  bool CanTake(std::size_t requests) const override {
    if (Writes()) return local_->CanTake(requests);
    return link_.CanTake(requests) || answers() != nullptr;
  }
  void SubmitAll(std::vector<HostRequest> requests, AllDone done) override;
  // A constant of the model: any process that knows it is right.
  std::size_t longest_body() const override {
    const std::size_t here = local_ ? local_->longest_body() : 0;
    return here > 0 ? here : link_.view().longest_body;
  }
  Condition condition() const override;
  Json Status() const override;
  std::optional<Publication> Hypothesis() const override {
    return Writes() ? local_->Hypothesis() : link_.view().publication;
  }
  std::optional<std::string> Estimate() const override {
    return Writes() ? local_->Estimate() : link_.view().estimate;
  }
  void Drain() override {}

 private:
  using Answers = std::shared_ptr<PublishedAnswers>;

  void Use(Answers answers) {
    if (!answers) return;
    const std::lock_guard lock(answers_mutex_);
    answers_ = std::move(answers);
  }
  Answers answers() const {
    const std::lock_guard lock(answers_mutex_);
    return answers_;
  }
  bool Writes() const {
    if (local_ == nullptr) return false;
    const State state = local_->condition().state;
    return state == State::kReady || state == State::kHalted ||
           state == State::kDraining;
  }

  const std::string name_;
  Host* const local_;
  mutable std::mutex answers_mutex_{};
  Answers answers_{};  // null: nothing is published, or not known yet
  PeerLink link_;      // last: its threads use all of the above
};

// The writer keeps the answers that were computed here and adds tickets. If it
// does not say so in time, users are answered without one: no round took place,
// or one that no one can label. A request with a key may be asked again and
// must then get the same bytes, which only the writer knows: it ends as lost.
void RoutedHost::SubmitAll(std::vector<HostRequest> requests, AllDone done) {
  if (Writes()) return local_->SubmitAll(std::move(requests), std::move(done));
  const Answers answers = this->answers();
  if (!answers) return link_.SubmitAll(std::move(requests), std::move(done));
  std::vector<std::optional<PublishedAnswer>> given;
  for (HostRequest& request : requests) {
    request.answered = answers->Answer(request);
    const bool repeatable = !request.idempotency_key.empty();
    given.push_back(repeatable ? std::nullopt : request.answered);
  }
  link_.SubmitAll(std::move(requests),
                  [answers, given = std::move(given),
                   done = std::move(done)](std::vector<HostReply> replies) {
                    for (std::size_t i = 0; i < replies.size(); ++i) {
                      if (!given[i] || !IsLost(replies[i])) continue;
                      replies[i] = answers->Reply(*given[i]);
                    }
                    done(std::move(replies));
                  });
}

Host::Condition RoutedHost::condition() const {
  if (Writes()) return local_->condition();
  const PeerLink::View view = link_.view();
  if (view.taking()) {
    return {.state = view.state,
            .reason = "written at " + view.address,
            .replayed = 1};
  }
  if (local_ != nullptr) return local_->condition();
  return {.state = State::kStarting, .reason = "its writer does not answer"};
}

// The operator of the process that writes a model sees the whole of it.
Json RoutedHost::Status() const {
  if (Writes()) return local_->Status();
  const Condition now = condition();
  Json json = Json::Object{{"name", name_},
                           {"state", StateName(now.state)},
                           {"ready", now.ready()},
                           {"replayed", now.replayed}};
  if (!now.reason.empty()) json["reason"] = now.reason;
  if (local_ != nullptr && local_->condition().state == State::kFrozen) {
    json["here"] = "frozen: " + local_->condition().reason;
  }
  return json;
}

class PeerHosts final : public HostSet {
 public:
  explicit PeerHosts(PeerHostsOptions options) : options_(std::move(options)) {}

  sotto::Status Check(const Json& configuration) const override {
    return options_.local ? options_.local->Check(configuration) : Refuse();
  }
  Result<Host*> Create(const Json& configuration) override {
    if (options_.local == nullptr) return Refuse();
    SOTTO_TRY_ASSIGN(Host* const made, options_.local->Create(configuration));
    return Route(made->name(), made);
  }
  Host* Find(std::string_view name) const override;
  bool MayExist(std::string_view name) const override {
    return !options_.lacks(name);
  }
  std::vector<Host*> hosts() const override;
  bool ready() const override {
    if (options_.models && !options_.models()) return false;
    return std::ranges::all_of(hosts(), [](const Host* host) {
      const auto condition = host->condition();
      return condition.ready() || condition.state == State::kHalted;
    });
  }
  Json Populations() const override {
    return options_.local ? options_.local->Populations() : Json::Object{};
  }
  Key history_key() const override {
    return options_.local ? options_.local->history_key() : options_.key;
  }
  void Drain() override {
    if (options_.local) options_.local->Drain();
  }

 private:
  static Error Refuse() {
    return FailedPrecondition(
        "a front makes no models. Ask a process that has the key file");
  }
  Host* Route(const std::string& name, Host* local) const;

  const PeerHostsOptions options_;
  mutable std::mutex mutex_{};
  mutable std::map<std::string, std::unique_ptr<RoutedHost>, std::less<>>
      routed_{};
};

Host* PeerHosts::Route(const std::string& name, Host* local) const {
  const std::lock_guard lock(mutex_);
  auto& routed = routed_[name];
  if (!routed) routed = std::make_unique<RoutedHost>(name, local, options_);
  return routed.get();
}

Host* PeerHosts::Find(std::string_view name) const {
  if (options_.local) {
    Host* const local = options_.local->Find(name);
    return local ? Route(local->name(), local) : nullptr;
  }
  {
    const std::lock_guard lock(mutex_);
    const auto found = routed_.find(name);
    if (found != routed_.end()) return found->second.get();
  }
  const auto names = options_.models().value_or(std::vector<std::string>());
  const auto known = std::ranges::find(names, name);
  return known == names.end() ? nullptr : Route(*known, nullptr);
}

std::vector<Host*> PeerHosts::hosts() const {
  std::vector<Host*> all;
  if (options_.local) {
    for (Host* local : options_.local->hosts()) {
      all.push_back(Route(local->name(), local));
    }
    return all;
  }
  const auto names = options_.models().value_or(std::vector<std::string>());
  for (const std::string& name : names) all.push_back(Route(name, nullptr));
  return all;
}

}  // namespace

std::unique_ptr<HostSet> MakePeerHosts(PeerHostsOptions options) {
  return std::make_unique<PeerHosts>(std::move(options));
}

}  // namespace sotto
