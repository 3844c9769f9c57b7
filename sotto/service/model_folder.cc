#include "sotto/service/model_folder.h"

#include <utility>

#include "sotto/journal/journal_keys.h"

namespace sotto {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 27;

std::string ModelPath(const std::string& folder) {
  return folder + "/model.json";
}

}  // namespace

ServiceFolder ServiceFolder::At(std::string folder, std::string anchors,
                                std::string key) {
  ServiceFolder layout{std::move(folder), std::move(anchors), std::move(key)};
  if (layout.anchors.empty()) layout.anchors = layout.folder + "/anchors";
  if (layout.key.empty()) layout.key = layout.folder + "/sotto.key";
  return layout;
}

std::string EncodeModelFile(const ModelFile& model) {
  const Json json = Json::Object{
      {"configuration", model.configuration.ToJson()},
      {"guarantee",
       Json::Object{{"epsilon", model.epsilon}, {"delta", model.delta}}}};
  return json.Dump() + "\n";
}

Status WriteModelFile(const std::string& folder, const ModelFile& model,
                      FileSystem& files) {
  SOTTO_TRY_ASSIGN(const int fd, PublishNewFile(files, ModelPath(folder),
                                                EncodeModelFile(model)));
  files.Close(fd);
  return Ok();
}

Result<ModelFile> ReadModelFile(const std::string& folder, FileSystem& files) {
  const std::string path = ModelPath(folder);
  SOTTO_TRY_ASSIGN(const auto text, files.Read(path, kMostBytes));
  return ParseModelFile(text, path);
}

Result<ModelFile> ParseModelFile(std::string_view text,
                                 const std::string& place) {
  const auto json = Json::Parse(text);
  const Json* const configuration =
      json ? json->Find("configuration") : nullptr;
  const Json* const guarantee = json ? json->Find("guarantee") : nullptr;
  if (configuration == nullptr || guarantee == nullptr) {
    return Corruption(place + " is damaged");
  }
  const Json* const epsilon = guarantee->Find("epsilon");
  const Json* const delta = guarantee->Find("delta");
  if (epsilon == nullptr || delta == nullptr || !epsilon->number() ||
      !delta->number()) {
    return Corruption(place + " is damaged");
  }
  SOTTO_TRY_ASSIGN(auto read, ModelConfiguration::Parse(*configuration));
  return ModelFile{std::move(read), *epsilon->number(), *delta->number()};
}

Result<std::vector<std::string>> ListFolders(const std::string& folder,
                                             FileSystem& files) {
  std::vector<std::string> folders;
  SOTTO_TRY_ASSIGN(const auto there, files.Look(folder));
  if (!there) return folders;
  SOTTO_TRY_ASSIGN(const auto names, files.List(folder));
  for (const std::string& name : names) {
    SOTTO_TRY_ASSIGN(const auto facts, files.Look(folder + "/" + name));
    if (facts && !facts->regular && !facts->link) folders.push_back(name);
  }
  return folders;
}

Result<Key> OpenServiceKey(const ServiceFolder& folder, FileSystem& files) {
  SOTTO_TRY_ASSIGN(const auto next, files.Look(folder.next_key()));
  if (next) {
    return FailedPrecondition(
        "a rotation of the key was interrupted. Run 'sotto journal rotate-key'"
        " again");
  }
  SOTTO_TRY_ASSIGN(const auto there, files.Look(folder.key));
  if (there) return ReadKeyFile(folder.key, files);
  SOTTO_TRY_ASSIGN(const auto models, ListFolders(folder.models(), files));
  if (models.empty()) return CreateKeyFile(folder.key, files);
  return FailedPrecondition("the key file " + folder.key +
                            " is missing. Without it no model can be opened");
}

}  // namespace sotto
