#include "sotto/service/http/server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "sotto/service/http/http_test_client.h"
#include "sotto/service/http/http_test_server.h"

namespace sotto::http {
namespace {

using namespace std::chrono_literals;
using TestClock = std::chrono::steady_clock;

const std::string kGet = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

std::string Post(const std::string& body, const std::string& path = "/x",
                 const std::string& fields = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::chrono::duration<double> Since(TestClock::time_point start) {
  return TestClock::now() - start;
}

template <typename Holds>
bool WaitUntil(const Holds& holds) {
  for (int i = 0; i < 500 && !holds(); ++i) std::this_thread::sleep_for(10ms);
  return holds();
}

TEST(ServerTest, AnswersManyRequestsOfOneConnection) {
  TestServer server;
  RawClient client(server.address());
  for (int i = 0; i < 100; ++i) {
    const std::string body = "body " + std::to_string(i);
    ASSERT_TRUE(client.Send(Post(body)));
    const std::string response = client.ReadResponse();
    EXPECT_EQ(ReadStatus(response), 200);
    EXPECT_TRUE(response.ends_with("\r\n\r\n" + body));
    EXPECT_EQ(response.find("Connection: close"), std::string::npos);
    EXPECT_EQ(response.find("Date:"), std::string::npos);
  }
}

// Between a request and its response lies a multiple of the time.
TEST(ServerTest, ResponsesLeaveOnTheirGrid) {
  constexpr std::chrono::milliseconds kGrid{40};
  Listener listener;
  listener.reply_grid = kGrid;
  TestServer server(QuickLimits(), nullptr, "", listener);
  RawClient client(server.address());
  for (int i = 0; i < 5; ++i) {
    const auto before =
        std::chrono::steady_clock::now().time_since_epoch() / kGrid;
    client.Send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
    EXPECT_EQ(ReadStatus(client.ReadResponse()), 200);
    const auto after =
        std::chrono::steady_clock::now().time_since_epoch() / kGrid;
    EXPECT_GT(after, before);
  }
}

std::uint64_t DescriptorRoom() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("FDSize:")) return std::stoul(line.substr(7));
  }
  return 0;
}

TEST(ServerTest, DescriptorsHaveRoomBeforeConnectionsCome) {
  rlimit most{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &most), 0);
  // More than any server before this one asked for.
  Limits limits = QuickLimits();
  limits.connections = 2 * DescriptorRoom();
  const TestServer server(limits);
  EXPECT_GE(DescriptorRoom(),
            std::min<std::uint64_t>(limits.connections, most.rlim_cur));
}

