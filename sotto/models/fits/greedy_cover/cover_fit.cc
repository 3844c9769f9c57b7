#include "sotto/models/fits/greedy_cover/cover_fit.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/batch/table_places.h"
#include "sotto/models/fits/greedy_cover/cover_data.h"
#include "sotto/models/fits/greedy_cover/cover_model.h"
#include "sotto/models/fits/greedy_cover/cover_options.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

// A table that is ready to be read, and the learner for it.
struct CoverInput {
  std::string label_column;
  DecisionList::LabelNames labels;
  CoverColumns columns;
  GreedyCover learner;
  ExampleReader reader;
};

// Fails with kInvalidArgument: labels that are not one of two, or that a model
// could not hold.
Result<DecisionList::LabelNames> GetLabels(const ExampleReader& reader) {
  const LabelType& type = reader.label_type();
  if (type.kind != LabelType::Kind::kTwo) {
    return InvalidArgument(
        "greedy-cover takes labels that are one of two; the schema says "
        "otherwise");
  }
  DecisionList::LabelNames names;
  if (type.names.size() == 2) names = {type.names[0], type.names[1]};
  for (const std::string& name :
       {reader.label_name(), names.negative, names.positive}) {
    if (!IsUtf8(name)) {
      return InvalidArgument("the label column and its values must be UTF-8");
    }
  }
  return names;
}

// How the table is read. Without a schema the names of its columns are all that
// is known, and values are hashed. Sets `columns` if there is a schema.
Result<ReaderParams> MakeReader(const Settings& settings,
                                const TableSource& source,
                                std::optional<CoverColumns>& columns) {
  SOTTO_TRY_ASSIGN(auto params, MakeReaderParams(source));
  auto& schema = params.encoding.schema;
  if (!schema && params.format != StreamFormat::kCsv) {
    return InvalidArgument(source.path +
                           ": without a schema greedy-cover takes tables in "
                           "csv, nothing else");
  }
  params.skip_bad = false;  // a bad row is noted with its reason
  params.may_be_empty = true;
  params.encoding.raw_numbers = true;
  params.encoding.column_buckets = MakeCoverColumnsParams(settings).buckets;
  if (!schema) return params;
  SOTTO_TRY_ASSIGN(columns, CoverColumns::FromSchema(
                                *schema, MakeCoverColumnsParams(settings)));
  schema->columns = columns->ToSchema().columns;
  return params;
}

Result<CoverInput> Open(const Settings& settings, const TableSource& source) {
  std::optional<CoverColumns> columns;
  SOTTO_TRY_ASSIGN(auto params, MakeReader(settings, source, columns));
  SOTTO_TRY_ASSIGN(auto reader, ExampleReader::Open(std::move(params)));
  SOTTO_TRY_ASSIGN(auto labels, GetLabels(reader));
  if (!columns) {
    std::vector<std::string> names;
    for (const SchemaColumn& column : reader.encoding().schema()->columns) {
      names.push_back(column.name);
    }
    SOTTO_TRY_ASSIGN(columns,
                     CoverColumns::Hashed(std::move(names),
                                          MakeCoverColumnsParams(settings)));
  }
  SOTTO_TRY_ASSIGN(auto learner, CoverLearner(settings, *columns,
                                              {settings.GetDouble("epsilon"),
                                               settings.GetDouble("delta")}));
  std::string label = reader.label_name();
  return CoverInput{std::move(label), std::move(labels), *std::move(columns),
                    std::move(learner), std::move(reader)};
}

// Where the number of rows is public it may not depend on what is in them: a
// row that is the same for all data stands for an empty place.
Result<TableUse> ReadRows(CoverInput& opened, CoverData& data) {
  const GreedyCover::Params& params = opened.learner.params();
  const bool rows_public = params.relation == Relation::kReplace;
  const std::vector<double> blank = opened.columns.BlankRow();
  std::vector<double> row(opened.columns.size());
  return ForEachPlace(opened.reader, params.rows_per_user,
                      [&](const Round* round) {
                        if (round != nullptr) {
                          opened.columns.Encode(round->x, row);
                          data.Add(row, round->y->positive());
                        } else if (rows_public) {
                          data.Add(blank, false);
                        }
                      });
}

// Draws the list, and its shares if they are asked for.
CoverModel Draw(const Settings& settings, const CoverInput& opened,
                const CoverData& data, Rng& rng) {
  const GreedyCover& learner = opened.learner;
  const GreedyCover::Params& params = learner.params();
  auto drawn = params.shares > 0
                   ? learner.FitWithShares(data, rng)
                   : GreedyCover::ListWithShares{learner.Fit(data, rng), {}};
  return {.list = std::move(drawn.list),
          .labels = opened.labels,
          .label_column = opened.label_column,
          .guarantee = learner.guarantee(),
          .is_private = !settings.Has("seed"),
          .rules = params.rules,
          .literals = static_cast<std::uint32_t>(settings.GetInt("literals")),
          .penalty = params.penalty,
          .reward = params.reward,
          .calibration = settings.Text("calibration"),
          .rate = learner.rate().ToDoubleUp(),
          .bonus = learner.bonus(),
          .cap = learner.cap(),
          .shares = std::move(drawn.shares),
          .share_scale = learner.share_scale()};
}

std::vector<std::string> MakeNotes(const TableSource& source,
                                   const CoverColumns& columns) {
  if (!source.schema.empty()) return {};
  std::vector<std::string> notes = {
      "Warning: without --schema every value is hashed as a category, numbers "
      "too: a rule cannot say that a number is above another. `sotto schema` "
      "writes one."};
  if (!source.header) return notes;
  std::vector<std::string> names;
  for (const CoverColumn& column : columns.columns()) {
    names.push_back(column.name);
  }
  notes.push_back(
      "Without --schema the first line is taken as public, and goes into the "
      "model: " +
      ShownList(names));
  return notes;
}

}  // namespace

Result<FitResult> FitCover(const Settings& settings, const TableSource& source,
                           const Key& key) {
  SOTTO_TRY_ASSIGN(auto opened, Open(settings, source));
  CoverData data(opened.learner.space());
  SOTTO_TRY_ASSIGN(auto use, ReadRows(opened, data));
  ChaChaRng rng(key);
  const CoverModel model = Draw(settings, opened, data, rng);
  return FitResult{.model = model.ToJson(),
                   .text = model.Text(),
                   .guarantee = model.guarantee,
                   .parameters = model.Parameters(),
                   .rows = data.rows(),
                   .use = std::move(use),
                   .notes = MakeNotes(source, opened.columns)};
}

Result<TableUse> CheckCoverTable(const Settings& settings,
                                 const TableSource& source) {
  SOTTO_TRY_ASSIGN(auto opened, Open(settings, source));
  CoverData unused(opened.learner.space());
  return ReadRows(opened, unused);
}

}  // namespace sotto
