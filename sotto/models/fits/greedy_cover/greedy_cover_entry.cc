#include "sotto/models/fits/greedy_cover/greedy_cover_entry.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/fits/fit_table.h"
#include "sotto/models/fits/greedy_cover/cover_model.h"
#include "sotto/models/fits/greedy_cover/cover_options.h"
#include "sotto/models/fits/greedy_cover/cover_plan.h"

namespace sotto {
namespace {

// Without a schema the plan is for a table of middling size.
constexpr std::size_t kAssumedColumns = 100;

// How tables are read. Without a schema the names of the columns are all that
// is known, and values are hashed.
Status Prepare(const Settings& settings, ReaderParams& request) {
  const CoverColumnParams columns = GetCoverColumnParams(settings);
  auto& schema = request.encoding.schema;
  if (!schema && request.format != StreamFormat::kCsv) {
    return InvalidArgument(request.path +
                           ": without a schema greedy-cover takes tables in "
                           "csv, nothing else");
  }
  request.may_be_empty = true;
  request.encoding.raw_numbers = true;
  request.encoding.column_buckets = columns.buckets;
  if (schema) schema = CoverSchema(*schema, columns);
  return Ok();
}

Result<FitColumns> GetColumns(const Settings& settings,
                              const InputSpec& inputs) {
  return MakeCoverColumns(*inputs.schema, GetCoverColumnParams(settings));
}

Result<GreedyCover> MakeLearner(const Settings& settings,
                                const FitColumns& columns) {
  return CoverLearner(
      settings, columns,
      {settings.GetDouble("epsilon"), settings.GetDouble("delta")});
}

// A list of a table, with its shares if they are asked for.
class CoverFit final : public TableFit {
 public:
  CoverFit(GreedyCover learner, FitLabels labels, bool is_private)
      : learner_(std::move(learner)),
        labels_(std::move(labels)),
        is_private_(is_private),
        data_(learner_.space()) {}

  void Add(std::span<const std::uint32_t> codes, bool label) override {
    data_.Add(codes, label);
  }
  // Where the number of rows is public it may not depend on what is in them: a
  // row that is the same for all data stands for an empty place.
  void AddEmpty() override {
    if (learner_.params().relation != Relation::kReplace) return;
    std::vector<std::uint32_t> blank(learner_.space().columns().size());
    learner_.space().columns().Encode({}, blank);
    data_.Add(blank, false);
  }

  FitResult Finish(Rng& rng) override {
    auto drawn =
        learner_.params().shares > 0
            ? learner_.FitWithShares(data_, rng)
            : GreedyCover::ListWithShares{learner_.Fit(data_, rng), {}};
    const CoverModel model{.list = std::move(drawn.list),
                           .labels = labels_,
                           .guarantee = learner_.guarantee(),
                           .is_private = is_private_,
                           .parameters = learner_.parameters(),
                           .shares = std::move(drawn.shares),
                           .share_scale = learner_.share_scale()};
    return {.model = model.ToJson(),
            .text = model.Text(),
            .guarantee = model.guarantee,
            .parameters = model.parameters,
            .rows = data_.rows()};
  }

