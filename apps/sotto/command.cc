#include "command.h"

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

}  // namespace sotto::app
