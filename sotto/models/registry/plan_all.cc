#include "sotto/models/registry/plan_all.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "sotto/data/streams/encoding.h"
#include "sotto/data/streams/public_inputs.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

Status CheckLabels(const OnlineModelEntry& entry, const InputSpec* inputs) {
  if (inputs == nullptr) return Ok();
  const auto kind = inputs->label.kind;
  if (std::find(entry.labels.begin(), entry.labels.end(), kind) !=
      entry.labels.end()) {
    return Ok();
  }
  return InvalidArgument(std::string(entry.name) + " does not tell " +
                         std::string(KindText(kind)));
}

// With a delta of 1/n a mechanism may publish one of n rows as it is. Where
// every round has its own, what was asked for is their sum.
void WarnOfDelta(const Settings& settings, Plan& plan) {
  if (plan.guarantee.schedule()) return;
  const double horizon = static_cast<double>(settings.GetInt("horizon"));
  if (settings.GetDouble("delta") * horizon <= 1) return;
  // There it is the sum over all rounds.
  if (plan.guarantee.schedule()) return;
  plan.caveats.emplace_back(
      "Warning: delta is above 1/horizon, so that it alone would allow "
      "somebody's round to be published: use a much smaller one.");
}

Result<Plan> PlanFor(const OnlineModelEntry& entry, const Settings& facts,
                     const InputSpec* inputs) {
  SOTTO_TRY_ASSIGN(const auto settings,
                   SettingsFor(entry,
                               ConcatOptions({PrivacyOptions(), StreamOptions(),
                                              entry.options}),
                               facts, inputs));
  return PlanModel(entry, settings, inputs);
}

Result<Plan> PlanFor(const BatchModelEntry& entry, const Settings& facts,
                     const InputSpec* inputs) {
  if (inputs != nullptr && inputs->label.kind != LabelType::Kind::kTwo) {
    return InvalidArgument(std::string(entry.name) + " does not tell " +
                           std::string(KindText(inputs->label.kind)));
  }
  Settings settings(
      ConcatOptions({PrivacyOptions(), entry.options, entry.plan_options}));
  SOTTO_TRY(settings.Take(facts));
  auto plan = PlanModel(entry, settings);
  const auto rows = static_cast<double>(facts.GetInt("horizon"));
  if (plan && rows > 0 && plan->samples_required.value_or(0) > rows) {
    plan->verdict = Verdict::kHopeless;
    plan->advice = {"needs more rows than there will be"};
  }
  return plan;
}

}  // namespace

const OptionTable& FactOptions() {
  static const OptionTable kTable = ConcatOptions(
      {PrivacyOptions(), StreamOptions(),
       OptionTable{{.name = "drift",
                    .type = OptionType::kWhole,
                    .help = "Public estimate of the rounds between changes of "
                            "the best rule. Default: no changes.",
                    .high = 1e18}}});
  return kTable;
}

Result<InputSpec> MakeInputSpec(const Schema& schema) {
  SOTTO_TRY_ASSIGN(const auto encoding,
                   Encoding::Create({.schema = schema}, 0));
  InputSpec inputs{.features = encoding.features(),
                   .dense = encoding.dense(),
                   .schema = std::make_shared<const Schema>(schema),
                   .names = FeatureNames(encoding)};
  if (schema.label) inputs.label = schema.label->type;
  return inputs;
}

Result<Plan> PlanModel(const OnlineModelEntry& entry, const Settings& settings,
                       const InputSpec* inputs) {
  SOTTO_TRY(CheckLabels(entry, inputs));
  auto plan = entry.plan(settings, inputs);
  if (!plan) return plan;
  // A caller's statement that the best rule is never wrong is believed.
  if (plan->presumes == ForecastAssumption::kRule &&
      settings.SetByUser("noise") && settings.GetDouble("noise") == 0) {
    plan->presumes = ForecastAssumption::kNothing;
  }
  plan->promise = entry.promise;
  plan->publishes = entry.publishes;
  plan->horizon = static_cast<double>(settings.GetInt("horizon"));
  WarnOfDelta(settings, *plan);
  return plan;
}

Result<Plan> PlanModel(const BatchModelEntry& entry, const Settings& settings) {
  auto plan = entry.plan(settings);
  if (!plan) return plan;
  plan->promise = "rows that are drawn independently";
  plan->publishes = entry.publishes;
  return plan;
}

std::vector<NamedPlan> PlanAll(const Settings& facts, const InputSpec* inputs) {
  std::vector<NamedPlan> plans;
  for (const OnlineModelEntry* entry : OnlineModels()) {
    plans.push_back(
        {std::string(entry->name), PlanFor(*entry, facts, inputs),
         entry->needs_training_set ? ModelKind::kTrained : ModelKind::kOnline});
  }
  for (const BatchModelEntry* entry : BatchModels()) {
    plans.push_back({std::string(entry->name), PlanFor(*entry, facts, inputs),
                     ModelKind::kBatch});
  }
  Rank(plans);
  return plans;
}

Result<Settings> SettingsFor(const OnlineModelEntry& entry, OptionTable table,
                             const Settings& facts, const InputSpec* inputs) {
  Settings settings(std::move(table));
  SOTTO_TRY(settings.Take(facts));
  if (entry.choose_defaults != nullptr && inputs != nullptr) {
    if (Status suited = entry.choose_defaults(*inputs, facts, settings);
        !suited) {
      return suited.error();
    }
  }
  return settings;
}

}  // namespace sotto
