#include "command.h"

#include <charconv>
#include <cstdio>

namespace sotto::app {

int Report(const Error& error) {
  std::fprintf(stderr, "sotto: %s\n", error.message.c_str());
  return error.code == ErrorCode::kInvalidArgument ||
                 error.code == ErrorCode::kCorruption
             ? kUsage
             : kFailed;
}

std::string Short(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string Exact(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return {text, end};
}

}  // namespace sotto::app
