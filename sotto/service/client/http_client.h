#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// A blocking HTTP/1.1 client on one connection, for `sotto call` and the
// demonstration. It speaks no TLS.
//
//   auto client = HttpClient::Open("http://127.0.0.1:8080");
//   auto response = client->Ask({.path = "/healthz"});
//
// Threads: not thread-safe.
class HttpClient {
 public:
  struct Request {
    std::string method = "GET";
    std::string path;
    std::vector<std::pair<std::string, std::string>> fields = {};
    std::string body = {};
  };
  struct Response {
    int status = 0;
    std::string body{};  // without the blanks at its end
    int wait = 0;        // seconds that Retry-After asks for
  };

  // `url`: http://HOST:PORT or unix:PATH. Connects at the first request. A
  // response that pauses for `seconds` is lost; 0 sets no limit. Fails with
  // kInvalidArgument.
  static Result<HttpClient> Open(std::string_view url, int seconds = 0);
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  // Fails with kUnavailable: no connection, or one that ends before the
  // response is complete. The request may have been served then, if `sent`
  // became true: all of it left. Fails with kInvalidArgument if a line of the
  // head would hold a control character.
  Result<Response> Ask(const Request& request, bool* sent = nullptr);
  // Asked a few times a second while a response does not come: true waits on.
  void WaitWhile(std::function<bool()> patient) {
    patient_ = std::move(patient);
  }

 private:
  HttpClient(std::string host, std::string port, std::string path, int seconds)
      : host_(std::move(host)),
        port_(std::move(port)),
        path_(std::move(path)),
        seconds_(seconds) {}
  Status Connect();
  bool EndedByPeer() const;
  void Close();
  Status Send(std::string_view bytes) const;
  Result<Response> Receive();
  Status ReadMore();
  bool WaitForBytes() const;

  std::string host_, port_;
  std::string path_;  // of a Unix socket
  int seconds_ = 0;
  int socket_ = -1;
  std::string in_;
  std::function<bool()> patient_;
};

}  // namespace sotto
