#include "command.h"

#include <cstdio>

#include "sotto/base/printable.h"

namespace sotto::app {

namespace {

std::string& CalledName() {
  static std::string name = "sotto";
  return name;
}

std::string Words(const Json& value) {
  return value.text() != nullptr ? *value.text() : value.Dump();
}

std::string MakeText(const Json& report) {
  std::string text;
  for (const auto& [key, value] : *report.object()) {
    if (value.array() == nullptr) {
      text += key + ": " + Words(value) + "\n";
      continue;
    }
    for (const Json& model : *value.array()) {
      if (model.object() == nullptr) {
        text += key + ": " + Words(model) + "\n";
        continue;
      }
      std::string line;
      for (const auto& [name, fact] : *model.object()) {
        line += (line.empty() ? "" : "  ") + name + " " + Words(fact);
      }
      text += line + "\n";
    }
  }
  return text;
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

void PrintReport(const Json& report, bool json) {
  if (json) return Print(report);
  Print(MakeText(report));
}

void Warn(const std::string& message) {
  if (message.empty()) return;
  std::fprintf(stderr, "%s: %s\n", CalledName().c_str(),
               Printable(message).c_str());
}

}  // namespace sotto::app
