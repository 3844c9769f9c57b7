#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/service/http/server.h"

namespace sotto::http {

inline constexpr auto kSoon = std::chrono::milliseconds(400);

// Short limits, so that tests of deadlines are quick.
inline Limits QuickLimits() {
  return {.connections = 200,
          .header = 2048,
          .fields = 20,
          .body = 1000,
          .idle = std::chrono::milliseconds(2000),
          .request = kSoon,
          .work = std::chrono::milliseconds(2000),
          .write = kSoon,
          .linger = std::chrono::milliseconds(200),
          .drain = std::chrono::milliseconds(2000)};
}

// A server on a thread of its own whose handler answers with the body, and
// remembers the order of heads and the ends of bodies.
class TestServer {
 public:
  using Answer = std::function<void(Body, Reply)>;

  explicit TestServer(const Limits& limits = QuickLimits(),
                      Answer answer = nullptr, const std::string& at = "",
                      const Listener& tls = {})
      : answer_(std::move(answer)) {
    Listener listener = tls;
    listener.address = *Address::Parse(at.empty() ? "127.0.0.1:0" : at);
    listener.handler = [this](const Request& request) {
      return Decide(request);
    };
    auto made = Server::Create(limits, {listener});
    if (!made) throw std::runtime_error(made.error().message);
    server = *std::move(made);
    thread_ = std::thread([this] { server->Run(); });
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  ~TestServer() { End(); }

  void End() {
    server->Drain();
    Join();
  }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

  const Address& address() const { return server->addresses().front(); }
  std::vector<BodyEnd> ends() {
    const std::scoped_lock lock(mutex_);
    return ends_;
  }
  std::vector<std::string> heads() {
    const std::scoped_lock lock(mutex_);
    return heads_;
  }

  std::unique_ptr<Server> server;

 private:
  Decision Decide(const Request& request) {
    const std::scoped_lock lock(mutex_);
    heads_.emplace_back(request.path);
    if (request.path == "/refused") return Problem(401);
    return Accepted{.body_limit = 1000,
                    .finish = [this](Body body, Reply reply) {
                      Finish(std::move(body), std::move(reply));
                    }};
  }

  void Finish(Body body, Reply reply) {
    {
      const std::scoped_lock lock(mutex_);
      ends_.push_back(body.end);
    }
    if (answer_) return answer_(std::move(body), std::move(reply));
    constexpr int kStatus[] = {200, 413, 400, 499, 408};
    reply({.status = kStatus[static_cast<int>(body.end)],
           .body = std::move(body.text)});
  }

  Answer answer_;
  std::mutex mutex_;
  std::vector<std::string> heads_;
  std::vector<BodyEnd> ends_;
  std::thread thread_;
};

}  // namespace sotto::http
