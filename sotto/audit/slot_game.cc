#include "sotto/audit/slot_game.h"

#include <cmath>
#include <span>

#include "sotto/audit/forked_game.h"
#include "sotto/audit/model_games.h"
#include "sotto/audit/random_key.h"
#include "sotto/base/json.h"
#include "sotto/journal/journal_keys.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/service/reply_text.h"
#include "sotto/service/slot_group.h"

namespace sotto {
namespace {

using Kind = HostRequest::Kind;

constexpr double kThousandths = 1000;
constexpr std::int64_t kOtherKinds = 2000;  // above every probability
constexpr std::int64_t kLater = 100'000;    // above every kind
constexpr std::size_t kPublished = 8;

// A person who talks to the service: sends what a letter says.
class Visitor {
 public:
  explicit Visitor(std::string name) : name_(std::move(name)) {}

  void Say(char message, SlotDesk& desk) {
    if (message == 'y' || message == 'n' || message == 'o') {
      return Tell(message, desk);
    }
    const char* body = message == 'x'   ? R"({"x":["bad"]})"
                       : message == 'a' ? R"({"x":[1]})"
                                        : R"({"x":[0]})";
    last_ = desk.Send({.body = body, .user = name_, .credential = name_});
    asked_ = true;
  }
  std::size_t last() const { return last_; }

 private:
  // Labels of a round that had no answer, or has none yet, are not sent.
  void Tell(char message, SlotDesk& desk) {
    if (!asked_) return;
    const auto json = Json::Parse(desk.answer(last_).reply.body);
    const Json* const ticket = json ? json->Find("ticket") : nullptr;
    if (ticket == nullptr) return;
    const Json* const prediction = json->Find("prediction");
    const bool positive = prediction != nullptr && prediction->Dump() == "1";
    const bool label = message == 'o' ? !positive : message == 'y';
    desk.Send({.kind = Kind::kLabel,
               .body = R"({"ticket":)" + ticket->Dump() + R"(,"y":)" +
                       (label ? "1}" : "0}")});
  }

