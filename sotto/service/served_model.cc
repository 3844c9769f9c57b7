#include "sotto/service/served_model.h"

#include "sotto/models/registry/registry.h"
#include "sotto/service/counter_served.h"
#include "sotto/service/online_served.h"
#include "sotto/service/quantile_served.h"

namespace sotto {
namespace {

// Change whenever the same key and steps give other replies: of counters and
// ranks, and of what stands between an online model and its users. 2: users
// over the limit are answered from what is published, and releases are hashed
// as bytes. 3: exponentials and logarithms are our own.
constexpr std::uint32_t kCounterSemantics = 1;
constexpr std::uint32_t kQuantileSemantics = 1;
constexpr std::uint32_t kOnlineSemantics = 3;

}  // namespace

Result<std::unique_ptr<ServedModel>> ServedModel::Create(
    const ModelConfiguration& configuration, const JournalKeys& keys,
    std::span<const std::string> training_rows) {
  if (CounterServed::Is(configuration.model)) {
    return CounterServed::Create(configuration, keys);
  }
  return QuantileServed::Is(configuration.model)
             ? QuantileServed::Create(configuration, keys, training_rows)
             : OnlineServed::Create(configuration, keys, training_rows);
}

Result<std::unique_ptr<ServedModel>> ServedModel::Load(
    const ModelConfiguration& configuration, std::string_view state) {
  if (CounterServed::Is(configuration.model)) {
    return CounterServed::Load(configuration, state);
  }
  return QuantileServed::Is(configuration.model)
             ? QuantileServed::Load(configuration, state)
             : OnlineServed::Load(configuration, state);
}

Result<std::vector<Record>> ServedModel::ReadTrainingRows(
    const ModelConfiguration& configuration, const JournalKeys& keys) {
  if (CounterServed::Is(configuration.model)) return std::vector<Record>();
  if (QuantileServed::Is(configuration.model)) {
    return QuantileServed::ReadTrainingRows(configuration);
  }
  return OnlineServed::ReadTrainingRows(configuration, keys);
}

Result<Guarantee> ServedModel::Check(const ModelConfiguration& configuration) {
  const bool online = !CounterServed::Is(configuration.model) &&
                      !QuantileServed::Is(configuration.model);
  if (configuration.slots && !online) {
    return InvalidArgument("the clock slots is not available for " +
                           configuration.model + ": tide and leader have it");
  }
  if (CounterServed::Is(configuration.model)) {
    return CounterServed::Check(configuration);
  }
  return QuantileServed::Is(configuration.model)
             ? QuantileServed::Check(configuration)
             : OnlineServed::Check(configuration);
}

Result<std::uint32_t> ServedModel::Semantics(
    const ModelConfiguration& configuration) {
  if (CounterServed::Is(configuration.model)) return kCounterSemantics;
  if (QuantileServed::Is(configuration.model)) return kQuantileSemantics;
  const OnlineModelEntry* const entry = FindOnlineModel(configuration.model);
  if (entry != nullptr) return kOnlineSemantics << 16 | entry->semantics;
  return InvalidArgument("unknown model '" + configuration.model + "'");
}

}  // namespace sotto
