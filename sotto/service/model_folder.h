#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/data/files/file_system.h"
#include "sotto/random/key.h"
#include "sotto/service/model_configuration.h"

namespace sotto {

// The folder of a service, laid out as docs/formats/service.md says:
//
//   DIR/sotto.key                  key file, unless it is kept elsewhere
//   DIR/models/NAME/model.json     configuration and guarantee
//   DIR/models/NAME/journal/       journal and snapshots
//   DIR/anchors/NAME/              anchor, unless it is kept elsewhere
//   DIR/retired/NAME-N/            a model that was rolled back
//
// Threads: functions and values.
struct ServiceFolder {
  std::string folder;
  std::string anchors;  // default: DIR/anchors
  std::string key;      // default: DIR/sotto.key

  static ServiceFolder At(std::string folder, std::string anchors = "",
                          std::string key = "");

  std::string models() const { return folder + "/models"; }
  std::string model(const std::string& name) const {
    return models() + "/" + name;
  }
  std::string journal(const std::string& name) const {
    return model(name) + "/journal";
  }
  std::string anchor(const std::string& name) const {
    return anchors + "/" + name;
  }
  std::string retired() const { return folder + "/retired"; }
  // The key file of a rotation that is under way.
  std::string next_key() const { return key + ".next"; }
};

// A model.json.
struct ModelFile {
  ModelConfiguration configuration;
  // Public facts that must be known even if the model cannot be started.
  double epsilon = 0;
  double delta = 0;
};

// The text of a model.json, and back. `place` is named in errors.
std::string EncodeModelFile(const ModelFile& model);
Result<ModelFile> ParseModelFile(std::string_view text,
                                 const std::string& place);

Status WriteModelFile(const std::string& folder, const ModelFile& model,
                      FileSystem& files);
// Fails with kCorruption, and as the system does.
Result<ModelFile> ReadModelFile(const std::string& folder, FileSystem& files);

// Names of the folders in a folder, none if it does not exist.
Result<std::vector<std::string>> ListFolders(const std::string& folder,
                                             FileSystem& files);

// The root of the key file, which is made if the service has no models yet.
// Fails with kFailedPrecondition if it is lost, or a rotation was interrupted.
Result<Key> OpenServiceKey(const ServiceFolder& folder, FileSystem& files);

}  // namespace sotto
