#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "commands.h"
#include "sotto/data/files/file_system.h"
#include "sotto/service/client/call.h"

namespace sotto::app {
namespace {

constexpr std::uint64_t kLongestFile = std::uint64_t{1} << 30;

const OptionTable& CallOptionTable() {
  static const OptionTable kTable = {
      {.name = "model", .help = "Name of the model", .required = true},
      {.name = "x", .help = "Features of one round, as JSON"},
      {.name = "ticket", .help = "Ticket of the round to label"},
      {.name = "y", .help = "Its label"},
      {.name = "data",
       .help = "Lines of JSON to send, {\"x\":..} or {\"ticket\":..,\"y\":..}",
       .letter = 'd'},
      {.name = "user", .help = "Name of the user"},
      {.name = "key-file", .help = "File with the API key"},
      {.name = "idempotency-key", .help = "Ask again with the same one"},
      {.name = "lines",
       .type = OptionType::kWhole,
       .fallback = "1000",
       .help = "Lines of a bulk request",
       .low = 1,
       .high = 10'000},
      {.name = "clients",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "Connections at the same time",
       .low = 1,
       .high = 1024},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a report as JSON instead of the answers"}};
  return kTable;
}

Result<std::vector<std::string>> ReadLines(const std::string& path) {
  SOTTO_TRY_ASSIGN(const std::string text,
                   RealFiles().Read(path, kLongestFile));
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Result<std::vector<std::string>> MakeLines(const std::string& verb,
                                           const Settings& settings) {
  if (settings.Has("data")) return ReadLines(settings.Text("data"));
  if (verb == "predict" && settings.Has("x")) {
    return std::vector{"{\"x\":" + settings.Text("x") + "}"};
  }
  if (verb == "label" && settings.Has("ticket") && settings.Has("y")) {
    const auto y = Json::Parse(settings.Text("y"));
    return std::vector{"{\"ticket\":" + Json(settings.Text("ticket")).Dump() +
                       ",\"y\":" + (y ? *y : Json(settings.Text("y"))).Dump() +
                       "}"};
  }
  return InvalidArgument(
      "nothing to send. Give --x JSON to predict, --ticket T --y LABEL to "
      "label, or --data FILE.");
}

Result<CallOptions> ReadOptions(const std::string& url,
                                const Settings& settings) {
  CallOptions options{.url = url, .model = settings.Text("model")};
  options.user = settings.Text("user");
  options.idempotency_key = settings.Text("idempotency-key");
  options.lines = settings.GetInt("lines");
  options.clients = settings.GetInt("clients");
  if (settings.Has("key-file")) {
    SOTTO_TRY_ASSIGN(options.key,
                     RealFiles().Read(settings.Text("key-file"), 4096));
    while (options.key.ends_with('\n')) options.key.pop_back();
  }
  return options;
}

int Call(const Settings& settings, const std::vector<std::string>& words) {
  const bool known =
      words.size() == 2 &&
      (words[1] == "predict" || words[1] == "label" || words[1] == "bulk");
  if (!known) {
    return Report(
        InvalidArgument("say: sotto call URL predict|label|bulk --model M"));
  }
  const auto options = ReadOptions(words[0], settings);
  if (!options) return Report(options.error());
  const auto lines = MakeLines(words[1], settings);
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
