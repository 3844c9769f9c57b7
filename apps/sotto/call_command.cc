#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "commands.h"
#include "sotto/service/client/call.h"
#include "sotto/service/client/call_options.h"

namespace sotto::app {
namespace {

int Call(const Settings& settings, const std::vector<std::string>& words) {
  const bool known =
      words.size() == 2 &&
      (words[1] == "predict" || words[1] == "label" || words[1] == "bulk");
  if (!known) {
    return Report(
        InvalidArgument("say: sotto call URL predict|label|bulk --model M"));
  }
  const auto options = MakeCallOptions(words[0], settings);
  if (!options) return Report(options.error());
  const auto lines = MakeCallLines(words[1], settings);
  if (!lines) return Report(lines.error());
  const bool json = settings.Flag("json");
  const OnAnswer print = [json](std::string_view answer) {
    if (!json) Print(std::string(answer) + "\n");
  };
  const auto report = words[1] == "bulk" ? CallInBulk(*options, *lines, print)
                                         : CallEach(*options, *lines, print);
  if (!report) return Report(report.error());
  if (json) Print(report->ToJson());
  if (!json && lines->size() > 1) {
    std::fputs(report->ToText().c_str(), stderr);
  }
  return report->all_good() ? kDone : kFailed;
}

}  // namespace

Command ServiceCallCommand() {
  return {.name = "call",
          .help = "Ask a running service: predict, label, bulk",
          .footer =
              "Examples:\n"
              "  sotto call http://127.0.0.1:8080 predict --model life --user "
              "ann --x '{\"age\":41}'\n"
              "  sotto call http://127.0.0.1:8080 label --model life --ticket "
              "T --y 1\n"
              "  sotto call http://127.0.0.1:8080 bulk --model life --data "
              "rows.jsonl --clients 4\n"
              "Answers go to standard output, a table of latencies to standard "
              "error.",
          .options = CallOptionTable(),
          .call_with_words = Call};
}

}  // namespace sotto::app
