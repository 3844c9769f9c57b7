// The real host in two worlds: ann comes in one and never in the other.

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "sotto/service/host_test_tools.h"
#include "sotto/service/model_host.h"

namespace sotto {
namespace {

using testing::IsFree;
using testing::LabelFor;
using testing::Member;
using testing::Predict;
using testing::TestService;
using Kind = HostReply::Kind;

constexpr int kGroups = 120;
constexpr int kPlaces = 8;

// Requests of ann, by group.
using Visits = std::map<int, std::vector<HostRequest>>;

// Everything that others see, and anyone who reads the disk without the key,
// but for noise and random bytes.
struct View {
  std::vector<std::string> replies{};
  std::vector<std::string> disk{};
  std::string rounds{};
  friend bool operator==(const View&, const View&) = default;
};

std::string Mask(const HostReply& reply) {
  return std::to_string(static_cast<int>(reply.kind)) + " " +
         Member(reply, "code") + " " +
         std::to_string(Member(reply, "ticket").size());
}

std::string Config(const std::string& clock, const std::string& model) {
  auto json = *Json::Parse(testing::kTide);
  json["clock"] = clock;
  json["model"] = model;
  json["rounds-per-user"] = 2;
  return json.Dump();
}

class SlotService {
 public:
  explicit SlotService(const std::string& clock = "slots:8",
                       const std::string& model = "tide",
                       bool snapshots = false)
      : service_(snapshots) {
    service_.options().groups_by_hand = true;
    service_.options().places = testing::KeyOfBytes(9);
    service_.Restart();
    service_.Make(Config(clock, model));
  }
  TestService& service() { return service_; }
  ModelHost& host() { return dynamic_cast<ModelHost&>(service_.host("m")); }

  std::future<HostReply> Send(HostRequest request) {
    auto reply = std::make_shared<std::promise<HostReply>>();
    auto future = reply->get_future();
    host().Submit(std::move(request),
                  [reply](HostReply got) { reply->set_value(std::move(got)); });
    return future;
  }
  Json clock() { return *host().Status().Find("clock"); }
  std::string rounds() { return host().Status().Find("rounds")->Dump(); }

 private:
  TestService service_;
};

// Others come first in every group, so that their places are the same in both
// worlds: any order has the same distribution (slots_exact_test.cc).
std::vector<HostRequest> MakeOthers(int group,
                                    std::vector<std::string>& tickets) {
  std::vector<HostRequest> requests;
  for (int i = 0; i < (group * 5) % 7; ++i) {
    const int user = (group * 3 + i) * 2 / 3;  // some come too often
    requests.push_back(Predict("u" + std::to_string(user), 0.5));
    if ((group + i) % 11 == 3) requests.back().body = R"({"x":["bad"]})";
  }
  for (std::size_t i = 0; i < tickets.size(); i += 2) {
    requests.push_back(LabelFor(tickets[i], static_cast<int>(i) % 2));
  }
  if (group % 9 == 0) requests.push_back(LabelFor(std::string(64, 'a'), 1));
  tickets.clear();
  return requests;
}

void AddDisk(const std::string& folder, View& view) {
  std::map<std::string, std::uintmax_t> files;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (file.is_regular_file()) {
      files[std::filesystem::relative(file.path(), folder)] = file.file_size();
    }
  }
  for (const auto& [name, size] : files) {
    view.disk.push_back(name + " " + std::to_string(size));
  }
}

View Watch(const Visits& visits, SlotService& slots) {
  View view;
  std::vector<std::string> tickets;
  std::string own;  // ann's last ticket
  for (int group = 0; group < kGroups; ++group) {
    std::vector<std::future<HostReply>> replies;
    for (HostRequest& request : MakeOthers(group, tickets)) {
      replies.push_back(slots.Send(std::move(request)));
    }
    std::vector<std::future<HostReply>> ann;
    const auto visit = visits.find(group);
    if (visit != visits.end()) {
      for (HostRequest request : visit->second) {
        request.user = "ann";
        if (request.body == "label") request = LabelFor(own, 1);
        ann.push_back(slots.Send(std::move(request)));
      }
    }
    slots.host().EndGroup();
    for (auto& future : replies) {
      const HostReply reply = future.get();
      view.replies.push_back(Mask(reply));
      const std::string ticket = Member(reply, "ticket");
      if (!ticket.empty()) tickets.push_back(ticket);
    }
    for (auto& future : ann) {
      const std::string ticket = Member(future.get(), "ticket");
      if (!ticket.empty()) own = ticket;
    }
    if (group == kGroups / 2) slots.service().Restart();
  }
  view.rounds = slots.rounds();
  EXPECT_EQ(slots.clock().Find("full_groups")->Dump(), "0");
  // Releases so far; when the newest is shown depends on the machine.
  view.replies.push_back(slots.host().Status().Find("phase")->Dump());
  slots.service().Stop();
  AddDisk(slots.service().options().folder, view);
  return view;
}

View Play(const Visits& visits, const std::string& model = "tide") {
  SlotService slots("slots:8", model);
  return Watch(visits, slots);
}

HostRequest Row(const std::string& body, const std::string& key = "") {
  return {.body = body, .credential = "c", .idempotency_key = key};
}

const HostRequest kLabel{.kind = HostRequest::Kind::kLabel, .body = "label"};

TEST(SlotsWorldsTest, NobodyCanTellWhetherSomebodyCame) {
  const View never = Play({});
  EXPECT_EQ(never.rounds, std::to_string((kGroups + 1) * kPlaces));
  const std::vector<Visits> worlds = {
      {{3, {Row(R"({"x":[0.2]})")}}},
      {{3, {Row(R"({"x":[0.2]})")}}, {4, {kLabel}}, {90, {kLabel}}},
      {{0, {Row(R"({"x":[0.9],"y":1})")}},
       {70, {Row(R"({"x":[0.1]})")}},
       {71, {kLabel}}},
      {{5, {Row("{"), Row("")}}, {6, {Row(R"({"x":[0.1]})")}}},
      {{7, {Row(R"({"x":[0.2]})", "k"), Row(R"({"x":[0.2]})", "k")}},
       {9, {Row(R"({"x":[0.2]})", "k")}}},
      {{59, {Row(R"({"x":[0.2]})")}},
       {60, {kLabel, kLabel}},
       {61, {Row(R"({"x":[0.2]})")}},
       {80, {Row(R"({"x":[0.2]})")}}}};
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    const View view = Play(worlds[i]);
    EXPECT_EQ(view.replies, never.replies) << "world " << i;
    EXPECT_EQ(view.disk, never.disk) << "world " << i;
    EXPECT_EQ(view.rounds, never.rounds) << "world " << i;
  }
}

