#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sotto/journal/journal_test_tools.h"
#include "sotto/service/api/api_test_hosts.h"
#include "sotto/service/api/user_api.h"
#include "sotto/service/http/server.h"
#include "sotto/service/peers/peer_door.h"
#include "sotto/service/peers/peer_hosts.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto::testing {
namespace {

using api::FakeHost;
using api::FakeHostSet;
using Kind = HostReply::Kind;
using Outcome = PeerLane::Outcome;

const Key kRoot = KeyOfBytes(7);
const Key kPeers = DerivePeerKey(kRoot);

// A process that writes the model "m", as other processes see it.
class Writer {
 public:
  Writer() {
    auto made = http::Server::Create(
        {.drain = std::chrono::milliseconds(100)},
        {{.address = *http::Address::Parse("127.0.0.1:0"),
          .handler = [this](const http::Request& request) {
            const bool ask = request.path == kPeerAskPath;
            return silent && ask ? Ignore() : door_(request);
          }}});
    EXPECT_TRUE(made);
    server_ = *std::move(made);
    thread_ = std::thread([this] { server_->Run(); });
  }
  ~Writer() { Stop(); }
  void Stop() {
    server_->Drain();
    if (thread_.joinable()) thread_.join();
  }
  std::string address() const { return server_->addresses()[0].ToString(); }
  FakeHost& host() { return *host_; }
  const HostSet& hosts() const { return hosts_; }
  HostSet& hosts() { return hosts_; }

  std::atomic<bool> silent = false;  // takes questions and answers none

 private:
  static http::Decision Ignore() {
    return http::Accepted{
        .body_limit = 1 << 20,
        .finish = [](const http::Body&, const http::Reply&) {}};
  }

  FakeHostSet hosts_;
  FakeHost* host_ = hosts_.Add("m");
  PeerDoor door_{hosts_, kPeers};
  std::unique_ptr<http::Server> server_;
  std::thread thread_;
};

// A front whose only model is written by that process.
std::unique_ptr<HostSet> MakeFront(const std::string& address,
                                   const Key& key = kPeers) {
  return MakePeerHosts(
      {.key = key,
       .find = [address](const std::string&) -> std::optional<PeerTarget> {
         if (address.empty()) return std::nullopt;
         return PeerTarget{address, 1};
       },
       .models = [] { return std::vector<std::string>{"m"}; }});
}

void WaitUntil(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!holds() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_TRUE(holds());
}

void WaitUntilReady(const HostSet& hosts) {
  WaitUntil([&] { return hosts.ready(); });
}

std::vector<HostReply> AskAll(Host& host, std::vector<HostRequest> requests) {
  std::promise<std::vector<HostReply>> replies;
  host.SubmitAll(std::move(requests), [&](std::vector<HostReply> got) {
    replies.set_value(std::move(got));
  });
  return replies.get_future().get();
}

bool Always() { return true; }

// The response to that head and body, as bytes.
std::string Call(HostSet& hosts, api::Credentials& keys,
                 const http::Request& head, const std::string& body) {
  api::UserApi users({.hosts = hosts}, keys, {.body = 1000, .bulk_lines = 3});
  http::Decision decision = users(head);
  if (const auto* response = std::get_if<http::Response>(&decision)) {
    return http::Serialize(*response, false);
  }
  std::promise<std::string> sent;
  const bool whole = body != "cut";
  std::get<http::Accepted>(decision).finish(
      {.text = body,
       .end = whole ? http::BodyEnd::kWhole : http::BodyEnd::kMalformed},
      [&](const http::Response& response) {
        sent.set_value(http::Serialize(response, false));
      });
  return sent.get_future().get();
}

// Step 2 of peers.md.
TEST(Peers, AUserGetsTheSameBytesFromEveryProcess) {
  const ScratchFolder folder;
  const auto keys = *api::Credentials::Open(folder.path());
  Writer writer;
  const auto front = MakeFront(writer.address());
  WaitUntilReady(*front);
  const std::vector<HostReply> replies = {
      {Kind::kAnswered, R"({"prediction":1,"ticket":"aa"})"},
      {Kind::kEmptyRound, R"({"error":"bad","code":"bad_row"})"},
      {Kind::kCounted, R"({"estimate":3})"},
      {Kind::kTaken, R"({"ok":true})"},
      {Kind::kRefused, ""},
      {Kind::kHalted, ""},
      {Kind::kUnavailable, ""},
      {Kind::kInvalid, ""}};
  std::set<std::string> seen;
  for (const HostReply& reply : replies) {
    writer.host().answer = [&](const HostRequest&) { return reply; };
    for (const char* const path :
         {"/v1/models/m/predict", "/v1/models/m/labels",
          "/v1/counters/m/add"}) {
      for (const char* const type :
           {"application/json", "application/x-ndjson"}) {
        for (const char* const body : {"{}", "{}\n{}\n{}\n{}\n", "cut", ""}) {
          http::Request head;
          head.method = "POST";
          head.path = path;
          head.fields = {{"Content-Type", type}, {"Idempotency-Key", "k"}};
          const std::string direct = Call(writer.hosts(), *keys, head, body);
          EXPECT_EQ(Call(*front, *keys, head, body), direct) << path << body;
          seen.insert(direct);
        }
      }
    }
  }
  EXPECT_GT(seen.size(), 20u);
}

TEST(Peers, TheWriterSeesTheRequestThatTheCredentialDecided) {
  Writer writer;
  const auto front = MakeFront(writer.address());
  WaitUntilReady(*front);
  const HostRequest request{.kind = HostRequest::Kind::kLabel,
                            .body = "body",
                            .unusable = true,
                            .user = "ann",
                            .credential = "shop",
                            .idempotency_key = "k"};
  ASSERT_EQ(AskAll(*front->Find("m"), {request}).size(), 1u);
  ASSERT_EQ(writer.host().asked.size(), 1u);
  const HostRequest& got = writer.host().asked[0];
  EXPECT_EQ(got.kind, request.kind);
  EXPECT_EQ(got.body, "body");
  EXPECT_TRUE(got.unusable);
  EXPECT_EQ(got.user, "ann");
  EXPECT_EQ(got.credential, "shop");
  EXPECT_EQ(got.idempotency_key, "k");
}

TEST(Peers, RequestsOfOneCallStayInOrder) {
  Writer writer;
  const auto front = MakeFront(writer.address());
  WaitUntilReady(*front);
  std::vector<HostRequest> requests(5000);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].body = std::to_string(i);
  }
  const auto replies = AskAll(*front->Find("m"), requests);
  ASSERT_EQ(replies.size(), requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    ASSERT_EQ(writer.host().asked[i].body, std::to_string(i));
    ASSERT_EQ(replies[i].body, "{\"prediction\":" + std::to_string(i) + "}");
  }
}

