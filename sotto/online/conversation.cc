#include "sotto/online/conversation.h"

#include <optional>

#include "sotto/base/json.h"

namespace sotto {
namespace {

// One reply for every label that is not taken: the reason is known to the
// holder of the ticket, or concerns another user.
constexpr std::string_view kRefused =
    R"({"ok":false,"error":"invalid ticket or label"})";

}  // namespace

Result<std::string> Conversation::Answer(std::string_view line, bool cut) {
  const bool good = Parse(line, cut);
  return line_.label ? AnswerLabel(good) : AnswerRound(good);
}

Result<std::string> Conversation::Predict(std::string_view line, bool cut) {
  bool good = Parse(line, cut);
  if (line_.label) {
    good = false;
    MakeUnusable(line_.round);
    error_ = {};
    error_.Set(FaultReason::kSyntax, "a ticket", "features");
  }
  return AnswerRound(good);
}

Result<std::string> Conversation::Label(std::string_view line, bool cut) {
  return AnswerLabel(Parse(line, cut) && line_.label);
}

Result<std::string> Conversation::AnswerAll(std::string_view text) {
  std::string replies;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, size);
    if (line.ends_with('\r')) line.remove_suffix(1);
    SOTTO_TRY_ASSIGN(const auto reply, Answer(line));
    replies += reply + "\n";
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return replies;
}

bool Conversation::Parse(std::string_view line, bool cut) {
  if (!cut && line.size() <= kMaxLine) {
    return lines_.Parse(line, line_, error_);
  }
  lines_.ParseCut(line, kMaxLine, line_, error_);
  return false;
}

Result<std::string> Conversation::AnswerRound(bool good) {
  Round& round = line_.round;
  // A round may bring its label along.
  const std::optional<sotto::Label> y = round.y;
  SOTTO_TRY_ASSIGN(const auto ticket, session_.Open(round));
  if (!ticket && !round.prediction) return EmptyReply(good);
  if (ticket && y) {
    SOTTO_TRY(session_.Close(*ticket, *y));
  }
  return RoundReply(ticket);
}

Result<std::string> Conversation::AnswerLabel(bool good) {
  auto outcome = TicketedRounds::Outcome::kRefused;
  if (good && line_.round.y) {
    SOTTO_TRY_ASSIGN(const auto closed,
                     session_.Close(line_.ticket, *line_.round.y));
    outcome = closed;
  }
  const bool taken = outcome != TicketedRounds::Outcome::kRefused;
  return taken ? std::string(R"({"ok":true})") : std::string(kRefused);
}

std::string Conversation::RoundReply(
    const std::optional<std::string>& ticket) const {
  Json reply = Json::Object{
      {"prediction", session_.inputs().label.ToJson(*line_.round.prediction)}};
  if (line_.round.probability) reply["probability"] = *line_.round.probability;
  if (ticket) reply["ticket"] = *ticket;
  return WithId(reply.Dump());
}

std::string Conversation::EmptyReply(bool good) const {
  Json reply = Json::Object{};
  if (!good) {
    reply["error"] = error_.ReplyText();
    reply["code"] = "bad_row";
  } else if (line_.round.presence == Presence::kRefused) {
    reply["error"] = "this user has no rounds left";
    reply["code"] = "over_limit";
  } else {
    reply["error"] = "an empty round";
    reply["code"] = "empty_round";
  }
  return WithId(reply.Dump());
}

// The id goes back byte for byte.
std::string Conversation::WithId(const std::string& reply) const {
  const std::string id = line_.id.empty() ? "null" : line_.id;
  return "{\"id\":" + id + "," + reply.substr(1);
}

}  // namespace sotto