  std::string name_;
  bool asked_ = false;
  std::size_t last_ = 0;
};

// The others' view of one of their requests.
std::int64_t Read(const SlotDesk::Answer& answer) {
  if (answer.in_full_group) return 0;
  const auto later = static_cast<std::int64_t>(answer.groups);
  const auto json = Json::Parse(answer.reply.body);
  const Json* const probability = json ? json->Find("probability") : nullptr;
  const Json* const prediction = json ? json->Find("prediction") : nullptr;
  const auto shown = probability != nullptr  ? probability->number()
                     : prediction != nullptr ? prediction->number()
                                             : std::nullopt;
  const std::int64_t value =
      shown ? 1 + std::llround(kThousandths * *shown)
            : kOtherKinds * (1 + static_cast<int>(answer.reply.kind));
  return kLater * later + value;
}

void Visit(const SlotVisits& visits, std::uint64_t group, Visitor& user,
           SlotDesk& desk) {
  const auto found = visits.find(group);
  if (found == visits.end()) return;
  for (const char message : found->second) user.Say(message, desk);
}

Status PlayGroups(const SlotGame& game, std::uint64_t groups, bool came,
                  SlotDesk& desk, View& view) {
  const SlotVisits none;
  const SlotVisits& visits = came ? game.visits : none;
  Visitor user("u");
  std::vector<Visitor> before;
  std::vector<std::size_t> asked;
  for (std::uint64_t group = 0; group < groups; ++group) {
    for (Visitor& other : before) {
      for (const char label : game.labels) other.Say(label, desk);
    }
    before.clear();
    if (game.first) Visit(visits, group, user, desk);
    const std::uint64_t others = group <= game.last_group ? game.others : 0;
    for (std::uint64_t i = 0; i < others; ++i) {
      before.emplace_back(std::to_string(group) + "-" + std::to_string(i));
      before.back().Say((group + i) % 2 == 0 ? 'a' : 'b', desk);
      asked.push_back(before.back().last());
    }
    if (!game.first) Visit(visits, group, user, desk);
    SOTTO_TRY(desk.EndGroup());
  }
  SOTTO_TRY(desk.EndGroup());
  for (const std::size_t number : asked) {
    view.seen.push_back(Read(desk.answer(number)));
  }
  const auto published = desk.model().Hypothesis();
  const auto json = Json::Parse(published.value_or("{}"));
  std::vector<std::int64_t> numbers;
  if (json) numbers = PublishedNumbers(*json, kPublished);
  numbers.resize(kPublished);
  view.seen.insert(view.seen.end(), numbers.begin(), numbers.end());
  return Ok();
}

}  // namespace

SlotDesk::SlotDesk(ServedModel& model, Rng& rng)
    : model_(model),
      rng_(rng),
      door_(static_cast<std::size_t>(model.slots()->rounds)) {}

std::size_t SlotDesk::Send(HostRequest request) {
  const std::size_t number = requests_.size();
  requests_.push_back(std::move(request));
  came_.push_back(group_);
  answers_.emplace_back();
  Enter(number);
  return number;
}

void SlotDesk::Enter(std::size_t number) {
  const bool round = requests_[number].kind == Kind::kPredict;
  if (round && !door_.Enter()) return OnSurplus(number);
  rounds_ += round ? 1 : 0;
  open_.push_back(number);
}

void SlotDesk::OnSurplus(std::size_t number) {
  answers_[number] = {.reply = UnavailableReply(), .in_full_group = true};
}

Status SlotDesk::EndGroup() {
  const std::vector<std::size_t> numbers = std::exchange(open_, {});
  const bool full = rounds_ == door_.places();
  std::vector<const HostRequest*> requests;
  for (const std::size_t number : numbers) {
    requests.push_back(&requests_[number]);
  }
  for (SlotStep& at : MakeSlotGroup(model_, requests, rng_)) {
    SOTTO_TRY_ASSIGN(auto reply, model_.Apply(at.step));
    if (!at.request) continue;
    const std::size_t number = numbers[*at.request];
    answers_[number] = {std::move(reply), group_ - came_[number], full};
  }
  ++group_;
  rounds_ = 0;
  door_.NextGroup();
  OnNextGroup();
  return Ok();
}

std::vector<SlotGame> SlotGames(std::uint64_t others) {
  std::vector<SlotGame> games;
  const std::vector<SlotVisits> all = {
      {{0, "a"}, {1, "y"}}, {{0, "b"}, {1, "n"}},
      {{2, "a"}, {3, "y"}}, {{0, "a"}, {5, "y"}},
      {{1, "x"}, {2, "a"}}, {{0, "a"}, {1, "ya"}, {2, "y"}}};
  for (const bool first : {true, false}) {
    for (const SlotVisits& visits : all) {
      const char* labels = games.size() % 2 == 0 ? "o" : "";
      games.push_back({visits, first, others, labels});
    }
  }
  return games;
}

Status SlotPair::Play(std::size_t variant, bool world, Rng& rng,
                      View& view) const {
  // Drawn here: the copy's draws are not ours.
  const Key noise = RandomKey(rng);
  const Key places = RandomKey(rng);
  const auto play = [&](View& seen) -> Status {
    model_->Rotate(JournalKeys::Derive(noise, {}));
    ChaChaRng drawn(places);
    const auto desk = Open(*model_, drawn);
    return PlayGroups(games_[variant], groups_, !world, *desk, seen);
  };
  return PlayForked(play, view);
}

Result<std::shared_ptr<ServedModel>> MakeSlotModel(const SmallSlots& small) {
  Json json = *Json::Parse(
      R"({"name":"m","horizon":64,"anyway":true,"rounds-per-user":2,"schema":)"
      R"({"columns":[{"name":"a","type":"number","range":[0,1]}]}})");
  json["model"] = small.model;
  json["epsilon"] = small.epsilon;
  json["delta"] = small.delta;
  json["clock"] = "slots:" + std::to_string(small.places);
  if (small.model == "leader") {
    json["learner"] = "stump";
    json["first-epoch"] = 6;
  } else {
    json["start-rows"] = 6;
  }
  SOTTO_TRY_ASSIGN(const auto configuration, ModelConfiguration::Parse(json));
  SOTTO_TRY_ASSIGN(
      auto model, ServedModel::Create(configuration,
                                      JournalKeys::Derive(KnownKey(), {}), {}));
  return std::shared_ptr<ServedModel>(std::move(model));
}

}  // namespace sotto
