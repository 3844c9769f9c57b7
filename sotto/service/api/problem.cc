#include "sotto/service/api/problem.h"

#include <string>
#include <utility>

#include "sotto/base/json.h"

namespace sotto::api {
namespace {

using Kind = HostReply::Kind;

constexpr std::string_view kRefusal = "invalid ticket or label";
constexpr std::string_view kSpent =
    "this model has used up its budget and answers no more rounds";
constexpr std::string_view kUnknown =
    "the outcome is unknown; ask again with the same Idempotency-Key";
constexpr std::string_view kWait = "no round took place; ask again in a moment";

// The code and the message of an empty round.
http::Response EmptyRound(const std::string& body) {
  std::string code = "empty_round";
  std::string detail = "this round has no answer";
  if (const auto json = Json::Parse(body)) {
    const Json* said = json->Find("code");
    if (said != nullptr && said->text() != nullptr) code = *said->text();
    said = json->Find("error");
    if (said != nullptr && said->text() != nullptr) detail = *said->text();
  }
  return MakeProblem(422, code, detail);
}

std::size_t Digits(std::size_t number) { return std::to_string(number).size(); }

int StatusFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotConverged:
      return 422;
    case ErrorCode::kFailedPrecondition:
    case ErrorCode::kBudgetExhausted:
      return 409;
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kCorruption:
      break;
  }
  return 500;
}

std::string_view NameFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kFailedPrecondition:
      return "failed_precondition";
    case ErrorCode::kBudgetExhausted:
      return "budget_exhausted";
    case ErrorCode::kNotConverged:
      return "not_converged";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kCorruption:
      break;
  }
  return "corruption";
}

}  // namespace

http::Response MakeProblem(int status, std::string_view kind,
                           std::string_view detail) {
  const Json document =
      Json::Object{{"type", "urn:sotto:problem:" + std::string(kind)},
                   {"title", http::ReasonPhrase(status)},
                   {"status", status},
                   {"detail", detail}};
  return {.status = status,
          .type = "application/problem+json",
          .fields = {{"Cache-Control", "no-store"}},
          .body = document.Dump()};
}

http::Response NotFound() {
  return MakeProblem(404, "not_found", "there is nothing at this address");
}

http::Response NotAllowed(std::string_view allow) {
  http::Response response =
      MakeProblem(405, "method", "use " + std::string(allow));
  response.fields.emplace_back("Allow", allow);
  return response;
}

http::Response NotReady() {
  http::Response response = MakeProblem(503, "unavailable", kWait);
  response.fields.emplace_back("Retry-After", "1");
  return response;
}

http::Response ToResponse(HostReply reply) {
  switch (reply.kind) {
    case Kind::kAnswered:
    case Kind::kCounted:
      return {.status = 200,
              .fields = {{"Cache-Control", "no-store"}},
              .body = std::move(reply.body)};
    case Kind::kTaken:
      return {.status = 202,
              .fields = {{"Cache-Control", "no-store"}},
              .body = std::move(reply.body)};
    case Kind::kEmptyRound:
      return EmptyRound(reply.body);
    case Kind::kRefused:
      return MakeProblem(409, "refused", kRefusal);
    case Kind::kHalted:
      return MakeProblem(410, "halted", kSpent);
    case Kind::kInvalid:
      return MakeProblem(404, "not_found",
                         "this model does not take that call");
    case Kind::kUnknown:
      return MakeProblem(504, "unknown", kUnknown);
    case Kind::kUnavailable:
      break;
  }
  return NotReady();
}

std::string ToLine(HostReply reply) {
  const auto error = [](std::string_view text, std::string_view code) {
    return Json(Json::Object{{"error", text}, {"code", code}}).Dump();
  };
  switch (reply.kind) {
    case Kind::kRefused:
      return error(kRefusal, "refused");
    case Kind::kHalted:
      return error(kSpent, "halted");
    case Kind::kInvalid:
      return error("this model does not take that call", "not_found");
    case Kind::kUnknown:
      return error(kUnknown, "unknown");
    case Kind::kUnavailable:
      return error(kWait, "unavailable");
    default:
      return std::move(reply.body);
  }
}

http::Response ToResponse(const Error& error) {
  return MakeProblem(StatusFor(error.code), NameFor(error.code), error.message);
}

void PadResponse(http::Response& response, std::size_t wire) {
  const std::size_t now = response.body.size();
  const std::size_t head =
      http::Serialize(response, /*head_only=*/true).size() - Digits(now);
  for (std::size_t digits = Digits(now); digits < 8; ++digits) {
    if (wire < head + digits + now) return;
    const std::size_t body = wire - head - digits;
    if (Digits(body) > digits) continue;
    response.body.append(body - now, ' ');
    return;
  }
}

}  // namespace sotto::api