TEST(SlotsWorldsTest, TheSameForLeader) {
  const Visits visits = {{3, {Row(R"({"x":[0.2]})")}}, {4, {kLabel}}};
  EXPECT_EQ(Play(visits, "leader"), Play({}, "leader"));
}

// The check can fail: with the clock of arrivals the number of rounds tells.
TEST(SlotsWorldsTest, TheClockOfArrivalsIsRefuted) {
  const auto play = [](bool comes) {
    TestService service;
    Host& host = service.Make(Config("arrivals", "tide"));
    if (comes) testing::Ask(host, Predict("ann", 0.5));
    testing::Ask(host, Predict("bob", 0.5));
    return host.Status().Find("rounds")->Dump();
  };
  EXPECT_NE(play(true), play(false));
}

TEST(SlotsWorldsTest, TheSurplusIsTurnedAwayAndFullGroupsAreCounted) {
  SlotService slots;
  std::vector<std::future<HostReply>> replies;
  for (int i = 0; i < kPlaces + 2; ++i) {
    replies.push_back(slots.Send(Predict("u" + std::to_string(i), 0.5)));
  }
  // Before the group ends: nothing is queued.
  for (int i = kPlaces; i < kPlaces + 2; ++i) {
    EXPECT_EQ(replies[static_cast<std::size_t>(i)].get().kind,
              Kind::kUnavailable);
  }
  slots.host().EndGroup();
  for (int i = 0; i < kPlaces; ++i) {
    EXPECT_EQ(replies[static_cast<std::size_t>(i)].get().kind, Kind::kAnswered);
  }
  EXPECT_EQ(slots.host().Status().Find("turned_away")->Dump(), "2");
  auto next = slots.Send(Predict("x", 0.5));
  slots.host().EndGroup();
  EXPECT_EQ(next.get().kind, Kind::kAnswered);
  slots.service().Restart();
  EXPECT_EQ(slots.clock().Find("full_groups")->Dump(), "1");
  EXPECT_EQ(slots.clock().Find("taken")->Dump(), "9");
  EXPECT_NE(slots.clock().Find("text")->Dump().find("full groups: 1 of 3"),
            std::string::npos);
}

