#include "sotto/frontend/live_run.h"

#include <optional>
#include <string>
#include <utility>

#include "sotto/frontend/session_state.h"

namespace sotto {
namespace {

using std::string_literals::operator""s;
using Of = RunFailure::Of;

// One sentence for every label that is not taken: why is the ticket holder's to
// know already, or nobody's.
constexpr const char* kRefusedLabel = "this ticket takes no such label";

std::string WhyEmpty(Presence presence) {
  return presence == Presence::kRefused ? "this user has no rounds left"
                                        : "an empty round";
}

}  // namespace

LiveRun::LiveRun(Session& session, LiveLines& lines, Parts parts)
    : session_(session),
      lines_(lines),
      parts_(std::move(parts)),
      keeper_({.path = parts_.state,
               .every = parts_.save_every,
               .state = [this] { return SaveState(session_); },
               .release = [this] { return Release(); }}) {}

std::optional<RunFailure> LiveRun::Run(LineReader& in,
                                       const volatile std::sig_atomic_t* stop) {
  if (!Kept(keeper_.Begin())) return failure_;
  while (!failure_ && !session_.halted() && *stop == 0) {
    const auto line = in.Next();
    if (!line) break;
    const auto answer = Answer(*line);
    if (!answer) {
      Fail(Of::kModel, answer.error());
      break;
    }
    parts_.out->Text(*answer);
    parts_.out->Text("\n");
    Kept(keeper_.Answered(1));
  }
  if (!failure_ && !in.status()) Fail(Of::kInput, in.status().error());
  if (!failure_ || failure_->of != Of::kModel) Kept(keeper_.End());
  if (failure_ && failure_->of == Of::kModel) static_cast<void>(Release());
  return failure_;
}

Status LiveRun::Pause(const std::function<bool(int)>& waits) {
  if (Kept(keeper_.Pause(waits))) return Ok();
  return failure_->error;
}

Result<std::string> LiveRun::Answer(std::string_view line) {
  const bool usable = lines_.Parse(line, line_, fault_);
  if (line_.ticket) return AnswerLabel(usable);
  return AnswerRound(usable);
}

Result<std::string> LiveRun::AnswerRound(bool usable) {
  Round& round = line_.round;
  // A question may bring its label along.
  const std::optional<Label> y = round.y;
  SOTTO_TRY_ASSIGN(auto ticket, session_.Open(round));
  if (ticket && y) {
    SOTTO_TRY_ASSIGN(const auto closed, session_.Close(*ticket, *y));
  }
  Json answer = Json::Object{};
  if (!ticket) {
    answer["error"] = usable ? WhyEmpty(round.presence) : fault_.message;
  } else {
    answer["prediction"] = session_.inputs().label.ToJson(*round.prediction);
    if (round.probability) answer["probability"] = *round.probability;
    answer["ticket"] = *ticket;
  }
  // The id goes back byte for byte.
  const std::string id = line_.id.empty() ? "null" : line_.id;
  return "{\"id\":" + id + "," + answer.Dump().substr(1);
}

Result<std::string> LiveRun::AnswerLabel(bool usable) {
  auto outcome = TicketedRounds::Outcome::kRefused;
  if (usable && line_.round.y) {
    SOTTO_TRY_ASSIGN(const auto closed,
                     session_.Close(*line_.ticket, *line_.round.y));
    outcome = closed;
  }
  if (outcome != TicketedRounds::Outcome::kRefused) return R"({"ok":true})"s;
  return Json(Json::Object{{"ok", false}, {"error", kRefusedLabel}}).Dump();
}

bool LiveRun::Fail(Of of, const Error& error) {
  if (!failure_) failure_ = RunFailure{of, error};
  return false;
}

bool LiveRun::Kept(const Status& status) {
  return status ? true : Fail(Of::kState, status.error());
}

Status LiveRun::Release() {
  Status released = parts_.out->Flush();
  if (!released) Fail(Of::kOutput, released.error());
  return released;
}

}  // namespace sotto