 private:
  GreedyCover learner_;
  FitLabels labels_;
  bool is_private_;
  CoverData data_;
};

Result<std::unique_ptr<TableFit>> Open(const Settings& settings,
                                       const FitColumns& columns,
                                       const FitLabels& labels) {
  SOTTO_TRY_ASSIGN(auto learner, MakeLearner(settings, columns));
  return std::unique_ptr<TableFit>(std::make_unique<CoverFit>(
      std::move(learner), labels, !settings.Has("seed")));
}

const FitEntry& CoverEntry() {
  static const FitEntry kEntry = {
      .name = "greedy-cover",
      .help = "Readable decision lists",
      .example = "--epsilon 1 --delta 1e-6 --rules 30",
      .options = CoverOptions(),
      .columns = GetColumns,
      .create = nullptr,
      .prepare = Prepare,
      .open = Open};
  return kEntry;
}

Result<std::string> Show(const Json& json) {
  SOTTO_TRY_ASSIGN(const auto model, CoverModel::FromJson(json));
  std::string text = model.Text();
  if (!model.shares.empty()) {
    text += "Shares: rows of the training table, with noise of scale " +
            TextUp(model.share_scale) +
            " on each count of a rule and a label; covered by the guarantee.\n";
  }
  return Printable(text + "Privacy: " + model.guarantee.Describe() + "\n");
}

Result<PublishedModel> Read(const Json& json) {
  SOTTO_TRY_ASSIGN(const auto model, CoverModel::FromJson(json));
  return PublishedModel{
      .encoding = {.schema = MakeSchema(model.list.columns()),
                   .raw_numbers = true},
      .label = {.names = {model.labels.negative, model.labels.positive}},
      .label_column = model.labels.column,
      .predict = [list = model.list.Simplified()](FeatureView x) {
        std::vector<std::uint32_t> codes(list.columns().size());
        list.columns().Encode(x, codes);
        return PublishedModel::Answer{Label(list.Predict(codes))};
      }};
}

Result<FitColumns> PlannedColumns(const Settings& settings) {
  if (settings.Has("schema")) {
    SOTTO_TRY_ASSIGN(const auto schema,
                     Schema::FromFile(settings.Text("schema")));
    return MakeCoverColumns(schema, GetCoverColumnParams(settings));
  }
  return FitColumns(std::vector<FitColumn>(
      kAssumedColumns, {.kind = FitColumn::Kind::kBoolean}));
}

std::size_t Candidates(const GreedyCover& learner) {
  return 2 * learner.space().conjunctions().size();
}

std::string Percent(double share) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g%%", 100 * share);
  return text.data();
}

std::string MakeTable(const Settings& settings, const CoverPlan& plan) {
  return PlanLine("", "for all draws to lose at most " +
                          Percent(settings.GetDouble("error")) +
                          " together (proved of the draws; the best rules have "
                          "errors of their own)") +
         PlanLine("samples expected",
                  WithCommas(plan.samples_expected) +
                      " where a short list explains the table (measured on "
                      "Mushroom)") +
         PlanLine("one draw",
                  "at most " + WholeWithCommas(std::ceil(plan.rule_loss)) +
                      " wrong rows worse than the best rule; all of them, with "
                      "probability 95%") +
         PlanLine("instead", plan.comparison);
}

Json MakeExtraJson(const Settings& settings, const CoverPlan& plan) {
  return Json::Object{{"error", settings.GetDouble("error")},
                      {"rows", settings.GetOptionalInt("rows")},
                      {"rule_loss", plan.rule_loss},
                      {"samples_expected", plan.samples_expected},
                      {"comparison", plan.comparison}};
}

Result<Plan> MakePlan(const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto columns, PlannedColumns(settings));
  SOTTO_TRY_ASSIGN(const auto learner, MakeLearner(settings, columns));
  SOTTO_TRY_ASSIGN(const auto plan,
                   PlanCover(learner, {.rows = settings.GetOptionalInt("rows"),
                                       .error = settings.GetDouble("error")}));
  Json parameters = learner.parameters();
  parameters["candidates"] = Candidates(learner);
  parameters["schema_assumed"] = !settings.Has("schema");
  return Plan{.model = "greedy-cover, " +
                       std::to_string(learner.params().rules) +
                       " rules drawn from " + WithCommas(Candidates(learner)) +
                       (settings.Has("schema")
                            ? ""
                            : " (no --schema: as if of 100 Boolean columns)"),
              .parameters = std::move(parameters),
              .guarantee = learner.guarantee(),
              .samples_required = static_cast<double>(plan.samples_required),
              .verdict = plan.verdict,
              .advice = {plan.advice},
              .more = MakeExtraJson(settings, plan),
              .table = MakeTable(settings, plan)};
}

}  // namespace

const BatchModelEntry& GreedyCoverEntry() {
  static const ModelFileFormat kFile = {
      .name = CoverEntry().name, .show = Show, .read = Read};
  static const OptionTable kSchema = {
      {.name = "schema",
       .help = "Public columns, types, values and ranges. Default: 100 Boolean "
               "columns."}};
  static const BatchModelEntry kEntry = [] {
    BatchModelEntry entry = MakeBatchEntry<CoverEntry>("rules", kFile);
    entry.plan = MakePlan;
    entry.plan_options = ConcatOptions({kSchema, RowPlanOptions()});
    return entry;
  }();
  return kEntry;
}

}  // namespace sotto
