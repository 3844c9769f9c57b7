#include "command.h"

#include <cstdio>

#include "sotto/base/printable.h"

namespace sotto::app {

namespace {

std::string& CalledName() {
  static std::string name = "sotto";
  return name;
}

}  // namespace

void NameCommand(const std::string& name) { CalledName() = name; }

int Report(const Error& error) {
  Warn(error.message);
  return error.code == ErrorCode::kInvalidArgument ||
                 error.code == ErrorCode::kCorruption
             ? kUsage
             : kFailed;
}

void Print(const std::string& text) {
  std::fputs(Printable(text).c_str(), stdout);
}

void Print(const Json& json) {
  std::fputs((PrintableJson(json.Dump()) + "\n").c_str(), stdout);
}

void Warn(const std::string& message) {
  if (message.empty()) return;
  std::fprintf(stderr, "%s: %s\n", CalledName().c_str(),
               Printable(message).c_str());
}

}  // namespace sotto::app
