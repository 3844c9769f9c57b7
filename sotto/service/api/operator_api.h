#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/service/api/credentials.h"
#include "sotto/service/api/shared_api.h"
#include "sotto/service/api/worker.h"
#include "sotto/service/http/handler.h"

namespace sotto::api {

// The calls of the operator: models, their creation, API keys.
//
// Without a token only callers of this machine are answered, and only under a
// local name: a web page must not reach it through a browser.
//
// Threads: the server's; answers are made on one thread beside it.
class OperatorApi {
 public:
  struct Options {
    std::string token{};  // empty: none is asked for
    std::size_t body = std::size_t{1} << 20;
    // Called after a model was made.
    std::function<void(const std::string& model)> on_created = nullptr;
    // Pages beside these calls, for callers who may see them; absent: another
    // path. May be null.
    std::function<std::optional<http::Decision>(const http::Request&)> pages =
        nullptr;
  };

  // All must outlive it.
  OperatorApi(Service service, Credentials& credentials, Options options)
      : service_(std::move(service)),
        credentials_(credentials),
        options_(std::move(options)) {}

  http::Decision operator()(const http::Request& request);

 private:
  using Answer = std::function<http::Response(const std::string& body)>;

  bool Authorized(const http::Request& request) const;
  // An accepted call that is answered on the worker.
  http::Decision Later(const http::Request& request, Answer answer);
  http::Decision Models(const http::Request& request);
  http::Decision Keys(const http::Request& request);
  http::Response ListModels() const;
  http::Response ShowModel(const std::string& name) const;
  http::Response CreateModel(const std::string& body) const;
  http::Response AddKey(const std::string& body) const;
  http::Response RemoveKey(const std::string& name) const;

  Service service_;
  Credentials& credentials_;
  Options options_;
  Worker worker_;
};

}  // namespace sotto::api
