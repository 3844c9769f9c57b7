#include "sotto/models/fits/greedy_cover/cover_fit.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/data/streams/columns.h"
#include "sotto/data/streams/label_parser.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/fits/greedy_cover/cover_data.h"
#include "sotto/models/fits/greedy_cover/cover_model.h"
#include "sotto/models/fits/greedy_cover/cover_options.h"
#include "sotto/models/fits/greedy_cover/cover_table.h"
#include "sotto/online/user_ledger.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

// The public facts about the table.
struct Shape {
  std::optional<Schema> schema;
  std::string label = "y";
  DecisionList::LabelNames labels;
};

Status ReadLabels(const TableSource& source, Shape& shape) {
  if (shape.schema && shape.schema->label) {
    const LabelType& type = shape.schema->label->type;
    if (type.kind != LabelType::Kind::kTwo || type.names.size() != 2) {
      return InvalidArgument(
          "greedy-cover takes labels that are one of two; the schema says "
          "otherwise");
    }
    shape.label = shape.schema->label->column;
    shape.labels = {type.names[0], type.names[1]};
  }
  if (!source.label.empty()) shape.label = source.label;
  if (!source.labels.empty()) {
    SOTTO_TRY_ASSIGN(const auto words, ParseLabelWords(source.labels));
    shape.labels = {words->first, words->second};
  }
  for (const std::string& name :
       {shape.label, shape.labels.negative, shape.labels.positive}) {
    if (!IsUtf8(name)) {
      return InvalidArgument("the label column and its values must be UTF-8");
    }
  }
  return Ok();
}

Result<Shape> ReadShape(const TableSource& source) {
  Shape shape;
  if (!source.schema.empty()) {
    SOTTO_TRY_ASSIGN(auto schema, Schema::FromFile(source.schema));
    shape.schema = std::move(schema);
  }
  SOTTO_TRY(ReadLabels(source, shape));
  if (shape.schema) {
    shape.schema->label = SchemaLabel{
        shape.label, {.names = {shape.labels.negative, shape.labels.positive}}};
  }
  return shape;
}

// Without a schema the names of the columns are all that is known.
Result<CoverColumns> MakeColumns(const Settings& settings, const Shape& shape,
                                 const TableReader& reader,
                                 std::optional<std::size_t> user) {
  const CoverColumns::Params params = MakeCoverColumnsParams(settings);
  const std::string user_column = user ? reader.columns()[*user] : "";
  if (shape.schema && user && shape.schema->Find(user_column)) {
    return InvalidArgument("column " + Shown(user_column) +
                           " is a feature in the schema, but also the user");
  }
  if (shape.schema) return CoverColumns::FromSchema(*shape.schema, params);
  std::vector<std::string> names;
  for (const std::string& name : reader.columns()) {
    if (name != shape.label && name != user_column) names.push_back(name);
  }
  return CoverColumns::Hashed(std::move(names), params);
}

// A table that is ready to be read, and the learner for it.
struct CoverInput {
  Shape shape;
  CoverColumns columns;
  GreedyCover learner;
  TableReader reader;
  std::optional<std::size_t> user;
};

Result<CoverInput> Open(const Settings& settings, const TableSource& source) {
  SOTTO_TRY_ASSIGN(auto shape, ReadShape(source));
  SOTTO_TRY_ASSIGN(auto reader,
                   OpenCoverTable(source,
                                  shape.schema ? ListNames(*shape.schema)
                                               : std::vector<std::string>(),
                                  shape.schema.has_value()));
  std::optional<std::size_t> user;
  if (!reader.columns().empty()) {
    SOTTO_TRY_ASSIGN(
        user, FindUserColumn(reader.columns(), source.user, shape.label));
  }
  SOTTO_TRY_ASSIGN(auto columns, MakeColumns(settings, shape, reader, user));
  SOTTO_TRY_ASSIGN(auto learner, CoverLearner(settings, columns,
                                              {settings.GetDouble("epsilon"),
                                               settings.GetDouble("delta")}));
  return CoverInput{std::move(shape), std::move(columns), std::move(learner),
                    std::move(reader), user};
}

// Where the number of rows is public it may not depend on what is in them: a
// row that is the same for all data stands for one that cannot be used, or
// whose user is over the limit.
Result<TableUse> ReadRows(CoverInput& opened, const TableSource& source,
                          CoverData& data) {
  const GreedyCover::Params& params = opened.learner.params();
  const bool rows_public = params.relation == Relation::kReplace;
  const std::vector<double> blank = opened.columns.BlankRow();
  SOTTO_TRY_ASSIGN(auto table,
                   CoverTable::Of(std::move(opened.reader),
                                  {.name = source.path,
                                   .label_column = opened.shape.label,
                                   .labels = opened.shape.labels,
                                   .needs_labels = true,
                                   .skip_bad = true,
                                   .user = opened.user},
                                  opened.columns));
  SOTTO_TRY_ASSIGN(auto ledger, UserLedger::ForTable(params.rows_per_user));
  TableUse use;
  SOTTO_TRY(table.ForEach([&](const CoverTable::Row& row) -> Status {
    const bool admitted = ledger.Admit(row.user, 0);
    if (!admitted) ++use.over_limit;
    if (!row.bad.empty()) use.AddBadRow(row.bad);
    if (row.user.empty() && (row.usable || !row.bad.empty())) ++use.unnamed;
    if (admitted && row.usable) {
      data.Add(row.x, *row.y);
    } else if (rows_public) {
      data.Add(blank, false);
    }
    return Ok();
  }));
  use.skipped = table.skipped();
  return use;
}

// Draws the list, and its shares if they are asked for.
CoverModel Draw(const Settings& settings, const Shape& shape,
                const GreedyCover& learner, const CoverData& data, Rng& rng) {
  const GreedyCover::Params& params = learner.params();
  auto drawn = params.shares > 0
                   ? learner.FitWithShares(data, rng)
                   : GreedyCover::ListWithShares{learner.Fit(data, rng), {}};
  return {.list = std::move(drawn.list),
          .labels = shape.labels,
          .label_column = shape.label,
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
                                   const Shape& shape,
                                   const CoverColumns& columns) {
  if (shape.schema) return {};
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
  SOTTO_TRY_ASSIGN(auto use, ReadRows(opened, source, data));
  ChaChaRng rng(key);
  const CoverModel model =
      Draw(settings, opened.shape, opened.learner, data, rng);
  return FitResult{.model = model.ToJson(),
                   .text = model.Text(),
                   .guarantee = model.guarantee,
                   .parameters = model.Parameters(),
                   .rows = data.rows(),
                   .use = std::move(use),
                   .notes = MakeNotes(source, opened.shape, opened.columns)};
}

Result<TableUse> CheckCoverTable(const Settings& settings,
                                 const TableSource& source) {
  SOTTO_TRY_ASSIGN(auto opened, Open(settings, source));
  CoverData unused(opened.learner.space());
  return ReadRows(opened, source, unused);
}

}  // namespace sotto
