#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "sotto/service/api/api_test_hosts.h"
#include "sotto/service/api/bulk_lines.h"
#include "sotto/service/api/openapi.h"
#include "sotto/service/api/operator_api.h"
#include "sotto/service/api/problem.h"
#include "sotto/service/api/user_api.h"

namespace sotto::api {
namespace {

using http::BodyEnd;
using http::Field;

std::string MakeFolder() {
  std::string name = std::filesystem::temp_directory_path() / "api_test_XXXXXX";
  return mkdtemp(name.data());
}

http::Request MakeRequest(std::string_view method, std::string_view path,
                          std::vector<Field> fields = {}) {
  http::Request request;
  request.method = method;
  request.path = path;
  request.fields = std::move(fields);
  request.fields.push_back({"Host", "localhost:1"});
  return request;
}

class ApiTest : public ::testing::Test {
 protected:
  ~ApiTest() override { std::filesystem::remove_all(folder_); }

  // The response to a request with that body.
  template <typename Api>
  static http::Response Ask(Api& api, const http::Request& request,
                            std::string body = "",
                            BodyEnd end = BodyEnd::kWhole) {
    http::Decision decision = api(request);
    if (auto* response = std::get_if<http::Response>(&decision)) {
      return *response;
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<http::Response> received;
    std::get<http::Accepted>(decision).finish(
        {.text = std::move(body), .end = end}, [&](http::Response response) {
          const std::scoped_lock lock(mutex);
          received = std::move(response);
          changed.notify_one();
        });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return received.has_value(); });
    return *received;
  }
  http::Response Predict(std::string body, std::vector<Field> fields = {},
                         BodyEnd end = BodyEnd::kWhole) {
    return Ask(users_, MakeRequest("POST", "/v1/models/m/predict", fields),
               std::move(body), end);
  }

