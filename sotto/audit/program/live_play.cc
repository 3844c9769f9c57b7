#include "sotto/audit/program/live_play.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "sotto/base/json.h"
#include "sotto/learners/ensembles/child_process.h"

namespace sotto {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

std::string Quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string ShellCommand(const std::vector<std::string>& words,
                         const std::string& errors) {
  std::string command = "exec";
  for (const std::string& word : words) command += " " + Quoted(word);
  return command + " 2>" + Quoted(errors);
}

// A row as a question, and the label that will come by ticket.
struct Question {
  std::string text;
  Json label;
};

Question MakeQuestion(const ProgramStream& stream, std::size_t row) {
  const auto json = Json::Parse(stream.rows[row]);
  if (!json || json->object() == nullptr) return {stream.rows[row], {}};
  Json asked = Json::Object{{"id", row}};
  Question question;
  for (const auto& [name, value] : *json->object()) {
    if (name == stream.label) {
      question.label = value;
    } else {
      asked[name] = value;
    }
  }
  question.text = asked.Dump();
  return question;
}

class Conversation {
 public:
  Conversation(const ProgramStream& stream, ChildProcess& child)
      : stream_(stream),
        child_(child),
        labels_(stream.rows.size()),
        tickets_(stream.rows.size()),
        answers_(stream.rows.size()),
        heard_(stream.rows.size()) {}

  Status Play() {
    for (std::size_t row = 0; row < stream_.rows.size(); ++row) {
      if (Status asked = Ask(row); !asked) return At(row, asked.error());
      for (std::size_t of = 0; of <= row; ++of) {
        if (stream_.LabelAfter(of) != row) continue;
        if (Status given = Give(of); !given) return At(row, given.error());
      }
    }
    return Ok();
  }

  std::string Answers() const {
    std::string text;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      text += answers_[i];
      text += heard_[i].empty() ? "\n" : " " + heard_[i] + "\n";
    }
    return text;
  }

 private:
  static Error At(std::size_t row, const Error& error) {
    return {error.code,
            "round " + std::to_string(row + 1) + ": " + error.message};
  }

  Result<Json> Say(const std::string& line) {
    SOTTO_TRY(child_.WriteLine(line));
    SOTTO_TRY_ASSIGN(const auto came, child_.ReadLine());
    auto json = Json::Parse(came);
    if (!json || json->object() == nullptr) {
      return Unavailable("its answer is not a JSON object");
    }
    return json;
  }

  Status Ask(std::size_t row) {
    Question question = MakeQuestion(stream_, row);
    labels_[row] = std::move(question.label);
    SOTTO_TRY_ASSIGN(const auto answer, Say(question.text));
    if (const Json* ticket = answer.Find("ticket");
        ticket != nullptr && ticket->text() != nullptr) {
      tickets_[row] = *ticket->text();
    }
    Json kept = Json::Object{};
    for (const auto& [name, value] : *answer.object()) {
      if (name != "ticket") kept[name] = value;
    }
    answers_[row] = kept.Dump();
    return Ok();
  }

  Status Give(std::size_t row) {
    if (!tickets_[row] || labels_[row].is_null()) return Ok();
    const Json line =
        Json::Object{{"ticket", *tickets_[row]}, {"y", labels_[row]}};
    SOTTO_TRY_ASSIGN(const auto answer, Say(line.Dump()));
    heard_[row] = answer.Dump();
    return Ok();
  }

  const ProgramStream& stream_;
  ChildProcess& child_;
  std::vector<Json> labels_;
  std::vector<std::optional<std::string>> tickets_;
  std::vector<std::string> answers_;
  std::vector<std::string> heard_;
};

}  // namespace

ProgramOutcome PlayLive(const ProgramCall& call,
                        const std::vector<std::string>& words,
                        const std::string& errors) {
  ProgramOutcome outcome;
  auto child = ChildProcess::Start({.command = ShellCommand(words, errors),
                                    .timeout = call.timeout,
                                    .max_line_bytes = kLongestLine});
  if (!child) {
    outcome.fault = child.error().message;
    return outcome;
  }
  Conversation conversation(call.stream, **child);
  const Status played = conversation.Play();
  outcome.files[kLiveAnswers] = conversation.Answers();
  if (!played) {
    outcome.fault = played.error().message;
  } else if (const auto finished = (*child)->Finish(); !finished) {
    outcome.fault = finished.error().message;
  }
  if (const auto end = (*child)->ended()) {
    outcome.code = end->code;
    if (end->by_signal) outcome.end = ProgramOutcome::End::kCrashed;
  }
  return outcome;
}

}  // namespace sotto