TEST(ServerTest, HeadHasNoBodyAndCloseIsHonoured) {
  TestServer server(QuickLimits(), [](const Body&, const Reply& reply) {
    reply({.body = "text"});
  });
  RawClient client(server.address());
  client.Send("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const std::string all = client.ReadAll(1s);
  EXPECT_NE(all.find("Content-Length: 4\r\n"), std::string::npos);
  EXPECT_NE(all.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(all.ends_with("\r\n\r\n"));
  EXPECT_TRUE(client.closed());
}

TEST(ServerTest, AHeadThatDripsIsCutAtOneDeadline) {
  TestServer server;
  RawClient client(server.address());
  const auto start = TestClock::now();
  std::string drip = kGet.substr(0, 4);
  while (client.Send(drip) && Since(start) < 5s) {
    drip = "a";
    if (ReadStatus(client.ReadAll(100ms)) == 408) break;
  }
  EXPECT_LT(Since(start), 3 * kSoon);
  EXPECT_GE(Since(start), kSoon);
}

TEST(ServerTest, ABodyThatDripsEndsLateAndIsReported) {
  TestServer server;
  RawClient client(server.address());
  const auto start = TestClock::now();
  client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n{");
  std::string answer;
  while (answer.empty() && Since(start) < 5s) {
    client.Send("x");
    answer = client.ReadAll(80ms);
  }
  EXPECT_EQ(ReadStatus(answer), 408);
  EXPECT_LT(Since(start), 3 * kSoon);
  EXPECT_EQ(server.ends(), std::vector{BodyEnd::kLate});
}

TEST(ServerTest, ABodyThatIsCutIsReportedOnce) {
  TestServer server;
  {
    RawClient client(server.address());
    client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n{");
    ASSERT_TRUE(WaitUntil([&] { return server.heads().size() == 1; }));
  }
  EXPECT_TRUE(WaitUntil([&] { return server.ends().size() == 1; }));
  server.End();
  EXPECT_EQ(server.ends(), std::vector{BodyEnd::kCut});
}

TEST(ServerTest, ALongBodyIsReportedOnceHoweverItIsSent) {
  TestServer server;
  for (const std::string& sent :
       {Post(std::string(1001, 'x')),
        std::string(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                    "chunked\r\n\r\n3e9\r\n")}) {
    RawClient client(server.address());
    client.Send(sent);
    EXPECT_EQ(ReadStatus(client.ReadAll(1s)), 413);
    EXPECT_TRUE(client.closed());
  }
  EXPECT_EQ(server.ends(), std::vector(3, BodyEnd::kTooLong));
}

TEST(ServerTest, HeadsAreDecidedInTheOrderInWhichTheyAreComplete) {
  TestServer server;
  RawClient slow(server.address());
  RawClient quick(server.address());
  slow.Send("POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n");
  ASSERT_TRUE(WaitUntil([&] { return server.heads().size() == 1; }));
  quick.Send(Post("{}", "/second"));
  EXPECT_EQ(ReadStatus(quick.ReadResponse()), 200);  // does not wait
  slow.Send("{}");
  EXPECT_EQ(ReadStatus(slow.ReadResponse()), 200);
  EXPECT_EQ(server.heads(), (std::vector<std::string>{"/first", "/second"}));
}

TEST(ServerTest, ARefusedRequestKeepsItsConnection) {
  TestServer server;
  RawClient client(server.address());
  client.Send(Post("some body", "/refused") + Post("{}"));
  EXPECT_EQ(ReadStatus(client.ReadResponse()), 401);
  EXPECT_EQ(ReadStatus(client.ReadResponse()), 200);
}

TEST(ServerTest, ExpectContinueGetsOneOrTheRefusal) {
  TestServer server;
  const std::string expect = "Expect: 100-continue\r\n";
  RawClient client(server.address());
  client.Send("POST /x HTTP/1.1\r\nHost: a\r\n" + expect +
              "Content-Length: 2\r\n\r\n");
  EXPECT_EQ(client.ReadResponse(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("{}");
  EXPECT_EQ(ReadStatus(client.ReadResponse()), 200);
  RawClient refused(server.address());
  refused.Send("POST /refused HTTP/1.1\r\nHost: a\r\n" + expect +
               "Content-Length: 2\r\n\r\n");
  EXPECT_EQ(ReadStatus(refused.ReadAll(1s)), 401);
  EXPECT_TRUE(refused.closed());
}

TEST(ServerTest, RepliesMayComeFromAnotherThreadAndOnlyTheFirstCounts) {
  std::vector<std::thread> threads;
  TestServer server(QuickLimits(), [&](Body body, Reply reply) {
    threads.emplace_back([body = std::move(body), reply = std::move(reply)] {
      std::this_thread::sleep_for(20ms);
      reply({.body = body.text});
      reply({.status = 500});
    });
  });
  RawClient client(server.address());
  for (const std::string body : {"a", "b"}) {
    client.Send(Post(body));
    EXPECT_TRUE(client.ReadResponse().ends_with("\r\n\r\n" + body));
  }
  server.End();
  for (std::thread& thread : threads) thread.join();
}

TEST(ServerTest, AReplyAfterTheEndIsDropped) {
  Reply kept;
  {
    TestServer server(QuickLimits(), [&](const Body&, Reply reply) {
      kept = std::move(reply);
    });
    RawClient client(server.address());
    client.Send(kGet);
    ASSERT_TRUE(WaitUntil([&] { return server.ends().size() == 1; }));
    client.Close();
    server.server->Drain();
  }
  kept({.status = 200});
}

TEST(ServerTest, AHandlerThatNeverRepliesIsAnUnknownOutcome) {
  Reply kept;
  TestServer server(QuickLimits(),
                    [&](const Body&, Reply reply) { kept = std::move(reply); });
  RawClient client(server.address());
  client.Send(kGet);
  EXPECT_EQ(ReadStatus(client.ReadResponse()), 504);
}

TEST(ServerTest, AClientThatDoesNotReadIsCut) {
  Limits limits = QuickLimits();
  TestServer server(limits, [](const Body&, const Reply& reply) {
    reply({.body = std::string(32 << 20, 'x')});
  });
  RawClient client(server.address());
  client.Send(kGet);
  EXPECT_TRUE(WaitUntil([&] {
    return server.server->counts().open == 0 &&
           server.server->counts().accepted == 1;
  }));
}

TEST(ServerTest, AFloodOfSilentConnectionsKeepsNoOneOut) {
  TestServer server;
  RawClient kept(server.address());
  std::vector<std::unique_ptr<RawClient>> flood;
  for (int i = 0; i < 600; ++i) {
    flood.push_back(std::make_unique<RawClient>(server.address()));
  }
  RawClient client(server.address());
  client.Send(kGet);
  EXPECT_EQ(ReadStatus(client.ReadResponse()), 200);
  EXPECT_LE(server.server->counts().open, 200U);
  EXPECT_GE(server.server->counts().turned_away, 400U);
}

TEST(ServerTest, BodiesOfAllConnectionsAreBounded) {
  Limits limits = QuickLimits();
  limits.buffered = 4000;
  limits.request = 2s;
  TestServer server(limits);
  std::vector<std::unique_ptr<RawClient>> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(std::make_unique<RawClient>(server.address()));
    slow.back()->Send(
        "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" +
        std::string(999, 'x'));
  }
  ASSERT_TRUE(WaitUntil([&] { return server.heads().size() == 4; }));
  std::this_thread::sleep_for(50ms);
  RawClient client(server.address());
  client.Send(Post(std::string(100, 'x')));
  EXPECT_EQ(ReadStatus(client.ReadAll(500ms)), 503);
  for (const auto& one : slow) {
    one->Send("x");
    EXPECT_EQ(ReadStatus(one->ReadResponse()), 200);
  }
  RawClient next(server.address());
  next.Send(Post("{}"));
  EXPECT_EQ(ReadStatus(next.ReadResponse()), 200);
}

TEST(ServerTest, DrainingClosesIdleConnectionsAtOnceAndFinishesTheRest) {
  Reply kept;
  std::atomic<bool> asked = false;
  TestServer server(QuickLimits(), [&](const Body&, Reply reply) {
    kept = std::move(reply);
    asked = true;
  });
  RawClient fresh(server.address());
  RawClient busy(server.address());
  busy.Send(kGet);
  ASSERT_TRUE(WaitUntil([&] { return asked.load(); }));
  const auto start = TestClock::now();
  server.server->Drain();
  fresh.ReadAll(1s);
  EXPECT_TRUE(fresh.closed());
  EXPECT_LT(Since(start), 500ms);
  EXPECT_FALSE(RawClient(server.address()).connected());
  kept({.body = "done"});
  const std::string response = busy.ReadResponse();
  EXPECT_TRUE(response.ends_with("done"));
  EXPECT_NE(response.find("Connection: close"), std::string::npos);
  busy.Close();
  server.Join();
  EXPECT_LT(Since(start), 1s);
}

TEST(ServerTest, AnIdleConnectionEndsADrainAtOnceAlsoAfterRequests) {
  TestServer server;
  RawClient client(server.address());
  client.Send(kGet);
  EXPECT_EQ(ReadStatus(client.ReadResponse()), 200);
  const auto start = TestClock::now();
  server.End();
  EXPECT_LT(Since(start), 500ms);
}

TEST(ServerTest, ADrainEndsThoughAHandlerNeverReplies) {
  Reply kept;
  Limits limits = QuickLimits();
  limits.drain = 300ms;
  TestServer server(limits,
                    [&](const Body&, Reply reply) { kept = std::move(reply); });
  RawClient client(server.address());
  client.Send(kGet);
  ASSERT_TRUE(WaitUntil([&] { return server.ends().size() == 1; }));
  const auto start = TestClock::now();
  server.End();
  EXPECT_LT(Since(start), 1500ms);
}

TEST(ServerTest, ServesUnixSocketsAndReplacesOneThatWasLeftBehind) {
  const std::string path =
      "/tmp/sotto_http_test_" + std::to_string(getpid()) + ".sock";
  {
    RawClient left(*Address::Parse("unix:/nowhere"));
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, path.data(), path.size());
    ASSERT_EQ(
        bind(left.descriptor(), reinterpret_cast<sockaddr*>(&at), sizeof(at)),
        0);
  }
  {
    TestServer server(QuickLimits(), nullptr, "unix:" + path);
    RawClient client(server.address());
    client.Send(kGet);
    EXPECT_EQ(ReadStatus(client.ReadResponse()), 200);
    EXPECT_FALSE(Server::Create(
        {}, {{.address = server.address(), .handler = nullptr}}));
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(ServerTest, AnAddressInUseIsRefused) {
  TestServer server;
  const auto second =
      Server::Create({}, {{.address = server.address(), .handler = nullptr}});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

TEST(AddressTest, AddressesAreReadAndWritten) {
  for (const std::string text :
       {"127.0.0.1:80", "[::1]:8080", "0.0.0.0:0", "unix:/a/b"}) {
    const auto address = Address::Parse(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->ToString(), text);
    EXPECT_EQ(address->is_local(), text != "0.0.0.0:0");
  }
  EXPECT_EQ(Address::Parse("localhost:7")->ToString(), "127.0.0.1:7");
  for (const std::string text :
       {"", "80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
        "example.org:80", "unix:"}) {
    EXPECT_FALSE(Address::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace sotto::http
