#include "sotto/run/live_run.h"

#include <utility>

#include "sotto/run/session_state.h"

namespace sotto {
namespace {

using Of = RunFailure::Of;

// One sentence for every label that is not taken: why is the ticket holder's to
// know already, or nobody's.
constexpr const char* kRefusedLabel = "this ticket takes no such label";

const char* WhyEmpty(Presence presence) {
  return presence == Presence::kRefused ? "this user has no rounds left"
                                        : "an empty round";
}

Json LabelJson(const Label& label, const LabelType& type) {
  switch (type.kind) {
    case LabelType::Kind::kTwo:
      return label.positive() ? 1 : 0;
    case LabelType::Kind::kClasses:
      return type.names[label.index()];
    case LabelType::Kind::kNumber:
      break;
  }
  return label.number();
}

}  // namespace

LiveRun::LiveRun(Session& session, LiveLines& lines, Parts parts)
    : session_(session),
      lines_(lines),
      parts_(std::move(parts)),
      keeper_({.path = parts_.state,
               .every = parts_.save_every,
               .state = [this] { return StateOf(session_); },
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
    parts_.out->Text(answer->Dump());
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

Result<Json> LiveRun::Answer(std::string_view line) {
  lines_.Parse(line, line_);
  return line_.kind == LiveLine::Kind::kLabel ? AnswerLabel(line_)
                                              : AnswerRound(line_);
}

Result<Json> LiveRun::AnswerRound(LiveLine& line) {
  auto ticket = session_.Open(line.round);
  if (!ticket) return ticket.error();
  Json answer = Json::Object{{"id", line.id}};
  const Round& round = line.round;
  if (!*ticket) {
    answer["error"] =
        line.fault.empty() ? std::string(WhyEmpty(round.presence)) : line.fault;
    return answer;
  }
  answer["prediction"] = LabelJson(*round.told, session_.inputs().label);
  if (round.probability) answer["probability"] = *round.probability;
  answer["ticket"] = **ticket;
  return answer;
}

Result<Json> LiveRun::AnswerLabel(const LiveLine& line) {
  if (!line.y)
    return Json(Json::Object{{"ok", false}, {"error", kRefusedLabel}});
  const auto outcome = session_.Close(line.ticket, *line.y);
  if (!outcome) return outcome.error();
  if (*outcome == TicketedRounds::Outcome::kRefused) {
    return Json(Json::Object{{"ok", false}, {"error", kRefusedLabel}});
  }
  return Json(Json::Object{{"ok", true}});
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
