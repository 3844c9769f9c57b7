#include "sotto/service/host.h"

#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "sotto/service/host_set.h"
#include "sotto/service/host_test_tools.h"
#include "sotto/testing/faulty_file_system.h"

namespace sotto {
namespace {

using testing::Ask;
using testing::AskAll;
using testing::IsFree;
using testing::kTide;
using testing::LabelFor;
using testing::Member;
using testing::Predict;
using testing::TestService;
using Kind = HostReply::Kind;

TEST(HostTest, AnswersRoundsAndTakesLabels) {
  TestService service;
  Host& host = service.Make(kTide);
  const HostReply reply = Ask(host, Predict("u1", 0.5));
  ASSERT_EQ(reply.kind, Kind::kAnswered) << reply.body;
  const std::string ticket = Member(reply, "ticket");
  EXPECT_EQ(ticket.size(), 64U);
  EXPECT_LE(reply.body.size(), host.longest_body());
  EXPECT_EQ(Ask(host, LabelFor(ticket, 1)).kind, Kind::kTaken);
  EXPECT_EQ(Ask(host, LabelFor(ticket, 1)).kind, Kind::kTaken);
}

// One model's thread is held where it replies.
TEST(HostTest, ModelsDoNotWaitForEachOther) {
  TestService service;
  Host& held = service.Make(kTide);
  auto json = *Json::Parse(kTide);
  json["name"] = "other";
  Host& other = service.Make(json.Dump());
  std::promise<void> reached;
  std::promise<void> released;
  held.Submit(Predict("u1", 0.5), [&](const HostReply&) {
    reached.set_value();
    released.get_future().wait();
  });
  reached.get_future().wait();
  for (int i = 0; i < 3; ++i) {
    const HostReply reply = Ask(other, Predict("u" + std::to_string(i), 0.5));
    EXPECT_EQ(reply.kind, Kind::kAnswered);
    EXPECT_EQ(Ask(other, LabelFor(Member(reply, "ticket"), 1)).kind,
              Kind::kTaken);
  }
  released.set_value();
  EXPECT_EQ(Ask(held, Predict("u2", 0.5)).kind, Kind::kAnswered);
}

TEST(HostTest, EveryBadLabelGetsTheSameRefusal) {
  TestService service;
  Host& host = service.Make(kTide);
  const std::string ticket = Member(Ask(host, Predict("u1", 0.5)), "ticket");
  ASSERT_EQ(Ask(host, LabelFor(ticket, 1)).kind, Kind::kTaken);
  std::string forged = ticket;
  forged[0] = forged[0] == 'a' ? 'b' : 'a';
  std::vector<HostRequest> bad = {
      LabelFor(ticket, 0),
      LabelFor(forged, 1),
      LabelFor("x", 1),
      LabelFor(ticket, 7),
      {.kind = HostRequest::Kind::kLabel, .body = "{"}};
  for (const HostReply& reply : AskAll(host, bad)) {
    EXPECT_EQ(reply.kind, Kind::kRefused);
    EXPECT_EQ(reply.body, R"({"ok":false,"error":"invalid ticket or label"})");
  }
}

TEST(HostTest, AUserHasOneRoundAndABadBodyIsOne) {
  TestService service;
  Host& host = service.Make(kTide);
  EXPECT_EQ(Ask(host, Predict("u1", 0.5)).kind, Kind::kAnswered);
  const HostReply again = Ask(host, Predict("u1", 0.5));
  EXPECT_TRUE(IsFree(again)) << again.body;
  const HostReply bad = Ask(host, {.body = "{\"x\":[\"a\"]}", .user = "u2"});
  EXPECT_EQ(Member(bad, "code"), "bad_row");
  const HostReply cut =
      Ask(host, {.body = "{\"x\":", .unusable = true, .user = "u3"});
  EXPECT_EQ(Member(cut, "code"), "bad_row");
  // The name in the body is not the name that counts.
  EXPECT_EQ(
      Ask(host, {.body = R"({"x":[0.1],"user":"u1"})", .user = "u4"}).kind,
      Kind::kAnswered);
  for (const char* user : {"u2", "u3", "u4"}) {
    EXPECT_TRUE(IsFree(Ask(host, Predict(user, 0.5)))) << user;
  }
  // Each request without a name is another user.
  for (int i = 0; i < 2; ++i) {
    const HostReply unnamed = Ask(host, Predict("", 0.5));
    EXPECT_EQ(unnamed.kind, Kind::kAnswered);
    EXPECT_FALSE(IsFree(unnamed));
  }
  EXPECT_EQ(host.Status().Find("rounds")->Dump(), "10");
}

// The answer comes from the hypothesis before the round, is the same in a
// replay, and teaches nothing; other models refuse.
TEST(HostTest, UsersOverTheLimitAreAnsweredFromWhatIsPublished) {
  TestService service;
  service.Make(kTide);
  std::vector<std::string> free;
  for (int i = 0; i < 300; ++i) {
    Host& host = service.host("m");
    const std::string user = "u" + std::to_string(i / 2);
    const HostReply reply = Ask(host, Predict(user, 0.01 * (i % 90), "k"));
    ASSERT_EQ(reply.kind, Kind::kAnswered) << reply.body;
    EXPECT_EQ(IsFree(reply), i % 2 == 1);
    if (i % 2 == 1) free.push_back(reply.body);
    if (i % 2 == 0) Ask(host, LabelFor(Member(reply, "ticket"), i % 4 / 2));
    if (i % 100 == 50) service.Restart();
  }
  service.Restart();
  Host& host = service.host("m");
  EXPECT_EQ(host.Status().Find("labelled")->Dump(), "150");
  for (std::size_t k = 0; k < free.size(); ++k) {
    const int i = static_cast<int>(2 * k + 1);
    EXPECT_EQ(
        Ask(host, Predict("u" + std::to_string(i / 2), 0.01 * (i % 90), "k"))
            .body,
        free[k]);
  }
  Host& closed =
      service.Make(R"({"name":"p","model":"points","epsilon":1,"delta":1e-6,)"
                   R"("horizon":100,"anyway":true})");
  Ask(closed, Predict("u1", 0.5));
  EXPECT_EQ(Member(Ask(closed, Predict("u1", 0.5)), "code"), "over_limit");
}

TEST(HostTest, ADamagedModelFileFreezesThatModelAlone) {
  for (const char* text : {"", "{", R"({"configuration":{}})",
                           R"({"configuration":{"name":"x","model":"count"},)"
                           R"("guarantee":{"epsilon":1,"delta":0}})"}) {
    TestService service;
    service.Make(kTide);
    service.Make(R"({"name":"c","model":"count","epsilon":1,"horizon":100})");
    service.Stop();
    std::ofstream(service.path("models/c/model.json")) << text;
    service.Start();
    EXPECT_EQ(service.host("c").condition().state, Host::State::kFrozen);
    EXPECT_NE(service.host("c").condition().reason.find("model.json"),
              std::string::npos);
    EXPECT_EQ(Ask(service.host("m"), Predict("u1", 0.5)).kind, Kind::kAnswered);
    // Its cost to its people is not known.
    service.Stop();
    service.options().populations = *Json::Parse(R"({"p":{"epsilon":9}})");
    service.Start();
    EXPECT_FALSE(service.set().Create(
        *Json::Parse(R"({"name":"d","model":"count","epsilon":1,"horizon":9,)"
                     R"("population":"p"})")));
  }
}

TEST(HostTest, ARepeatedKeyGetsTheSameBytesAndNoRound) {
  TestService service;
  Host& host = service.Make(kTide);
  const HostReply first = Ask(host, Predict("u1", 0.5, "k"));
  EXPECT_EQ(Ask(host, Predict("u1", 0.5, "k")).body, first.body);
  const auto together =
      AskAll(host, {Predict("u2", 0.5, "k"), Predict("u2", 0.5, "k")});
  EXPECT_EQ(together[0].body, together[1].body);
  EXPECT_NE(together[0].body, first.body);
  service.Restart();
  EXPECT_EQ(Ask(service.host("m"), Predict("u1", 0.5, "k")).body, first.body);
  EXPECT_EQ(service.host("m").Status().Find("rounds")->Dump(), "2");
  // Another body, credential or user is another request.
  auto other = Predict("u1", 0.5, "k");
  other.credential = "d";
  EXPECT_TRUE(IsFree(Ask(service.host("m"), other)));
}

TEST(HostTest, ContinuesWhereItWasKilled) {
  for (const bool snapshots : {false, true}) {
    TestService service(snapshots);
    Host& host = service.Make(kTide);
    std::vector<std::string> tickets;
    for (int i = 0; i < 20; ++i) {
      tickets.push_back(Member(
          Ask(host, Predict("u" + std::to_string(i), i / 20.0)), "ticket"));
    }
    EXPECT_EQ(Ask(host, LabelFor(tickets[3], 0)).kind, Kind::kTaken);
    service.Restart();
    Host& again = service.host("m");
    EXPECT_TRUE(again.condition().ready()) << again.condition().reason;
    EXPECT_EQ(Ask(again, LabelFor(tickets[3], 0)).kind, Kind::kTaken);
    EXPECT_EQ(Ask(again, LabelFor(tickets[3], 1)).kind, Kind::kRefused);
    EXPECT_EQ(Ask(again, LabelFor(tickets[4], 1)).kind, Kind::kTaken);
    EXPECT_TRUE(IsFree(Ask(again, Predict("u7", 0.5))));
  }
}

TEST(HostTest, AFailedSyncFreezesTheModelAndShowsNothing) {
  TestService service;
  Host& host = service.Make(kTide);
  EXPECT_EQ(Ask(host, Predict("u1", 0.5)).kind, Kind::kAnswered);
  service.files().FailEvery("sync data", "Input/output error");
  const HostReply reply = Ask(host, Predict("u2", 0.5));
  EXPECT_EQ(reply.kind, Kind::kUnavailable);
  EXPECT_EQ(reply.body.find("prediction"), std::string::npos);
  service.files().FailNoMore();
  EXPECT_EQ(Ask(host, Predict("u3", 0.5)).kind, Kind::kUnavailable);
  EXPECT_EQ(host.condition().state, Host::State::kFrozen);
  EXPECT_FALSE(service.set().ready());
  service.Restart();
  EXPECT_EQ(Ask(service.host("m"), Predict("u4", 0.5)).kind, Kind::kAnswered);
}

TEST(HostTest, RefusesWhatCannotBeServed) {
  TestService service;
  const auto refuse = [&](const char* json) {
    const auto made = service.set().Create(*Json::Parse(json));
    EXPECT_FALSE(made) << json;
    return made ? "" : made.error().message;
  };
  refuse(R"({"name":"m","model":"pop","learner":"exec:./x","epsilon":1,
             "delta":1e-6,"horizon":1000})");
  refuse(R"({"name":"m","model":"nothing","epsilon":1})");
  refuse(R"({"name":"../m","model":"tide","epsilon":1,"delta":1e-6})");
  refuse(R"({"name":"m","model":"tide","epsilon":1,"delta":1e-6,"seed":1})");
  refuse(R"({"name":"m","model":"tide"})");
  refuse(R"({"name":"m","model":"rectangles","epsilon":1,"delta":1e-6})");
  EXPECT_TRUE(service.set().hosts().empty());
}

// Two models are too much by their epsilon, or by their delta.
TEST(HostTest, APopulationHasOneTotalAndALimit) {
  for (const char* limit : {R"({"people":{"epsilon":1.5}})",
                            R"({"people":{"epsilon":3,"delta":1.5e-6}})"}) {
    TestService service;
    service.Stop();
    service.options().populations = *Json::Parse(limit);
    service.Start();
    std::string json = kTide;
    json.insert(1, R"("population":"people",)");
    service.Make(json);
    json.replace(json.find("\"m\""), 3, "\"n\"");
    const auto second = service.set().Create(*Json::Parse(json));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kBudgetExhausted);
    const Json totals = service.set().Populations();
    EXPECT_NEAR(*totals.Find("people")->Find("epsilon")->number(), 1, 1e-6);
  }
}

