#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sotto/service/api/credentials.h"
#include "sotto/service/api/shared_api.h"
#include "sotto/service/host.h"
#include "sotto/service/http/handler.h"

namespace sotto::api {

// The calls of users: predict, label, add to a counter; single or in bulk.
//
// A /predict whose head is accepted becomes a round, whatever its body turns
// out to be; 400, 401, 403, 404, 429 and 503 are decided on the head, and then
// there is no round. The name of the user comes from the credential or from the
// field Sotto-User; in bulk, from the line where neither gives one.
//
// Guarantee: that of the hosts. This layer keeps nothing between requests but
//            the rates of keys, and pads every reply of a model to one length.
// Threads:   the server's; replies come from hosts' threads.
class UserApi {
 public:
  struct Options {
    bool require_key = false;  // or only if there are keys
    std::size_t body = 65'536;
    std::size_t bulk_body = std::size_t{4} << 20;
    std::size_t bulk_lines = 10'000;
  };

  // All must outlive it and the replies.
  UserApi(Service service, Credentials& credentials, const Options& options)
      : service_(std::move(service)),
        credentials_(credentials),
        options_(options) {}

  http::Decision operator()(const http::Request& request);

 private:
  // One call, as its head describes it.
  struct Call {
    Host* host = nullptr;
    HostRequest::Kind kind = HostRequest::Kind::kPredict;
    bool bulk = false;
    bool may_name_users = false;  // in lines
    HostRequest request{};        // without its body
    std::optional<Credential> credential{};
  };

  http::Decision Accept(const http::Request& request, HostRequest::Kind kind,
                        std::string_view model);
  // The credential of the caller, or the response that refuses.
  std::variant<std::optional<Credential>, http::Response> Authorize(
      const http::Request& request, std::string_view model);
  // Fills in the names of the call, or refuses.
  static std::optional<http::Response> ReadNames(const http::Request& request,
                                                 Call& call);
  void Finish(const Call& call, http::Body body, http::Reply reply) const;
  void FinishBulk(const Call& call, const http::Body& body,
                  http::Reply reply) const;

  Service service_;
  Credentials& credentials_;
  Options options_;
};

}  // namespace sotto::api
