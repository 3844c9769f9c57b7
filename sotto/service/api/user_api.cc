#include "sotto/service/api/user_api.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "sotto/service/api/bulk_lines.h"
#include "sotto/service/api/problem.h"
#include "sotto/service/api/route.h"

namespace sotto::api {
namespace {

using Kind = HostRequest::Kind;

constexpr std::size_t kLongestName = 256;
constexpr std::size_t kHeadRoom = 384;  // for status, fields and problems

// A name that a field may hold: short and printable.
bool IsName(std::string_view text) {
  return text.size() <= kLongestName &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
         });
}

// The response to a body that could not be read, after its round was played.
// Its connection ends: said here, so that padding takes the field into account.
http::Response BadBody(http::BodyEnd end) {
  http::Response response =
      MakeProblem(400, "malformed", "the body cannot be read");
  if (end == http::BodyEnd::kTooLong) {
    response = MakeProblem(413, "too_long", "the body is too long");
  } else if (end == http::BodyEnd::kLate) {
    response = MakeProblem(408, "late", "the body came too slowly");
  }
  response.close = true;
  return response;
}

// With the clock `slots` a name belongs to its credential: a caller who could
// send another's name would learn whether that one has rounds left. A service
// without keys takes rounds of users who have no name.
std::optional<http::Response> CheckOwnName(const std::optional<Credential>& key,
                                           const HostRequest& request,
                                           bool bulk) {
  if (request.kind == Kind::kLabel) return std::nullopt;
  const bool nameless =
      request.user.empty() && request.idempotency_key.empty() && !bulk;
  if (key ? !key->user.empty() : nameless) return std::nullopt;
  return MakeProblem(403, "user",
                     "this model takes only keys that stand for one user, and "
                     "the name of no other");
}

http::Response Padded(http::Response response, const Host& host) {
  PadResponse(response, host.longest_body() + kHeadRoom);
  return response;
}

// The replies of a bulk request, one line each, all of one length.
http::Response BulkResponse(std::vector<HostReply> replies, std::size_t width,
                            std::size_t dropped) {
  http::Response response{.type = "application/x-ndjson",
                          .fields = {{"Cache-Control", "no-store"}}};
  const auto add = [&](std::string line) {
    line.resize(std::max(line.size(), width), ' ');
    response.body.append(line).push_back('\n');
  };
  response.body.reserve((replies.size() + dropped) * (width + 1));
  for (HostReply& reply : replies) add(ToLine(std::move(reply)));
  for (std::size_t i = 0; i < dropped; ++i) {
    add(R"({"error":"too many lines in one request","code":"too_many"})");
  }
  return response;
}

std::optional<Kind> ReadKind(const std::vector<std::string_view>& parts) {
  if (parts.size() != 4 || parts[0] != "v1") return std::nullopt;
  if (parts[1] == "models" && parts[3] == "predict") return Kind::kPredict;
  if (parts[1] == "models" && parts[3] == "labels") return Kind::kLabel;
  if (parts[1] == "counters" && parts[3] == "add") return Kind::kAdd;
  return std::nullopt;
}

}  // namespace

http::Decision UserApi::operator()(const http::Request& request) {
  if (auto answer = AnswerShared(service_, request, /*details=*/false)) {
    return *std::move(answer);
  }
  const auto parts = SplitPath(request.path);
  const auto kind = ReadKind(parts);
  if (!kind) return NotFound();
  if (request.method != "POST") return NotAllowed("POST");
  return Accept(request, *kind, parts[2]);
}

std::variant<std::optional<Credential>, http::Response> UserApi::Authorize(
    const http::Request& request, std::string_view model) {
  if (!credentials_.known()) return NotReady();
  if (!options_.require_key && credentials_.empty()) {
    return std::optional<Credential>();
  }
  auto credential = credentials_.Find(BearerToken(request));
  if (!credential && !credentials_.current()) return NotReady();
  if (!credential) {
    http::Response refusal =
        MakeProblem(401, "unauthorized", "send Authorization: Bearer KEY");
    refusal.fields.emplace_back("WWW-Authenticate", "Bearer");
    return refusal;
  }
  if (!credential->Allows(model)) return NotFound();
  if (!credentials_.Spend(*credential, 1, std::chrono::steady_clock::now())) {
    http::Response refusal =
        MakeProblem(429, "rate", "this key asks more often than it may");
    refusal.fields.emplace_back("Retry-After", "1");
    return refusal;
  }
  return credential;
}

