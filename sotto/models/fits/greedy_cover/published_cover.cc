#include "sotto/models/fits/greedy_cover/published_cover.h"

#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/base/printable.h"
#include "sotto/models/fits/greedy_cover/cover_model.h"

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

Result<PublishedModel> Read(const Json& json) {
  SOTTO_TRY_ASSIGN(const auto model, CoverModel::FromJson(json));
  return PublishedModel{
      .encoding = {.schema = model.list.columns().ToSchema(),
                   .raw_numbers = true},
      .label = {.names = {model.labels.negative, model.labels.positive}},
      .label_column = model.label_column,
      .predict = [list = model.list.Simplified()](FeatureView x) {
        std::vector<double> row(list.columns().size());
        list.columns().Encode(x, row);
        return PublishedModel::Answer{Label(list.Predict(row))};
      }};
}

}  // namespace

const ModelFileFormat& PublishedCover() {
  static const ModelFileFormat kEntry = {
      .name = "greedy-cover", .show = Show, .read = Read};
  return kEntry;
}

}  // namespace sotto