  std::string folder_ = MakeFolder();
  FakeHostSet hosts_;
  FakeHost* host_ = hosts_.Add("m");
  bool draining_ = false;
  std::unique_ptr<Credentials> keys_ = *Credentials::Open(folder_);
  Service service_{.hosts = hosts_, .draining = [this] { return draining_; }};
  UserApi users_{service_, *keys_, {.body = 1000, .bulk_lines = 5}};
  OperatorApi operator_{service_, *keys_, {}};
};

TEST_F(ApiTest, AnAcceptedPredictIsARoundHoweverItsBodyEnds) {
  const std::pair<BodyEnd, int> cases[] = {{BodyEnd::kWhole, 200},
                                           {BodyEnd::kTooLong, 413},
                                           {BodyEnd::kMalformed, 400},
                                           {BodyEnd::kCut, 400},
                                           {BodyEnd::kLate, 408}};
  std::size_t rounds = 0;
  for (const auto& [end, status] : cases) {
    EXPECT_EQ(Predict("1", {}, end).status, status);
    ASSERT_EQ(host_->asked.size(), ++rounds);
    EXPECT_EQ(host_->asked.back().unusable, end != BodyEnd::kWhole);
  }
}

TEST_F(ApiTest, WhatIsRefusedOnItsHeadIsNoRound) {
  const std::string user(300, 'u');
  EXPECT_EQ(Predict("1", {{"Sotto-User", user}}).status, 400);
  EXPECT_EQ(Predict("1", {{"Sotto-User", "a"}, {"Sotto-User", "b"}}).status,
            400);
  EXPECT_EQ(Ask(users_, MakeRequest("POST", "/v1/models/other/predict")).status,
            404);
  EXPECT_EQ(Ask(users_, MakeRequest("GET", "/v1/models/m/predict")).status,
            405);
  host_->can_take = false;
  EXPECT_EQ(Predict("1").status, 503);
  host_->can_take = true;
  draining_ = true;
  EXPECT_EQ(Predict("1").status, 503);
  draining_ = false;
  ASSERT_TRUE(keys_->Add({.name = "k"}));
  EXPECT_EQ(Predict("1").status, 401);
  EXPECT_EQ(Predict("1", {{"Authorization", "Bearer sotto_0"}}).status, 401);
  EXPECT_TRUE(host_->asked.empty());
}

TEST_F(ApiTest, TheNameComesFromTheHeaderOrTheKeyAndNotFromTheBody) {
  Predict(R"({"user":"body"})", {{"Sotto-User", "ann"}});
  EXPECT_EQ(host_->asked.back().user, "ann");
  Predict(R"({"user":"body"})");
  EXPECT_EQ(host_->asked.back().user, "");
  const std::string own =
      "Bearer " + *keys_->Add({.name = "bob's", .user = "bob"});
  const std::string shop = "Bearer " + *keys_->Add({.name = "shop"});
  Predict("1", {{"Authorization", own}});
  EXPECT_EQ(host_->asked.back().user, "bob");
  EXPECT_EQ(host_->asked.back().credential, "bob's");
  EXPECT_EQ(
      Predict("1", {{"Authorization", own}, {"Sotto-User", "ann"}}).status,
      403);
  Predict("1", {{"Authorization", shop}, {"Sotto-User", "ann"}});
  EXPECT_EQ(host_->asked.back().user, "ann");
  EXPECT_EQ(host_->asked.back().credential, "shop");
}

// A caller who could send another's name would learn whether that one came.
TEST_F(ApiTest, WithSlotsANameBelongsToItsKey) {
  host_->own_names = true;
  EXPECT_EQ(Predict("1").status, 200);
  EXPECT_EQ(Predict("1", {{"Sotto-User", "ann"}}).status, 403);
  EXPECT_EQ(Predict("1", {{"Idempotency-Key", "1"}}).status, 403);
  EXPECT_EQ(Predict("1", {{"Content-Type", "application/x-ndjson"}}).status,
            403);
  const std::string own =
      "Bearer " + *keys_->Add({.name = "bob's", .user = "bob"});
  const std::string shop = "Bearer " + *keys_->Add({.name = "shop"});
  host_->asked.clear();
  EXPECT_EQ(Predict("1", {{"Authorization", shop}}).status, 403);
  EXPECT_EQ(
      Predict("1", {{"Authorization", shop}, {"Sotto-User", "bob"}}).status,
      403);
  EXPECT_TRUE(host_->asked.empty());
  EXPECT_EQ(
      Predict("1", {{"Authorization", own}, {"Idempotency-Key", "1"}}).status,
      200);
  EXPECT_EQ(host_->asked.back().user, "bob");
}

TEST_F(ApiTest, RepliesOfAModelHaveOneLengthOnTheWire) {
  using Kind = HostReply::Kind;
  std::set<std::size_t> lengths;
  const HostReply replies[] = {
      {Kind::kAnswered, R"({"prediction":1,"ticket":"0123"})"},
      {Kind::kAnswered, R"({"prediction":"a long class","ticket":"0123"})"},
      {Kind::kAnswered, std::string(120, '1')},
      {Kind::kEmptyRound, R"({"error":"over the limit","code":"over_limit"})"},
      {Kind::kTaken, R"({"ok":true})"},
      {Kind::kRefused, ""},
      {Kind::kHalted, ""}};
  for (const HostReply& reply : replies) {
    host_->answer = [&](const HostRequest&) { return reply; };
    lengths.insert(http::Serialize(Predict("1"), false).size());
  }
  lengths.insert(
      http::Serialize(Predict("1", {}, BodyEnd::kTooLong), false).size());
  EXPECT_EQ(lengths.size(), 1U);
}

TEST_F(ApiTest, EveryRefusedLabelGetsTheSameResponse) {
  host_->answer = [](const HostRequest& request) {
    return HostReply{HostReply::Kind::kRefused, "secret " + request.body};
  };
  const auto label = MakeRequest("POST", "/v1/models/m/labels");
  const http::Response one = Ask(users_, label, R"({"ticket":"1","y":0})");
  const http::Response other = Ask(users_, label, R"({"ticket":"2222","y":1})");
  EXPECT_EQ(one.status, 409);
  EXPECT_EQ(http::Serialize(one, false), http::Serialize(other, false));
  const std::size_t asked = host_->asked.size();
  EXPECT_EQ(Ask(users_, label, "{", BodyEnd::kCut).status, 400);
  EXPECT_EQ(host_->asked.size(), asked);
}

TEST_F(ApiTest, BulkAnswersALineForALineAndEveryLineIsARound) {
  const std::vector<Field> bulk = {{"Content-Type", "application/x-ndjson"}};
  const http::Response response = Predict("1\n22\r\n\n333\n", bulk);
  EXPECT_EQ(response.status, 200);
  const auto lines = SplitLines(response.body);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[1].starts_with("{\"prediction\":22} "));
  for (const std::string_view line : lines) EXPECT_EQ(line.size(), 120U);
  ASSERT_EQ(host_->asked.size(), 4U);
  EXPECT_EQ(host_->asked[2].body, "");
}

