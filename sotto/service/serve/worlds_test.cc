// A whole service in two worlds over HTTP: 10,000 rounds, one user's requests
// hold other things, and everybody else gets the same bytes.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sotto/service/serve/service_test_tools.h"
#include "sotto/testing/sanitized.h"

// The noise, scripted: this takes the place of libsodium's function. The words
// depend on their place in the stream of a round and on nothing else, so that
// two worlds have the same noise whatever was absorbed.
extern "C" int crypto_stream_chacha20_xor_ic(
    unsigned char* out, const unsigned char* in, unsigned long long size,
    const unsigned char* nonce, std::uint64_t counter, const unsigned char*) {
  const bool absorbs = (nonce[7] & 0x80) != 0;  // `counter` is then an input
  std::uint64_t place = absorbs ? 0 : (counter + 1) * 64;
  for (unsigned long long i = 0; i < size; ++i, ++place) {
    std::uint64_t word = (place + 1) * 0x9e3779b97f4a7c15;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    out[i] = static_cast<unsigned char>(in[i] ^ (word >> 56));
  }
  return 0;
}

namespace sotto {
namespace {

using testing::FindTicket;
using testing::Post;
using testing::ServedWorld;

constexpr int kRounds = kSanitized ? 2'000 : 10'000;
constexpr int kColumns = 3;

// The requests of the protected user at one of their places: a body, or less
// than one; and the label, if one is sent.
struct World {
  std::string body = R"({"x":[0.2,0.3,0.4]})";
  std::string label{};
  bool absent = false;  // not a neighbour: the check must notice
};

Json Tide() {
  Json columns = Json::Array{};
  for (int i = 0; i < kColumns; ++i) {
    columns.Add(Json::Object{{"name", "c" + std::to_string(i)},
                             {"type", "number"},
                             {"range", Json::Array{0, 1}}});
  }
  return Json::Object{
      {"name", "m"},       {"model", "tide"},
      {"epsilon", 1},      {"delta", 1e-6},
      {"horizon", 20'000}, {"rounds-per-user", 2},
      {"anyway", true},    {"schema", Json::Object{{"columns", columns}}}};
}

std::string Mask(std::string response) {
  const std::size_t at = response.find(R"("ticket":")");
  if (at != std::string::npos) response.replace(at + 10, 64, 64, '*');
  return response;
}

// Keeps a response but for the digits of predictions and probabilities.
std::string Shape(std::string response) {
  const std::size_t body = response.find("\r\n\r\n");
  return response.substr(0, body) + " " + std::to_string(response.size());
}

// Everything that others see, and the lengths of the user's own responses.
struct View {
  std::vector<std::string> others{};
  std::vector<std::size_t> own{};
  friend bool operator==(const View&, const View&) = default;
};

void PlayOwn(ServedWorld& service, const World& world, View& view) {
  if (world.absent) return;
  const std::string response =
      service.AskApart(Post("predict", world.body, "Sotto-User: ann\r\n"));
  view.own.push_back(response.size());
  const std::string ticket = FindTicket(response);
  if (world.label.empty() || ticket.empty()) return;
  service.AskApart(
      Post("labels",
           R"({"ticket":")" + ticket + R"(","y":)" + world.label + "}", ""));
}

std::string OtherBody(int i) {
  if (i % 97 == 5) return R"({"x":["bad"]})";
  std::string body = R"({"x":[)";
  for (int column = 0; column < kColumns; ++column) {
    body += (column > 0 ? ",0." : "0.") +
            std::to_string((i * (column + 3) * 7919) % 1000);
  }
  return body + "]}";
}

// The body of a hypothesis without the public clock at which it was shown.
std::string WithoutClock(const std::string& response) {
  const std::size_t clock = response.find(R"("rounds":)");
  return response.substr(response.find("\r\n\r\n"),
                         clock - response.find("\r\n\r\n")) +
         response.substr(response.find(',', clock));
}

// The hypothesis of the last release, which is shown a moment later.
std::string NewestHypothesis(ServedWorld& service) {
  const std::string status = service.AskOperator("/v1/models/m");
  const std::size_t at = status.find("\"phase\":");
  EXPECT_NE(at, std::string::npos);
  const std::string tag =
      "ETag: \"r" + std::to_string(std::stoi(status.substr(at + 8))) + "\"";
  for (int i = 0; i < 1000; ++i) {
    const std::string response =
        service.Ask("GET /v1/models/m/hypothesis HTTP/1.1\r\nHost: a\r\n\r\n");
    if (response.find(tag) != std::string::npos) return WithoutClock(response);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "the newest hypothesis is not shown";
  return "";
}

// `mask` leaves of a response what must be the same.
View Play(const World& world, std::string (*mask)(std::string)) {
  ServedWorld service({Tide()});
  View view;
  for (int i = 0; i < kRounds; ++i) {
    // Four rounds of the user, of which two are over the limit. The first rows
    // count without a label, so they come later.
    if (i > kRounds / 2 && i % (kRounds / 10) == 7)
      PlayOwn(service, world, view);
    // Some users come a third time.
    const std::string user = "u" + std::to_string(i * 2 / 5);
    const std::string response = service.Ask(
        Post("predict", OtherBody(i), "Sotto-User: " + user + "\r\n"));
    view.others.push_back(mask(response));
    const std::string ticket = FindTicket(response);
    if (i % 3 == 0 && !ticket.empty()) {
      view.others.push_back(mask(service.Ask(Post(
          "labels",
          R"({"ticket":")" + ticket + R"(","y":)" + std::to_string(i % 2) + "}",
          ""))));
    }
    if (i % 1000 == 999) {
      view.others.push_back(
          mask(service.Ask("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")));
    }
  }
  if (mask == Mask) view.others.push_back(NewestHypothesis(service));
  return view;
}

void ExpectEqual(const View& view, const View& base, std::size_t world) {
  ASSERT_EQ(view.others.size(), base.others.size()) << "world " << world;
  for (std::size_t i = 0; i < base.others.size(); ++i) {
    ASSERT_EQ(view.others[i], base.others[i]) << "world " << world;
  }
  EXPECT_EQ(view.own, base.own) << "world " << world;
}

TEST(ServiceWorldsTest, OthersGetTheSameBytesWhateverAUserSends) {
  const View base = Play({}, Mask);
  EXPECT_GT(base.others.size(), std::size_t{kRounds});
  const std::vector<World> worlds = {
      {.body = R"({"x":[0.9,0.8,0.1],"user":"u1"})"},
      {.body = R"({"x":["canary"]})"},
      {.body = std::string(70'000, '[')},
      {.body = ""}};
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    ExpectEqual(Play(worlds[i], Mask), base, i);
  }
}

// A label may change what is released, within the guarantee; never a status, a
// header or a length.
TEST(ServiceWorldsTest, LabelsChangeNoStatusHeaderOrLength) {
  const View base = Play({}, Shape);
  ExpectEqual(Play({.label = "1"}, Shape), base, 0);
}

// The check can fail: a service that leaves out the rounds of a user.
TEST(ServiceWorldsTest, AMissingRoundIsNoticed) {
  const View base = Play({}, Mask);
  World other;
  other.absent = true;
  EXPECT_NE(Play(other, Mask).others, base.others);
}

TEST(ServiceWorldsTest, NothingOfAUserIsInLogsErrorsMetricsOrOnDisk) {
  ServedWorld service({Tide()});
  const std::string name = "canary-ann";
  const std::string fields =
      "Sotto-User: " + name + "\r\nIdempotency-Key: canary-key\r\n";
  const std::string answer = service.AskApart(
      Post("predict", R"({"x":[0.123456789012,0.2,0.3]})", fields));
  const std::string ticket = FindTicket(answer);
  ASSERT_EQ(ticket.size(), 64U);
  service.AskApart(
      Post("labels",
           R"({"ticket":")" + ticket + R"(","y":1,"note":"canary-y"})", ""));
  for (const char* body : {R"({"x":["canary-row",1,2]})", R"({"canary-half)",
                           R"({"x":{"canary-column":1}})"}) {
    service.AskApart(Post("predict", body, fields));
  }
  service.AskApart(
      "POST /v1/models/canary-path/predict HTTP/1.1\r\nHost: a\r\n\r\n");
  std::string shown;
  for (const char* path :
       {"/v1/models", "/v1/models/m", "/readyz", "/healthz",
        "/v1/models/m/hypothesis", "/metrics", "/openapi.json"}) {
    const std::string response = service.AskOperator(path);
    EXPECT_NE(http::ReadStatus(response), 401) << path;
    shown += response;
  }
  service.Stop();
  const std::string all = shown + service.ReadFiles();
  EXPECT_GT(all.size(), 10'000U);
  for (const std::string& canary :
       {std::string("canary"), std::string("0.123456789"), ticket.substr(0, 32),
        ticket.substr(32)}) {
    EXPECT_EQ(all.find(canary), std::string::npos) << canary;
  }
}

}  // namespace
}  // namespace sotto