TEST(Peers, WhatIsPublicIsShownByEveryProcess) {
  Writer writer;
  writer.host().published = Host::Publication{"r1", "{\"w\":1}"};
  writer.host().estimate = "{\"estimate\":4}";
  const auto front = MakeFront(writer.address());
  WaitUntilReady(*front);
  const Host& host = *front->Find("m");
  EXPECT_EQ(host.Hypothesis()->json, "{\"w\":1}");
  EXPECT_EQ(host.Hypothesis()->version, "r1");
  EXPECT_EQ(*host.Estimate(), "{\"estimate\":4}");
  EXPECT_EQ(host.longest_body(), writer.host().longest_body());
}

// A publication from before a process lost the model may be older than those
// that the writer has shown since.
TEST(Peers, AProcessThatStartsShowsNothingItPublishedBefore) {
  Writer writer;
  writer.host().published = Host::Publication{"r1", "{}"};
  writer.host().state = Host::State::kStarting;
  const auto front = MakeFront(writer.address());
  const auto own = MakePeerHosts(
      {.local = &writer.hosts(), .key = kPeers, .find = [](const auto&) {
         return std::optional<PeerTarget>();
       }});
  const Host& host = *front->Find("m");
  WaitUntil([&] { return host.longest_body() > 0; });
  EXPECT_FALSE(host.Hypothesis());
  EXPECT_FALSE(own->Find("m")->Hypothesis());
  writer.host().state = Host::State::kReady;
  WaitUntilReady(*front);
  EXPECT_EQ(host.Hypothesis().value_or(Host::Publication{}).version, "r1");
  const auto shown = own->Find("m")->Hypothesis();
  EXPECT_EQ(shown.value_or(Host::Publication{}).version, "r1");
}

