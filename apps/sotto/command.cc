#include "command.h"

#include <array>
#include <charconv>
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

std::string Quote(std::string_view line) {
  std::string text = "'";
  for (const char c : line.substr(0, 40)) {
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text + (line.size() > 40 ? "...'" : "'");
}

std::string Exact(double value) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace sotto::app