// The models of a folder, and what other processes made of the same store.
class OthersStore final : public ModelStore {
 public:
  OthersStore(std::unique_ptr<ModelStore> own, std::vector<Entry> retired)
      : own_(std::move(own)), retired_(std::move(retired)) {}

  Result<std::vector<Entry>> List() override { return own_->List(); }
  Result<std::vector<Entry>> ListRetired() override { return retired_; }
  Status Add(const ModelFile& model) override { return own_->Add(model); }
  Result<OpenJournal> Open(const std::string& name) override {
    return own_->Open(name);
  }
  bool shared() const override { return true; }

 private:
  std::unique_ptr<ModelStore> own_;
  std::vector<Entry> retired_;
};

void UseOthersStore(TestService& service, const char* retired) {
  service.Stop();
  std::vector<ModelStore::Entry> entries;
  if (retired != nullptr) {
    const auto configuration = ModelConfiguration::Parse(*Json::Parse(retired));
    ASSERT_TRUE(configuration);
    entries.push_back({"old", ModelFile{*configuration, 1, 1e-6}});
  }
  service.options().store = [&service, entries](std::vector<Key> roots) {
    return std::make_shared<OthersStore>(
        MakeFolderStore({.folder = ServiceFolder::At(service.options().folder),
                         .roots = std::move(roots),
                         .files = &service.files()}),
        entries);
  };
  service.Start();
}

