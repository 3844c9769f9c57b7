#include "sotto/service/events/release_view.h"

#include <cstddef>
#include <string>

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/registry/registry.h"

namespace sotto {
namespace {

constexpr std::size_t kColumns = 12;
constexpr std::size_t kLines = 24;

std::string FirstLines(const std::string& text) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < kLines; ++line) {
    const std::size_t next = text.find('\n', end);
    if (next == std::string::npos) return text;
    end = next + 1;
  }
  return end < text.size() ? text.substr(0, end) + "..." : text;
}

}  // namespace

Json ViewRelease(const std::string& hypothesis) {
  const auto json = Json::Parse(hypothesis);
  if (!json) return Json::Object{};
  const Json* const name = json->Find("model");
  const ModelFileFormat* const format =
      name != nullptr && name->text() != nullptr
          ? FindPublishedModel(*name->text())
          : nullptr;
  if (format == nullptr) return Json::Object{};
  if (format->reach != nullptr) {
    const auto reaches = format->reach(*json);
    Json columns = Json::Array{};
    for (std::size_t i = 0; reaches && i < reaches->size() && i < kColumns;
         ++i) {
      columns.Add(Json::Array{(*reaches)[i].column, (*reaches)[i].reach});
    }
    if (reaches && !reaches->empty()) {
      return Json::Object{{"columns", columns}};
    }
  }
  const auto text = format->show(*json);
  return Json::Object{{"text", text ? Json(FirstLines(*text)) : Json()}};
}

}  // namespace sotto
