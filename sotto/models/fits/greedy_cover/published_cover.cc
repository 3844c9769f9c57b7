#include "sotto/models/fits/greedy_cover/published_cover.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/base/printable.h"
#include "sotto/data/streams/label_parser.h"
#include "sotto/models/fits/greedy_cover/cover_model.h"
#include "sotto/models/fits/greedy_cover/cover_table.h"

namespace sotto {
namespace {

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

Status Predict(const Json& json, const TableSource& source, bool with_labels,
               const ModelFileFormat::Take& take) {
  SOTTO_TRY_ASSIGN(const auto model, CoverModel::FromJson(json));
  if (!source.schema.empty()) {
    return InvalidArgument(
        "the model says what its columns are: leave --schema out");
  }
  CoverTable::Params params{
      .name = source.path, .labels = model.labels, .skip_bad = source.skip_bad};
  const std::string label =
      source.label.empty() ? model.label_column : source.label;
  if (with_labels) params.label_column = label;
  if (!source.labels.empty()) {
    SOTTO_TRY_ASSIGN(const auto words, ParseLabelWords(source.labels));
    params.labels = {words->first, words->second};
  }
  std::vector<std::string> names{label};
  for (const CoverColumn& column : model.list.columns().columns()) {
    names.push_back(column.name);
  }
  SOTTO_TRY_ASSIGN(auto reader, OpenCoverTable(source, names, true));
  SOTTO_TRY_ASSIGN(auto table,
                   CoverTable::Of(std::move(reader), std::move(params),
                                  model.list.columns()));
  const DecisionList list = model.list.Simplified();
  return table.ForEach([&](const CoverTable::Row& row) -> Status {
    if (!row.usable) return take("", std::nullopt);
    const bool prediction = list.Predict(row.x);
    std::optional<bool> wrong;
    if (row.y) wrong = *row.y != prediction;
    return take(prediction ? model.labels.positive : model.labels.negative,
                wrong);
  });
}

}  // namespace

const ModelFileFormat& PublishedCover() {
  static const ModelFileFormat kEntry = {
      .name = "greedy-cover", .show = Show, .predict = Predict};
  return kEntry;
}

}  // namespace sotto
