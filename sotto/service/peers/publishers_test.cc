// Models that publish, asked through a process that does not write them: the
// front computes, the writer keeps the round and gives the ticket.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/data/files/output_file.h"
#include "sotto/durable/session_machine.h"
#include "sotto/models/batch/table_predictor.h"
#include "sotto/models/registry/registry.h"
#include "sotto/service/host_test_tools.h"
#include "sotto/service/http/server.h"
#include "sotto/service/peers/peer_door.h"
#include "sotto/service/peers/peer_hosts.h"

namespace sotto::testing {
namespace {

using Kind = HostReply::Kind;

const Key kPeers = DerivePeerKey(KeyOfBytes(7));

// The model "m" of another set, and every publication that was shown.
class WatchedHosts final : public HostSet {
 public:
  explicit WatchedHosts(Host& host) : host_(host) {}

  std::map<std::string, std::string> publications() const {
    return host_.publications();
  }

  sotto::Status Check(const Json&) const override { return Ok(); }
  Result<Host*> Create(const Json&) override { return Unavailable("no"); }
  Host* Find(std::string_view) const override { return &host_; }
  std::vector<Host*> hosts() const override { return {&host_}; }
  bool ready() const override { return true; }
  Json Populations() const override { return Json::Object{}; }
  Key history_key() const override { return kPeers; }
  void Drain() override {}

 private:
  class Watched final : public Host {
   public:
    explicit Watched(Host& host) : host_(host) {}
    std::map<std::string, std::string> publications() const {
      const std::lock_guard lock(mutex_);
      return publications_;
    }
    const std::string& name() const override { return host_.name(); }
    bool CanTake(std::size_t requests) const override {
      return host_.CanTake(requests);
    }
    void SubmitAll(std::vector<HostRequest> requests, AllDone done) override {
      host_.SubmitAll(std::move(requests), std::move(done));
    }
    std::size_t longest_body() const override { return host_.longest_body(); }
    Condition condition() const override { return host_.condition(); }
    Json Status() const override { return host_.Status(); }
    std::optional<Publication> Hypothesis() const override {
      auto shown = host_.Hypothesis();
      const std::lock_guard lock(mutex_);
      if (shown) publications_[shown->version] = shown->json;
      return shown;
    }
    std::string Configuration() const override { return host_.Configuration(); }
    std::optional<std::string> Estimate() const override {
      return host_.Estimate();
    }
    void Drain() override {}

   private:
    Host& host_;
    mutable std::mutex mutex_{};
    mutable std::map<std::string, std::string> publications_{};
  };

