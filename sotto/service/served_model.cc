#include "sotto/service/served_model.h"

#include "sotto/models/registry/registry.h"
#include "sotto/service/online_served.h"

namespace sotto {

Result<std::unique_ptr<ServedModel>> ServedModel::Create(
    const ModelConfiguration& configuration, const JournalKeys& keys,
    std::span<const std::string> training_rows) {
  return OnlineServed::Create(configuration, keys, training_rows);
}

Result<std::unique_ptr<ServedModel>> ServedModel::Load(
    const ModelConfiguration& configuration, std::string_view state) {
  return OnlineServed::Load(configuration, state);
}

Result<std::vector<Record>> ServedModel::ReadTrainingRows(
    const ModelConfiguration& configuration, const JournalKeys& keys) {
  return OnlineServed::ReadTrainingRows(configuration, keys);
}

Result<Guarantee> ServedModel::Check(const ModelConfiguration& configuration) {
  return OnlineServed::Check(configuration);
}

Result<std::uint32_t> ServedModel::Semantics(
    const ModelConfiguration& configuration) {
  const OnlineModelEntry* const entry = FindOnlineModel(configuration.model);
  if (entry != nullptr) return entry->semantics;
  return InvalidArgument("unknown model '" + configuration.model + "'");
}

}  // namespace sotto
