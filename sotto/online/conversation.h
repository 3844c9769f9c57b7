#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/data/streams/live_lines.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/online/session.h"

namespace sotto {

// A session and the lines that reach it: text in, text out. It has no files,
// no sockets and no clock, so that every host of a model (`run --live`, a
// service, Python) gives the same replies to the same lines.
//
//   Conversation talk(session, lines);
//   auto reply = talk.Answer(R"({"id":"a","x":[0.5],"user":"u1"})");
//     // {"id":"a","prediction":1,"ticket":"4f..."}
//   reply = talk.Answer(R"({"ticket":"4f...","y":1})");   // {"ok":true}
//
// A line is a round or a label (LiveLine::label). A round makes one call of
// Session::Open, whatever is wrong with the line; a label makes none. A bad
// round is an empty round, answered by {"id":..,"error":..,"code":..}. All
// labels that are not taken get the same reply.
//
// Guarantee: that of the session; the lines add nothing.
// Proof:     conversation.md, next to this file.
// Threads:   not thread-safe.
class Conversation {
 public:
  static constexpr std::size_t kMaxLine = LineReader::kMaxLine;

  // Both must outlive it.
  Conversation(Session& session, LiveLines& lines)
      : session_(session), lines_(lines) {}

  // Answers a line of either kind. `cut`: only the start of a line beyond
  // kMaxLine is given. Fails as the session does, and then it is not to be
  // used.
  Result<std::string> Answer(std::string_view line, bool cut = false);
  // Answers a line that is a round, or a label, by the way it came: the text
  // does not decide. A round with a ticket, or a label without, is bad.
  Result<std::string> Predict(std::string_view line, bool cut = false);
  Result<std::string> Label(std::string_view line, bool cut = false);
  // Answers each line of `text`, in order; each reply ends in a newline.
  Result<std::string> AnswerAll(std::string_view text);

 private:
  // Returns true if the line can be used.
  bool Parse(std::string_view line, bool cut);
  Result<std::string> AnswerRound(bool good);
  Result<std::string> AnswerLabel(bool good);
  // Without a ticket for a user over the limit.
  std::string RoundReply(const std::optional<std::string>& ticket) const;
  std::string EmptyReply(bool good) const;
  std::string WithId(const std::string& reply) const;

  Session& session_;
  LiveLines& lines_;
  LiveLine line_;  // memory is reused
  RowError error_;
};

}  // namespace sotto