// A model that was rolled back has been used on the same people.
TEST(HostTest, RetiredModelsCostTheirPopulation) {
  std::string json = kTide;
  json.insert(1, R"("population":"people",)");
  for (const bool retired : {false, true}) {
    TestService service;
    service.options().populations =
        *Json::Parse(R"({"people":{"epsilon":1.5}})");
    UseOthersStore(service, retired ? json.c_str() : nullptr);
    const auto made = service.set().Create(*Json::Parse(json));
    ASSERT_EQ(static_cast<bool>(made), !retired);
    if (retired) {
      EXPECT_EQ(made.error().code, ErrorCode::kBudgetExhausted);
    }
  }
}

// slots.md is about one process that takes all requests.
TEST(HostTest, GroupsAreRefusedWhereOthersUseTheStore) {
  TestService service;
  UseOthersStore(service, nullptr);
  auto json = *Json::Parse(kTide);
  json["clock"] = "slots:4";
  const auto made = service.set().Create(json);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
}

constexpr const char* kCount =
    R"({"name":"c","model":"count","epsilon":1,"delta":1e-6,"horizon":100,)"
    R"("bound":3})";

HostRequest AddValue(const std::string& user, const std::string& value,
                     const std::string& key = "") {
  return {.kind = HostRequest::Kind::kAdd,
          .body = R"({"value":)" + value + "}",
          .user = user,
          .idempotency_key = key};
}

