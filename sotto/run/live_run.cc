#include "sotto/run/live_run.h"

#include <utility>

#include "sotto/run/answer_text.h"

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

std::optional<RunFailure> LiveRun::Run(LineReader& in,
                                       const volatile std::sig_atomic_t* stop) {
  if (!Save()) return failure_;
  while (!failure_ && !session_.halted() && *stop == 0) {
    const auto line = in.Next();
    if (!line) break;
    const std::uint64_t before = session_.rounds();
    const auto answer = Answer(*line);
    if (!answer) {
      Fail(Of::kModel, answer.error());
      break;
    }
    parts_.out->Text(answer->Dump());
    // Before the answer can be seen: a crash may count a round that nobody
    // heard of, never the other way round.
    const bool due = session_.rounds() != before && parts_.saver != nullptr &&
                     parts_.saver->Due(session_.rounds());
    if (due && !Save()) break;
    if (const Status ended = parts_.out->EndLine(); !ended) {
      Fail(Of::kOutput, ended.error());
    }
  }
  if (!failure_ && !in.status()) Fail(Of::kInput, in.status().error());
  if (!failure_ || failure_->of == Of::kInput) Save();
  const Status flushed = parts_.out->Flush();
  if (!flushed) Fail(Of::kOutput, flushed.error());
  return failure_;
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
  if (!line.y) return Json(Json::Object{{"ok", false}, {"error", kRefusedLabel}});
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

bool LiveRun::Save() {
  if (parts_.saver == nullptr) return true;
  const Status saved = parts_.saver->Save(session_);
  return saved ? true : Fail(Of::kState, saved.error());
}

}  // namespace sotto