TEST(Peers, WithoutAWriterNothingIsTakenAndNothingIsReady) {
  const auto nobody = MakeFront("");
  EXPECT_FALSE(nobody->ready());
  Host& host = *nobody->Find("m");
  EXPECT_FALSE(host.CanTake(1));
  EXPECT_EQ(AskAll(host, {{}})[0].kind, Kind::kUnavailable);
  EXPECT_EQ(nobody->Find("other"), nullptr);
  EXPECT_TRUE(nobody->MayExist("other"));
  EXPECT_FALSE(nobody->Create(Json::Object{{"name", "x"}}));
}

TEST(Peers, AWriterThatIsNotReadyIsNotReadyHere) {
  Writer writer;
  const auto front = MakeFront(writer.address());
  WaitUntilReady(*front);
  writer.host().state = Host::State::kFrozen;
  WaitUntil([&] { return !front->ready(); });
  EXPECT_FALSE(front->Find("m")->CanTake(1));
  writer.Stop();
  EXPECT_EQ(AskAll(*front->Find("m"), {{}})[0].kind, Kind::kUnavailable);
}

// A process that opens lanes and answers nothing else.
TEST(Peers, AnAnswerThatDoesNotComeIsUnknownAndIsNotAskedForAgain) {
  const PeerSeal seal(kPeers);
  std::vector<http::Reply> kept;
  auto server = *http::Server::Create(
      {},
      {{.address = *http::Address::Parse("127.0.0.1:0"),
        .handler = [&](const http::Request& request) -> http::Decision {
          const bool lane = request.path == kPeerLanePath;
          return http::Accepted{
              .body_limit = 1 << 20,
              .finish = [&, lane](const http::Body& body, http::Reply reply) {
                const std::string name = body.text.substr(0, kLaneBytes);
                if (!lane) return kept.push_back(std::move(reply));
                reply({.body = seal.Close("lane", name, RandomLane())});
              }};
        }}});
  std::thread thread([&] { server->Run(); });
  PeerLane lane{seal};
  PeerAnswer answer;
  const std::string address = server->addresses()[0].ToString();
  EXPECT_EQ(lane.Ask(
                address, {.model = "m"}, [] { return false; }, answer),
            Outcome::kLost);
  server->Drain();
  thread.join();
  EXPECT_EQ(kept.size(), 1u);
  EXPECT_EQ(lane.Ask(address, {.model = "m"}, Always, answer),
            Outcome::kNotSent);
}

TEST(Peers, WhatWasSentToAWriterThatIsReplacedIsUnknown) {
  Writer writer;
  std::atomic<std::uint64_t> term = 1;
  const auto front = MakePeerHosts(
      {.key = kPeers,
       .find =
           [&](const std::string&) {
             return std::optional(PeerTarget{writer.address(), term});
           },
       .models = [] { return std::vector<std::string>{"m"}; }});
  WaitUntilReady(*front);
  writer.silent = true;
  std::promise<HostReply> reply;
  front->Find("m")->Submit({}, [&](HostReply got) { reply.set_value(got); });
  // By then it has left.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  term = 2;
  EXPECT_EQ(reply.get_future().get().kind, Kind::kUnknown);
  EXPECT_FALSE(front->ready());
  EXPECT_TRUE(writer.host().asked.empty());
}

TEST(Peers, AnotherKeyIsRefused) {
  Writer writer;
  PeerLane lane{PeerSeal(DerivePeerKey(KeyOfBytes(8)))};
  PeerAnswer answer;
  EXPECT_EQ(lane.Ask(writer.address(), {.model = "m", .requests = {{}}}, Always,
                     answer),
            Outcome::kNotSent);
  EXPECT_TRUE(writer.host().asked.empty());
}

// Sends bytes as they are.
HttpClient::Response Post(const std::string& address, const char* path,
                          const std::string& body) {
  auto client = HttpClient::Open("http://" + address, 5);
  auto response = client->Ask({.method = "POST", .path = path, .body = body});
  EXPECT_TRUE(response);
  return response ? *response : HttpClient::Response{};
}

