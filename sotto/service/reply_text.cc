#include "sotto/service/reply_text.h"

#include <algorithm>
#include <utility>

#include "sotto/base/json.h"

namespace sotto {
namespace {

using Kind = HostReply::Kind;

// A number as JSON has at most 24 characters.
constexpr std::size_t kNumber = 24;

HostReply ErrorReply(Kind kind, const std::string& error,
                     std::string_view code) {
  return {kind, Json(Json::Object{{"error", error}, {"code", code}}).Dump()};
}

}  // namespace

HostReply UnavailableReply() {
  return ErrorReply(Kind::kUnavailable, "the model is not available",
                    "unavailable");
}

HostReply UnknownReply() {
  return ErrorReply(Kind::kUnknown, "the outcome is unknown", "unknown");
}

HostReply HaltedReply() {
  return ErrorReply(Kind::kHalted, "the model's budget is used up", "halted");
}

HostReply InvalidReply() {
  return ErrorReply(Kind::kInvalid, "not a request for this model", "invalid");
}

HostReply TakenReply() { return {Kind::kTaken, R"({"ok":true})"}; }

HostReply RefusedReply() {
  return {Kind::kRefused, R"({"ok":false,"error":"invalid ticket or label"})"};
}

HostReply AnsweredReply(const RoundOutcome& outcome, const LabelType& labels,
                        std::string_view ticket) {
  std::string body = R"({"prediction":)";
  body += labels.ToJson(outcome.prediction).Dump();
  if (outcome.probability) {
    body += R"(,"probability":)";
    body += Json(ShownProbability(*outcome.probability)).Dump();
  }
  if (!ticket.empty()) {
    body.append(R"(,"ticket":")").append(ticket).append("\"");
  }
  if (outcome.release) {
    body.append(R"(,"hypothesis":")").append(ReleaseName(*outcome.release));
    body += '"';
  }
  return {Kind::kAnswered, body + "}"};
}

std::string ReleaseName(std::uint64_t number) {
  std::string name = "r";
  name += std::to_string(number);
  return name;
}

HostReply EmptyReply(RoundOutcome::Kind kind, const std::string& error) {
  if (kind == RoundOutcome::Kind::kOverLimit) {
    return ErrorReply(Kind::kEmptyRound, "this user has no rounds left",
                      "over_limit");
  }
  if (kind == RoundOutcome::Kind::kBadRow) {
    return ErrorReply(Kind::kEmptyRound, error, "bad_row");
  }
  return ErrorReply(Kind::kEmptyRound, "an empty round", "empty_round");
}

std::string KeepReply(const HostReply& reply) {
  return static_cast<char>(reply.kind) + reply.body;
}

HostReply RestoreReply(std::string_view kept) {
  return {static_cast<Kind>(kept.front()), std::string(kept.substr(1))};
}

std::string ClipError(std::string error) {
  error.resize(std::min(error.size(), kMaxErrorBytes));
  const std::size_t quotes = 2;
  while (Json(error).Dump().size() > kMaxErrorBytes + quotes) error.pop_back();
  return error;
}

std::size_t LongestRoundReply(const LabelType& labels, std::size_t ticket) {
  std::size_t label = kNumber;
  for (std::uint32_t i = 0; i < labels.classes(); ++i) {
    const Json name = labels.ToJson(labels.FromNumber(i));
    label = std::max(label, name.Dump().size());
  }
  const std::size_t answer =
      std::string_view(
          R"({"prediction":,"probability":,"ticket":"","hypothesis":"r"})")
          .size() +
      label + 2 * kNumber + ticket;
  const std::size_t error =
      std::string_view(R"({"error":"","code":"empty_round"})").size() +
      kMaxErrorBytes;
  return std::max(answer, error);
}

}  // namespace sotto
