#include "sotto/models/fits/fit_table.h"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/number_text.h"
#include "sotto/base/utf8.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/models/batch/table_places.h"
#include "sotto/models/fits/fit_file.h"
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

// Fails with kInvalidArgument: labels that a model could not hold.
Result<FitLabels> GetLabels(const ExampleReader& reader) {
  FitLabels labels{.column = reader.label_name()};
  if (const auto& names = reader.label_type().names; names.size() == 2) {
    labels.negative = names[0];
    labels.positive = names[1];
  }
  if (!IsUtf8(labels.column) || !IsUtf8(labels.negative) ||
      !IsUtf8(labels.positive)) {
    return InvalidArgument("the label column and its values must be UTF-8");
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
                  FitColumns columns) {
  SOTTO_TRY_ASSIGN(const auto budget, MakeBudget(settings));
  SOTTO_TRY_ASSIGN(auto fit, entry.create(settings, columns, budget));
  SOTTO_TRY_ASSIGN(auto guarantee, FitGuarantee(*fit, budget));
  return Made{std::move(columns), budget, std::move(fit), std::move(guarantee)};
}

// Keeps the rows for a PrivateFit and writes a FitFile.
class BatchFit final : public TableFit {
 public:
  BatchFit(std::string_view name, Made made, FitLabels labels, bool is_private)
      : name_(name),
        made_(std::move(made)),
        labels_(std::move(labels)),
        is_private_(is_private),
        batch_(made_.columns.size()) {}

  void Add(std::span<const std::uint32_t> codes, bool label) override {
    batch_.Add(codes, label);
  }
  void AddEmpty() override { batch_.PadTo(batch_.size() + 1); }

  FitResult Finish(Rng& rng) override {
    // With add-remove even their number is secret.
    if (made_.budget.relation == Relation::kReplace) {
      batch_.SetPublicPlaces(batch_.size());
    }
    const FitFile file{.fit = name_,
                       .columns = made_.columns,
                       .hypothesis = made_.fit->Fit(batch_, rng),
                       .labels = labels_};
    Json model = Json::Object{{"model", name_}};
    const Json learned = file.ToJson();
    for (const auto& [name, value] : *learned.object()) model[name] = value;
    model["guarantee"] = ToJson(made_.guarantee);
    model["private"] = is_private_;
    return {.model = std::move(model),
            .text = file.Text(),
            .guarantee = made_.guarantee,
            .parameters = made_.fit->parameters(),
            .rows = batch_.size()};
  }

 private:
  std::string name_;
  Made made_;
  FitLabels labels_;
  bool is_private_;
  FitBatch batch_;
};

// A table that is ready to be read, and the fit for it.
struct OpenedTable {
  ExampleReader reader;
  FitColumns columns;
  std::unique_ptr<TableFit> fit;
};

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

Result<OpenedTable> Open(const FitEntry& entry, const Settings& settings,
                         const TableSource& source) {
  SOTTO_TRY_ASSIGN(auto reader, OpenTable(entry, settings, source));
  SOTTO_TRY_ASSIGN(auto columns,
                   entry.columns(settings, MakeInputSpec(reader)));
  SOTTO_TRY_ASSIGN(auto labels, GetLabels(reader));
  std::unique_ptr<TableFit> fit;
  if (entry.open != nullptr) {
    SOTTO_TRY_ASSIGN(fit, entry.open(settings, columns, labels));
  } else {
    SOTTO_TRY_ASSIGN(auto made, Make(entry, settings, columns));
    fit = std::make_unique<BatchFit>(entry.name, std::move(made),
                                     std::move(labels), !settings.Has("seed"));
  }
  return OpenedTable{std::move(reader), std::move(columns), std::move(fit)};
}

// Notes for the operator on what the table's reading takes as public.
std::vector<std::string> MakeNotes(const OpenedTable& table,
                                   const TableSource& source) {
  std::vector<std::string> notes;
  const EncodingParams& encoding = table.reader.encoding().params();
  if (encoding.schema && encoding.schema->spent) {
    notes.push_back("The ranges of the schema had cost the same people " +
                    encoding.schema->spent->Text() +
                    "; it adds to what this fit costs.");
  }
  if (!source.schema.empty() || encoding.column_buckets == 0) return notes;
  notes.emplace_back(
      "Warning: without --schema every value is hashed as a category, numbers "
      "too: a rule cannot say that a number is above another. `sotto schema` "
      "writes one.");
  if (!source.header) return notes;
  std::vector<std::string> names;
  for (const FitColumn& column : table.columns.all()) {
    names.push_back(column.name);
  }
  notes.push_back(
      "Without --schema the first line is taken as public, and goes into the "
      "model: " +
      ShownList(names));
  return notes;
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
  SOTTO_TRY_ASSIGN(auto table, Open(entry, settings, source));
  std::vector<std::uint32_t> codes(table.columns.size());
  SOTTO_TRY_ASSIGN(
      auto use, ForEachPlace(table.reader, settings.GetInt("rounds-per-user"),
                             [&](const Round* round) {
                               if (round == nullptr) {
                                 return table.fit->AddEmpty();
                               }
                               table.columns.Encode(round->x, codes);
                               table.fit->Add(codes, round->y->positive());
                             }));
  ChaChaRng rng(key);
  FitResult result = table.fit->Finish(rng);
  result.use = std::move(use);
  result.notes = MakeNotes(table, source);
  return result;
}

Result<TableUse> CheckTable(const FitEntry& entry, const Settings& settings,
                            const TableSource& source) {
  SOTTO_TRY_ASSIGN(auto table, Open(entry, settings, source));
  return ForEachPlace(table.reader, settings.GetInt("rounds-per-user"),
                      [](const Round*) {});
}

Result<Plan> PlanFit(const FitEntry& entry, const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto inputs, PlannedInputs(settings));
  SOTTO_TRY_ASSIGN(auto columns, entry.columns(settings, inputs));
  SOTTO_TRY_ASSIGN(auto made, Make(entry, settings, std::move(columns)));
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

const OptionTable& RowPlanOptions() {
  static const OptionTable kTable = {
      {.name = "rows",
       .type = OptionType::kWhole,
       .help = "Number of rows to plan for."},
      {.name = "error",
       .type = OptionType::kReal,
       .fallback = "0.02",
       .help = "Error rate that privacy may add.",
       .high = 0.999,
       .above = true}};
  return kTable;
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
