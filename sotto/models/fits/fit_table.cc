#include "sotto/models/fits/fit_table.h"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/number_text.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/models/batch/table_places.h"
#include "sotto/models/fits/fit_file.h"
#include "sotto/models/fits/greedy_cover/cover_options.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

// Failure probability of the sample bound.
constexpr double kFailure = 0.05;

InputSpec MakeInputSpec(const ExampleReader& reader) {
  InputSpec inputs{.features = reader.features(),
                   .dense = reader.encoding().dense(),
                   .label = reader.label_type(),
                   .names = reader.FeatureNames()};
  if (const Schema* schema = reader.encoding().schema(); schema != nullptr) {
    inputs.schema = std::make_shared<const Schema>(*schema);
  }
  return inputs;
}

FitLabels GetLabels(const InputSpec& inputs, const TableSource& source) {
  FitLabels labels;
  if (inputs.schema && inputs.schema->label) {
    labels.column = inputs.schema->label->column;
  }
  if (!source.label.empty()) labels.column = source.label;
  if (inputs.label.names.size() == 2) {
    labels.negative = inputs.label.names[0];
    labels.positive = inputs.label.names[1];
  }
  return labels;
}

Result<FitBudget> MakeBudget(const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  return FitBudget{
      .user = {settings.GetDouble("epsilon"), settings.GetDouble("delta")},
      .relation = relation,
      .rounds_per_user = settings.GetInt("rounds-per-user")};
}

// A fit for known columns, and its guarantee.
struct Made {
  FitColumns columns;
  FitBudget budget;
  std::unique_ptr<PrivateFit> fit;
  Guarantee guarantee;
};

Result<Made> Make(const FitEntry& entry, const Settings& settings,
                  const InputSpec& inputs) {
  SOTTO_TRY_ASSIGN(auto columns, entry.columns(settings, inputs));
  SOTTO_TRY_ASSIGN(const auto budget, MakeBudget(settings));
  SOTTO_TRY_ASSIGN(auto fit, entry.create(settings, columns, budget));
  SOTTO_TRY_ASSIGN(auto guarantee, FitGuarantee(*fit, budget));
  return Made{std::move(columns), budget, std::move(fit), std::move(guarantee)};
}

// Opens the table of a fit. Fails with kInvalidArgument for what is public: the
// header, the schema, labels that are not one of two.
Result<ExampleReader> OpenTable(const FitEntry& entry, const Settings& settings,
                                const TableSource& source) {
  SOTTO_TRY_ASSIGN(auto params, MakeReaderParams(source));
  params.skip_bad = false;  // a bad row is noted with its reason
  params.encoding.hash_bits = 0;
  params.encoding.clamp = true;
  if (entry.prepare != nullptr) {
    SOTTO_TRY(entry.prepare(settings, params));
  }
  SOTTO_TRY_ASSIGN(auto reader, ExampleReader::Open(std::move(params)));
  if (reader.label_type().kind != LabelType::Kind::kTwo) {
    return InvalidArgument(std::string(entry.name) +
                           " takes labels that are one of two");
  }
  return reader;
}

Result<TableUse> ReadRows(ExampleReader& reader, const FitColumns& columns,
                          std::uint64_t rows_per_user, FitBatch& batch) {
  std::vector<std::uint32_t> codes(columns.size());
  return ForEachPlace(reader, rows_per_user, [&](const Round* round) {
    if (round == nullptr) return batch.PadTo(batch.size() + 1);
    columns.Encode(round->x, codes);
    batch.Add(codes, round->y->positive());
  });
}

// The public facts of a plan.
Result<InputSpec> PlannedInputs(const Settings& settings) {
  InputSpec inputs{.features = 1, .dense = 1};
  if (settings.Has("schema")) {
    SOTTO_TRY_ASSIGN(auto schema, Schema::FromFile(settings.Text("schema")));
    inputs.schema = std::make_shared<const Schema>(std::move(schema));
  } else if (settings.GetInt("features") > 0) {
    inputs.features = static_cast<std::uint32_t>(settings.GetInt("features"));
    inputs.dense = inputs.features;
  }
  return inputs;
}

Verdict ChooseVerdict(double expected, double wanted) {
  if (expected <= wanted) return Verdict::kComfortable;
  return expected <= 4 * wanted ? Verdict::kTight : Verdict::kHopeless;
}

}  // namespace

