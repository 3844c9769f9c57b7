#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/journal/journal_test_tools.h"
#include "sotto/service/host_set.h"
#include "sotto/testing/faulty_file_system.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto::testing {

inline HostReply Ask(Host& host, HostRequest request) {
  std::promise<HostReply> reply;
  auto future = reply.get_future();
  host.Submit(std::move(request),
              [&](HostReply got) { reply.set_value(std::move(got)); });
  return future.get();
}

inline std::vector<HostReply> AskAll(Host& host,
                                     std::vector<HostRequest> requests) {
  std::promise<std::vector<HostReply>> replies;
  auto future = replies.get_future();
  host.SubmitAll(std::move(requests), [&](std::vector<HostReply> got) {
    replies.set_value(std::move(got));
  });
  return future.get();
}

inline std::string Member(const HostReply& reply, std::string_view name) {
  const auto json = Json::Parse(reply.body);
  const Json* const member = json ? json->Find(name) : nullptr;
  if (member == nullptr) return "";
  return member->text() != nullptr ? *member->text() : member->Dump();
}

// The answer of a model that publishes to a user without rounds left: it
// leaves no ticket.
inline bool IsFree(const HostReply& reply) {
  return reply.kind == HostReply::Kind::kAnswered &&
         !Member(reply, "prediction").empty() &&
         Member(reply, "ticket").empty();
}

inline HostRequest Predict(const std::string& user, double x,
                           const std::string& key = "") {
  return {.body = R"({"x":[)" + Json(x).Dump() + "]}",
          .user = user,
          .credential = "c",
          .idempotency_key = key};
}

inline HostRequest LabelFor(const std::string& ticket, int y) {
  return {.kind = HostRequest::Kind::kLabel,
          .body = R"({"ticket":")" + ticket + R"(","y":)" + std::to_string(y) +
                  "}"};
}

// A service in a scratch folder, which can be stopped and started.
class TestService {
 public:
  explicit TestService(bool snapshots = false)
      : options_{.folder = scratch_.path("s"),
                 .snapshot_at_end = snapshots,
                 .files = &files_} {
    files_.SkipRealSyncs();
    Start();
  }

  HostSetOptions& options() { return options_; }
  FaultyFileSystem& files() { return files_; }
  HostSet& set() { return *set_; }
  const ScratchFolder& scratch() const { return scratch_; }
  std::string path(const std::string& name) const {
    return scratch_.path("s/" + name);
  }

  void Start() {
    auto opened = HostSet::Open(options_);
    ASSERT_TRUE(opened) << opened.error().message;
    set_ = *std::move(opened);
    for (Host* host : set_->hosts()) {
      while (host->condition().state == Host::State::kStarting) {
        std::this_thread::yield();
      }
    }
  }
  void Stop() { set_.reset(); }
  void Restart() {
    Stop();
    Start();
  }
  Host& Make(const std::string& json) {
    auto made = set_->Create(*Json::Parse(json));
    EXPECT_TRUE(made) << made.error().message;
    return **made;
  }
  Host& host(const std::string& name) { return *set_->Find(name); }

 private:
  ScratchFolder scratch_{FastFolder()};
  FaultyFileSystem files_;
  HostSetOptions options_;
  std::unique_ptr<HostSet> set_;
};

// Quick to make: planning pop takes a second.
inline constexpr const char* kTide =
    R"({"name":"m","model":"tide","epsilon":1,"delta":1e-6,"horizon":1000,)"
    R"("anyway":true,"schema":{"columns":[)"
    R"({"name":"a","type":"number","range":[0,1]}]}})";

}  // namespace sotto::testing