std::optional<http::Response> UserApi::ReadNames(const http::Request& request,
                                                 Call& call) {
  const std::string_view user = request.Find("Sotto-User").value_or("");
  const std::string_view repeat = request.Find("Idempotency-Key").value_or("");
  if (request.Count("Sotto-User") > 1 || request.Count("Idempotency-Key") > 1 ||
      !IsName(user) || !IsName(repeat)) {
    return MakeProblem(400, "name", "a name has at most 256 characters");
  }
  HostRequest& made = call.request;
  made.user = user;
  made.idempotency_key = repeat;
  if (call.credential) {
    made.credential = call.credential->name;
    const std::string& own = call.credential->user;
    if (!own.empty() && !user.empty() && user != own) {
      return MakeProblem(403, "user", "this key stands for another user");
    }
    if (!own.empty()) made.user = own;
  }
  call.may_name_users = made.user.empty();
  if (call.host->own_names_only()) {
    return CheckOwnName(call.credential, made, call.bulk);
  }
  return std::nullopt;
}

http::Decision UserApi::Accept(const http::Request& request, Kind kind,
                               std::string_view model) {
  auto authorized = Authorize(request, model);
  if (auto* refusal = std::get_if<http::Response>(&authorized)) {
    return std::move(*refusal);
  }
  Call call{.host = service_.hosts.Find(model),
            .kind = kind,
            .bulk = MediaType(request) == "application/x-ndjson"};
  call.credential = std::get<0>(std::move(authorized));
  call.request.kind = kind;
  if (call.host == nullptr) return NoModel(service_.hosts, model);
  if (auto refusal = ReadNames(request, call)) return *std::move(refusal);
  if (service_.draining() || !call.host->CanTake(1)) return NotReady();
  const std::size_t limit = call.bulk ? options_.bulk_body : options_.body;
  return http::Accepted{.body_limit = limit,
                        .finish = [this, call = std::move(call)](
                                      http::Body body, http::Reply reply) {
                          if (call.bulk)
                            return FinishBulk(call, body, std::move(reply));
                          Finish(call, std::move(body), std::move(reply));
                        }};
}

void UserApi::Finish(const Call& call, http::Body body,
                     http::Reply reply) const {
  const http::BodyEnd end = body.end;
  if (end != http::BodyEnd::kWhole && call.kind == Kind::kLabel) {
    return reply(Padded(BadBody(end), *call.host));  // a label is not a round
  }
  HostRequest request = call.request;
  request.unusable = end != http::BodyEnd::kWhole;
  request.body = std::move(body.text);
  call.host->Submit(std::move(request), [host = call.host, end,
                                         reply = std::move(reply)](
                                            HostReply answer) {
    const bool played = answer.kind == HostReply::Kind::kEmptyRound;
    const bool bad = played && end != http::BodyEnd::kWhole;
    reply(Padded(bad ? BadBody(end) : ToResponse(std::move(answer)), *host));
  });
}

void UserApi::FinishBulk(const Call& call, const http::Body& body,
                         http::Reply reply) const {
  const bool whole = body.end == http::BodyEnd::kWhole;
  const auto lines = SplitLines(body.text);
  const std::size_t taken = std::min(lines.size(), options_.bulk_lines);
  if (call.credential && taken > 0) {
    credentials_.Charge(*call.credential, static_cast<double>(taken - 1));
  }
  std::vector<HostRequest> requests(taken, call.request);
  for (std::size_t i = 0; i < taken; ++i) {
    HostRequest& request = requests[i];
    request.body = lines[i];
    if (call.may_name_users) request.user = FindUser(lines[i]);
    if (!request.idempotency_key.empty()) {
      request.idempotency_key.append(1, '/').append(std::to_string(i));
    }
    // The last line of a body that ended badly is not whole.
    request.unusable = !whole && i + 1 == lines.size();
  }
  if (requests.empty()) {
    return reply(whole ? BulkResponse({}, 0, 0) : BadBody(body.end));
  }
  call.host->SubmitAll(
      std::move(requests),
      [width = call.host->longest_body(), dropped = lines.size() - taken, whole,
       end = body.end,
       reply = std::move(reply)](std::vector<HostReply> answers) {
        reply(whole ? BulkResponse(std::move(answers), width, dropped)
                    : BadBody(end));
      });
}

}  // namespace sotto::api