// Step 4 of peers.md: a message counts once, in its lane.
TEST(Peers, ARecordedMessageIsNotTakenAgain) {
  Writer writer;
  const PeerSeal seal(kPeers);
  const std::string name = RandomLane();
  const auto opened = Post(writer.address(), kPeerLanePath,
                           name + seal.Close("open", name, ""));
  const auto lane = seal.Open("lane", name, opened.body);
  ASSERT_TRUE(lane);
  const auto message = [&](const std::string& in, std::uint64_t number) {
    const std::string place = LanePlace(in, number);
    return place + seal.Close("ask", place,
                              EncodeAsk({.model = "m", .requests = {{}}}));
  };
  const std::string first = message(*lane, 1);
  EXPECT_EQ(Post(writer.address(), kPeerAskPath, first).status, 200);
  EXPECT_EQ(Post(writer.address(), kPeerAskPath, first).status, 403);
  EXPECT_EQ(Post(writer.address(), kPeerAskPath, message(*lane, 3)).status,
            200);
  EXPECT_EQ(Post(writer.address(), kPeerAskPath, message(*lane, 2)).status,
            403);
  // The number is part of the seal, and so is the lane.
  std::string moved = message(*lane, 4);
  moved[kLaneBytes] = 9;
  EXPECT_EQ(Post(writer.address(), kPeerAskPath, moved).status, 403);
  const auto forgotten =
      Post(writer.address(), kPeerAskPath, message(RandomLane(), 1));
  EXPECT_EQ(forgotten.status, 409);
  EXPECT_EQ(writer.host().asked.size(), 2u);
  EXPECT_EQ(Post(writer.address(), kPeerAskPath, "").status, 403);
  EXPECT_EQ(Post(writer.address(), kPeerLanePath, "short").status, 403);
  EXPECT_EQ(Post(writer.address(), "/v1/models/m/predict", "{}").status, 404);
}

// Step 5: the length of an answer says nothing of its replies. The broken
// variant, which
// leaves their room out, does.
TEST(Peers, AnswersHaveOneLength) {
  const auto length = [](const HostReply& reply, std::size_t room) {
    return EncodeAnswer({.state = Host::State::kReady,
                         .longest_body = room,
                         .replies = {reply, reply}})
        .size();
  };
  const HostReply answered{Kind::kAnswered, R"({"prediction":1})"};
  const HostReply refused{Kind::kRefused, ""};
  EXPECT_EQ(length(answered, 120), length(refused, 120));
  EXPECT_NE(length(answered, 0), length(refused, 0));
}

TEST(Peers, QuestionsShowTheLengthsOfBodiesAndNoAnswer) {
  const auto length = [](const HostRequest& request) {
    return EncodeAsk({.model = "m", .requests = {request}}).size();
  };
  const HostRequest bad{.body = "{}"};
  HostRequest answered = bad;
  answered.answered = PublishedAnswer{1, Label(true), 0.5};
  EXPECT_EQ(length(answered), length(bad));
}

TEST(Peers, MessagesSurviveTheirWayAndDamagedOnesAreRefused) {
  const PeerAsk ask{
      .model = "m",
      .known = "r3",
      .configured = true,
      .requests = {
          {.body = "b", .answered = PublishedAnswer{3, Label::OfClass(2), 0.5}},
          {}}};
  const auto asked = DecodeAsk(EncodeAsk(ask));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->known, "r3");
  EXPECT_TRUE(asked->configured);
  ASSERT_EQ(asked->requests.size(), 2u);
  EXPECT_EQ(asked->requests[0].answered, ask.requests[0].answered);
  EXPECT_FALSE(asked->requests[1].answered);
  const PeerAnswer answer{.state = Host::State::kHalted,
                          .longest_body = 9,
                          .estimate = "e",
                          .publishes = true,
                          .publication = Host::Publication{"v", "j"},
                          .configuration = "c",
                          .replies = {{Kind::kTaken, "ok"}}};
  const auto answered = DecodeAnswer(EncodeAnswer(answer));
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->state, Host::State::kHalted);
  EXPECT_EQ(answered->publication->json, "j");
  EXPECT_EQ(answered->configuration, "c");
  EXPECT_EQ(answered->replies[0].body, "ok");
  for (const std::string& bytes : {EncodeAsk(ask), EncodeAnswer(answer)}) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(DecodeAsk(bytes.substr(0, size)));
      EXPECT_FALSE(DecodeAnswer(bytes.substr(0, size)));
    }
  }
}

TEST(Peers, AFrontsKeyIsNotTheKeyFile) {
  const ScratchFolder folder;
  const std::string path = folder.path("peer.key");
  ASSERT_TRUE(WritePeerKey(path, kPeers));
  ASSERT_TRUE(WritePeerKey(path, kPeers));
  EXPECT_FALSE(WritePeerKey(path, kRoot));
  const auto read = ReadKeyFile(path);
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::ranges::equal(read->bytes(), kPeers.bytes()));
  EXPECT_FALSE(std::ranges::equal(read->bytes(), kRoot.bytes()));
}

}  // namespace
}  // namespace sotto::testing