TEST_F(ApiTest, ABulkBodyThatIsCutPlaysItsLinesAndTheLastOneAsUnusable) {
  const std::vector<Field> bulk = {{"Content-Type", "application/x-ndjson"}};
  EXPECT_EQ(Predict("1\n2\n{\"x\"", bulk, BodyEnd::kTooLong).status, 413);
  ASSERT_EQ(host_->asked.size(), 3U);
  EXPECT_FALSE(host_->asked[1].unusable);
  EXPECT_TRUE(host_->asked[2].unusable);
  EXPECT_EQ(Predict("", bulk, BodyEnd::kTooLong).status, 413);
  EXPECT_EQ(host_->asked.size(), 3U);
}

TEST_F(ApiTest, BulkLinesBeyondTheLimitAreNoRounds) {
  const auto response = Predict("1\n2\n3\n4\n5\n6\n7\n",
                                {{"Content-Type", "application/x-ndjson"}});
  EXPECT_EQ(host_->asked.size(), 5U);
  const auto lines = SplitLines(response.body);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_NE(lines[6].find("too_many"), std::string_view::npos);
  EXPECT_EQ(lines[6].size(), lines[0].size());
}

TEST_F(ApiTest, BulkNamesUsersByLineUnlessTheHeadDoes) {
  const std::string body =
      "{\"x\":{\"user\":\"no\"},\"user\":\"ann\"}\n{\"x\":1}\n";
  const Field bulk = {"Content-Type", "application/x-ndjson; charset=utf-8"};
  Predict(body, {bulk, {"Idempotency-Key", "k"}});
  EXPECT_EQ(host_->asked[0].user, "ann");
  EXPECT_EQ(host_->asked[1].user, "");
  EXPECT_NE(host_->asked[0].idempotency_key, host_->asked[1].idempotency_key);
  Predict(body, {bulk, {"Sotto-User", "bob"}});
  EXPECT_EQ(host_->asked[2].user, "bob");
}

TEST(BulkLinesTest, TheUserOfALineIsFoundOnlyAtItsTopLevel) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"user":"ann"})", "ann"},
      {R"({"x":[1,{"user":"no"}], "user" : "a\"b"})", "a\"b"},
      {R"({"x":"\"user\":\"no\"","user":"yes"})", "yes"},
      {"{\"user\"\t:\r\"bob\"}", "bob"},
      {R"({"user":5})", ""},
      {R"({"x":"user"})", ""},
      {R"({"user":"open)", ""},
      {R"({"x":"\)", ""},
      {R"("user":"no")", ""},
      {"", ""}};
  for (const auto& [line, user] : cases)
    EXPECT_EQ(FindUser(line), user) << line;
}

TEST_F(ApiTest, ReadyIsFalseDuringReplayWithAFrozenModelAndWhileDraining) {
  const auto ready = [&](auto& api) {
    return Ask(api, MakeRequest("GET", "/readyz"));
  };
  EXPECT_EQ(ready(users_).status, 200);
  for (const auto state : {Host::State::kStarting, Host::State::kFrozen}) {
    host_->state = state;
    EXPECT_EQ(ready(users_).status, 503);
    EXPECT_EQ(ready(users_).body, R"({"ready":false})");
    EXPECT_NE(ready(operator_).body.find("\"m\""), std::string::npos);
    EXPECT_EQ(Ask(users_, MakeRequest("GET", "/healthz")).status, 200);
  }
  host_->state = Host::State::kReady;
  draining_ = true;
  EXPECT_EQ(ready(users_).status, 503);
}

TEST_F(ApiTest, AHypothesisHasATagThatSavesSendingItAgain) {
  const auto get = MakeRequest("GET", "/v1/models/m/hypothesis");
  EXPECT_EQ(Ask(users_, get).status, 404);
  host_->published = {.version = "7", .json = "{}"};
  EXPECT_EQ(Ask(users_, get).body, "{}");
  const auto again = MakeRequest("GET", "/v1/models/m/hypothesis",
                                 {{"If-None-Match", "\"7\""}});
  EXPECT_EQ(Ask(operator_, again).status, 304);
}

// A process that starts, or that the database does not answer.
TEST_F(ApiTest, AModelThatMayExistIsUnavailableAndNotMissing) {
  const http::Request requests[] = {
      MakeRequest("POST", "/v1/models/other/predict"),
      MakeRequest("POST", "/v1/models/other/labels"),
      MakeRequest("POST", "/v1/counters/other/add"),
      MakeRequest("GET", "/v1/models/other/hypothesis"),
      MakeRequest("GET", "/v1/counters/other")};
  for (const auto& request : requests) {
    hosts_.others = false;
    EXPECT_EQ(Ask(users_, request).status, 404) << request.path;
    hosts_.others = true;
    const auto response = Ask(users_, request);
    EXPECT_EQ(response.status, 503) << request.path;
    EXPECT_NE(http::Serialize(response, true).find("Retry-After: 1"),
              std::string::npos)
        << request.path;
  }
  const auto operators = MakeRequest("GET", "/v1/models/other");
  EXPECT_EQ(Ask(operator_, operators).status, 503);
}

