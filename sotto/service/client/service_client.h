#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/service/client/http_client.h"
#include "sotto/service/client/label_outbox.h"

namespace sotto {

// Predictions and labels of one model of a running service.
//
//   auto client = ServiceClient::Open({.url = "http://127.0.0.1:8080",
//                                      .model = "life",
//                                      .outbox = "labels.outbox"});
//   auto answer = client->Predict(Json::Object{{"age", 41}}, "ann");
//   auto sent = client->SendLabel(*answer->ticket, "yes");  // on disk first
//   auto left = client->Flush();  // tries again what could not be sent
//
// A request whose outcome is unknown is sent again with the same
// Idempotency-Key: it is played once and answered with the same bytes.
//
// Errors: kInvalidArgument for a row that cannot be used (422) and other
//         refusals, kBudgetExhausted (410), kFailedPrecondition for a label
//         that the ticket does not take (409), kUnavailable if no attempt got
//         an answer; a prediction may have been played then.
// Threads: one object, one thread. It speaks no TLS.
class ServiceClient {
 public:
  struct Options {
    std::string url;
    std::string model;
    std::string key{};     // API key
    std::string outbox{};  // file for labels that wait; empty: in memory
    int seconds = 10;      // for one attempt
    int retries = 8;       // after the first attempt
  };
  struct Answer {
    Json prediction;
    std::optional<double> probability{};
    std::optional<std::string> ticket{};  // none where nothing is learned
  };

  // Connects at the first call.
  static Result<ServiceClient> Open(const Options& options);

  // Plays one round. `x`: an object of columns, or an array.
  Result<Answer> Predict(const Json& x, std::string_view user = {});
  // Keeps the label, then tries once to send it. False: it waits for Flush().
  Result<bool> SendLabel(std::string_view ticket, const Json& y);
  // Sends labels that wait, in order; returns how many still do. A label that
  // is refused for good is dropped.
  Result<std::size_t> Flush();
  std::size_t waiting() const { return outbox_.waiting().size(); }

 private:
  ServiceClient(Options options, HttpClient http, LabelOutbox outbox)
      : options_(std::move(options)),
        http_(std::move(http)),
        outbox_(std::move(outbox)) {}
  HttpClient::Request MakeRequest(std::string_view call,
                                  std::string body) const;
  Result<HttpClient::Response> Ask(const HttpClient::Request& request,
                                   int retries);
  Result<bool> SendWaiting(std::uint64_t number, int retries);

  Options options_;
  HttpClient http_;
  LabelOutbox outbox_;
};

}  // namespace sotto
