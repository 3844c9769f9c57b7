#include "command.h"

#include <cstdio>

#include "sotto/base/printable.h"

namespace sotto::app {

int Report(const Error& error) {
  std::fprintf(stderr, "sotto: %s\n", Printable(error.message).c_str());
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
  std::fprintf(stderr, "sotto: %s\n", Printable(message).c_str());
}

}  // namespace sotto::app
