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
  const auto model = CoverModel::FromJson(json);
  if (!model) return model.error();
  std::string text = model->Text();
  if (!model->shares.empty()) {
    text += "Shares: rows of the training table, with noise of scale " +
            TextUp(model->share_scale) +
            " on each count of a rule and a label; covered by the guarantee.\n";
  }
  return Printable(text + "Privacy: " + model->guarantee.Describe() + "\n");
}

Status Predict(const Json& json, const TableSource& source, bool with_labels,
               const ModelFileFormat::Take& take) {
  const auto model = CoverModel::FromJson(json);
  if (!model) return model.error();
  if (!source.schema.empty()) {
    return InvalidArgument(
        "the model says what its columns are: leave --schema out");
  }
  CoverTable::Params params{.name = source.path,
                            .labels = model->labels,
                            .skip_bad = source.skip_bad};
  const std::string label =
      source.label.empty() ? model->label_column : source.label;
  if (with_labels) params.label_column = label;
  if (!source.labels.empty()) {
    const auto words = ParseLabelWords(source.labels);
    if (!words) return words.error();
    params.labels = {(*words)->first, (*words)->second};
  }
  std::vector<std::string> names{label};
  for (const CoverColumn& column : model->list.columns().columns()) {
    names.push_back(column.name);
  }
  auto reader = OpenCoverTable(source, names, true);
  if (!reader) return reader.error();
  auto table = CoverTable::Of(*std::move(reader), std::move(params),
                              model->list.columns());
  if (!table) return table.error();
  const DecisionList list = model->list.Simplified();
  return table->ForEach([&](const CoverTable::Row& row) -> Status {
    if (!row.usable) return take("", std::nullopt);
    const bool prediction = list.Predict(row.x);
    std::optional<bool> wrong;
    if (row.y) wrong = *row.y != prediction;
    return take(prediction ? model->labels.positive : model->labels.negative,
                wrong);
  });
}

}  // namespace

const ModelFileFormat& PublishedCover() {
  static const ModelFileFormat kRow = {
      .name = "greedy-cover", .show = Show, .predict = Predict};
  return kRow;
}

}  // namespace sotto