// The last group ends whether anybody comes or not, and no other follows it:
// who comes while it is answered would show in the number of groups.
TEST(SlotsWorldsTest, NobodyHasAPlaceBehindTheLastGroup) {
  SlotService slots;
  auto late = std::make_shared<std::promise<Kind>>();
  ModelHost& host = slots.host();
  host.Submit(Predict("u", 0.5), [&host, late](const HostReply&) {
    host.Submit(Predict("v", 0.5), [late](const HostReply& reply) {
      late->set_value(reply.kind);
    });
  });
  host.Drain();
  EXPECT_EQ(late->get_future().get(), Kind::kUnavailable);
  slots.service().Restart();
  EXPECT_EQ(slots.rounds(), std::to_string(kPlaces));
}

std::string FullGroups(SlotService& slots) {
  return slots.clock().Find("full_groups")->Dump();
}

// No user is turned away from a group that is not printed as full: not by who
// repeats a request, and not because a bulk does not fit as a whole.
TEST(SlotsWorldsTest, WhoIsTurnedAwayCameToAFullGroup) {
  SlotService slots;
  std::vector<std::future<HostReply>> replies;
  for (int i = 0; i < kPlaces; ++i) {
    replies.push_back(slots.Send(Predict("ann", 0.5, "key")));
  }
  EXPECT_EQ(slots.Send(Predict("bob", 0.5)).get().kind, Kind::kUnavailable);
  slots.host().EndGroup();
  for (auto& reply : replies) EXPECT_EQ(reply.get().kind, Kind::kAnswered);
  EXPECT_EQ(FullGroups(slots), "1");

  auto first = slots.Send(Predict("cid", 0.5));
  auto bulk = std::async(std::launch::async, [&] {
    return testing::AskAll(
        slots.host(), std::vector<HostRequest>(kPlaces, Predict("dan", 0.5)));
  });
  while (slots.host().Status().Find("turned_away")->Dump() != "2") {
    std::this_thread::yield();
  }
  slots.host().EndGroup();
  const std::vector<HostReply> got = bulk.get();
  for (int i = 0; i < kPlaces; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(i)].kind == Kind::kUnavailable,
              i == kPlaces - 1);
  }
  EXPECT_EQ(first.get().kind, Kind::kAnswered);
  EXPECT_EQ(FullGroups(slots), "2");
}

// With snapshots and without.
TEST(SlotsWorldsTest, ARestartInTheMiddleLosesNothing) {
  for (const bool snapshots : {false, true}) {
    SlotService slots("slots:8", "tide", snapshots);
    auto first = slots.Send(Predict("ann", 0.5));
    slots.host().EndGroup();
    const std::string ticket = Member(first.get(), "ticket");
    EXPECT_EQ(slots.rounds(), "8");
    auto waiting = slots.Send(LabelFor(ticket, 1));
    // The open group is played when the service is drained, empty or not.
    slots.service().Restart();
    EXPECT_EQ(waiting.get().kind, Kind::kTaken);
    EXPECT_EQ(slots.rounds(), "16");
    auto again = slots.Send(LabelFor(ticket, 1));
    auto other = slots.Send(LabelFor(ticket, 0));
    auto second = slots.Send(Predict("ann", 0.5));
    auto third = slots.Send(Predict("ann", 0.5));
    slots.host().EndGroup();
    EXPECT_EQ(again.get().kind, Kind::kTaken);
    EXPECT_EQ(other.get().kind, Kind::kRefused);
    // Two rounds for each user: one of these has no ticket.
    EXPECT_NE(IsFree(second.get()), IsFree(third.get()));
    EXPECT_EQ(slots.rounds(), "24");
    EXPECT_EQ(slots.clock().Find("taken")->Dump(), "3");
    EXPECT_EQ(slots.clock().Find("last_taken")->Dump(), "2");
  }
}

TEST(SlotsWorldsTest, GroupsEndByThemselves) {
  TestService service;
  Host& host = service.Make(Config("slots:8/0.02", "tide"));
  EXPECT_TRUE(host.own_names_only());
  EXPECT_EQ(testing::Ask(host, Predict("ann", 0.5)).kind, Kind::kAnswered);
  const auto promise = *host.Status().Find("promise");
  EXPECT_NE(promise.Dump().find("whether a user came at all"),
            std::string::npos);
  EXPECT_EQ(promise.Dump().find("that a round took place"), std::string::npos);
  const auto published = host.Hypothesis();
  ASSERT_TRUE(published);
  EXPECT_NE(published->json.find("whether a user came"), std::string::npos);
}

}  // namespace
}  // namespace sotto
