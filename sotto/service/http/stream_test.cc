#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sotto/service/http/http_test_client.h"
#include "sotto/service/http/http_test_server.h"

namespace sotto::http {
namespace {

using namespace std::chrono_literals;

const std::string kGet = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

// A server whose bodies come piece by piece, from another thread.
class StreamTest : public ::testing::Test {
 protected:
  StreamTest()
      : server_(QuickLimits(), [this](const Body&, const Reply& reply) {
          reply({.type = "text/event-stream",
                 .stream = [this](BodyWriter writer) {
                   const std::scoped_lock lock(mutex_);
                   writers_.push_back(std::move(writer));
                 }});
        }) {}

  BodyWriter Writer(std::size_t index) {
    for (int i = 0; i < 500; ++i) {
      {
        const std::scoped_lock lock(mutex_);
        if (index < writers_.size()) return writers_[index];
      }
      std::this_thread::sleep_for(10ms);
    }
    return {};
  }
  static bool Ends(const BodyWriter& writer) {
    for (int i = 0; i < 500 && writer.open(); ++i) {
      std::this_thread::sleep_for(10ms);
    }
    return !writer.open();
  }

  std::mutex mutex_;
  std::vector<BodyWriter> writers_;
  TestServer server_;
};

TEST_F(StreamTest, PiecesArriveAsChunksAndADrainEndsTheBody) {
  RawClient client(server_.address());
  client.Send(kGet);
  const BodyWriter writer = Writer(0);
  ASSERT_TRUE(writer.write != nullptr);
  writer.write("hello");
  writer.write("");  // nothing: an empty chunk would end the body
  writer.write("0123456789abcdef");
  std::string all = client.ReadAll(300ms);
  EXPECT_NE(all.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_EQ(all.find("Content-Length"), std::string::npos);
  EXPECT_TRUE(
      all.ends_with("\r\n\r\n5\r\nhello\r\n10\r\n0123456789abcdef\r\n"));
  EXPECT_TRUE(writer.open());
  server_.server->Drain();
  EXPECT_EQ(client.ReadAll(2s), "0\r\n\r\n");
  EXPECT_TRUE(client.closed());
  EXPECT_FALSE(writer.open());
  writer.write("too late");
}

TEST_F(StreamTest, AStreamOutlivesTheLimitsOfRequests) {
  RawClient client(server_.address());
  client.Send(kGet);
  const BodyWriter writer = Writer(0);
  std::this_thread::sleep_for(2 * kSoon);
  writer.write("later");
  EXPECT_TRUE(client.ReadAll(300ms).ends_with("5\r\nlater\r\n"));
}

TEST_F(StreamTest, TheEndOfAClientIsNoticed) {
  RawClient client(server_.address());
  client.Send(kGet);
  const BodyWriter writer = Writer(0);
  EXPECT_TRUE(writer.open());
  client.Close();
  EXPECT_TRUE(Ends(writer));
  writer.write("nobody reads this");
}

TEST_F(StreamTest, AClientThatDoesNotReadLosesItsConnectionAndNobodyElseDoes) {
  RawClient slow(server_.address());
  slow.Send(kGet);
  const BodyWriter lost = Writer(0);
  RawClient good(server_.address());
  good.Send(kGet);
  const BodyWriter kept = Writer(1);
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 32 && lost.open(); ++i) {
    lost.write(piece);
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_TRUE(Ends(lost));
  kept.write("still here");
  EXPECT_TRUE(good.ReadAll(300ms).ends_with("a\r\nstill here\r\n"));
}

TEST_F(StreamTest, HeadHasNoStream) {
  RawClient client(server_.address());
  client.Send("HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.ReadAll(1s).ends_with("\r\n\r\n"));
  EXPECT_TRUE(client.closed());
  EXPECT_TRUE(writers_.empty());
}

}  // namespace
}  // namespace sotto::http