Result<Guarantee> FitGuarantee(const PrivateFit& fit, const FitBudget& budget) {
  return MakeGuarantee({.notion = Notion::kDp,
                        .relation = budget.relation,
                        .rounds_per_user = budget.rounds_per_user,
                        .protects = "a row of the table",
                        .spend = fit.spend()},
                       budget.user);
}

Result<FitResult> FitTable(const FitEntry& entry, const Settings& settings,
                           const TableSource& source, const Key& key) {
  SOTTO_TRY_ASSIGN(auto reader, OpenTable(entry, settings, source));
  const InputSpec inputs = MakeInputSpec(reader);
  SOTTO_TRY_ASSIGN(auto made, Make(entry, settings, inputs));
  const PrivateFit& fit = *made.fit;
  FitBatch batch(made.columns.size());
  SOTTO_TRY_ASSIGN(auto use, ReadRows(reader, made.columns,
                                      made.budget.rounds_per_user, batch));
  // With add-remove even their number is secret.
  if (made.budget.relation == Relation::kReplace) {
    batch.SetPublicPlaces(batch.size());
  }
  ChaChaRng rng(key);
  FitFile file{.fit = std::string(entry.name),
               .columns = made.columns,
               .hypothesis = fit.Fit(batch, rng),
               .labels = GetLabels(inputs, source)};
  Json model = Json::Object{{"model", entry.name}};
  const Json learned = file.ToJson();
  for (const auto& [name, value] : *learned.object()) model[name] = value;
  model["guarantee"] = ToJson(made.guarantee);
  model["private"] = !settings.Has("seed");
  std::vector<std::string> notes;
  if (inputs.schema && inputs.schema->spent) {
    notes.push_back("The ranges of the schema had cost the same people " +
                    inputs.schema->spent->Text() +
                    "; it adds to what this fit costs.");
  }
  return FitResult{.model = std::move(model),
                   .text = file.Text(),
                   .guarantee = std::move(made.guarantee),
                   .parameters = fit.parameters(),
                   .rows = batch.size(),
                   .use = std::move(use),
                   .notes = std::move(notes)};
}

Result<TableUse> CheckTable(const FitEntry& entry, const Settings& settings,
                            const TableSource& source) {
  SOTTO_TRY_ASSIGN(auto reader, OpenTable(entry, settings, source));
  SOTTO_TRY(Make(entry, settings, MakeInputSpec(reader)));
  return ForEachPlace(reader, settings.GetInt("rounds-per-user"),
                      [](const Round*) {});
}

Result<Plan> PlanFit(const FitEntry& entry, const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto inputs, PlannedInputs(settings));
  SOTTO_TRY_ASSIGN(auto made, Make(entry, settings, inputs));
  const PrivateFit& fit = *made.fit;
  const double required = fit.RowsFor(settings.GetDouble("error"), kFailure);
  Plan plan{.model = std::string(entry.name) + ": " + fit.Summary(),
            .parameters = fit.parameters(),
            .guarantee = std::move(made.guarantee),
            .samples_required = required};
  if (entry.compare != nullptr) {
    const Status compared = entry.compare(settings, made.budget, plan);
    if (!compared) return compared.error();
  }
  if (const auto rows = settings.GetOptionalInt("rows")) {
    const double expected = fit.ExpectedError(static_cast<double>(*rows));
    plan.verdict = ChooseVerdict(expected, settings.GetDouble("error"));
    plan.more["error_expected"] = expected;
    plan.table += PlanLine("error expected beyond the best",
                           Shortest(std::round(expected * 1e4) / 1e4));
  }
  plan.caveats.emplace_back(
      fit.proves_rows()
          ? "samples_required is proved, of the rows it is fitted on, for what "
            "privacy adds to the error; the best hypothesis has one of its own."
          : "samples_required is what each question needs so as not to be "
            "drowned by noise, and no bound on the error: a question that pays "
            "only together with the next may not be found.");
  return plan;
}

const OptionTable& FitPlanOptions() {
  static const OptionTable kColumns = {
      {.name = "schema", .help = "Public columns, types, values and ranges."},
      {.name = "features",
       .type = OptionType::kWhole,
       .help = "Number of columns without a schema (1).",
       .high = static_cast<double>(FitColumns::kMaxColumns)}};
  static const OptionTable kTable = ConcatOptions({kColumns, RowPlanOptions()});
  return kTable;
}

}  // namespace sotto
