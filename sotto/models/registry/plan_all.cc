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

std::string_view KindOf(LabelType::Kind kind) {
  switch (kind) {
    case LabelType::Kind::kTwo:
      return "one of two labels";
    case LabelType::Kind::kClasses:
      return "one of several classes";
    case LabelType::Kind::kNumber:
      break;
  }
  return "a number";
}

Status CheckLabels(const OnlineRow& row, const Inputs* inputs) {
  if (inputs == nullptr) return Ok();
  const auto kind = inputs->label.kind;
  if (std::find(row.labels.begin(), row.labels.end(), kind) !=
      row.labels.end()) {
    return Ok();
  }
  return InvalidArgument(std::string(row.name) + " does not tell " +
                         std::string(KindOf(kind)));
}

// With a delta of 1/n a mechanism may publish one of n rows as it is. Where
// every round has its own, what was asked for is their sum.
void WarnOfDelta(const Settings& settings, Plan& plan) {
  if (plan.guarantee.schedule()) return;
  const double horizon = static_cast<double>(settings.Whole("horizon"));
  if (settings.Real("delta") * horizon <= 1) return;
  // There it is the sum over all rounds.
  if (plan.guarantee.schedule()) return;
  plan.caveats.emplace_back(
      "Warning: delta is above 1/horizon, so that it alone would allow "
      "somebody's round to be published: use a much smaller one.");
}

Result<Plan> PlanFor(const OnlineRow& row, const Settings& facts,
                     const Inputs* inputs) {
  const auto settings = SettingsFor(
      row, Together({PrivacyOptions(), StreamOptions(), row.options}), facts,
      inputs);
  if (!settings) return settings.error();
  auto plan = PlanModel(row, *settings, inputs);
  // Whoever says that the best rule is never wrong is believed.
  if (plan && plan->presumes == Presumes::kRule && facts.Given("noise") &&
      facts.Real("noise") == 0) {
    plan->presumes = Presumes::kNothing;
  }
  return plan;
}

Result<Plan> PlanFor(const BatchRow& row, const Settings& facts,
                     const Inputs* inputs) {
  if (inputs != nullptr && inputs->label.kind != LabelType::Kind::kTwo) {
    return InvalidArgument(std::string(row.name) + " does not tell " +
                           std::string(KindOf(inputs->label.kind)));
  }
  Settings settings(
      Together({PrivacyOptions(), row.options, row.plan_options}));
  if (Status taken = settings.Take(facts); !taken) return taken.error();
  auto plan = PlanModel(row, settings);
  const auto rows = static_cast<double>(facts.Whole("horizon"));
  if (plan && rows > 0 && plan->samples_required.value_or(0) > rows) {
    plan->verdict = Verdict::kHopeless;
    plan->advice = {"needs more rows than there will be"};
  }
  return plan;
}

}  // namespace

const OptionTable& FactOptions() {
  static const OptionTable kTable = Together(
      {PrivacyOptions(), StreamOptions(),
       OptionTable{{.name = "drift",
                    .type = OptionType::kWhole,
                    .help = "the best rule changes about every so many rounds, "
                            "as far as is publicly known; left out: never",
                    .high = 1e18}}});
  return kTable;
}

Result<Inputs> InputsOf(const Schema& schema) {
  const auto encoding = Encoding::Create({.schema = schema}, 0);
  if (!encoding) return encoding.error();
  Inputs inputs{.features = encoding->features(),
                .dense = encoding->dense(),
                .schema = std::make_shared<const Schema>(schema),
                .names = FeatureNames(*encoding)};
  if (schema.label) inputs.label = schema.label->type;
  return inputs;
}

Result<Plan> PlanModel(const OnlineRow& row, const Settings& settings,
                       const Inputs* inputs) {
  if (Status good = CheckLabels(row, inputs); !good) return good.error();
  auto plan = row.plan(settings, inputs);
  if (!plan) return plan;
  plan->promise = row.promise;
  plan->publishes = row.publishes;
  plan->horizon = static_cast<double>(settings.Whole("horizon"));
  WarnOfDelta(settings, *plan);
  return plan;
}

Result<Plan> PlanModel(const BatchRow& row, const Settings& settings) {
  auto plan = row.plan(settings);
  if (!plan) return plan;
  plan->promise = "rows that are drawn independently";
  plan->publishes = row.publishes;
  return plan;
}

std::vector<NamedPlan> PlanAll(const Settings& facts, const Inputs* inputs) {
  std::vector<NamedPlan> plans;
  for (const OnlineRow* row : OnlineModels()) {
    plans.push_back({std::string(row->name), PlanFor(*row, facts, inputs)});
  }
  for (const BatchRow* row : BatchModels()) {
    plans.push_back({std::string(row->name), PlanFor(*row, facts, inputs)});
  }
  Rank(plans);
  return plans;
}

Result<Settings> SettingsFor(const OnlineRow& row, OptionTable table,
                             const Settings& facts, const Inputs* inputs) {
  Settings settings(std::move(table));
  if (Status taken = settings.Take(facts); !taken) return taken.error();
  if (row.suit != nullptr && inputs != nullptr) {
    if (Status suited = row.suit(*inputs, facts, settings); !suited) {
      return suited.error();
    }
  }
  return settings;
}

}  // namespace sotto
