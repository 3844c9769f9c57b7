#include "sotto/service/served_model.h"

#include "sotto/models/registry/registry.h"
#include "sotto/service/counter_served.h"
#include "sotto/service/online_served.h"

namespace sotto {
namespace {

// Changes whenever the same key and steps give other replies.
constexpr std::uint32_t kCounterSemantics = 1;

}  // namespace

Result<std::unique_ptr<ServedModel>> ServedModel::Create(
    const ModelConfiguration& configuration, const JournalKeys& keys,
    std::span<const std::string> training_rows) {
  return CounterServed::Is(configuration.model)
             ? CounterServed::Create(configuration, keys)
             : OnlineServed::Create(configuration, keys, training_rows);
}

Result<std::unique_ptr<ServedModel>> ServedModel::Load(
    const ModelConfiguration& configuration, std::string_view state) {
  return CounterServed::Is(configuration.model)
             ? CounterServed::Load(configuration, state)
             : OnlineServed::Load(configuration, state);
}

Result<std::vector<Record>> ServedModel::ReadTrainingRows(
    const ModelConfiguration& configuration, const JournalKeys& keys) {
  if (CounterServed::Is(configuration.model)) return std::vector<Record>();
  return OnlineServed::ReadTrainingRows(configuration, keys);
}

Result<Guarantee> ServedModel::Check(const ModelConfiguration& configuration) {
  return CounterServed::Is(configuration.model)
             ? CounterServed::Check(configuration)
             : OnlineServed::Check(configuration);
}

Result<std::uint32_t> ServedModel::Semantics(
    const ModelConfiguration& configuration) {
  if (CounterServed::Is(configuration.model)) return kCounterSemantics;
  const OnlineModelEntry* const entry = FindOnlineModel(configuration.model);
  if (entry != nullptr) return entry->semantics;
  return InvalidArgument("unknown model '" + configuration.model + "'");
}

}  // namespace sotto
