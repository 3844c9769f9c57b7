#include "published_file.h"

#include <cstdint>
#include <cstdio>
#include <utility>

#include "sotto/data/files/file_system.h"
#include "sotto/data/streams/row_error.h"
#include "sotto/models/batch/model_file_version.h"
#include "sotto/models/registry/registry.h"

namespace sotto::app {
namespace {

// No model that a person publishes is larger.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;

}  // namespace

Result<PublishedFile> ReadPublished(const std::string& path) {
  const auto text = RealFiles().Read(path, kLargest);
  if (!text) return InvalidArgument(text.error().message);
  auto model = Json::Parse(*text);
  if (!model) return InvalidArgument(path + ": " + model.error().message);
  if (Status good = CheckModelFileVersion(*model); !good) {
    return InvalidArgument(path + ": " + good.error().message);
  }
  const Json* name = model->Find("model");
  std::string known;
  for (const ModelFileFormat* entry : PublishedModels()) {
    if (name != nullptr && name->text() != nullptr &&
        *name->text() == entry->name) {
      return PublishedFile{entry, *std::move(model)};
    }
    known += (known.empty() ? "" : ", ") + std::string(entry->name);
  }
  const std::string found = name != nullptr && name->text() != nullptr
                                ? "unknown model " + Shown(*name->text())
                                : "not a model file";
  return InvalidArgument(path + ": " + found + "; expected one of " + known);
}

bool WarnIfSeeded(const Json& model) {
  const Json* is_private = model.Find("private");
  const bool said = is_private != nullptr && is_private->boolean() != nullptr;
  if (said && *is_private->boolean()) return false;
  std::fputs(said ? "NOT PRIVATE: this model was made with a seed; its "
                    "guarantee is not kept.\n"
                  : "This file does not say whether its model is private.\n",
             stderr);
  return said;
}

}  // namespace sotto::app