  mutable Watched host_;
};

// A writer, and a front that forwards to it.
class PublishersTest : public ::testing::TestWithParam<const char*> {
 protected:
  PublishersTest() {
    service_.Make(std::string(R"({"name":"m",)") + GetParam() +
                  R"(,"anyway":true,"schema":{"columns":[)"
                  R"({"name":"a","type":"number","range":[0,1]}]}})");
    watched_ = std::make_unique<WatchedHosts>(service_.host("m"));
    door_ = std::make_unique<PeerDoor>(*watched_, kPeers);
    server_ = *http::Server::Create(
        {.drain = std::chrono::milliseconds(100)},
        {{.address = *http::Address::Parse("127.0.0.1:0"),
          .handler = [this](const http::Request& request) {
            return (*door_)(request);
          }}});
    thread_ = std::thread([this] { server_->Run(); });
    front_ =
        MakePeerHosts({.key = kPeers,
                       .find =
                           [this](const std::string&) {
                             return std::optional(PeerTarget{
                                 server_->addresses()[0].ToString(), 1});
                           },
                       .models = [] { return std::vector<std::string>{"m"}; }});
    while (!front_->ready()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  ~PublishersTest() override {
    front_.reset();
    StopWriter();
  }
  void StopWriter() {
    server_->Drain();
    if (thread_.joinable()) thread_.join();
  }
  Host& front() { return *front_->Find("m"); }
  Host& writer() { return service_.host("m"); }

  static double Row(int i) { return (i * 37 % 101) / 101.0; }

  // The answer of a published file to a row of a table: another reader than
  // that of requests. As the members of a reply.
  std::string Expect(const std::string& json, double x) const {
    const std::string path = service_.scratch().path("row.csv");
    EXPECT_TRUE(WriteOutput(path, "a\n" + Json(x).Dump() + "\n"));
    const Json read = *Json::Parse(json);
    const auto model =
        FindPublishedModel(*read.Find("model")->text())->read(read);
    EXPECT_TRUE(model);
    auto table = TablePredictor::Open(*model, {.path = path}, false);
    TablePredictor::Row row;
    EXPECT_TRUE(table && table->Next(row) && row.answer);
    if (!row.answer) return "";
    std::string text = table->label().Name(row.answer->prediction);
    if (row.answer->probability) {
      text += " " + Json(ShownProbability(*row.answer->probability)).Dump();
    }
    return text;
  }
  // True if a reply is the answer of the hypothesis that it names.
  bool Matches(const HostReply& reply, const std::string& name,
               double x) const {
    const auto all = watched_->publications();
    const auto named = all.find(name);
    if (named == all.end()) return false;
    std::string text = Member(reply, "prediction");
    const std::string probability = Member(reply, "probability");
    if (!probability.empty()) text += " " + probability;
    return text == Expect(named->second, x);
  }

  TestService service_;
  std::unique_ptr<WatchedHosts> watched_;
  std::unique_ptr<PeerDoor> door_;
  std::unique_ptr<http::Server> server_;
  std::thread thread_;
  std::unique_ptr<HostSet> front_;
};

TEST_P(PublishersTest, EveryReplyIsTheAnswerOfTheHypothesisThatItNames) {
  std::map<std::string, std::pair<HostReply, double>> by_hypothesis;
  for (int i = 0; i < 400; ++i) {
    const double x = Row(i);
    const auto reply = Ask(front(), Predict("u" + std::to_string(i), x));
    ASSERT_EQ(reply.kind, Kind::kAnswered) << reply.body;
    const std::string named = Member(reply, "hypothesis");
    EXPECT_TRUE(Matches(reply, named, x)) << reply.body;
    EXPECT_LE(reply.body.size(), front().longest_body());
    by_hypothesis[named] = {reply, x};
    const std::string ticket = Member(reply, "ticket");
    ASSERT_EQ(ticket.size(), 64U);
    EXPECT_EQ(Ask(front(), LabelFor(ticket, x > 0.3 ? 1 : 0)).kind,
              Kind::kTaken);
  }
  // The broken variant that names another hypothesis is noticed.
  ASSERT_GE(by_hypothesis.size(), 2U);
  bool refuted = false;
  for (const auto& [name, answered] : by_hypothesis) {
    for (const auto& [other, ignored] : by_hypothesis) {
      refuted |= !Matches(answered.first, other, answered.second);
    }
  }
  EXPECT_TRUE(refuted);
}

TEST_P(PublishersTest, AUserOverTheLimitGetsTheAnswerAndNoTicket) {
  const auto first = Ask(front(), Predict("ann", 0.25, "k1"));
  EXPECT_FALSE(Member(first, "ticket").empty());
  const auto second = Ask(front(), Predict("ann", 0.25, "k2"));
  EXPECT_TRUE(IsFree(second)) << second.body;
  EXPECT_TRUE(Matches(second, Member(second, "hypothesis"), 0.25));
  // A repeat gets the same bytes, also from the writer.
  EXPECT_EQ(Ask(writer(), Predict("ann", 0.25, "k1")).body, first.body);
  EXPECT_EQ(Ask(front(), Predict("ann", 0.25, "k2")).body, second.body);
  EXPECT_EQ(Member({Kind::kAnswered, writer().Status().Dump()}, "rounds"), "2");
}

TEST_P(PublishersTest, WithoutAWriterUsersAreAnsweredAndNothingCounts) {
  ASSERT_EQ(Ask(front(), Predict("ann", 0.25)).kind, Kind::kAnswered);
  const std::string ticket =
      Member(Ask(front(), Predict("bob", 0.25)), "ticket");
  StopWriter();
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(front().CanTake(1));
    const auto reply = Ask(front(), Predict("eve", Row(i)));
    EXPECT_TRUE(IsFree(reply)) << reply.body;
    EXPECT_TRUE(Matches(reply, Member(reply, "hypothesis"), Row(i)));
  }
  // A request with a key has one answer, which only the writer knows.
  const auto keyed = Ask(front(), Predict("eve", 0.25, "k")).kind;
  EXPECT_TRUE(keyed == Kind::kUnavailable || keyed == Kind::kUnknown);
  // Only the writer takes labels, and only it may say what is wrong with a row.
  const auto label = Ask(front(), LabelFor(ticket, 1));
  EXPECT_NE(label.kind, Kind::kRefused);
  EXPECT_NE(label.kind, Kind::kTaken);
  for (const char* body : {"{}", "", R"({"x":["b"]})", R"({"ticket":"a"})"}) {
    const auto reply = Ask(front(), {.body = body});
    EXPECT_NE(reply.kind, Kind::kAnswered) << body;
  }
  EXPECT_NE(Ask(front(), {.body = R"({"x":[0.5]})", .unusable = true}).kind,
            Kind::kAnswered);
  EXPECT_EQ(Member({Kind::kAnswered, writer().Status().Dump()}, "rounds"), "2");
}

// The record keeps the answer: the operator's counts use it, and a replay comes
// to the same replies.
TEST_P(PublishersTest, TheAnswerThatWasGivenIsTheOneThatCounts) {
  int wrong = 0;
  std::vector<std::pair<HostRequest, std::string>> asked;
  for (int i = 0; i < 10; ++i) {
    HostRequest request = Predict("u" + std::to_string(i), Row(i), "k");
    const bool answer = i % 2 == 0;
    request.answered = PublishedAnswer{.release = 41, .prediction = answer};
    const auto reply = Ask(writer(), request);
    EXPECT_EQ(Member(reply, "prediction"), answer ? "1" : "0");
    EXPECT_EQ(Member(reply, "hypothesis"), "r41");
    const bool label = i % 3 == 0;
    wrong += label != answer ? 1 : 0;
    EXPECT_EQ(Ask(writer(), LabelFor(Member(reply, "ticket"), label)).kind,
              Kind::kTaken);
    asked.emplace_back(request, reply.body);
  }
  const auto mistakes = [&] {
    return Member({Kind::kAnswered, writer().Status().Dump()}, "mistakes");
  };
  EXPECT_EQ(mistakes(), std::to_string(wrong));
  StopWriter();
  service_.Restart();
  EXPECT_EQ(mistakes(), std::to_string(wrong));
  for (auto& [request, body] : asked) {
    request.answered.reset();
    EXPECT_EQ(Ask(writer(), request).body, body);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, PublishersTest,
    ::testing::Values(
        R"("model":"tide","epsilon":4,"delta":1e-6,"horizon":1000)",
        R"("model":"leader","epsilon":4,"horizon":1000)"));

}  // namespace
}  // namespace sotto::testing
