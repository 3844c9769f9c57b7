#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/journal/journal_test_tools.h"
#include "sotto/service/http/http_test_client.h"
#include "sotto/service/serve/service.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto::testing {

inline std::string Post(std::string_view call, std::string_view body,
                        const std::string& fields,
                        const std::string& model = "m") {
  return "POST /v1/models/" + model + "/" + std::string(call) +
         " HTTP/1.1\r\nHost: a\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

inline std::string FindTicket(const std::string& response) {
  const std::size_t at = response.find(R"("ticket":")");
  return at == std::string::npos ? "" : response.substr(at + 10, 64);
}

// A service on loopback, in its own folder.
class ServedWorld {
 public:
  explicit ServedWorld(std::vector<Json> models)
      : log_(::open(log_path().c_str(), O_CREAT | O_WRONLY, 0600)) {
    ServiceConfig config;
    config.folder = folder_.path("s");
    config.listen = config.operator_address = "127.0.0.1:0";
    config.models = std::move(models);
    auto started = RunningService::Start(config, log_);
    EXPECT_TRUE(started) << started.error().message;
    service_ = *std::move(started);
    thread_ = std::thread([this] { service_->Run(); });
    client_ = std::make_unique<http::RawClient>(Users());
  }
  ~ServedWorld() { Stop(); }
  ServedWorld(const ServedWorld&) = delete;
  ServedWorld& operator=(const ServedWorld&) = delete;

  std::string Ask(const std::string& request) {
    if (client_->closed()) {
      client_ = std::make_unique<http::RawClient>(Users());
    }
    EXPECT_TRUE(client_->Send(request));
    return client_->ReadResponse();
  }
  // On its own connection, which the client ends.
  std::string AskApart(const std::string& request) const {
    http::RawClient client(Users());
    EXPECT_TRUE(client.Send(request));
    client.EndWriting();
    return client.ReadResponse();
  }
  std::string AskOperator(const std::string& path) const {
    http::RawClient client(*http::Address::Parse(
        service_->operator_url().substr(std::string_view("http://").size())));
    EXPECT_TRUE(
        client.Send("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    return client.ReadResponse();
  }
  void Stop() {
    if (!thread_.joinable()) return;
    service_->Drain();
    thread_.join();
    service_.reset();
  }

  std::string log_path() const { return folder_.path("log"); }
  // Everything on disk.
  std::string ReadFiles() const {
    std::string all;
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (!file.is_regular_file()) continue;
      std::ifstream bytes(file.path(), std::ios::binary);
      all.append(std::istreambuf_iterator<char>(bytes), {});
    }
    return all;
  }

 private:
  http::Address Users() const {
    return *http::Address::Parse(
        service_->user_url().substr(std::string_view("http://").size()));
  }

  testing::ScratchFolder folder_{testing::FastFolder()};
  EventLog log_;
  std::unique_ptr<RunningService> service_;
  std::thread thread_;
  std::unique_ptr<http::RawClient> client_;
};

}  // namespace sotto::testing
