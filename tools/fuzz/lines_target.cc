// Bodies of requests: lines, names and JSON.
//
//   tools/fuzz.sh lines

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sotto/base/json.h"
#include "sotto/service/api/bulk_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view line : sotto::api::SplitLines(text)) {
    if (line.find('\n') != std::string_view::npos) std::abort();
    const std::string user = sotto::api::FindUser(line);
    const auto json = sotto::Json::Parse(line);
    if (!json || json->object() == nullptr) continue;
    // Where the line is an object, the name is the one that JSON has.
    const sotto::Json* member = json->Find("user");
    const bool text_member = member != nullptr && member->text() != nullptr;
    const bool escaped = line.find("\\u") != std::string_view::npos;
    if (!escaped && user != (text_member ? *member->text() : "")) std::abort();
    if (!sotto::Json::Parse(json->Dump())) std::abort();
  }
  return 0;
}
