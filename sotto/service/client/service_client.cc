#include "sotto/service/client/service_client.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

namespace sotto {
namespace {

constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{5000};

// No answer now. With 500 and more, which a proxy may have sent, the request
// may have been played.
bool IsForLater(int status) { return status == 429 || status >= 500; }

// The label waits: an operator can change the first three, and 408 is a body
// that came too slowly.
bool MayBeMended(int status) {
  return status == 401 || status == 403 || status == 404 || status == 408;
}

// 128 random bits: two requests never have the same.
std::string MakeIdempotencyKey() {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device random;
  std::string key;
  for (int i = 0; i < 4; ++i) {
    for (std::uint32_t word = random(), digit = 0; digit < 8; ++digit) {
      key += kDigits[word >> (4 * digit) & 15];
    }
  }
  return key;
}

// A share of the pause, so that clients do not come back together.
void Pause(std::chrono::milliseconds most, int asked) {
  std::random_device random;
  const auto some = most / 2 + most * (random() % 1000) / 1000;
  std::this_thread::sleep_for(std::min(
      kLongestPause,
      std::max<std::chrono::milliseconds>(some, std::chrono::seconds(asked))));
}

Error Refusal(const HttpClient::Response& response) {
  const auto problem = Json::Parse(response.body);
  const Json* detail = problem ? problem->Find("detail") : nullptr;
  const std::string text =
      std::to_string(response.status) + ": " +
      (detail != nullptr && detail->text() != nullptr ? *detail->text() : "");
  switch (response.status) {
    case 409:
      return FailedPrecondition(text);
    case 410:
      return Error{ErrorCode::kBudgetExhausted, text};
    default:
      return IsForLater(response.status) ? Unavailable(text)
                                         : InvalidArgument(text);
  }
}

}  // namespace

Result<ServiceClient> ServiceClient::Open(const Options& options) {
  SOTTO_TRY_ASSIGN(auto http, HttpClient::Open(options.url, options.seconds));
  SOTTO_TRY_ASSIGN(auto outbox, LabelOutbox::Open(options.outbox));
  return ServiceClient(options, std::move(http), std::move(outbox));
}

HttpClient::Request ServiceClient::MakeRequest(std::string_view call,
                                               std::string body) const {
  HttpClient::Request request{
      .method = "POST",
      .path = "/v1/models/" + options_.model + "/" + std::string(call),
      .fields = {{"Content-Type", "application/json"}},
      .body = std::move(body)};
  if (!options_.key.empty()) {
    request.fields.emplace_back("Authorization", "Bearer " + options_.key);
  }
  return request;
}

Result<HttpClient::Response> ServiceClient::Ask(
    const HttpClient::Request& request, int retries) {
  auto pause = kFirstPause;
  for (int attempt = 0;; ++attempt, pause *= 2) {
    auto response = http_.Ask(request);
    const bool later = response
                           ? IsForLater(response->status)
                           : response.error().code == ErrorCode::kUnavailable;
    if (!later || attempt >= retries) return response;
    Pause(std::min(pause, kLongestPause), response ? response->wait : 0);
  }
}

Result<ServiceClient::Answer> ServiceClient::Predict(const Json& x,
                                                     std::string_view user) {
  auto request = MakeRequest("predict", Json(Json::Object{{"x", x}}).Dump());
  request.fields.emplace_back("Idempotency-Key", MakeIdempotencyKey());
  if (!user.empty()) request.fields.emplace_back("Sotto-User", user);
  SOTTO_TRY_ASSIGN(const auto response, Ask(request, options_.retries));
  if (response.status != 200) return Refusal(response);
  SOTTO_TRY_ASSIGN(const auto body, Json::Parse(response.body));
  const Json* prediction = body.Find("prediction");
  if (prediction == nullptr) return Corruption("the answer has no prediction");
  Answer answer{.prediction = *prediction};
  if (const Json* p = body.Find("probability")) {
    answer.probability = p->number();
  }
  const Json* ticket = body.Find("ticket");
  if (ticket != nullptr && ticket->text() != nullptr) {
    answer.ticket = *ticket->text();
  }
  return answer;
}

Result<bool> ServiceClient::SendLabel(std::string_view ticket, const Json& y) {
  const Json label = Json::Object{{"ticket", ticket}, {"y", y}};
  SOTTO_TRY_ASSIGN(const auto number, outbox_.Add(label.Dump()));
  return SendWaiting(number, 0);
}

Result<bool> ServiceClient::SendWaiting(std::uint64_t number, int retries) {
  const auto response =
      Ask(MakeRequest("labels", outbox_.waiting().at(number)), retries);
  if (!response && response.error().code != ErrorCode::kUnavailable) {
    return response.error();
  }
  if (!response || IsForLater(response->status)) return false;
  const bool taken = response->status >= 200 && response->status < 300;
  if (taken || !MayBeMended(response->status)) {
    SOTTO_TRY(outbox_.Remove(number));
  }
  if (!taken) return Refusal(*response);
  return true;
}

Result<std::size_t> ServiceClient::Flush() {
  const auto waiting = outbox_.waiting();
  for (const auto& [number, label] : waiting) {
    const auto sent = SendWaiting(number, options_.retries);
    if (sent ? !*sent : outbox_.waiting().contains(number)) break;
  }
  return outbox_.waiting().size();
}

}  // namespace sotto