TEST_F(ApiTest, AModelThatStartsMayPublishLater) {
  for (const char* path : {"/v1/models/m/hypothesis", "/v1/counters/m"}) {
    host_->state = Host::State::kStarting;
    EXPECT_EQ(Ask(users_, MakeRequest("GET", path)).status, 503) << path;
    host_->state = Host::State::kReady;
    EXPECT_EQ(Ask(users_, MakeRequest("GET", path)).status, 404) << path;
  }
}

TEST_F(ApiTest, TheOperatorMakesModelsAndKeys) {
  const std::vector<Field> json = {{"Content-Type", "application/json"}};
  const auto create = MakeRequest("POST", "/v1/models", json);
  EXPECT_EQ(Ask(operator_, create, R"({"name":"n"})").status, 201);
  EXPECT_EQ(Ask(operator_, create, R"({"name":"n"})").status, 409);
  EXPECT_EQ(Ask(operator_, create, "{}").status, 422);
  EXPECT_EQ(Ask(operator_, create, "no json").status, 422);
  EXPECT_EQ(Ask(operator_, MakeRequest("GET", "/v1/models/n")).status, 200);
  EXPECT_EQ(Ask(operator_, MakeRequest("GET", "/v1/models/x")).status, 404);
  const auto key = MakeRequest("POST", "/v1/keys", json);
  EXPECT_EQ(Ask(operator_, key, R"({"name":"k","rate":1})").status, 201);
  EXPECT_EQ(Ask(operator_, key, R"({"name":"l","raet":1})").status, 422);
  const auto listed = Ask(operator_, MakeRequest("GET", "/v1/keys"));
  EXPECT_EQ(listed.body.find("hash"), std::string::npos);
  EXPECT_EQ(Ask(operator_, MakeRequest("DELETE", "/v1/keys/k")).status, 204);
  EXPECT_EQ(Ask(operator_, MakeRequest("DELETE", "/v1/keys/k")).status, 404);
}

TEST_F(ApiTest, AWebPageCannotReachTheOperator) {
  auto request = MakeRequest("POST", "/v1/models", {});
  EXPECT_EQ(Ask(operator_, request, "{}").status, 415);
  request.fields = {{"Host", "evil.example:80"}};
  EXPECT_EQ(Ask(operator_, request, "{}").status, 401);
  for (const std::string_view host :
       {"127.0.0.1:8081", "localhost", "[::1]:1"}) {
    auto get = MakeRequest("GET", "/v1/models");
    get.fields = {{"Host", host}};
    EXPECT_EQ(Ask(operator_, get).status, 200) << host;
  }
}

TEST_F(ApiTest, ATokenIsAskedForIfThereIsOne) {
  OperatorApi guarded(service_, *keys_, {.token = "secret"});
  auto get = MakeRequest("GET", "/v1/models");
  EXPECT_EQ(Ask(guarded, get).status, 401);
  get.fields.push_back({"Authorization", "Bearer secres"});
  EXPECT_EQ(Ask(guarded, get).status, 401);
  get.fields.back().value = "Bearer secret";
  EXPECT_EQ(Ask(guarded, get).status, 200);
  EXPECT_EQ(Ask(guarded, MakeRequest("GET", "/healthz")).status, 200);
}

TEST_F(ApiTest, UsersSeeNothingOfTheOperators) {
  for (const std::string_view path :
       {"/v1/models", "/v1/models/m", "/v1/keys", "/metrics", "/"}) {
    EXPECT_EQ(Ask(users_, MakeRequest("GET", path)).status, 404) << path;
  }
}

TEST(OpenApiTest, TheDocumentIsJsonWithEveryCall) {
  const auto document = Json::Parse(OpenApiDocument());
  ASSERT_TRUE(document);
  const Json* paths = document->Find("paths");
  ASSERT_NE(paths, nullptr);
  EXPECT_NE(paths->Find("/v1/models/{model}/predict"), nullptr);
  EXPECT_NE(paths->Find("/v1/counters/{counter}/add"), nullptr);
}

}  // namespace
}  // namespace sotto::api
