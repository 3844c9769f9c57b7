#include "sotto/service/client/call_options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sotto/base/json.h"
#include "sotto/data/files/file_system.h"

namespace sotto {
namespace {

constexpr std::uint64_t kLongestFile = std::uint64_t{1} << 30;

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

}  // namespace

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

Result<CallOptions> MakeCallOptions(const std::string& url,
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

Result<std::vector<std::string>> MakeCallLines(const std::string& verb,
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

}  // namespace sotto
