// A program around ServiceClient, for tests of it from outside:
//   client_probe URL MODEL [OUTBOX [RETRIES [SECONDS]]]
// Each line of standard input is a call in JSON, each line of standard output
// its result: {"x": ..., "user": ...}, {"ticket": ..., "y": ...},
// {"flush": true} or {"waiting": true}.

#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include "sotto/service/client/service_client.h"

namespace sotto {
namespace {

Json Shown(const Error& error) {
  const char* code = "kUnavailable";
  if (error.code == ErrorCode::kInvalidArgument) code = "kInvalidArgument";
  if (error.code == ErrorCode::kFailedPrecondition) {
    code = "kFailedPrecondition";
  }
  return Json::Object{{code, error.message}};
}

std::string Text(const Json* value) {
  return value != nullptr && value->text() != nullptr ? *value->text() : "";
}

Json Call(ServiceClient& client, const Json& call) {
  if (call.Find("waiting") != nullptr) return client.waiting();
  if (call.Find("flush") != nullptr) {
    const auto left = client.Flush();
    return left ? Json(*left) : Shown(left.error());
  }
  if (const Json* x = call.Find("x")) {
    const auto answer = client.Predict(*x, Text(call.Find("user")));
    if (!answer) return Shown(answer.error());
    return Json::Object{{"prediction", answer->prediction},
                        {"probability", answer->probability},
                        {"ticket", answer->ticket}};
  }
  const Json* y = call.Find("y");
  const auto sent =
      client.SendLabel(Text(call.Find("ticket")), y != nullptr ? *y : Json());
  return sent ? Json::Object{{"sent", *sent}} : Shown(sent.error());
}

int Run(int count, char** arguments) {
  ServiceClient::Options options{.url = arguments[1], .model = arguments[2]};
  if (count > 3) options.outbox = arguments[3];
  if (count > 4) options.retries = std::stoi(arguments[4]);
  if (count > 5) options.seconds = std::stoi(arguments[5]);
  auto client = ServiceClient::Open(options);
  if (!client) {
    std::fprintf(stderr, "%s\n", client.error().message.c_str());
    return 2;
  }
  for (std::string line; std::getline(std::cin, line);) {
    const auto call = Json::Parse(line);
    if (!call) return 2;
    std::puts(Call(*client, *call).Dump().c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int count, char** arguments) {
  return count < 3 ? 2 : sotto::Run(count, arguments);
}
