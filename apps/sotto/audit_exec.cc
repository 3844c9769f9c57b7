#include "audit_exec.h"

#include <string>
#include <vector>

#include "audit_play.h"
#include "command.h"
#include "sotto/audit/exec/exec_options.h"

namespace sotto::app {
namespace {

int RunExec(const Settings& settings, const std::vector<std::string>& words) {
  if (words.size() != 1 || words.front().empty()) {
    return Report(InvalidArgument("name one program, as exec:./mine"));
  }
  auto subject = MakeExecSubject(settings, words.front());
  if (!subject) return Report(subject.error());
  return RunAudit(*subject, MakePlayOptions(settings), settings);
}

}  // namespace

Command AuditExecCommand() {
  return {
      .name = "exec:",
      .help = "Audit your own program over JSON lines: exec:./mine",
      .footer =
          "It is told {\"op\":\"begin\",\"rounds\":20,\"seed\":7} and says "
          "{\"ok\":true}; it is told {\"op\":\"step\",\"round\":1,\"x\":3} and "
          "says {\"answer\":1}, with \"halted\":true in its last round.\nExit "
          "code 1: the claim does not hold, or could not be put to the "
          "test; 3: too few games to know.\nExample:\n  sotto audit "
          "exec:./mine --epsilon 1 --runs 4000 "
          "--answers 0..1",
      .options =
          ConcatOptions({ExecOptions(), PlayOptions("4000"), OutputOptions()}),
      .call_with_words = RunExec};
}

}  // namespace sotto::app