TEST(HostTest, ACounterCountsEveryStepAndSurvives) {
  TestService service;
  Host& host = service.Make(kCount);
  EXPECT_FALSE(host.Estimate());
  const HostReply first = Ask(host, AddValue("u1", "2", "k"));
  ASSERT_EQ(first.kind, Kind::kCounted) << first.body;
  EXPECT_LE(first.body.size(), host.longest_body());
  EXPECT_EQ(Ask(host, AddValue("u1", "2", "k")).body, first.body);
  EXPECT_EQ(Ask(host, AddValue("u1", "2")).kind, Kind::kCounted);
  EXPECT_EQ(Ask(host, AddValue("u2", "\"x\"")).kind, Kind::kCounted);
  EXPECT_EQ(Ask(host, Predict("u3", 0.5)).kind, Kind::kInvalid);
  EXPECT_EQ(host.Status().Find("rounds")->Dump(), "3");
  const auto estimate = host.Estimate();
  service.Restart();
  EXPECT_EQ(service.host("c").Estimate(), estimate);
  EXPECT_EQ(Ask(service.host("c"), AddValue("u1", "2", "k")).body, first.body);
}

TEST(HostTest, AMonitorSaysAboveForGood) {
  TestService service(true);
  Host& host = service.Make(
      R"({"name":"c","model":"monitor","epsilon":1,"threshold":100000,)"
      R"("horizon":1000,"bound":1000})");
  const std::string first = Ask(host, AddValue("", "0", "k")).body;
  std::string last;
  for (int i = 0; i < 400; ++i) {
    last = Ask(host, AddValue("", "1000")).body;
    if (last == R"({"above":true})") break;
  }
  EXPECT_EQ(last, R"({"above":true})");
  service.Restart();
  EXPECT_EQ(Ask(service.host("c"), AddValue("", "0")).body, last);
  // The reply of before is said again to who repeats its request.
  EXPECT_EQ(Ask(service.host("c"), AddValue("", "0", "k")).body, first);
}

TEST(HostTest, ACountersPriceGrowsWithItsBound) {
  TestService service;
  Host& host = service.Make(kCount);
  const Json guarantee = *host.Status().Find("guarantee");
  EXPECT_NEAR(*guarantee.Find("epsilon")->number(), 1, 1e-9);
  EXPECT_EQ(guarantee.Find("rounds_per_user")->Dump(), "3");
}

TEST(HostTest, ADrainedHostAnswersWhatItHasAndNothingNew) {
  TestService service(true);
  Host& host = service.Make(kTide);
  Ask(host, Predict("u1", 0.5));
  host.Drain();
  EXPECT_EQ(host.condition().state, Host::State::kEnded);
  EXPECT_EQ(Ask(host, Predict("u2", 0.5)).kind, Kind::kUnavailable);
}

}  // namespace
}  // namespace sotto
